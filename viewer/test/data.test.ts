/** Parsing and validation of the graph document. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { allEdges, neighboursOf, originalEdgesOf, parseGraph, updateGraph, type GraphData } from "../src/data";
import { exampleGraph } from "./example_graph";

const parse = (change: Partial<GraphData>) => parseGraph(JSON.stringify(exampleGraph(change)));

test("valid data is returned unchanged", () => assert.deepEqual(parse({}), exampleGraph()));

test("ids may be any text or number", () =>
  assert.equal(parse({ ids: ["<script>", 7, "", "ü", "d", "e", "f"] }).ids[0], "<script>"));

test("columns must have one value per node or highway", () => {
  assert.throws(() => parse({ x: [1] }), /x has 1 values for 7 nodes/);
  assert.throws(() => parse({ typical_predicted: [1] }), /typical_predicted has 1 values for 7 nodes/);
  assert.throws(() => parse({ refit_predicted: [1] }), /refit_predicted has 1 values for 7 nodes/);
  assert.throws(() => parse({ split: { names: ["train"], of: [0] } }), /split has 1 values for 7 nodes/);
  assert.throws(() => parse({ attributes: { year: [1999] } }), /year has 1 values/);
  const highways = { ...exampleGraph().highways, round: [] };
  assert.throws(() => parse({ highways }), /round has 0 values for 2 highways/);
});

test("classes, colours and node indices must be valid", () => {
  assert.throws(() => parse({ predicted: [0, 0, 2, 0, 0, 0, 1] }), /predicted contains 2/);
  assert.throws(() => parse({ predicted: [0, 0, -2, 0, 0, 0, 1] }), /predicted contains -2/);
  assert.equal(parse({ predicted: [0, 0, -1, 0, 0, 0, 1] }).predicted[2], -1);
  assert.throws(() => parse({ labelled_nodes: [7] }), /labelled_nodes contains 7/);
  assert.throws(() => parse({ split: { names: ["train"], of: [0, 0, 1, 0, 0, 0, 0] } }), /split contains 1/);
  assert.throws(() => parse({ edges: [0, 7] }), /edges contains 7/);
  assert.throws(() => parse({ edges: [0, 1, 2] }), /pairs/);
  assert.throws(() => parse({ colours: ["red", "#0072b2"] }), /colours/);
});

test("an update replaces columns in place, and an invalid one changes nothing", () => {
  const graph = exampleGraph();
  const { classes, colours, predicted, ground_truth, confidence, hops } = graph;
  const update = { classes: [...classes, "new"], colours: [...colours, "#aa4499"], predicted, ground_truth, confidence };
  updateGraph(graph, { ...update, hops, labelled_nodes: [0, 5] });
  assert.deepEqual([graph.classes[2], graph.labelled_nodes], ["new", [0, 5]]);
  assert.throws(() => updateGraph(graph, { ...update, hops: [1], labelled_nodes: [] }), /hops has 1 values/);
  assert.deepEqual([graph.hops, graph.labelled_nodes], [hops, [0, 5]]);
});

test("predictions of typical training and of all labels, and the split are optional", () => {
  assert.equal(parse({ typical_predicted: null }).typical_predicted, null);
  assert.equal(parse({ refit_predicted: null, split: null }).split, null);
});

test("all edges are the original edges followed by the highways", () => {
  const edges = allEdges(exampleGraph());
  assert.equal(edges.numOriginal, 5);
  assert.deepEqual([...edges.from], [0, 1, 2, 3, 4, 5, 5]);
  assert.deepEqual([...edges.to], [1, 2, 3, 4, 5, 1, 3]);
});

test("edges and neighbours of a node are the original ones", () => {
  const edges = allEdges(exampleGraph());
  assert.deepEqual([originalEdgesOf(edges, 5), neighboursOf(edges, 5)], [[4], [4]]);
  assert.deepEqual([originalEdgesOf(edges, 1), neighboursOf(edges, 1)], [[0, 1], [0, 2]]);
});
