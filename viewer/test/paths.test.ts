/** Shortest paths to a label, without and with highways. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { allEdges, type GraphData } from "../src/data";
import { adjacency, labelPathFinder, shortestPath } from "../src/paths";
import { exampleGraph } from "./example_graph";

const pathsOf = (node: number, change: Partial<GraphData> = {}) => {
  const data = exampleGraph(change);
  return labelPathFinder(data, allEdges(data))(node);
};

test("highways shorten the path", () => {
  const paths = pathsOf(0);
  assert.deepEqual(paths.original, { nodes: [0, 1, 2, 3, 4, 5], edges: [0, 1, 2, 3, 4] });
  assert.deepEqual(paths.augmented, { nodes: [0, 1, 5], edges: [0, 5] });
});

test("a path of equal length over a highway does not replace the original path", () => {
  const paths = pathsOf(4, { highways: { ...exampleGraph().highways, to: [4, 3] } });
  assert.equal(paths.augmented, paths.original);
});

test("the first node of a sample has the given paths, which are exact", () => {
  const sampled_from = { nodes: 9, edges: 9, highways: 9 };
  // Two paths of equal length: the given one is kept.
  const highways = { from: [5, 5], to: [1, 2], round: [1, 2], confidence: [9, 9], pair_score: [9, 9], correct: [1, 1] };
  const edges = [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 0, 2];
  const start_paths = { original: [0, 2, 3, 4, 5], augmented: [0, 2, 5] };
  const paths = pathsOf(0, { sampled_from, highways, edges, start: 0, start_paths });
  assert.deepEqual(paths.augmented, { nodes: [0, 2, 5], edges: [5, 7] });
  assert.deepEqual([paths.original?.nodes, paths.exact], [[0, 2, 3, 4, 5], true]);
  assert.equal(pathsOf(3, { sampled_from, start: 0, start_paths }).exact, false);
  assert.equal(pathsOf(0, { start: 0, start_paths: { original: [], augmented: [] } }).augmented, null);
});

test("only labels of the predicted class are targets", () => {
  assert.equal(pathsOf(2).targetClass, 1);
  assert.equal(pathsOf(2).original, null);
  assert.equal(pathsOf(2).augmented, null);
});

test("before the first training, labels of any class are targets", () => {
  const paths = pathsOf(0, { predicted: [-1, -1, -1, -1, -1, -1, -1], labelled_nodes: [5, 2] });
  assert.deepEqual([paths.targetClass, paths.original!.nodes], [-1, [0, 1, 2]]);
});

test("an isolated node has no path unless a highway reaches it", () => {
  const predicted = [0, 0, 1, 0, 0, 0, 0];
  assert.equal(pathsOf(6, { predicted }).augmented, null);
  const reached = pathsOf(6, { predicted, highways: { ...exampleGraph().highways, to: [6, 3] } });
  assert.equal(reached.original, null);
  assert.deepEqual(reached.augmented?.nodes, [6, 5]);
});

test("the path of a labelled node is empty, even if its prediction is wrong", () => {
  assert.deepEqual(pathsOf(5).original, { nodes: [5], edges: [] });
  assert.equal(pathsOf(5, { predicted: [0, 0, 1, 0, 0, 1, 1] }).labelled, true);
});

test("breadth-first search agrees with Bellman-Ford on a random graph with loops and multi-edges", () => {
  const nodes = 400;
  let seed = 1;
  const random = () => (seed = (seed * 48271) % 2147483647) % nodes;
  const from = Int32Array.from({ length: 500 }, random);
  const to = Int32Array.from({ length: 500 }, random);
  const path = shortestPath(adjacency(nodes, from, to), 0, (node) => node === 17);
  assert.equal(path?.edges.length ?? -1, bellmanFord(nodes, from, to, 0, 17));
});

function bellmanFord(nodes: number, from: Int32Array, to: Int32Array, source: number, target: number): number {
  const hops = new Array<number>(nodes).fill(Infinity);
  hops[source] = 0;
  for (let pass = 0; pass < nodes; pass++) {
    for (let i = 0; i < from.length; i++) {
      hops[to[i]] = Math.min(hops[to[i]], hops[from[i]] + 1);
      hops[from[i]] = Math.min(hops[from[i]], hops[to[i]] + 1);
    }
  }
  return hops[target] === Infinity ? -1 : hops[target];
}

test("a node that a fold held out leads to labels of other folds, on the original graph", () => {
  const change = { labelled_nodes: [0, 4, 5], ground_truth: [0, 1, 1, 0, 0, 0, 1], folds: [2, -1, -1, -1, 1, 1, -1] };
  const paths = pathsOf(5, change);
  assert.deepEqual(paths.original?.nodes, [5, 4, 3, 2, 1, 0]);
  assert.deepEqual([paths.augmented, paths.heldOut, paths.labelled], [paths.original, true, false]);
  assert.equal(pathsOf(5, { ...change, folds: null }).labelled, true);
});
