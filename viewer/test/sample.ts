/** A small graph for the tests: a chain of six nodes with one label at its end, an island, and a highway. */

import type { GraphData } from "../src/data";

export function sample(change: Partial<GraphData> = {}): GraphData {
  return {
    classes: ["red", "blue"],
    colours: ["#d55e00", "#0072b2"],
    ids: ["a", "b", "c", "d", "e", "label", "island"],
    x: [0, 1, 2, 3, 4, 5, 9],
    y: [0, 0, 0, 0, 0, 0, 9],
    predicted: [0, 0, 1, 0, 0, 0, 1],
    truth: [0, 1, 1, 0, -1, 0, 1],
    before: [1, 0, 1, 0, 0, 0, 1],
    confidence: [90, 80, 70, 60, 50, 100, 40],
    hops: [5, 4, 3, 2, 1, 0, -1],
    labelled: [5],
    held: [0, 1],
    attributes: {},
    edges: [0, 1, 1, 2, 2, 3, 3, 4, 4, 5],
    highways: { from: [5, 5], to: [1, 3], round: [1, 2], confidence: [95, 91], score: [80, 70], right: [0, 1] },
    sampled: null,
    remote: 4,
    ...change,
  };
}
