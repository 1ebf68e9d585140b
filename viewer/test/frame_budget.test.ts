/** Detection of slow rendering. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { FrameBudget } from "../src/frame_budget";

test("several consecutive late frames exceed the budget, pauses do not", () => {
  const budget = new FrameBudget();
  [0, 16, 2000, 4000, 6000, 8000, 10000].forEach((now) => budget.record(now));
  assert.equal(budget.exceeded, false);
  [10100, 10200, 10300, 10400].forEach((now) => budget.record(now));
  assert.equal(budget.exceeded, true);
});
