/** Texts that the viewer shows. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { allEdges, type GraphData } from "../src/data";
import { defaultView, visibleCounts } from "../src/filter";
import { formatLabelDistance, formatMatches, formatPathChange, formatTotals, truncate } from "../src/format";
import { labelPathFinder } from "../src/paths";
import { exampleGraph } from "./example_graph";

const pathChange = (node: number, change: Partial<GraphData> = {}) => {
  const data = exampleGraph(change);
  return formatPathChange(data, labelPathFinder(data, allEdges(data))(node));
};

/** One highway from a to c, one from d to the labelled node. */
const twoHighways = { highways: { ...exampleGraph().highways, from: [0, 3], to: [2, 5] } };

test("change of path length by highways", () => {
  assert.equal(pathChange(0), "5 hops → 2 hops, via a highway of round 1");
  assert.equal(pathChange(0, twoHighways), "5 hops → 3 hops, via 2 highways of rounds 1 and 2");
  assert.equal(pathChange(4), "1 hop, with and without highways");
  assert.equal(pathChange(5), "This is a training node.");
  assert.equal(pathChange(2), "No path to a label of blue, with or without highways.");
  assert.equal(
    pathChange(6, { predicted: [0, 0, 1, 0, 0, 0, 0], highways: { ...exampleGraph().highways, to: [6, 3] } }),
    "no path → 1 hop, via a highway of round 1",
  );
});

test("a run without highways has no path with them", () => {
  const highways = { from: [], to: [], round: [], confidence: [], pair_score: [], correct: [] };
  assert.equal(pathChange(4, { highways }), "1 hop");
  assert.equal(pathChange(2, { highways }), "No path to a label of blue.");
});

test("a path that the prediction never uses is named as one of training", () =>
  assert.equal(pathChange(0, { predicted_on: "original" }), "5 hops; in training 2 hops, via a highway of round 1"));

test("totals of a full graph and of a sample", () => {
  const data = exampleGraph();
  assert.equal(formatTotals(data, visibleCounts(data, defaultView(data))), "7 nodes, 5 edges, 2 highways.");
  const sample = exampleGraph({ sampled_from: { nodes: 100000, edges: 500000, highways: 9 } });
  const text = "7 nodes, 5 edges, 2 highways – sample: 7 of 100,000 nodes, 5 of 500,000 edges, 2 of 9 highways.";
  assert.equal(formatTotals(sample, visibleCounts(sample, defaultView(sample))), text);
});

test("number of matching nodes", () => {
  const view = defaultView(exampleGraph());
  assert.equal(formatMatches(view, 7, 7), "");
  assert.equal(formatMatches({ ...view, misclassified: true }, 1, 8), "1 node matches (12.5\u00a0%).");
});

test("hops to a label", () =>
  assert.deepEqual([-1, 0, 1, 2].map(formatLabelDistance), [
    "unreachable",
    "0 hops (training node)",
    "1 hop",
    "2 hops",
  ]));

test("long ids are truncated", () => assert.equal(truncate("abcdef", 4), "abc…"));
