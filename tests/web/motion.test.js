// How one picture becomes the next: what is the same goes to its new place, and nothing jumps.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { axis, block, document, font, pen, scene } from "./stubs.js";
import { tellHeld } from "#web/base/hover.js";
import { Bars } from "#web/matrix_view/bars.js";
import { Follow } from "#web/matrix_view/follow.js";
import { Heatmap } from "#web/matrix_view/heatmap.js";
import { Motion, THERE } from "#web/matrix_view/motion.js";
import { Numbers } from "#web/matrix_view/panel.js";
import { View } from "#web/matrix_view/view.js";

const NONE = { drains: false, rows: false, columns: false, grows: false };
const START = { drain: 0, row: 0, column: 0, rise: 0, value: 0 };
const base64 = (flags) => Buffer.from(flags).toString("base64");
const near = (a, b, within = 1e-6) => assert.ok(Math.abs(a - b) <= within, `${a} is not ${b}`);

function shown(Kind, values, spec) {
  const { base64, places } = block(values);
  const panel = new Kind({ title: "", note: "", values: places[0], unit: "", ...spec }, new Numbers(base64, 1));
  panel.pose(0);
  panel.measure(pen(), 700, 200, font);
  return panel;
}
const matrix = (values, rows, columns, more = {}) =>
  shown(Heatmap, values, {
    rows: axis("query", rows, "query"),
    columns: axis("key", columns, "key"),
    quantity: "weight",
    scale: "sequential",
    limits: [0, 1],
    hidden: null,
    hidden_as: "masked",
    cells: "weight",
    decimals: [null],
    role: null,
    ...more,
  });
const bars = (values, words) =>
  shown(Bars, values, {
    labels: axis("word", words, "key"),
    edges: null,
    overlay: null,
    role: null,
    limits: [0, 1],
    log_y: false,
    y_title: "weight",
  });

test("what is switched off drains for 250 ms, then rows and columns move for 700, and values grow in the last 350", () => {
  const whole = new Motion([
    { ...NONE, drains: true },
    { ...NONE, rows: true, columns: true, grows: true },
  ]);
  assert.equal(whole.length, 950);
  const seen = [0, 125, 250, 425, 600, 775, 950].map((ms) => whole.at(ms));
  assert.deepEqual(
    seen.map(({ drain }) => drain),
    [0, 0.5, 1, 1, 1, 1, 1],
  );
  assert.deepEqual(
    seen.map(({ row }) => row),
    [0, 0, 0, 0.5, 1, 1, 1],
  );
  assert.deepEqual(
    seen.map(({ column }) => column),
    [0, 0, 0, 0, 0, 0.5, 1],
  );
  assert.deepEqual(
    seen.map(({ value }) => value),
    [0, 0, 0, 0, 0, 0.5, 1],
  );
  assert.equal(new Motion([{ ...NONE, rows: true }]).length, 700);
  const both = { ...NONE, rows: true, columns: true };
  const stages = (follows, ms) =>
    [new Motion([both], follows)].flatMap((one) => [one.length, one.at(ms).row, one.at(ms).column]);
  assert.deepEqual(stages(false, 350), [700, 1, 0], "rows before columns");
  assert.deepEqual(stages(true, 80), [160, 0.5, 0.5], "what follows a hand moves at once, rows with columns");
  assert.equal(new Motion([{ ...NONE, grows: true }]).length, 350);
  const rows = new Motion([{ ...NONE, rows: true }]);
  near(rows.at(70).row, 0.028);
  near(rows.at(350).row, 0.5);
  near(rows.at(630).row, 0.972);
});

test("a row that moves is painted over those that lie still, on paper of its own", () => {
  const [values, columns] = [
    [0, 0.25, 0.5, 0.75, 1, 0.125],
    ["x", "y"],
  ];
  const before = matrix(values, ["a", "b", "c"], columns);
  const after = matrix([0.5, 0.75, 0, 0.25, 1, 0.125], ["b", "a", "c"], columns);
  after.from = after.begin(before.still());
  const given = scene({ stage: { ...THERE, row: 0.5 } });
  after.paint(given);
  const { drawn } = given.ctx;
  const cells = drawn.flatMap(([name, , x, y, w], at) =>
    name === "roundRect" && w === after.cw - 2 ? [[at, y]] : [],
  );
  assert.equal(cells.length, 6);
  near(cells[0][1], after.geo.top + 2 * after.ch + 1, 1e-9);
  for (const [, y] of cells.slice(2)) near(y, after.geo.top + 0.5 * after.ch + 1, 1e-9);
  const paper = drawn.flatMap(([name, colour], at) => (name === "fillRect" && colour === "#ffffff" ? [at] : []));
  assert.equal(paper.length, 2);
  assert.ok(paper[0] > cells[1][0], "after what lies still");
});

test("a picture that is interrupted goes on from where it is seen", () => {
  const one = matrix([0, 0, 1, 1], ["a", "b"], ["x", "y"]);
  const two = matrix([1, 1, 0, 0], ["b", "a"], ["x", "y"]);
  two.from = two.begin(one.still());
  const half = { ...START, row: 0.25 };
  const three = matrix([0, 0, 1, 1], ["a", "b"], ["x", "y"]);
  three.from = three.begin(two.still(half));
  assert.deepEqual(
    three.places(START)[0].map((at) => Math.round(100 * at)),
    [25, 75],
  );
  assert.equal(matrix([0, 0, 1, 1], ["a", "b"], ["x", "y"]).begin(one.still()), null, "nothing is on its way");
});

