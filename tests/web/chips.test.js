// A token board as it is drawn: its chips, what a reader hears of each, what it says and sends.

import assert from "node:assert/strict";
import { test } from "node:test";
import { approving, document, outline, THEME } from "./stubs.js";

globalThis.matchMedia = (query) => ({ matches: /reduce/.test(query) }); // no motion
globalThis.Element = HTMLElement;
globalThis.getComputedStyle = () => ({
  getPropertyValue: (name) => (name.includes("background") ? "#ffffff" : "#000000"),
});
const { Board } = await import("#web/token_board/board.js");
const approved = approving("chips");

const DATA = {
  tokens: ["the", "a word of more than twenty-four", "sat"],
  order: [2, 0, 1],
  role: "key",
  label: "Keys",
  group: "home",
  locked: false,
  invites: [],
  answered: 0,
  refused: "",
  colours: { light: THEME, dark: THEME },
};

function board(more = {}) {
  const sent = [];
  const data = { ...DATA, ...more };
  const root = document.createElement("div");
  const setStateValue = (name, value) => sent.push([name, value]);
  const made = new Board({ data, parentElement: root, setStateValue });
  const update = (more) => made.update({ data: { ...data, ...more }, setStateValue });
  update({});
  return { made, root, sent, update };
}

test("chips in their order, with what was first where, and what a reader hears", () => {
  approved("a board", outline(board().root));
  approved("one that is locked", outline(board({ locked: true, role: "both", order: [0, 1, 2] }).root));
});

test("a button reorders all chips, says so and sends it once; one that does nothing is off", () => {
  const { made, sent } = board();
  const [shuffle, reverse, restore] = made.tools.all;
  const off = () => made.tools.all.map((one) => one.ariaDisabled ?? one.attributes.ariaDisabled);
  assert.deepEqual(off(), ["false", "false", "false"]);
  reverse.onclick();
  assert.equal(
    made.words.textContent.replace(/[\u2068\u2069]/g, ""),
    "reversed: ‘a word of more than twe…’ ‘the’ ‘sat’",
  );
  restore.onclick();
  restore.onclick();
  assert.deepEqual(sent, [
    ["sent", { serial: 1, order: [1, 0, 2] }],
    ["sent", { serial: 2, order: [0, 1, 2] }],
  ]);
  assert.deepEqual(off(), ["false", "false", "true"]);
  assert.ok(shuffle);
});

test("what was refused is said in its colour; an answer to an earlier move changes nothing", () => {
  const { made, update } = board();
  update({ refused: "No such order." });
  assert.deepEqual([made.words.textContent, made.words.className], ["No such order.", "words refused"]);
  made.tools.all[1].onclick();
  update({ order: [0, 2, 1], answered: 0 });
  assert.deepEqual(made.order, [1, 0, 2], "an earlier answer");
  update({ order: [0, 2, 1], answered: 1 });
  assert.deepEqual(made.order, [0, 2, 1]);
  assert.equal(made.words.className, "words hint");
  made.tools.all[1].onclick();
  made.tools.all[1].onclick();
  update({ order: [2, 1, 0], answered: 0 });
  assert.deepEqual(made.order, [2, 1, 0], "a new session counts anew");
});

/** A board of four chips in a row of 100 pixels each, and a hand. */
function held(more = {}) {
  const { made, sent } = board({ tokens: [..."abcd"], order: [0, 1, 2, 3], ...more });
  const layOut = () =>
    made.order.forEach((index, at) =>
      Object.assign(made.slots[index].item, { offsetLeft: 100 * at, offsetTop: 0, offsetWidth: 90 }),
    );
  const render = made.render.bind(made);
  made.render = (how) => (render(how), layOut());
  layOut();
  made.list.setPointerCapture = () => {};
  made.list.getBoundingClientRect = () => ({ left: 0, top: 0, bottom: 400 });
  const event = (x, y) => ({ pointerId: 1, clientX: x, clientY: y });
  return { made, sent, event };
}

