/** A small graph for the tests: a path of six nodes with a labelled node at its end, an isolated node, two highways. */

import type { GraphData } from "../src/data";

export function exampleGraph(change: Partial<GraphData> = {}): GraphData {
  return {
    classes: ["red", "blue"],
    colours: ["#d55e00", "#0072b2"],
    ids: ["a", "b", "c", "d", "e", "labelled", "isolated"],
    x: [0, 1, 2, 3, 4, 5, 9],
    y: [0, 0, 0, 0, 0, 0, 9],
    predicted: [0, 0, 1, 0, 0, 0, 1],
    ground_truth: [0, 1, 1, 0, -1, 0, 1],
    typical_predicted: [1, 0, 1, 0, 0, 0, 1],
    confidence: [90, 80, 70, 60, 50, 100, 40],
    hops: [5, 4, 3, 2, 1, 0, -1],
    labelled_nodes: [5],
    split: { names: ["train", "test", "none"], of: [1, 1, 2, 2, 2, 0, 2] },
    refit_predicted: null,
    folds: null,
    attributes: {},
    edges: [0, 1, 1, 2, 2, 3, 3, 4, 4, 5],
    highways: { from: [5, 5], to: [1, 3], round: [1, 2], confidence: [95, 91], pair_score: [80, 70], correct: [0, 1] },
    sampled_from: null,
    remote_hops: 4,
    predicted_on: "highways",
    start: null,
    ...change,
  };
}
