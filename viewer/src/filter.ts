/** View options of the user, and the nodes and edges that they select. */

import type { GraphData } from "./data";

export type ColourBy = "prediction" | "ground_truth";

export interface ViewOptions {
  colourBy: ColourBy;
  misclassified: boolean;
  remote: boolean;
  changed: boolean;
  /** The class selected in the legend (-1: ground truth unknown), or null for all. */
  onlyClass: number | null;
  showEdges: boolean;
  /** The rounds whose highways are shown. */
  rounds: Set<number>;
}

export function defaultView(data: GraphData): ViewOptions {
  return {
    colourBy: "prediction",
    misclassified: false,
    remote: false,
    changed: false,
    onlyClass: null,
    showEdges: true,
    rounds: new Set(highwayRounds(data)),
  };
}

/** Return the rounds that added highways, in order. */
export function highwayRounds(data: GraphData): number[] {
  return [...new Set(data.highways.round)].sort((a, b) => a - b);
}

export function classColumn(data: GraphData, colourBy: ColourBy): number[] {
  return colourBy === "ground_truth" ? data.ground_truth : data.predicted;
}

export type NodePredicate = (data: GraphData, node: number) => boolean;

export const isMisclassified: NodePredicate = (data, node) =>
  data.ground_truth[node] >= 0 && data.predicted[node] >= 0 && data.ground_truth[node] !== data.predicted[node];

/** Nodes without a path to any label count as remote. */
export const isRemote: NodePredicate = (data, node) => data.hops[node] < 0 || data.hops[node] >= data.remote_hops;

export const isChanged: NodePredicate = (data, node) =>
  data.typical_predicted !== null && data.typical_predicted[node] !== data.predicted[node];

export const isFiltered = (view: ViewOptions): boolean =>
  view.misclassified || view.remote || view.changed || view.onlyClass !== null;

/** Return a mask of the nodes that pass all filters, or null if no filter is set. */
export function filterNodes(data: GraphData, view: ViewOptions): Uint8Array | null {
  if (!isFiltered(view)) return null;
  const classes = classColumn(data, view.colourBy);
  const passes = (node: number) =>
    (!view.misclassified || isMisclassified(data, node)) &&
    (!view.remote || isRemote(data, node)) &&
    (!view.changed || isChanged(data, node)) &&
    (view.onlyClass === null || classes[node] === view.onlyClass);
  return Uint8Array.from(data.ids, (_, node) => (passes(node) ? 1 : 0));
}

export function countNodes(data: GraphData, predicate: NodePredicate): number {
  let count = 0;
  for (let node = 0; node < data.ids.length; node++) if (predicate(data, node)) count++;
  return count;
}

export interface VisibleCounts {
  nodes: number;
  edges: number;
  highways: number;
}

export function visibleCounts(data: GraphData, view: ViewOptions): VisibleCounts {
  const highways = data.highways.round.filter((round) => view.rounds.has(round)).length;
  return { nodes: data.ids.length, edges: view.showEdges ? data.edges.length / 2 : 0, highways };
}

/** Count the nodes of each class; the last count is that of unknown classes. */
export function classCounts(data: GraphData, colourBy: ColourBy): number[] {
  const counts = new Array<number>(data.classes.length + 1).fill(0);
  for (const label of classColumn(data, colourBy)) counts[label < 0 ? data.classes.length : label]++;
  return counts;
}

/** Return the highways incident to a node, ordered by round and then by descending confidence. */
export function incidentHighways(data: GraphData, node: number): number[] {
  const { from, to, round, confidence } = data.highways;
  const incident: number[] = [];
  for (let i = 0; i < from.length; i++) if (from[i] === node || to[i] === node) incident.push(i);
  return incident.sort((a, b) => round[a] - round[b] || confidence[b] - confidence[a]);
}
