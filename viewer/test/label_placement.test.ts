/** Placement of node ids. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { freeSide, overlap, placeLabel, type Box, type Label } from "../src/label_placement";

const stage = { width: 400, height: 300 };
const label = (change: Partial<Label> = {}): Label => ({
  x: 200,
  y: 150,
  radius: 5,
  width: 60,
  height: 16,
  side: "right",
  ...change,
});

test("an id is on its preferred side", () => {
  assert.equal(placeLabel(label(), [], stage).left, 209);
  assert.equal(placeLabel(label({ side: "left" }), [], stage).right, 191);
});

test("the free side is the one that fewer lines lead to", () => {
  assert.equal(freeSide(0, [1, 2, -1]), "left");
  assert.equal(freeSide(0, [1, -2, -1]), "right");
  assert.equal(freeSide(0, []), "right");
});

test("ids of one place do not overlap", () => {
  const taken: Box[] = [];
  for (let i = 0; i < 6; i++) {
    const box = placeLabel(label(), taken, stage);
    assert.ok(taken.every((other) => !overlap(box, other)));
    taken.push(box);
  }
});

test("an id stays on the stage", () => {
  const box = placeLabel(label({ x: 390 }), [], stage);
  assert.ok(box.right <= stage.width);
  assert.ok(placeLabel(label({ x: 10, side: "left" }), [], stage).left >= 0);
});
