// Which panels are the picture and which a second look, what legend they share, and how wide each is.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bars, graph, lines, matrix } from "./specs.js";
import { document, pen, THEME } from "./stubs.js";

globalThis.getComputedStyle = (one) => ({ getPropertyValue: (name) => one.told?.[name] ?? "" });
const { Fit } = await import("#web/matrix_view/fit.js");

const squares = () => matrix([0, 1, 1, 0], ["a", "b"], ["a", "b"]);
const curve = () => lines([1, 10], [{ name: "measured", values: [1, 0.1] }]);
/** A fit as far as what is tried of it needs. */
const some = (panels, { limit = 0, data = {}, ...more } = {}) => {
  const shown = panels.map((drawn) => ({ drawn, parts: { ctx: pen() } }));
  const view = {
    panels: shown,
    data: { front: null, second: 0, signs: [], tally: "told", ...data },
    zoom: 1,
    theme: THEME,
    font: (size) => `${size}px`,
  };
  const fit = Object.assign(Object.create(Fit.prototype), { view, width: 700, box: {}, ...more });
  fit.legend = document.createElement("div");
  fit.front = document.createElement("div");
  Object.defineProperty(fit, "limit", { value: limit });
  return fit;
};

/** How many panels are tried in which room, one after the other, where only so many fit. */
const tried = (fit, fits = 0) => {
  const all = [];
  fit.fitIn = (count, room) => (all.push([count, room]), count <= fits);
  fit.choose(300);
  return all;
};

test("a picture has all of its panels that can be read, at least its own, and never its second look", () => {
  const four = [squares(), squares(), squares(), squares()];
  assert.deepEqual(tried(some(four), 4), [[4, 300]]);
  assert.deepEqual(tried(some(four, { data: { second: 1 } }), 4), [[3, 300]]);
  assert.deepEqual(tried(some(four, { data: { front: 2 } }), 2), [
    [4, 300],
    [2, 300],
  ]);
  assert.deepEqual(tried(some(four, { data: { front: 4, second: 2 } }), 4), [[2, 300]]);
  assert.equal(some(four, { data: { front: 2 } }).own(), 2);
});

test("on a phone a picture may take more of the window, and has no more charts than are 150 pixels wide", () => {
  const charts = [curve(), curve(), curve()];
  assert.equal(some(charts).own(), 3);
  assert.equal(some(charts, { limit: 500, width: 450 }).own(), 3);
  assert.equal(some(charts, { limit: 500, width: 449 }).own(), 2);
  assert.equal(some([graph(3, 4), curve()], { limit: 500, width: 449 }).own(), 1, "a graph is as wide as two");
  assert.equal(some([squares(), squares()], { limit: 500, width: 200 }).own(), 2, "cells give way");
  assert.deepEqual(
    tried(some([squares(), squares()], { limit: 500 }), 0).map(([, room]) => room),
    [300, 500, 300, 500],
  );
});

test("panels whose colours mean the same share a legend; what is hidden is said in it", () => {
  const said = (panels, wanted = true) => {
    const fit = some(panels);
    const shared = fit.share(fit.view.panels, wanted);
    return [
      shared,
      fit.legend.children
        .map((one) => one.textContent)
        .join(" ")
        .trim(),
      fit.front.children.length,
    ];
  };
  const hidden = () =>
    matrix([0, 1, 1, 0], ["a", "b"], ["a", "b"], { hidden: Buffer.from([0, 0, 0, 1]).toString("base64") });
  const scores = () => matrix([0, 1, 1, 0], ["a", "b"], ["a", "b"], { quantity: "score" });
  assert.deepEqual(said([squares(), squares()]), [true, "0  1 weight", 1]);
  assert.deepEqual(said([squares(), hidden()]), [true, "0  1 weight masked", 1]);
  assert.deepEqual(said([squares(), squares(), scores()]), [true, "0  1 weight 0  1 score", 1]);
  assert.deepEqual(said([squares(), scores()]), [false, "", 0], "as many as panels");
  assert.deepEqual(said([squares(), squares()], false), [false, "", 0]);
  assert.deepEqual(said([squares(), squares(), curve()]), [false, "", 0], "a curve has its own");
});

test("in a line of several kinds a graph is twice as wide as a chart, and matrices are as wide as they are", () => {
  const widths = (panels, more) => {
    const fit = some(panels, more);
    fit.measure(fit.view.panels, panels.length, 300, () => 150);
    return fit.roomy(fit.view.panels, panels.length, 300, 100, () => 150)?.map(Math.round) ?? null;
  };
  const [cells, chart] = widths([squares(), curve()]);
  assert.deepEqual([cells, cells + chart], [151, 600]);
  const [one, wired, other] = widths([squares(), graph(3, 12), curve()]);
  assert.deepEqual([one, wired > 1.5 * other], [151, true]);
  assert.equal(widths([curve(), bars([1, 2])]), null, "all of one kind");
  assert.equal(widths([squares(), curve()], { box: null }), null, "outside of a figure");
});

test("a tally is told, but on a phone not beside another picture", () => {
  assert.equal(some([]).told, "told");
  assert.equal(some([], { limit: 500 }).told, "told");
  assert.equal(some([], { limit: 500, pair: {} }).told, null);
  assert.equal(some([], { pair: {} }).told, "told");
  assert.deepEqual([some([]).inLine, some([], { data: { signs: ["+"] } }).inLine], [false, true]);
});

test("a figure leaves its panels what nothing else takes, and 120 pixels at least", () => {
  const left = (most, around, zoom = 1) => {
    const box = Object.assign(document.createElement("div"), { told: { "--figure-most": most } });
    const high = (height) => () => ({ height });
    box.getBoundingClientRect = high(300 + around);
    const fit = new Fit({ zoom }, { closest: (name) => (name === ".st-key-figure" ? box : null) });
    fit.front.getBoundingClientRect = high(300);
    const found = [fit.height, fit.limit];
    fit.destroy();
    return found;
  };
  assert.deepEqual(left("", 80), [Infinity, 0]);
  assert.deepEqual(left("500px", 80), [420, 0]);
  assert.deepEqual(left("500px", 81, 2), [209, 0], "in pixels of a view that is magnified");
  assert.deepEqual(left("500px", 400), [120, 0]);
});

test("what was placed for another width or height is outdated", () => {
  const fit = some([], { room: 300 });
  fit.view.box = { clientWidth: 700 };
  for (const [height, width, outdated] of [
    [300, 700, false],
    [301, 700, false],
    [302, 700, true],
    [300, 699, true],
  ]) {
    Object.defineProperty(fit, "height", { value: height, configurable: true });
    fit.view.box.clientWidth = width;
    assert.equal(fit.outdated, outdated, `${height} ${width}`);
  }
});
