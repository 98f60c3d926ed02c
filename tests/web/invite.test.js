// A board shows that its chips can be moved, but to nobody who has begun to do something.

import assert from "node:assert/strict";
import { test } from "node:test";
import { document } from "./stubs.js";
import { invite } from "#web/token_board/invite.js";

const ORDER = [1, 0, 2];

function invited(t) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  globalThis.matchMedia = () => ({ matches: false });
  const done = [];
  const gone = new AbortController();
  const slots = ORDER.map((_, i) => ({ chip: { animate: () => done.push(`nudges ${i}`) } }));
  const [drag, keys] = [{ held: null }, { grab: null }];
  const board = { gone, slots, drag, keys, order: [0, 1, 2], isInPlace: true, reorder: (to) => done.push(`${to}`) };
  invite(board, ORDER);
  return { board, done, wait: (ms) => t.mock.timers.tick(ms) };
}

test("one chip nudges, then all take another order", (t) => {
  const { done, wait } = invited(t);
  wait(399);
  assert.deepEqual(done, []);
  wait(1);
  assert.deepEqual(done, ["nudges 1"]);
  wait(799);
  assert.deepEqual(done, ["nudges 1"]);
  wait(1);
  assert.deepEqual(done, ["nudges 1", "1,0,2"]);
});

for (const touch of ["pointerdown", "keydown"])
  test(`nothing moves after a ${touch} anywhere on the page, or it would take back what was asked for`, (t) => {
    const { done, wait } = invited(t);
    wait(500);
    document.dispatchEvent(new Event(touch));
    wait(5000);
    assert.deepEqual(done, ["nudges 1"]);
  });

test("nothing moves on a board that has moved, is held or is gone", (t) => {
  for (const change of [
    (board) => (board.isInPlace = false),
    (board) => (board.drag.held = {}),
    (board) => (board.keys.grab = {}),
    (board) => board.gone.abort(),
  ]) {
    const { board, done, wait } = invited(t);
    change(board);
    wait(5000);
    assert.deepEqual(done, []);
    t.mock.timers.reset();
  }
});
