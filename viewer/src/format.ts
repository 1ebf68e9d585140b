/** Formatting of numbers and of the texts that the viewer shows. */

import type { GraphData } from "./data";
import { isFiltered, type ViewOptions, type VisibleCounts } from "./filter";
import type { LabelPaths, Path } from "./paths";

const numberFormat = new Intl.NumberFormat("en-US");

export const formatNumber = (value: number): string => numberFormat.format(value);

/** The space is non-breaking, so that a line never ends before the sign. */
export const formatPercent = (value: number | string): string => `${value}\u00a0%`;

const plural = (value: number, one: string, many: string): string =>
  `${formatNumber(value)} ${value === 1 ? one : many}`;

export const formatHops = (hops: number): string => plural(hops, "hop", "hops");

export const formatPathLength = (path: Path | null): string => (path ? formatHops(path.edges.length) : "no path");

export const truncate = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;

/** A class that is a number reads as "class 0" within a sentence. */
export const formatClass = (data: GraphData, label: number): string =>
  /^-?\d+(\.\d+)?$/.test(data.classes[label]) ? `class ${data.classes[label]}` : data.classes[label];

/** With all nodes and highways a path may be shorter than within a sample of them, unless it has a single hop. */
export function formatLimitedLength(path: Path | null, exact: boolean): string {
  const limit = !exact && path !== null && path.edges.length > 1 ? "at most " : "";
  return limit + formatPathLength(path);
}

export function formatLabelDistance(hops: number): string {
  if (hops < 0) return "unreachable";
  return hops === 0 ? "0 hops (training node)" : formatHops(hops);
}

export function formatTotals(data: GraphData, visible: VisibleCounts): string {
  const nodes = plural(visible.nodes, "node", "nodes");
  const edges = plural(visible.edges, "edge", "edges");
  return `${nodes}, ${edges}, ${plural(visible.highways, "highway", "highways")}${formatSample(data)}.`;
}

function formatSample({ sampled_from, ids, edges, highways }: GraphData): string {
  if (!sampled_from) return "";
  const counts: [number, number, string][] = [
    [ids.length, sampled_from.nodes, "nodes"],
    [edges.length / 2, sampled_from.edges, "edges"],
    [highways.from.length, sampled_from.highways, "highways"],
  ];
  const sampled = counts.filter(([part, all]) => part < all);
  const parts = sampled.map(([part, all, unit]) => `${formatNumber(part)} of ${formatNumber(all)} ${unit}`);
  return ` – sample: ${parts.join(", ")}`;
}

export function formatMatches(view: ViewOptions, matches: number, nodes: number): string {
  if (!isFiltered(view)) return "";
  const share = (100 * matches) / Math.max(1, nodes);
  return `${plural(matches, "node matches", "nodes match")} (${formatPercent(share.toFixed(1))}).`;
}

/** Return the round of every highway on a path. */
function highwayRoundsOf(data: GraphData, path: Path): number[] {
  const numOriginal = data.edges.length / 2;
  return path.edges.filter((edge) => edge >= numOriginal).map((edge) => data.highways.round[edge - numOriginal]);
}

function formatHighways(roundOfEach: number[]): string {
  const rounds = [...new Set(roundOfEach)].sort((a, b) => a - b);
  const highways = roundOfEach.length === 1 ? "a highway" : `${roundOfEach.length} highways`;
  return `via ${highways} of ${rounds.length === 1 ? "round" : "rounds"} ${rounds.join(" and ")}`;
}

/** Whether paths with highways are told from those without: not where no highway was added or a fold had others. */
export const comparesHighways = (data: GraphData, { heldOut }: LabelPaths): boolean =>
  !heldOut && (data.sampled_from?.highways ?? data.highways.from.length) > 0;

/** Describe the change of path length by highways, e.g. "5 hops → 2 hops, via a highway of round 1". */
export function formatPathChange(data: GraphData, paths: LabelPaths): string {
  const { original, augmented } = paths;
  if (paths.labelled) return "This is a training node.";
  const ofClass = paths.targetClass < 0 ? "" : ` of ${formatClass(data, paths.targetClass)}`;
  const either = comparesHighways(data, paths);
  if (!augmented) return `No path to a label${ofClass}${either ? ", with or without highways" : ""}.`;
  const rounds = highwayRoundsOf(data, augmented);
  if (!rounds.length) return `${formatPathLength(augmented)}${either ? ", with and without highways" : ""}`;
  const shorter = `${formatPathLength(augmented)}, ${formatHighways(rounds)}`;
  // A prediction on the original graph never uses the shorter path.
  if (data.predicted_on === "original") return `${formatPathLength(original)}; in training ${shorter}`;
  return `${formatPathLength(original)} → ${shorter}`;
}

/** Describe the selection for screen readers. */
export function formatSelection(data: GraphData, node: number, paths: LabelPaths): string {
  const change = formatPathChange(data, paths);
  return `Selected: ${truncate(String(data.ids[node]), 40)}. ${change.endsWith(".") ? change : `${change}.`}`;
}
