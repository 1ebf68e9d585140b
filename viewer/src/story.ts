/** The story of one node in sentences: both predictions, and the distance to labels in prediction and in training. */

import type { GraphData } from "./data";
import { formatHops, formatPathLength } from "./format";
import type { LabelPaths } from "./paths";

/** Return the sentences on a node whose class the run changed; none for other nodes. */
export function nodeStory(data: GraphData, node: number, paths: LabelPaths): string[] {
  const typical = data.typical_predicted?.[node];
  if (typical === undefined || typical === data.predicted[node] || paths.labelled) return [];
  return [predictions(data, node, typical), ...distances(data, node, paths)];
}

function predictions(data: GraphData, node: number, typical: number): string {
  const { classes, predicted, ground_truth } = data;
  const verdict = (label: number) =>
    ground_truth[node] < 0 ? "" : label === ground_truth[node] ? ", which is correct" : ", which is wrong";
  const before = `Typical training predicts ${classes[typical]}${verdict(typical)}.`;
  return `${before} The answer is ${classes[predicted[node]]}${verdict(predicted[node])}.`;
}

function distances(data: GraphData, node: number, { targetClass, original, augmented }: LabelPaths): string[] {
  const name = data.classes[targetClass];
  const any = data.hops[node] < 0 ? "no label can be reached" : `the nearest label of any class is ${formatHops(data.hops[node])} away`;
  const own = original ? `the nearest of ${name} ${formatPathLength(original)}` : `none of ${name} can be reached`;
  const before = `In the graph, ${any}, ${own}.`;
  if (!augmented || augmented === original) return [before];
  const where = data.predicted_on === "original" ? "During training only, highways shorten this to" : "Highways shorten this to";
  // With all highways the path may be shorter than within a sample of them.
  const most = data.sampled_from && augmented.edges.length > 1 ? "at most " : "";
  return [before, `${where} ${most}${formatPathLength(augmented)}.`];
}
