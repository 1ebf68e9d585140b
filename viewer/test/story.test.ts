/** The story of a node. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { allEdges, type GraphData } from "../src/data";
import { labelPathFinder } from "../src/paths";
import { nodeStory } from "../src/story";
import { exampleGraph } from "./example_graph";

const story = (node: number, change: Partial<GraphData> = {}) => {
  const data = exampleGraph(change);
  return nodeStory(data, node, labelPathFinder(data, allEdges(data))(node));
};

test("a corrected node has both predictions and both distances", () =>
  assert.deepEqual(story(0, { predicted_on: "original" }), [
    "Typical training predicts blue, which is wrong. The answer is red, which is correct.",
    "In the graph, the nearest label of any class is 5 hops away, the nearest of red is 5 hops away.",
    "During training only, highways shorten this to 2 hops.",
  ]));

test("highways that take part in prediction are not limited to training", () =>
  assert.equal(story(0)[2], "Highways shorten this to 2 hops."));

test("paths within a sample are the longest that they can be", () =>
  assert.equal(
    story(0, { sampled_from: { nodes: 9, edges: 9, highways: 9 } })[2],
    "Highways shorten this to at most 2 hops.",
  ));

test("the path of the first node is exact within a sample", () =>
  assert.equal(
    story(0, {
      sampled_from: { nodes: 9, edges: 9, highways: 9 },
      start: 0,
      start_paths: { original: [0, 1, 2, 3, 4, 5], augmented: [0, 1, 5] },
    })[2],
    "Highways shorten this to 2 hops.",
  ));

test("classes that are numbers are named as classes", () =>
  assert.equal(
    story(0, { classes: ["0", "1"] })[0],
    "Typical training predicts class 1, which is wrong. The answer is class 0, which is correct.",
  ));

test("the first node has a story without a change, a changed training node one without distances", () => {
  assert.equal(story(1, { start: 1 })[0], "Typical training and the answer both predict red, which is wrong.");
  assert.equal(story(4, { start: 4, typical_predicted: null })[0], "The answer is red.");
  assert.deepEqual(story(5, { typical_predicted: [1, 0, 1, 0, 0, 1, 1] }), [
    "Typical training predicts blue, which is wrong. The answer is red, which is correct.",
  ]);
});

test("a node that a fold held out has the distances to labels of other folds", () =>
  assert.deepEqual(
    story(5, {
      typical_predicted: [1, 0, 1, 0, 0, 1, 1],
      refit_predicted: [0, 0, 1, 0, 0, 1, 1],
      labelled_nodes: [0, 4, 5],
      ground_truth: [0, 1, 1, 0, 0, 0, 1],
      hops: [5, 4, 3, 2, 1, 5, -1],
      folds: [2, -1, -1, -1, 1, 1, -1],
    }),
    [
      "Typical training predicts blue, which is wrong. The answer is red, which is correct.",
      "These are predictions of a fold that held out its label.",
      "In other folds, the nearest label of any class is 5 hops away, the nearest of red is 5 hops away.",
    ],
  ));

test("a single hop cannot be shortened by highways beyond the sample", () => {
  const highways = { from: [0], to: [5], round: [1], confidence: [90], pair_score: [90], correct: [1] };
  const sampled_from = { nodes: 9, edges: 9, highways: 9 };
  assert.equal(story(0, { highways, sampled_from })[2], "Highways shorten this to 1 hop.");
});

test("a node without a path and without highways", () =>
  assert.deepEqual(story(6, { typical_predicted: [1, 0, 1, 0, 0, 0, 0], ground_truth: [0, 1, 1, 0, -1, 0, -1] }), [
    "Typical training predicts red. The answer is blue.",
    "In the graph, no label can be reached, none of blue can be reached.",
  ]));

test("nodes that were not changed have no story", () => {
  assert.deepEqual(story(1), []);
  assert.deepEqual(story(0, { typical_predicted: null }), []);
});
