/** Values of the node panel that need no browser. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { refitPrediction } from "../src/node_details";
import { exampleGraph } from "./example_graph";

test("only labelled nodes of a run of folds have a second prediction", () => {
  const graph = exampleGraph({ refit_predicted: [0, 0, 1, 0, 0, 1, 1] });
  assert.equal(refitPrediction(graph, 5), 1);
  assert.equal(refitPrediction(graph, 0), null);
  assert.equal(refitPrediction(exampleGraph(), 5), null);
});
