/** The story of one node in sentences: both predictions, and the distance to labels in prediction and in training. */

import type { GraphData } from "./data";
import { formatClass, formatHops, formatLimitedLength, formatPathLength } from "./format";
import type { LabelPaths } from "./paths";

/** Return the sentences on the first node and on nodes whose class the run changed; none for other nodes. */
export function nodeStory(data: GraphData, node: number, paths: LabelPaths): string[] {
  const typical = data.typical_predicted?.[node];
  const changed = typical !== undefined && typical !== data.predicted[node];
  if (!changed && node !== data.start) return [];
  // A training node has no path: its own label is the nearest one.
  const context = paths.labelled ? [] : distances(data, node, paths);
  const heldOut = paths.heldOut ? ["These are predictions of a fold that held out its label."] : [];
  return [predictions(data, node, typical), ...heldOut, ...context];
}

function predictions(data: GraphData, node: number, typical: number | undefined): string {
  const truth = data.ground_truth[node];
  const predict = (label: number) =>
    formatClass(data, label) + (truth < 0 ? "" : label === truth ? ", which is correct" : ", which is wrong");
  const answer = data.predicted[node];
  if (typical === undefined) return `The answer is ${predict(answer)}.`;
  if (typical === answer) return `Typical training and the answer both predict ${predict(answer)}.`;
  return `Typical training predicts ${predict(typical)}. The answer is ${predict(answer)}.`;
}

function distances(data: GraphData, node: number, paths: LabelPaths): string[] {
  const { targetClass, heldOut, original, augmented, exact } = paths;
  const name = formatClass(data, targetClass);
  const any = data.hops[node] < 0 ? "no label can be reached" : `the nearest label of any class is ${formatHops(data.hops[node])} away`;
  const own = original ? `the nearest of ${name} is ${formatPathLength(original)} away` : `none of ${name} can be reached`;
  const before = `${heldOut ? "In other folds" : "In the graph"}, ${any}, ${own}.`;
  if (!augmented || augmented === original) return [before];
  const where = data.predicted_on === "original" ? "During training only, highways shorten this to" : "Highways shorten this to";
  return [before, `${where} ${formatLimitedLength(augmented, exact)}.`];
}