test("a chip that a mouse takes along moves the others, and is sent where it is let go", () => {
  const { made, sent, event } = held();
  made.drag.lift(1, event(145, 50));
  assert.deepEqual([made.drag.held.index, made.slots[1].item.className], [1, "slot lifted"]);
  made.drag.follow(made.drag.held, event(385, 50));
  assert.deepEqual(made.order, [0, 2, 3, 1]);
  assert.equal(sent.length, 0);
  made.drag.drop(true);
  assert.deepEqual(sent, [["sent", { serial: 1, order: [0, 2, 3, 1] }]]);
  assert.match(made.words.textContent.replace(/[\u2068\u2069]/g, ""), /^moved ‘b’ from 2 to 4 of 4$/);
  made.drag.lift(0, event(10, 50));
  made.drag.follow(made.drag.held, event(385, 50));
  made.drag.drop(false);
  assert.deepEqual([made.order, sent.length], [[0, 2, 3, 1], 1], "put back");
});

test("a neighbour gives way before its middle is reached, on either side", () => {
  const { made } = held();
  const before = (x) => made.drag.before({ index: 1, slot: made.slots[1] }, x, 50);
  assert.deepEqual([0, 65, 66, 150, 224, 225, 330].map(before), [0, 0, 1, 1, 1, 2, 3]);
});

test("a board scrolls where a chip that is held comes to its border", () => {
  const { made, event } = held();
  made.list.scrollTop = 100;
  made.drag.lift(1, event(145, 50));
  for (const [y, top] of [
    [15, 92],
    [16, 92],
    [384, 92],
    [385, 100],
  ]) {
    made.drag.follow(made.drag.held, event(145, y));
    assert.equal(made.list.scrollTop, top, `at ${y}`);
  }
});

test("many tokens are counted, and from thirteen on the board may scroll", () => {
  for (const [count, many, said] of [
    [12, false, /^reversed: ‘/],
    [13, true, /^reversed: 13 tokens$/],
  ]) {
    const tokens = Array.from({ length: count }, (_, i) => `w${i}`);
    const { made } = board({ tokens, order: tokens.map((_, i) => i) });
    assert.equal(made.list.classList.contains("many"), many);
    made.tools.all[1].onclick();
    assert.match(made.words.textContent, said);
  }
});

test("a grab that is left is put back, and where the focus is its row is pointed at", () => {
  const { made, sent } = board();
  const told = [];
  const hear = ({ detail }) => told.push([detail.role, detail.index]);
  document.addEventListener("attention:hover", hear);
  made.focusedItem = () => made.slots[2].item;
  made.indexOf = (one) => (one ? made.slots.findIndex(({ item }) => item === one) : null);
  made.list.handlers.focusin({ target: made.slots[2].item });
  assert.deepEqual([told, made.slots.map(({ chip }) => chip.tabIndex)], [[["key", 0]], [-1, -1, 0]]);
  made.keys.seize(2);
  made.keys.shift(2, 1);
  assert.deepEqual(made.order, [0, 2, 1]);
  made.list.handlers.focusout();
  assert.deepEqual([made.order, sent], [[2, 0, 1], []]);
  document.removeEventListener("attention:hover", hear);
});

test("chips of a row that is pointed at elsewhere are lit, in their place", () => {
  const { made } = board();
  const lit = () => made.slots.map(({ item }) => item.className.includes("lit-key"));
  const tell = (detail) => document.dispatchEvent(new CustomEvent("attention:hover", { detail }));
  tell({ group: "home", role: "key", index: 0 });
  assert.deepEqual(lit(), [false, false, true], "the chip that stands first");
  tell({ group: "other", role: "key", index: 1 });
  assert.deepEqual(lit(), [false, false, true]);
  tell({ group: "home", role: "key", index: null });
  assert.deepEqual(lit(), [false, false, false]);
});
