/** The spatial index gives the same results as a linear search. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { NodeIndex } from "../src/node_index";

test("the index finds the node that a linear search finds", () => {
  let seed = 7;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const positions = Float32Array.from({ length: 1000 }, random);
  const index = new NodeIndex(positions);
  const distance = (node: number, x: number, y: number) =>
    Math.hypot(positions[2 * node] - x, positions[2 * node + 1] - y);
  for (let i = 0; i < 100; i++) {
    const [x, y] = [1.2 * random() - 0.1, 1.2 * random() - 0.1];
    const nodes = [...Array(500).keys()].sort((a, b) => distance(a, x, y) - distance(b, x, y));
    assert.equal(
      index.hit(x, y, () => 0.05, 0.05),
      distance(nodes[0], x, y) < 0.05 ? nodes[0] : null,
    );
  }
});

test("a larger node is hit from farther away", () => {
  const index = new NodeIndex(Float32Array.from([0.1, 0.5, 0.4, 0.5]));
  assert.equal(
    index.hit(0.2, 0.5, (node) => (node ? 0.25 : 0.01), 0.25),
    1,
  );
});
