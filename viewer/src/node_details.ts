/** Description list of one node's data, for the tooltip and the node panel. */

import type { GraphData } from "./data";
import { dot, make } from "./dom";
import { isChanged } from "./filter";
import { formatClass, formatLabelDistance, formatLimitedLength, formatPercent, truncate } from "./format";
import type { LabelPaths } from "./paths";

export const MAX_TOOLTIP_ATTRIBUTES = 8;

export interface DetailOptions {
  maxAttributes?: number;
  /** Paths of the node, where they were computed. */
  paths?: LabelPaths | null;
}

export function nodeDetails(
  data: GraphData,
  node: number,
  { maxAttributes = Infinity, paths = null }: DetailOptions = {},
): HTMLElement {
  const list = make("dl", { className: "hv-details" });
  const add = (term: string, ...value: (Node | string)[]) =>
    list.append(make("dt", {}, term), make("dd", {}, ...value));
  const predicted = data.predicted[node];
  const refit = refitPrediction(data, node);
  if (predicted >= 0) {
    add(refit === null ? "Predicted" : "Predicted out of fold", classLabel(data, predicted));
    add("Confidence", formatPercent(data.confidence[node]));
  }
  if (refit !== null) add("Predicted by the model of all labels", classLabel(data, refit));
  const label = data.ground_truth[node];
  if (label < 0) add("Ground truth", "unknown");
  else if (predicted < 0) add("Ground truth", classLabel(data, label));
  else add("Ground truth", classLabel(data, label), " ", mark(label === predicted, "correct", "wrong"));
  const typical = data.typical_predicted?.[node];
  if (typical !== undefined)
    add("Typical training", classLabel(data, typical), isChanged(data, node) ? " (changed)" : "");
  const where = refit === null ? "" : " in other folds";
  add(`Nearest label of any class${where}`, formatLabelDistance(data.hops[node]));
  if (paths && !paths.labelled && paths.targetClass >= 0)
    add(`Nearest label of ${formatClass(data, paths.targetClass)}${where}`, formatLimitedLength(paths.original, paths.exact));
  if (data.split) add("Split", data.split.names[data.split.of[node]]);
  for (const [name, column] of Object.entries(data.attributes).slice(0, maxAttributes)) {
    add(name, truncate(String(column[node]), 120));
  }
  return list;
}

/** Return the class by the model of all labels, for a labelled node whose prediction is that of a fold. */
export function refitPrediction(data: GraphData, node: number): number | null {
  return data.refit_predicted && data.labelled_nodes.includes(node) ? data.refit_predicted[node] : null;
}

/** Mark correct and wrong by a sign and a word, because colour alone is not accessible. */
export function mark(correct: boolean, correctText: string, wrongText: string): HTMLElement {
  const text = correct ? `✓ ${correctText}` : `✗ ${wrongText}`;
  return make("span", { className: correct ? "hv-correct" : "hv-wrong" }, text);
}

/** Show a class by colour and name. */
export function classLabel(data: GraphData, label: number, inSentence = false): HTMLElement {
  const name = inSentence ? formatClass(data, label) : data.classes[label];
  return make("span", { className: "hv-class-label" }, dot(data.colours[label]), make("span", {}, name));
}
