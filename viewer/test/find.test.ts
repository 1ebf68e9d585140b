/** Finding nodes: by a part of the id, and by a point in the picture. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { unitPositions } from "../src/layout";
import { NodeGrid } from "../src/near";
import { Pace } from "../src/pace";
import { find } from "../src/search";
import { sample } from "./sample";

test("equal ids come first, then beginnings, then the rest, at most so many", () => {
  const ids = ["x12", "123", "12", "0", "128"];
  assert.deepEqual(find(ids, "12"), [2, 1, 4, 0]);
  assert.deepEqual(find(ids, "12", 2), [2, 1]);
  assert.deepEqual(find(ids, "  "), []);
});

test("case and odd signs do not matter", () => assert.deepEqual(find(["<script>", "a.c", "abc"], "A.C"), [1]));

test("the layout fills the unit square and keeps its proportions", () => {
  const positions = unitPositions(sample({ x: [0, 10, 5, 5, 5, 5, 5], y: [0, 5, 0, 0, 0, 0, 0] }));
  assert.deepEqual([...positions.slice(0, 4)], [0, 0.25, 1, 0.75]);
  assert.deepEqual([...unitPositions(sample({ x: [3], y: [4] }))], [0.5, 0.5]);
});

test("the grid finds what plain search finds", () => {
  let seed = 7;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const positions = Float32Array.from({ length: 1000 }, random);
  const grid = new NodeGrid(positions);
  const distance = (node: number, x: number, y: number) =>
    Math.hypot(positions[2 * node] - x, positions[2 * node + 1] - y);
  for (let i = 0; i < 100; i++) {
    const [x, y] = [1.2 * random() - 0.1, 1.2 * random() - 0.1];
    const nodes = [...Array(500).keys()].sort((a, b) => distance(a, x, y) - distance(b, x, y));
    assert.equal(
      grid.nearest(x, y, () => 0.05, 0.05),
      distance(nodes[0], x, y) < 0.05 ? nodes[0] : null,
    );
  }
});

test("a larger node is hit from further away", () => {
  const grid = new NodeGrid(Float32Array.from([0.1, 0.5, 0.4, 0.5]));
  assert.equal(
    grid.nearest(0.2, 0.5, (node) => (node ? 0.25 : 0.01), 0.25),
    1,
  );
});

test("a machine is slow after several late frames in a row, not after pauses", () => {
  const pace = new Pace();
  [0, 16, 2000, 4000, 6000, 8000, 10000].forEach((now) => pace.count(now));
  assert.equal(pace.slow, false);
  [10100, 10200, 10300, 10400].forEach((now) => pace.count(now));
  assert.equal(pace.slow, true);
});
