// When a view draws: for new numbers, for paper, for another room; and not for a run of the page that changes nothing.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { document, THEME } from "./stubs.js";
import { dress } from "#web/base/theme.js";
import { View } from "#web/matrix_view/view.js";

const DARK = { ...THEME, hidden: "#123456" };
let paper = "#ffffff";
globalThis.getComputedStyle = () => ({
  fontFamily: "sans",
  getPropertyValue: (name) => (name.includes("background") ? paper : "#000000"),
});
const data = (more = {}) => ({
  id: "v",
  block: "AAAA",
  panels: [],
  at: { order: 0, step: 0, cell: null },
  colours: { light: THEME, dark: DARK },
  ...more,
});

/** A view as far as what is tried of it needs. */
const some = (more) => Object.setPrototypeOf({ box: document.createElement("div"), ...more }, View.prototype);

test("who is dressed already has nothing set again, and another paper dresses anew", () => {
  const root = document.createElement("div");
  let set = 0;
  root.style.setProperty = () => (set += 1);
  const modes = { light: THEME, dark: DARK };
  const theme = dress(root, modes);
  const once = set;
  assert.ok(once > 0);
  assert.equal(dress(root, structuredClone(modes)), theme);
  assert.equal(set, once);
  paper = "#000000";
  assert.equal(dress(root, modes).hidden, DARK.hidden);
  assert.equal(set, 2 * once);
  paper = "#ffffff";
});

test("a run of the page that changes nothing draws nothing", () => {
  const view = some({ look: "", data: {}, taken: 0, held: { settle: () => {} } });
  view.takeInPlace = (one) => ((view.data = one), (view.taken += 1));
  for (const one of [data(), data(), data({ summary: "new" }), data({ summary: "new", block: "BBBB" })])
    view.update({ data: one, setStateValue: () => {} });
  assert.equal(view.taken, 3);
  paper = "#0e1117";
  view.update({ data: data({ summary: "new", block: "BBBB" }), setStateValue: () => {} });
  assert.equal(view.taken, 4, "another theme is another look");
  paper = "#ffffff";
});

test("a step that the new numbers do not have is the first one, until they have it again", () => {
  const at = (count) =>
    some({ position: { step: 7 }, data: { sweep: count ? { values: Array(count) } : null } }).step;
  assert.deepEqual([0, 7, 8].map(at), [0, 0, 7]);
});

test("a picture whose room changes waits three frames for the next one", () => {
  const frames = [];
  globalThis.requestAnimationFrame = (drawn) => frames.push(drawn);
  globalThis.cancelAnimationFrame = mock.fn();
  const view = some({ refit: mock.fn() });
  view.follow();
  for (let frame = 1; frame <= 3; frame++) {
    assert.equal(view.refit.mock.callCount(), 0);
    frames.shift()();
  }
  assert.deepEqual([view.refit.mock.callCount(), frames.length], [1, 0]);
});

test("a panel is reached by keys and named; its canvas is for eyes only", () => {
  const view = some({ pointer: { hear: () => {} }, sight: { observe: () => {} } });
  const { plot, ctx } = view.buildPanel(0);
  assert.equal(ctx.canvas.attributes["aria-hidden"], "true");
  assert.deepEqual([plot.attributes.role, plot.tabIndex], ["application", 0]);
});

test("a panel is called what it shows, with its size where a cell can be chosen, in its role's colour", () => {
  const view = some({});
  const parts = () =>
    Object.fromEntries(["title", "note", "plot"].map((name) => [name, document.createElement("div")]));
  const called = (drawn) => {
    const one = parts();
    view.name({ drawn, parts: one });
    const { attributes } = one.plot;
    return [
      one.title.textContent,
      one.title.style.color,
      one.note.textContent,
      attributes["aria-label"],
      attributes["aria-roledescription"],
    ];
  };
  const spec = { kind: "matrix", role: "key", title: "Keys", note: "One a row." };
  assert.deepEqual(called({ spec, size: [2, 3], choosable: true, name: "heatmap" }), [
    "Keys",
    "var(--key)",
    "One a row.",
    "Keys, 2 rows, 3 columns",
    "heatmap",
  ]);
  assert.deepEqual(called({ spec: { ...spec, kind: "bars" }, size: [2, 3], name: "bar chart" }), [
    "Keys",
    "",
    "One a row.",
    "Keys",
    "bar chart",
  ]);
});

test("a slider goes from the first step to the last, and says where it stands; without steps there is none", () => {
  const element = () => document.createElement("div");
  const view = some({
    position: { step: 1 },
    sweep: element(),
    sweepName: element(),
    sweepValue: element(),
    range: element(),
  });
  view.data = { sweep: { label: "Size", values: ["1", "2", "4", "8"] } };
  view.showSweep();
  const { attributes, style, max, value } = view.range;
  assert.deepEqual(
    [
      view.sweepName.textContent,
      attributes["aria-label"],
      max,
      value,
      attributes["aria-valuetext"],
      view.sweepValue.textContent,
    ],
    ["Size", "Size", "3", "1", "2", "2"],
  );
  assert.ok(style["--done"].startsWith("33.3"));
  view.data = { sweep: null };
  view.showSweep();
  assert.deepEqual([view.sweep.hidden, view.steps, view.step], [true, 1, 0]);
});

test("a cell is chosen where its panel has it, and can be chosen", () => {
  const cell = (at, more = {}) =>
    some({ position: { cell: at }, panels: [{ drawn: { choosable: true, size: [2, 3], ...more } }] }).cell;
  assert.deepEqual(
    [cell([0, 1, 2]), cell([0, 2, 2]), cell([0, 1, 3]), cell([1, 0, 0]), cell(null)],
    [[0, 1, 2], null, null, null, null],
  );
  assert.equal(cell([0, 1, 2], { choosable: false }), null);
});

test("a step is drawn when it is taken, and told when it is let go", () => {
  const painted = [];
  const told = [];
  const view = some({
    position: { order: 3, step: 0 },
    data: { sweep: { values: ["1", "2", "4"] } },
    pointer: {},
    sweepValue: document.createElement("span"),
    range: document.createElement("input"),
    tables: false,
    panels: [{ drawn: { pose: (step) => painted.push(step) } }],
    paint: () => painted.push("painted"),
    setStateValue: (...one) => told.push(one),
  });
  view.stepTo(2);
  assert.deepEqual(painted, [2, "painted"]);
  assert.deepEqual([view.sweepValue.textContent, view.range.attributes["aria-valuetext"]], ["4", "4"]);
  assert.deepEqual(told, []);
  assert.equal(document.documentElement.dataset.sweeping, "yes", "what is said below is of another step");
  view.report();
  assert.equal(document.documentElement.dataset.sweeping, undefined);
  assert.deepEqual(told, [["step", [3, 2]]]);
});
