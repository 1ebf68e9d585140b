/** The sentences that the viewer says. */

import type { GraphData } from "./data";
import type { Shown, View } from "./filter";
import type { Path, Ways } from "./paths";

const grouped = new Intl.NumberFormat("en-US");

export const number = (value: number): string => grouped.format(value);

/** The space must not become the end of a line. */
export const percent = (value: number | string): string => `${value}\u00a0%`;

const counted = (value: number, one: string, many: string): string => `${number(value)} ${value === 1 ? one : many}`;

export const hopWords = (hops: number): string => counted(hops, "hop", "hops");

export const pathWords = (path: Path | null): string => (path ? hopWords(path.lines.length) : "no path");

/** A long id must not push everything else out of sight. */
export const shorten = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;

export function labelWords(hops: number): string {
  if (hops < 0) return "no label can be reached";
  return hops === 0 ? "labelled itself" : hopWords(hops);
}

export function totalsWords(data: GraphData, shown: Shown): string {
  const nodes = counted(shown.nodes, "node", "nodes");
  const edges = counted(shown.edges, "edge", "edges");
  return `${nodes}, ${edges}, ${counted(shown.highways, "highway", "highways")}${sampleWords(data)}.`;
}

function sampleWords({ sampled, ids, edges, highways }: GraphData): string {
  if (!sampled) return "";
  const parts: [number, number, string][] = [
    [ids.length, sampled.nodes, "nodes"],
    [edges.length / 2, sampled.edges, "edges"],
    [highways.from.length, sampled.highways, "highways"],
  ];
  const left = parts.filter(([part, all]) => part < all);
  return ` – a sample: ${left.map(([part, all, what]) => `${number(part)} of ${number(all)} ${what}`).join(", ")}`;
}

export function matchWords(view: View, matches: number, nodes: number): string {
  if (!view.wrong && !view.remote && !view.changed && view.only === null) return "";
  const share = (100 * matches) / Math.max(1, nodes);
  return `${counted(matches, "node matches", "nodes match")} (${percent(share.toFixed(1))}).`;
}

/** The rounds of the highways that a path takes, one by one. */
function roundsTaken(data: GraphData, path: Path): number[] {
  const edges = data.edges.length / 2;
  return path.lines.filter((line) => line >= edges).map((line) => data.highways.round[line - edges]);
}

function highwayWords(taken: number[]): string {
  const rounds = [...new Set(taken)].sort((a, b) => a - b);
  const highways = taken.length === 1 ? "highway" : `${taken.length} highways`;
  return `by ${highways} of ${rounds.length === 1 ? "round" : "rounds"} ${rounds.join(" and ")}`;
}

/** Says what the highways did for a node, like "5 hops → 2 hops, by highway of round 1". */
export function gainWords(data: GraphData, ways: Ways): string {
  if (ways.labelled) return "This node is itself labelled.";
  if (!ways.after) return `No path to a label of ${data.classes[ways.goal]}, with or without highways.`;
  const taken = roundsTaken(data, ways.after);
  if (!taken.length) return `${pathWords(ways.after)}, with and without highways`;
  return `${pathWords(ways.before)} → ${pathWords(ways.after)}, ${highwayWords(taken)}`;
}

/** The same as a sentence for those who cannot see the picture. */
export function choiceWords(data: GraphData, node: number, ways: Ways): string {
  const gain = gainWords(data, ways);
  return `Chosen: ${shorten(String(data.ids[node]), 40)}. ${gain.endsWith(".") ? gain : `${gain}.`}`;
}
