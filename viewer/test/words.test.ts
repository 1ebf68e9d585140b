/** The sentences, in plain words and with the right numbers. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { allLines, type GraphData } from "../src/data";
import { firstView, shown } from "../src/filter";
import { wayFinder } from "../src/paths";
import { gainWords, labelWords, matchWords, shorten, totalsWords } from "../src/words";
import { sample } from "./sample";

const gain = (node: number, change: Partial<GraphData> = {}) => {
  const data = sample(change);
  return gainWords(data, wayFinder(data, allLines(data))(node));
};

/** One from a to c, one from d to the label. */
const manyHighways = { highways: { ...sample().highways, from: [0, 3], to: [2, 5] } };

test("what highways did for a node", () => {
  assert.equal(gain(0), "5 hops → 2 hops, by highway of round 1");
  assert.equal(gain(0, manyHighways), "5 hops → 3 hops, by 2 highways of rounds 1 and 2");
  assert.equal(gain(4), "1 hop, with and without highways");
  assert.equal(gain(5), "This node is itself labelled.");
  assert.equal(gain(2), "No path to a label of blue, with or without highways.");
  assert.equal(
    gain(6, { predicted: [0, 0, 1, 0, 0, 0, 0], highways: { ...sample().highways, to: [6, 3] } }),
    "no path → 1 hop, by highway of round 1",
  );
});

test("totals, also of a sample", () => {
  const data = sample();
  assert.equal(totalsWords(data, shown(data, firstView(data))), "7 nodes, 5 edges, 2 highways.");
  const part = sample({ sampled: { nodes: 100000, edges: 500000, highways: 9 } });
  const words = "7 nodes, 5 edges, 2 highways – a sample: 7 of 100,000 nodes, 5 of 500,000 edges, 2 of 9 highways.";
  assert.equal(totalsWords(part, shown(part, firstView(part))), words);
});

test("how many match", () => {
  const view = firstView(sample());
  assert.equal(matchWords(view, 7, 7), "");
  assert.equal(matchWords({ ...view, wrong: true }, 1, 8), "1 node matches (12.5\u00a0%).");
});

test("hops to a label", () =>
  assert.deepEqual([-1, 0, 1, 2].map(labelWords), ["no label can be reached", "labelled itself", "1 hop", "2 hops"]));

test("long ids are cut", () => assert.equal(shorten("abcdef", 4), "abc…"));
