/** Shortest ways to a label, without and with highways. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { allLines, type GraphData } from "../src/data";
import { adjacency, shortestPath, wayFinder } from "../src/paths";
import { sample } from "./sample";

const waysOf = (node: number, change: Partial<GraphData> = {}) => {
  const data = sample(change);
  return wayFinder(data, allLines(data))(node);
};

test("highways shorten the way", () => {
  const ways = waysOf(0);
  assert.deepEqual(ways.before, { nodes: [0, 1, 2, 3, 4, 5], lines: [0, 1, 2, 3, 4] });
  assert.deepEqual(ways.after, { nodes: [0, 1, 5], lines: [0, 5] });
});

test("a way of equal length by highway is not told as a gain", () => {
  const ways = waysOf(4, { highways: { ...sample().highways, to: [4, 3] } });
  assert.equal(ways.after, ways.before);
});

test("only labels of the predicted class count", () => {
  assert.equal(waysOf(2).goal, 1);
  assert.equal(waysOf(2).before, null);
  assert.equal(waysOf(2).after, null);
});

test("an island has no way, until a highway reaches it", () => {
  assert.equal(waysOf(6, { predicted: [0, 0, 1, 0, 0, 0, 0] }).after, null);
  const reached = waysOf(6, { predicted: [0, 0, 1, 0, 0, 0, 0], highways: { ...sample().highways, to: [6, 3] } });
  assert.equal(reached.before, null);
  assert.deepEqual(reached.after?.nodes, [6, 5]);
});

test("a labelled node is where it wants to be, even if the model disagrees", () => {
  assert.deepEqual(waysOf(5).before, { nodes: [5], lines: [] });
  assert.equal(waysOf(5, { predicted: [0, 0, 1, 0, 0, 1, 1] }).labelled, true);
});

test("loops, double edges and a large random graph agree with plain search", () => {
  const nodes = 400;
  let seed = 1;
  const random = () => (seed = (seed * 48271) % 2147483647) % nodes;
  const from = Int32Array.from({ length: 500 }, random);
  const to = Int32Array.from({ length: 500 }, random);
  const path = shortestPath(adjacency(nodes, from, to), 0, (node) => node === 17);
  assert.equal(path?.lines.length ?? -1, plainHops(nodes, from, to, 0, 17));
});

function plainHops(nodes: number, from: Int32Array, to: Int32Array, source: number, goal: number): number {
  const hops = new Array<number>(nodes).fill(Infinity);
  hops[source] = 0;
  for (let round = 0; round < nodes; round++) {
    for (let i = 0; i < from.length; i++) {
      hops[to[i]] = Math.min(hops[to[i]], hops[from[i]] + 1);
      hops[from[i]] = Math.min(hops[from[i]], hops[to[i]] + 1);
    }
  }
  return hops[goal] === Infinity ? -1 : hops[goal];
}
