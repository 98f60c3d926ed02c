// What a hand or a key does to a view.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { document, keyed, pen } from "./stubs.js";
import { Pointer } from "#web/matrix_view/pointer.js";

/** A view with one panel of 3 × 4 cells of 10 pixels. */
function shown() {
  const told = [];
  const drawn = {
    size: [3, 4],
    span: [0, 3],
    home: [0, 0],
    choosable: true,
    upwards: false,
    beside: (column, by) => column + by,
    geo: { top: 0 },
    hit: (x, y) => (x < 40 && y < 30 ? [Math.floor(y / 10), Math.floor(x / 10)] : null),
    words: (row, column) => [{ text: `cell ${row} ${column}` }],
    anchor: (row, column) => ({ x: 10 * column, y: 10 * row, below: 10 * row + 10, free: true }),
    mark: (cell) => (view.marked = cell),
  };
  const view = {
    panels: [{ drawn, parts: { ctx: pen() } }],
    position: { order: 7, cell: null },
    zoom: 1,
    marked: null,
    told,
    tip: Object.assign(document.createElement("div"), { offsetWidth: 30, offsetHeight: 10 }),
    spoken: document.createElement("div"),
    box: document.createElement("div"),
    fit: { width: 40 },
    theme: { roles: {} },
    highlight: { now: null, on: (cell) => (view.highlight.now = cell) },
    paint: () => {},
    setStateValue: (...one) => told.push(one),
    get cell() {
      return view.position.cell;
    },
  };
  return Object.assign(view, { pointer: new Pointer(view) });
}

let view, plot;
beforeEach(() => {
  view = shown();
  plot = document.createElement("div");
  plot.matches = () => true;
  view.pointer.hear(plot, 0);
});
const press = (key, more) => {
  const event = keyed(key, more);
  plot.onkeydown(event);
  return event;
};

test("arrows move by one, and never out", () => {
  plot.onfocus();
  const seen = [
    "ArrowRight",
    "ArrowDown",
    "ArrowDown",
    "ArrowDown",
    "ArrowUp",
    "End",
    "ArrowRight",
    "Home",
    "ArrowLeft",
  ].map((key) => {
    assert.equal(press(key).kept, 2, "the page hears nothing of it");
    return view.pointer.pointed.slice(1).join();
  });
  assert.deepEqual(seen, ["0,1", "1,1", "2,1", "2,1", "1,1", "1,3", "1,3", "1,0", "1,0"]);
  assert.equal(view.spoken.textContent, "cell 1 0");
  view.panels[0].drawn.upwards = true;
  press("ArrowUp");
  assert.deepEqual(view.pointer.pointed, [0, 2, 0]);
});

test("other keys stay the page's", () => {
  plot.onfocus();
  for (const event of [
    press("PageDown"),
    press("Tab"),
    press("ArrowRight", { ctrlKey: true }),
    press("c", { metaKey: true }),
  ])
    assert.equal(event.kept, 0);
  press("Escape");
  assert.equal(view.pointer.pointed, null);
  assert.equal(press("Escape").kept, 0, "where there is nothing to leave");
});

test("a cell is chosen, told, and let go again", () => {
  for (const way of [
    () => plot.onclick({ clientX: 15, clientY: 25 }),
    () => press(" "),
    () => press("Enter"),
    () => press("Escape"),
  ])
    way();
  assert.deepEqual(view.told, [
    ["cell", [7, 2, 1].toSpliced(1, 0, 0)],
    ["cell", [7]],
    ["cell", [7, 0, 2, 1]],
    ["cell", [7]],
  ]);
  view.panels[0].drawn.choosable = false;
  plot.onclick({ clientX: 15, clientY: 25 });
  assert.equal(view.told.length, 4);
});

test("a mouse points; a finger that scrolls does not", () => {
  plot.onpointermove({ pointerType: "touch", clientX: 5, clientY: 5 });
  assert.equal(view.pointer.pointed, null);
  plot.onpointermove({ pointerType: "mouse", clientX: 5, clientY: 5 });
  assert.deepEqual(
    [view.pointer.pointed, view.highlight.now, view.marked],
    [
      [0, 0, 0],
      [0, 0, 0],
      [0, 0],
    ],
  );
  assert.equal(view.tip.textContent, "cell 0 0");
  plot.onpointerleave({ pointerType: "mouse" });
  assert.deepEqual([view.pointer.pointed, view.highlight.now, view.marked], [null, null, null]);
});

test("the readout stays within the view", () => {
  for (const [x, left] of [
    [5, "0px"],
    [25, "5px"],
    [35, "10px"],
  ]) {
    plot.onpointermove({ pointerType: "mouse", clientX: x, clientY: 5 });
    assert.equal(view.tip.style.left, left);
  }
});

test("on new numbers a hand stays where it is, if there is such a cell", () => {
  plot.onpointermove({ pointerType: "mouse", clientX: 35, clientY: 25 });
  view.pointer.again();
  assert.deepEqual(view.pointer.pointed, [0, 2, 3]);
  Object.assign(view.panels[0].drawn, { size: [3, 3], span: [0, 2] });
  view.pointer.again();
  assert.equal(view.pointer.pointed, null);
});