test("a cell that is hidden drains before it is covered, and one that is seen again grows from 0", () => {
  const open = () => matrix([0.5, 1], ["a"], ["x", "y"]);
  const masked = () => matrix([0.5, 1], ["a"], ["x", "y"], { hidden: base64([0, 1]) });
  const closing = masked();
  closing.from = closing.begin(open().still());
  assert.deepEqual(closing.from.change, { ...NONE, drains: true });
  const half = { ...START, drain: 0.5 };
  assert.deepEqual([closing.isCovered(1, half), closing.shown(1, half)], [false, 0.5]);
  assert.deepEqual([closing.isCovered(1, { ...half, drain: 1 }), closing.isCovered(0, half)], [true, false]);
  const opening = open();
  opening.from = opening.begin(masked().still());
  assert.deepEqual(opening.from.change, { ...NONE, grows: true });
  assert.deepEqual(
    [0, 0.5, 1].map((value) => opening.shown(1, { ...THERE, value })),
    [0, 0.5, 1],
  );
});

test("a bar stays its word's when the order or the words change; one that goes drains where it stood", () => {
  const before = bars([0.1, 0.5, 0.9], ["keys", "cabinet", "are"]);
  const after = bars([0.9, 0.25, 0.1], ["are", "were", "keys"]);
  after.from = after.begin(before.still());
  assert.deepEqual(after.places(START), [2, 1, 0], "one that is replaced keeps its place");
  [0.9, 0.5, 0.1].forEach((high, i) => near(after.shown(i, START), high));
  const fewer = bars([0.9, 0.1], ["are", "keys"]);
  fewer.from = fewer.begin(before.still());
  assert.deepEqual(fewer.from.change, { drains: true, rows: false, columns: true, grows: false });
  const heights = (stage) => {
    const given = scene({ stage });
    fewer.paint(given);
    const { plotHeight } = fewer.geo;
    return given.ctx.drawn.flatMap(([name, , , , , high]) => (name === "roundRect" ? [high / plotHeight] : []));
  };
  [0.25, 0.9, 0.1].forEach((high, i) => near(heights({ ...START, drain: 0.5 })[i], high));
  assert.equal(heights({ ...START, drain: 1 }).length, 2);
});

/** A view of two matrices as far as what moves it needs; its clock and its frames are the test's. */
function moving() {
  const frames = [];
  globalThis.requestAnimationFrame = (drawn) => frames.push(drawn);
  globalThis.cancelAnimationFrame = () => void frames.splice(0);
  globalThis.matchMedia = () => ({ matches: false });
  const words = ["a", "b", "c"];
  const panel = (kind) => ({ drawn: kind, parts: { ctx: pen() } });
  const square = () => matrix([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], words, words);
  const view = Object.setPrototypeOf(
    {
      panels: [panel(square()), panel(square())],
      data: { group: "g", follows: { panel: 1, roles: ["query", "key"] } },
      stage: THERE,
      fit: { width: 0 },
      outside: new Set(),
      paint: mock.fn(),
    },
    View.prototype,
  );
  const stop = new AbortController();
  view.held = new Follow(view, stop.signal);
  return { view, frames, stop };
}

test("while a chip is held the picture it belongs to is reordered, and goes back if it is not dropped", () => {
  const { view, stop } = moving();
  const places = (panel = 1) => view.panels[panel].drawn.places(THERE);
  const told = { group: "g", roles: ["query", "key"], order: [1, 2, 0], held: true };
  tellHeld({ ...told, group: "other" });
  assert.deepEqual(places(), [
    [0, 1, 2],
    [0, 1, 2],
  ]);
  tellHeld(told);
  assert.deepEqual(places(), [
    [2, 0, 1],
    [2, 0, 1],
  ]);
  assert.deepEqual(places(0)[0], [0, 1, 2], "the picture as it was written stays");
  view.held.settle();
  assert.deepEqual(places()[0], [2, 0, 1], "a run of the page ends no drag");
  tellHeld({ ...told, order: [0, 1, 2], held: false });
  assert.deepEqual(places()[1], [0, 1, 2]);
  tellHeld({ ...told, roles: ["key"], held: false });
  assert.deepEqual(places(), [
    [0, 1, 2],
    [2, 0, 1],
  ]);
  view.held.settle();
  assert.deepEqual(places()[1], [0, 1, 2]);
  view.data.follows.roles = [];
  tellHeld(told);
  assert.deepEqual(places()[1], [0, 1, 2], "where order matters the server is waited for");
  stop.abort();
});

test("only what moves is painted while it moves, and all of it stands in the end", () => {
  const { view, frames, stop } = moving();
  let now = 1000;
  mock.method(performance, "now", () => now);
  tellHeld({ group: "g", roles: ["query"], order: [1, 0, 2], held: true });
  now += 50;
  frames.shift()();
  assert.deepEqual(view.paint.mock.calls.at(-1).arguments, [[view.panels[1]]]);
  assert.ok(view.stage.row > 0 && view.stage.row < 1);
  now += 1000;
  frames.shift()();
  assert.equal(view.stage, THERE);
  assert.equal(frames.length, 0);
  view.panels[1].drawn.from = null;
  globalThis.matchMedia = () => ({ matches: true });
  tellHeld({ group: "g", roles: ["query"], order: [0, 1, 2], held: false });
  assert.deepEqual([frames.length, view.stage], [0, THERE], "who wants no motion sees none");
  performance.now.mock.restore();
  stop.abort();
});
