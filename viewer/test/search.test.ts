/** Search of nodes by a part of their id. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { findNodes } from "../src/search";

test("exact matches come first, then prefixes, then the rest, up to a limit", () => {
  const ids = ["x12", "123", "12", "0", "128"];
  assert.deepEqual(findNodes(ids, "12"), [2, 1, 4, 0]);
  assert.deepEqual(findNodes(ids, "12", 2), [2, 1]);
  assert.deepEqual(findNodes(ids, "  "), []);
});

test("case is ignored and special characters are literal", () =>
  assert.deepEqual(findNodes(["<script>", "a.c", "abc"], "A.C"), [1]));
