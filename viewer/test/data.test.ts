/** Reading the graph: good data passes, bad data is refused with a reason. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { allLines, readGraph, type GraphData } from "../src/data";
import { sample } from "./sample";

const read = (change: Partial<GraphData>) => readGraph(JSON.stringify(sample(change)));

test("good data comes back as it is", () => assert.deepEqual(read({}), sample()));

test("ids are any text or number", () =>
  assert.equal(read({ ids: ["<script>", 7, "", "ü", "d", "e", "f"] }).ids[0], "<script>"));

test("columns must be as long as there are nodes", () => {
  assert.throws(() => read({ x: [1] }), /x has 1 values for 7 nodes/);
  assert.throws(() => read({ attributes: { year: [1999] } }), /year has 1 values/);
  assert.throws(() => read({ highways: { ...sample().highways, round: [] } }), /round has 0 values for 2 highways/);
});

test("classes, colours and node numbers must exist", () => {
  assert.throws(() => read({ predicted: [0, 0, 2, 0, 0, 0, 1] }), /predicted holds 2/);
  assert.throws(() => read({ predicted: [0, 0, -1, 0, 0, 0, 1] }), /predicted holds -1/);
  assert.throws(() => read({ edges: [0, 7] }), /edges holds 7/);
  assert.throws(() => read({ edges: [0, 1, 2] }), /pairs/);
  assert.throws(() => read({ colours: ["red", "#0072b2"] }), /colours/);
});

test("typical training may be missing", () => assert.equal(read({ before: null }).before, null));

test("lines are the edges and then the highways", () => {
  const lines = allLines(sample());
  assert.equal(lines.edges, 5);
  assert.deepEqual([...lines.from], [0, 1, 2, 3, 4, 5, 5]);
  assert.deepEqual([...lines.to], [1, 2, 3, 4, 5, 1, 3]);
});
