// Bars that lie below each other, a sentence with arcs above its heads and their switches, and the wiring of heads.

import assert from "node:assert/strict";
import { test } from "node:test";
import { arched, rows } from "./specs.js";
import { axis, block, font, pen, scene, THEME } from "./stubs.js";
import { formatShare } from "#web/base/numbers.js";
import { Graph } from "#web/matrix_view/graph.js";
import { Heatmap } from "#web/matrix_view/heatmap.js";
import { Motion, THERE } from "#web/matrix_view/motion.js";
import { Numbers } from "#web/matrix_view/panel.js";

const texts = (words) => words.map(({ text }) => text);
const named = (drawn, name) => drawn.filter(([one]) => one === name);
const written = (drawn) => named(drawn, "fillText").map(([, , text]) => text);

test("a share is written in whole percent, and below one with one digit", () => {
  const said = { 0: "0%", 0.754: "75%", 0.0149: "1%", 0.0031: "0.3%", 0.00002: "0.002%", 0.000001: "<0.001%" };
  for (const [value, text] of Object.entries(said)) assert.equal(formatShare(Number(value)), text);
});

test("each row has its number at its end, and what it was before as an outline", () => {
  const panel = rows([0.1, 0.4], ["are", "is"], { before: [0.4, 0.1] });
  const { ctx } = scene();
  panel.paint(scene({ ctx }));
  assert.deepEqual(written(ctx.drawn), ["are", "10%", "is", "40%"]);
  const [bars, outlines] = [named(ctx.drawn, "fill"), named(ctx.drawn, "stroke")];
  assert.equal(bars.length, 2);
  assert.equal(outlines.length, 2);
  const wide = named(ctx.drawn, "roundRect").map(([, , , , w]) => Math.round(w));
  assert.equal(wide[0] + 0, Math.round(panel.geo.plotWidth * 0.2));
  assert.equal(wide[2], Math.round(panel.geo.plotWidth * 0.8));
  assert.deepEqual(texts(panel.words(1, 0)), ["word", "is", "probability", "0.400", "as before", "0.100"]);
  assert.deepEqual(panel.hit(5, panel.geo.top + 1.5 * panel.high), [1, 0]);
  assert.equal(panel.hit(5, panel.geo.top + 2.5 * panel.high), null);
  assert.equal(panel.listing().cell(0, 1), "0.400");
});

test("rows that are lower than their words are named where these have room", () => {
  const panel = rows([0.1, 0.2, 0.3, 0.4], ["a", "b", "c", "d"]);
  panel.measure(pen(), 400, 40, font);
  assert.equal(panel.geo.plotHeight, 40, "as high as there is room");
  const { ctx } = scene();
  panel.paint(scene({ ctx }));
  assert.deepEqual(written(ctx.drawn), ["a", "10%", "c", "30%"]);
  assert.equal(named(ctx.drawn, "fill").length, 4);
});

test("a bar grows from what its word had, in whatever row that was", () => {
  const old = rows([0.3, 0.2], ["are", "is"]).still();
  const { values } = rows([0.1, 0.1, 0.1], ["is", "are", "was"]).begin(old);
  assert.deepEqual(
    Array.from(values, (value) => +value.toFixed(3)),
    [0.2, 0.3, 0],
  );
});

test("parts share one bar of length 1, and one that is too narrow is named below it", () => {
  const whole = { names: ["plural", "singular"], values: [0.95, 0.05], before: [0.5, 0.5], role: ["key", null] };
  const panel = rows([0.4], ["are"], { whole });
  const { ctx } = scene();
  panel.paint(scene({ ctx }));
  const parts = named(ctx.drawn, "roundRect").slice(0, 2);
  assert.deepEqual(
    parts.map(([, , x, , w]) => [Math.round(x), Math.round(w)]),
    [
      [0, 378],
      [380, 18],
    ],
  );
  const places = named(ctx.drawn, "fillText").map(([, , text, , y]) => [text, y]);
  const at = Object.fromEntries(places);
  assert.ok(at["plural 95%"] < 46);
  assert.ok(at["singular 5%"] > 46);
  assert.ok("as before" in at);
  assert.equal(rows([0.4], ["are"], { whole: { ...whole, before: null } }).geo.top, panel.geo.top, "nothing moves");
});

