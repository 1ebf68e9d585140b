/** Scaling of the layout. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { unitPositions } from "../src/layout";
import { exampleGraph } from "./example_graph";

test("the layout fills the unit square and keeps its aspect ratio", () => {
  const positions = unitPositions(exampleGraph({ x: [0, 10, 5, 5, 5, 5, 5], y: [0, 5, 0, 0, 0, 0, 0] }));
  assert.deepEqual([...positions.slice(0, 4)], [0, 0.25, 1, 0.75]);
  assert.deepEqual([...unitPositions(exampleGraph({ x: [3], y: [4] }))], [0.5, 0.5]);
});
