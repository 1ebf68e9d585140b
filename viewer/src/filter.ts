/** What the reader asked to see, and which nodes and lines that is. */

import type { GraphData } from "./data";

export type ColourBy = "prediction" | "truth";

export interface View {
  colourBy: ColourBy;
  wrong: boolean;
  remote: boolean;
  changed: boolean;
  /** The class picked in the legend (-1: truth unknown), or null for all. */
  only: number | null;
  edges: boolean;
  rounds: Set<number>;
}

export function firstView(data: GraphData): View {
  const rounds = new Set(roundsOf(data));
  return { colourBy: "prediction", wrong: false, remote: false, changed: false, only: null, edges: true, rounds };
}

export function roundsOf(data: GraphData): number[] {
  return [...new Set(data.highways.round)].sort((a, b) => a - b);
}

export function classesBy(data: GraphData, by: ColourBy): number[] {
  return by === "truth" ? data.truth : data.predicted;
}

export const isWrong = (data: GraphData, node: number): boolean =>
  data.truth[node] >= 0 && data.truth[node] !== data.predicted[node];

/** Nodes that no label reaches are as remote as can be. */
export const isRemote = (data: GraphData, node: number): boolean =>
  data.hops[node] < 0 || data.hops[node] >= data.remote;

export const isChanged = (data: GraphData, node: number): boolean =>
  data.before !== null && data.before[node] !== data.predicted[node];

/** Returns 1 for every node that passes all filters, or null when there is none to pass. */
export function matching(data: GraphData, view: View): Uint8Array | null {
  if (!view.wrong && !view.remote && !view.changed && view.only === null) return null;
  const classes = classesBy(data, view.colourBy);
  const passes = (node: number) =>
    (!view.wrong || isWrong(data, node)) &&
    (!view.remote || isRemote(data, node)) &&
    (!view.changed || isChanged(data, node)) &&
    (view.only === null || classes[node] === view.only);
  return Uint8Array.from(data.ids, (_, node) => (passes(node) ? 1 : 0));
}

export function count(data: GraphData, test: (data: GraphData, node: number) => boolean): number {
  let total = 0;
  for (let node = 0; node < data.ids.length; node++) if (test(data, node)) total++;
  return total;
}

export interface Shown {
  nodes: number;
  edges: number;
  highways: number;
}

export function shown(data: GraphData, view: View): Shown {
  const highways = data.highways.round.filter((round) => view.rounds.has(round)).length;
  return { nodes: data.ids.length, edges: view.edges ? data.edges.length / 2 : 0, highways };
}

/** How many nodes each class has, with those of unknown class last. */
export function classCounts(data: GraphData, by: ColourBy): number[] {
  const counts = new Array<number>(data.classes.length + 1).fill(0);
  for (const label of classesBy(data, by)) counts[label < 0 ? data.classes.length : label]++;
  return counts;
}

/** The highways that end in a node, by round and then the most confident first. */
export function highwaysOf(data: GraphData, node: number): number[] {
  const { from, to, round, confidence } = data.highways;
  const own: number[] = [];
  for (let i = 0; i < from.length; i++) if (from[i] === node || to[i] === node) own.push(i);
  return own.sort((a, b) => round[a] - round[b] || confidence[b] - confidence[a]);
}