test("the bars of a row rise, then share one bar: each as much of it as it is of their sum", () => {
  const whole = { names: ["a", "b", "c"], values: [0.8, 0.198, 0.002], role: ["accent", "accent", "accent"] };
  const panel = rows([1, 0.25, 0.004], ["a", "b", "c"], { whole: { ...whole, of_bars: true }, limits: [0, 1] });
  assert.deepEqual(Array.from(panel.origin().values), [0, 0, 0]);
  assert.equal(rows([1], ["a"]).origin(), null, "other bars stand there at once");
  assert.equal(panel.geo.top, 64, "the bar that is shared, and air: no line for names that have no room");
  panel.from = panel.begin(panel.origin());
  const motion = new Motion([panel.from.change]);
  assert.equal(motion.length, 700);
  const painted = (ms) => {
    const { ctx } = scene();
    panel.paint(scene({ ctx, stage: ms < 700 ? motion.at(ms) : THERE }));
    return { wide: named(ctx.drawn, "roundRect").map(([, , , , w]) => Math.round(w)), said: written(ctx.drawn) };
  };
  const [begun, risen, there] = [0, 350, 700].map(painted);
  assert.deepEqual(begun.wide, [2, 2, 2], "no share, and the three bars at their beginning");
  assert.deepEqual(risen.wide, there.wide.slice(3), "the bars have risen, and share nothing yet");
  assert.deepEqual(there.wide.slice(0, 3), [318, 77, 2], "of 400 pixels, less the gaps of 2");
  assert.deepEqual(there.said, ["a 80%", "b 20%", "a", "1", "b", ".25", "c", ""], "no glance below .005");
  const next = rows([0.5, 1, 0.1], ["a", "b", "d"], { whole: { ...whole, of_bars: true }, limits: [0, 1] });
  next.from = next.begin(panel.still());
  const before = Array.from(next.parts(next.spec.whole, motion.at(0)), (share) => +share.toFixed(3));
  assert.deepEqual(
    before,
    [0.8, 0.198, 0.002],
    "a word keeps what it had; another takes the place of one that is gone",
  );
});

test("an arc is as broad as its number, and there is none to a number that is no more than nothing", () => {
  const { ctx } = scene();
  arched().paint(scene({ ctx }));
  assert.equal(named(ctx.drawn, "bezierCurveTo").length, 1, "not to itself, and not to .003");
  assert.ok(written(ctx.drawn).includes("head 1.2: 96% on “a”"));
  const other = scene({ lit: { row: 0, column: null } });
  arched().paintArcs(other);
  assert.ok(!written(other.ctx.drawn).includes("head 1.2: 96% on “a”"), "it points at another head");
});

test("a switch is a cell after the last of its row: for a hand, a key, an ear and a table", () => {
  const panel = arched();
  const { left, top, plotWidth } = panel.geo;
  assert.deepEqual(panel.hit(left + plotWidth + 20, top + 1.5 * panel.ch), [1, 3]);
  assert.deepEqual(panel.hit(left + 1, top + 1), [0, 0]);
  assert.deepEqual(panel.span, [0, 3]);
  assert.deepEqual(texts(panel.words(0, 3)), ["layer.head", "1.1", "off"]);
  assert.deepEqual(texts(panel.words(1, 3)), ["layer.head", "1.2", "on"]);
  assert.deepEqual(panel.listing().columns, ["a", "b", "c", "on"]);
  assert.deepEqual(
    [0, 1].map((row) => panel.listing().cell(row, 3)),
    ["off", "on"],
  );
  panel.measure(pen(), 200, 2, font);
  const low = scene();
  panel.paintSwitches(low);
  assert.ok(
    named(low.ctx.drawn, "arc").every(([, , , , r]) => r > 0),
    "however low its cells are",
  );
  const plain = arched({ switches: [] });
  assert.deepEqual(plain.span, [0, 2]);
  assert.equal(plain.hit(left + plotWidth + 20, top + 1.5 * panel.ch), null);
});

