// Which panels step back while a letter of the law is pointed at.

import assert from "node:assert/strict";
import { test } from "node:test";
import { axis } from "./stubs.js";
import { faint, roleOf } from "#web/matrix_view/law.js";

const roles = { query: "#0072B2", key: "#B84A00", value: "#00805E", output: "#9B3F78" };

test("a letter is known by its colour, and by no other", () => {
  assert.equal(roleOf("rgb(0, 114, 178)", { roles }), "query");
  assert.equal(roleOf("rgb(155, 63, 120)", { roles }), "output");
  assert.equal(roleOf("rgb(0, 0, 0)", { roles }), undefined);
});

test("what is drawn of the letter's role stays, all else steps back", () => {
  const queries = { role: "query", axes: [axis("query", [], "query")] };
  const keys = { role: "key", axes: [axis("key", [], "key")] };
  const scores = { role: null, axes: [axis("query", [], "query"), axis("key", [], "key")] };
  const curve = { role: null, axes: [null, undefined] };
  assert.deepEqual(faint([queries, keys, scores], "query"), [false, true, true]);
  assert.deepEqual(faint([scores, curve], "query"), [false, true]);
  assert.deepEqual(faint([scores, curve], "output"), [false, false]);
  assert.deepEqual(faint([queries, keys, scores], undefined), [false, false, false]);
});
