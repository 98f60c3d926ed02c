// Numbers, ticks, colours and cut labels, as every panel draws them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pen } from "./stubs.js";
import { colourTable, fit, isWritten, LUT_SIZE, packed, widestNumber, wrap } from "#web/matrix_view/canvas.js";
import { formatCell, formatNumber, tickText, ticks } from "#web/base/numbers.js";
import { luminance, rgb } from "#web/base/theme.js";

const cases = JSON.parse(readFileSync(new URL("../figures/numbers.json", import.meta.url), "utf8"));

test("numbers, ticks and cells are written as Python writes them", () => {
  for (const [value, text] of cases.numbers) assert.equal(formatNumber(value), text);
  for (const [value, text] of cases.ticks) assert.equal(tickText(value), text);
  for (const [value, cells, decimals, text] of cases.cells) assert.equal(formatCell(value, cells, decimals), text);
});

test("what is no number is named", () => {
  const named = ["NaN", "∞", "−∞"];
  assert.deepEqual([NaN, Infinity, -Infinity].map(formatNumber), named);
  for (const cells of ["weight", "percent", "score", "count", "allowed"])
    assert.deepEqual(
      [NaN, Infinity, -Infinity].map((value) => formatCell(value, cells, 1)),
      named,
    );
});

test("nothing is written as less than nothing", () => {
  assert.deepEqual([formatNumber(-0), tickText(-0), formatCell(-0, "score", 2)], ["0", "0", ""]);
  const rounded = [-0.04, -0.4, -0.06, 0.04, -12.3].map((v, i) => formatCell(v, "score", [1, 0, 1, 1, 1][i]));
  assert.deepEqual(rounded, ["0.0", "0", "−0.1", "0.0", "−12.3"]);
});

test("ticks are round, cover the range and are as many as asked for, about", () => {
  assert.deepEqual(ticks(0, 1, 4), [0, 0.25, 0.5, 0.75, 1]);
  assert.deepEqual(ticks(-4.65, 4.65, 3), [-2.5, 0, 2.5]);
  assert.deepEqual(ticks(0, 0.3, 3), [0, 0.1, 0.2, 0.3]);
  for (let reach = 1; reach < 12; reach += 0.01)
    for (const count of [3, 4]) {
      const made = ticks(-reach, reach, count).length;
      assert.ok(made >= 2 && made <= count + 1, `${reach}, ${count}: ${made}`); // one alone tells no scale
    }
  assert.deepEqual(ticks(1e-3, 1e6, 5, true), [1e-3, 1e-1, 10, 1e3, 1e5]);
  assert.deepEqual(ticks(2, 5, 4, true), [2, 5]);
});

test("a tick on a logarithmic axis is a power of ten where it is far from 1", () => {
  assert.deepEqual(
    [-15, -3, 2, 3, 12].map((p) => tickText(10 ** p, true)),
    ["10⁻¹⁵", "10⁻³", "100", "10³", "10¹²"],
  );
});

test("a colour lies between its stops, and the ink on it is the one that reads better", () => {
  const stops = ["#FDFCFA", "#0B6E75", "#06343A"];
  const { css, ink, pixel } = colourTable(stops);
  assert.deepEqual(
    [css[0], css[LUT_SIZE - 1]],
    [stops[0], stops[2]].map((stop) => `rgb(${rgb(stop)})`),
  );
  const half = rgb(css[(LUT_SIZE / 2) | 0]);
  rgb(stops[1]).forEach((part, k) => assert.ok(Math.abs(part - half[k]) <= 1));
  assert.equal(pixel[0], packed(rgb(stops[0])) >>> 0);
  assert.deepEqual(
    [...new Uint8Array(Uint32Array.of(packed([1, 2, 3])).buffer)],
    [1, 2, 3, 255],
    "as an image has them",
  );
  const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  css.forEach((colour, i) => {
    const read = contrast(luminance(rgb(ink[i])), luminance(rgb(colour)));
    assert.ok(read >= 4.5, `${colour}: ${ink[i]}`);
  });
  assert.equal(colourTable([...stops]), colourTable(stops), "made once for all panels");
});

test("a label that is too long is cut between its letters", () => {
  assert.equal(fit(pen(), "abcdef", 42), "abcdef");
  assert.equal(fit(pen(), "abcdef", 41), "abcd…");
  const cut = fit(pen(), "💥💥💥💥", 30);
  assert.equal(cut, "💥…");
  assert.equal(fit(pen(), "abcdef", 1), "…");
});

test("a text is broken into lines between its words, and none of them is lost", () => {
  assert.deepEqual(wrap(pen(), "ab cd ef", 35), ["ab cd", "ef"]);
  assert.deepEqual(wrap(pen(), "注意力 ab", 21), ["注意力", "ab"]);
  assert.deepEqual(wrap(pen(), "abcdef x", 35), ["abcd…", "x"]);
  assert.deepEqual(wrap(pen(), "", 35), []);
});

test("widths are kept, but not without end", () => {
  const ctx = pen();
  ctx.font = "of this test";
  for (const _ of [1, 2]) fit(ctx, "first", 99);
  assert.equal(ctx.measured, 1);
  for (let i = 0; i < 3000; i++) fit(ctx, `word ${i}`, 999);
  fit(ctx, "first", 99);
  assert.equal(ctx.measured, 3002);
});

test("numbers take the room of as many zeros", () => {
  const ctx = pen();
  ctx.font = "of this test, too";
  assert.equal(widestNumber(ctx, ["1.11", "0.98", "−4.65"]), 35);
  assert.equal(ctx.measured, 2);
});

test("where labels have no room the lit one is written, and none too near to it", () => {
  const written = (lit) => [...Array(9).keys()].filter((i) => isWritten(i, lit, 3));
  assert.deepEqual(written(null), [0, 3, 6]);
  assert.deepEqual(written(4), [0, 4]);
  assert.deepEqual(written(3), [0, 3, 6]);
});
