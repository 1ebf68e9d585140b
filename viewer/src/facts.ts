/** What is known of one node, as a list of terms, for the card and the panel. */

import type { GraphData } from "./data";
import { isChanged } from "./filter";
import { dot, make } from "./dom";
import { labelWords, percent, shorten } from "./words";

export const MOST_ATTRIBUTES = 8;

export function facts(data: GraphData, node: number, attributes = Infinity): HTMLElement {
  const list = make("dl", { className: "hv-facts" });
  const add = (term: string, ...value: (Node | string)[]) =>
    list.append(make("dt", {}, term), make("dd", {}, ...value));
  add("Predicted", named(data, data.predicted[node]));
  add("Confidence", percent(data.confidence[node]));
  const truth = data.truth[node];
  if (truth < 0) add("Truth", "unknown");
  else add("Truth", named(data, truth), " ", mark(truth === data.predicted[node]));
  if (data.before) add("Typical training", named(data, data.before[node]), isChanged(data, node) ? " (changed)" : "");
  add("Nearest label", labelWords(data.hops[node]));
  if (data.held.includes(node)) add("Split", "test");
  for (const [name, column] of Object.entries(data.attributes).slice(0, attributes)) {
    add(name, shorten(String(column[node]), 120));
  }
  return list;
}

/** Not by colour alone: a sign and a word. */
export function mark(right: boolean): HTMLElement {
  return make("span", { className: right ? "hv-right" : "hv-wrong" }, right ? "✓ right" : "✗ wrong");
}

/** A class by colour and name. */
export function named(data: GraphData, label: number): HTMLElement {
  return make("span", { className: "hv-name" }, dot(data.colours[label]), make("span", {}, data.classes[label]));
}