test("a label that stands for no word is a chip, in a quiet colour", () => {
  const columns = { ...axis("key", ["a", "b", "pad"], "key"), pale: [2] };
  const { base64, places } = block([1, 1, 0]);
  const { spec } = arched();
  const panel = new Heatmap(
    { ...spec, kind: "matrix", values: places[0], rows: axis("query", ["a"]), columns },
    new Numbers(base64, 1),
  );
  panel.pose(0);
  panel.measure(pen(), 300, 200, font);
  const painted = scene();
  panel.paint(painted);
  const { drawn } = painted.ctx;
  assert.deepEqual(
    named(drawn, "fillText")
      .filter(([, , text]) => ["a", "b", "pad"].includes(text))
      .map(([, colour, text]) => [text, colour]),
    [
      ["a", THEME.ink],
      ["a", THEME.ink],
      ["b", THEME.ink],
      ["pad", THEME.muted],
    ],
  );
  const chips = named(drawn, "roundRect").filter(([, colour, , , , high]) => colour === THEME.hidden && high === 18);
  assert.equal(chips.length, 1);
});

test("words above arcs are written large where they have room, and elsewhere as everywhere", () => {
  const panel = arched({ columns: axis("key", ["aaaaaaaa", "bbbbbbbb", "cccccccc"], "key") });
  assert.equal(panel.enlarged(font)(13), font(16));
  panel.measure(pen(), 200, 400, font);
  assert.equal(panel.enlarged(font)(13), font(13));
});

test("wires, boxes and the bar below them are those of the step", () => {
  const wires = (below) => [0, 1, 2, 3].map((head) => (4 + head) * 4 + below);
  const { base64, places } = block([...Array(8).keys()], wires(1.5), wires(0), [1.5], [0], [8, 4]);
  const each = { name: "", role: null };
  const spec = {
    kind: "graph",
    counts: [],
    title: "Grouped",
    note: "",
    values: places[0],
    layers: axis("", ["keys", "queries"]),
    tokens: axis("head", ["1", "2", "3", "4"]),
    quantity: "head",
    window: [0, 3],
    unfolds: null,
    edges: [1, 2].map((at) => ({ ...each, ends: places[at], lit: true, step: at - 1 })),
    nodes: [3, 4].map((at) => ({ ...each, at: places[at], large: false, boxes: ["key", "value"], step: at - 3 })),
    gauge: { values: places[5], most: 8, says: ["8 bytes", "4 bytes"] },
  };
  const panel = new Graph(spec, new Numbers(base64, 2));
  for (const [step, below, says, share] of [
    [0, 1.5, "8 bytes", 1],
    [1, 0, "4 bytes", 0.5],
  ]) {
    panel.pose(step);
    panel.measure(pen(), 400, 300, font);
    const painted = scene();
    panel.paint(painted);
    const { drawn } = painted.ctx;
    const ends = named(drawn, "lineTo").map(([, , x, y]) => [x, y]);
    assert.deepEqual(ends, Array(4).fill([panel.x(below), panel.y(0)]));
    assert.equal(named(drawn, "arc").length, 0, "no other nodes");
    const boxes = drawn.filter(
      ([name, colour]) => name === "fill" && [THEME.roles.key, THEME.roles.value].includes(colour),
    );
    assert.equal(boxes.length, 2);
    assert.ok(written(drawn).includes(says));
    const bar = named(drawn, "roundRect").find(([, colour]) => colour === THEME.primary);
    assert.equal(bar[4], panel.geo.plotWidth * share);
  }
});
