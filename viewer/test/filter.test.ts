/** What is shown for what was asked. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  classCounts,
  count,
  firstView,
  highwaysOf,
  isChanged,
  isRemote,
  isWrong,
  matching,
  shown,
  type View,
} from "../src/filter";
import { sample } from "./sample";

const data = sample();
const matches = (change: Partial<View>) => {
  const found = matching(data, { ...firstView(data), ...change });
  return found && data.ids.filter((_, node) => found[node]);
};

test("without filters nothing is filtered", () => assert.equal(matches({}), null));

test("each filter by itself", () => {
  assert.deepEqual(matches({ wrong: true }), ["b"]);
  assert.deepEqual(matches({ remote: true }), ["a", "b", "island"]);
  assert.deepEqual(matches({ changed: true }), ["a"]);
  assert.deepEqual(matches({ only: 1 }), ["c", "island"]);
});

test("filters together narrow down", () => assert.deepEqual(matches({ wrong: true, remote: true, only: 1 }), []));

test("the legend's class follows the colouring", () => {
  assert.deepEqual(matches({ only: 1, colourBy: "truth" }), ["b", "c", "island"]);
  assert.deepEqual(matches({ only: -1, colourBy: "truth" }), ["e"]);
});

test("counts", () => {
  assert.deepEqual(
    [isWrong, isRemote, isChanged].map((ask) => count(data, ask)),
    [1, 3, 1],
  );
  assert.equal(count(sample({ before: null }), isChanged), 0);
  assert.deepEqual(classCounts(data, "prediction"), [5, 2, 0]);
  assert.deepEqual(classCounts(data, "truth"), [3, 3, 1]);
});

test("shown are only the lines that were asked for", () => {
  assert.deepEqual(shown(data, firstView(data)), { nodes: 7, edges: 5, highways: 2 });
  assert.deepEqual(shown(data, { ...firstView(data), edges: false, rounds: new Set([2]) }), {
    nodes: 7,
    edges: 0,
    highways: 1,
  });
});

test("a node's highways come by round", () => {
  assert.deepEqual(highwaysOf(data, 5), [0, 1]);
  assert.deepEqual(highwaysOf(data, 3), [1]);
  assert.deepEqual(highwaysOf(data, 0), []);
});
