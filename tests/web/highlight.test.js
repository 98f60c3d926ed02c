// What is lit in one view, in the others of its group, and in no other.

import assert from "node:assert/strict";
import { test } from "node:test";
import { axis, document } from "./stubs.js";
import { Highlight } from "#web/matrix_view/highlight.js";
import { listen, tell } from "#web/base/hover.js";

const TOKENS = ["the", "cat", "the"];
const axes = (tokens) => ({ row: axis("query", tokens, "query"), column: axis("key", tokens, "key") });

function view(...panels) {
  const stop = new AbortController();
  const made = {
    data: { group: "tokens", leads: Object.values(panels[0]) },
    panels: panels.map((one) => ({ drawn: { axes: one } })),
    painted: 0,
  };
  made.paint = () => (made.painted += 1);
  return Object.assign(made, { highlight: new Highlight(made, stop.signal), stop });
}

test("a cell that is pointed at is lit where it stands, and by its tokens elsewhere", () => {
  const { highlight, stop } = view(axes(TOKENS), axes(["cat", "the", "the"]), { row: axis("layer", ["1"]) });
  highlight.on([0, 2, 1]);
  assert.deepEqual(
    [0, 1, 2].map((i) => highlight.of(i)),
    [
      { row: 2, column: 1 },
      { row: 2, column: 0 },
      { row: null, column: null },
    ],
  );
  highlight.on(null);
  assert.deepEqual(highlight.of(1), { row: null, column: null });
  stop.abort();
});

test("the group is told what has changed, and nothing twice", () => {
  const { highlight, stop } = view(axes(TOKENS));
  const told = [];
  listen(({ group, role, index }) => told.push([group, role, index]), stop.signal);
  highlight.on([0, 2, 1]);
  highlight.on([0, 2, 0]);
  highlight.on(null);
  assert.deepEqual(told, [
    ["tokens", "query", 2],
    ["tokens", "key", 1],
    ["tokens", "key", 0],
    ["tokens", "query", null],
    ["tokens", "key", null],
  ]);
  stop.abort();
});

test("what another of the group points at is lit, row and column each for itself; nobody else is heard", () => {
  const one = view(axes(TOKENS));
  tell({ group: "other", role: "query", index: 1 });
  assert.equal(one.painted, 0);
  tell({ group: "tokens", role: "query", index: 1 });
  tell({ group: "tokens", role: "key", index: 2 });
  assert.deepEqual(one.highlight.of(0), { row: 1, column: 2 });
  tell({ group: "tokens", role: "query", index: null });
  assert.deepEqual(one.highlight.of(0), { row: null, column: 2 });
  for (const detail of [
    null,
    3,
    {},
    { group: "tokens" },
    { group: "tokens", role: "key", index: 10 ** 9 },
    { group: "tokens", role: "key", index: "<b>" },
  ])
    document.dispatchEvent(new CustomEvent("attention:hover", { detail }));
  assert.deepEqual(one.highlight.of(0), { row: null, column: null });
  one.stop.abort();
  tell({ group: "tokens", role: "query", index: 1 });
  assert.equal(one.highlight.now, null, "a view that has gone hears nothing");
});
