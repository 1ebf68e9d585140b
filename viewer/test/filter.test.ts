/** Filters: the nodes and edges that the view options select. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  classCounts,
  countNodes,
  defaultView,
  filterNodes,
  incidentHighways,
  isChanged,
  isMisclassified,
  isRemote,
  visibleCounts,
  type ViewOptions,
} from "../src/filter";
import { exampleGraph } from "./example_graph";

const data = exampleGraph();
const matches = (change: Partial<ViewOptions>) => {
  const mask = filterNodes(data, { ...defaultView(data), ...change });
  return mask && data.ids.filter((_, node) => mask[node]);
};

test("the default view has no filters", () => assert.equal(matches({}), null));

test("each filter alone", () => {
  assert.deepEqual(matches({ misclassified: true }), ["b"]);
  assert.deepEqual(matches({ remote: true }), ["a", "b", "isolated"]);
  assert.deepEqual(matches({ changed: true }), ["a"]);
  assert.deepEqual(matches({ onlyClass: 1 }), ["c", "isolated"]);
});

test("filters are combined by and", () =>
  assert.deepEqual(matches({ misclassified: true, remote: true, onlyClass: 1 }), []));

test("the class filter uses the classes that nodes are coloured by", () => {
  assert.deepEqual(matches({ onlyClass: 1, colourBy: "ground_truth" }), ["b", "c", "isolated"]);
  assert.deepEqual(matches({ onlyClass: -1, colourBy: "ground_truth" }), ["e"]);
});

test("counts of nodes", () => {
  assert.deepEqual(
    [isMisclassified, isRemote, isChanged].map((predicate) => countNodes(data, predicate)),
    [1, 3, 1],
  );
  assert.equal(countNodes(exampleGraph({ typical_predicted: null }), isChanged), 0);
  assert.deepEqual(classCounts(data, "prediction"), [5, 2, 0]);
  assert.deepEqual(classCounts(data, "ground_truth"), [3, 3, 1]);
});

test("hidden edges and rounds are not counted as visible", () => {
  assert.deepEqual(visibleCounts(data, defaultView(data)), { nodes: 7, edges: 5, highways: 2 });
  assert.deepEqual(visibleCounts(data, { ...defaultView(data), showEdges: false, rounds: new Set([2]) }), {
    nodes: 7,
    edges: 0,
    highways: 1,
  });
});

test("incident highways are ordered by round", () => {
  assert.deepEqual(incidentHighways(data, 5), [0, 1]);
  assert.deepEqual(incidentHighways(data, 3), [1]);
  assert.deepEqual(incidentHighways(data, 0), []);
});
