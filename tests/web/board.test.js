// Orders of tokens, and what keys do to them.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { document, keyed } from "./stubs.js";
import { Keys } from "#web/token_board/keys.js";
import { identity, moved, shuffled } from "#web/token_board/order.js";

test("a shuffle is an order, and neither the one before nor the original", () => {
  for (const n of [2, 3, 8])
    for (let order = identity(n), count = 0; count < 50; count++) {
      const next = shuffled(order);
      assert.deepEqual(
        next.toSorted((a, b) => a - b),
        identity(n),
      );
      assert.notDeepEqual(next, identity(n));
      if (n > 2) assert.notDeepEqual(next, order);
      order = next;
    }
});

test("a token that moves takes the others along", () => {
  assert.deepEqual(moved([0, 1, 2, 3], 0, 2), [1, 2, 0, 3]);
  assert.deepEqual(moved([0, 1, 2, 3], 3, 0), [3, 0, 1, 2]);
});

let board, keys;
beforeEach(() => {
  board = {
    order: [0, 1, 2, 3],
    slots: [0, 1, 2, 3].map(() => ({ item: document.createElement("li") })),
    drag: { held: null },
    said: "",
    list: { querySelectorAll: () => board.chips },
    chips: [0, 1, 2, 3].map((at) => ({ at, parentElement: at, focus: () => (board.focused = at) })),
    focused: 1,
    index: 1,
    indexOf: () => board.index,
    focusedItem: () => board.focused,
    name: (index) => `token ${index}`,
    position: (index) => board.order.indexOf(index) + 1,
    render: () => {},
    lead: (held) => board.led.push([board.order, held]),
    led: [],
    aim: () => {},
    say: (said) => (board.said = said),
    sendMove: mock.fn(),
  };
  keys = new Keys(board);
});
const press = (key, more) => {
  const event = keyed(key, more);
  keys.press(event);
  return event.kept > 0;
};

test("arrows walk from chip to chip, and stop at the ends", () => {
  const seen = ["ArrowRight", "End", "ArrowRight", "ArrowLeft", "Home", "ArrowLeft"].map(
    (key) => (assert.ok(press(key)), board.focused),
  );
  assert.deepEqual(seen, [2, 3, 3, 2, 0, 0]);
  assert.equal(board.sendMove.mock.callCount(), 0);
});

test("Alt and an arrow move at once", () => {
  assert.ok(press("ArrowRight", { altKey: true }));
  assert.deepEqual(board.order, [0, 2, 1, 3]);
  assert.deepEqual(board.sendMove.mock.calls[0].arguments, [1, [0, 1, 2, 3]]);
  board.index = 3;
  press("ArrowRight", { altKey: true });
  assert.equal(board.sendMove.mock.callCount(), 1, "the last one goes nowhere");
});

test("a grabbed chip is told once it is dropped", () => {
  for (const key of [" ", "ArrowRight", "End"]) press(key);
  assert.deepEqual([board.order, board.said, board.sendMove.mock.callCount()], [[0, 2, 3, 1], "token 1, 4 of 4", 0]);
  press("Enter");
  assert.deepEqual(board.sendMove.mock.calls[0].arguments, [1, [0, 1, 2, 3]]);
});

test("a grab that is not dropped, or where it was, tells nothing", () => {
  for (const key of [" ", "End", "Escape", " ", "ArrowRight", "ArrowLeft", " "]) press(key);
  assert.deepEqual(
    [board.order, board.said, board.sendMove.mock.callCount()],
    [[0, 1, 2, 3], "token 1 stays at 2 of 4", 0],
  );
});

test("the browser's own keys stay the browser's", () => {
  for (const [key, more] of [
    ["ArrowRight", { ctrlKey: true }],
    ["End", { metaKey: true }],
    ["PageDown"],
    ["c"],
    ["Escape"],
    ["Enter"],
  ])
    assert.ok(!press(key, more), key);
});
