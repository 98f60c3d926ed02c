// How many panels stand side by side, and how high they are.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./stubs.js";
import { fitted, flowing, grown, least } from "#web/matrix_view/grid.js";
import { Heatmap } from "#web/matrix_view/heatmap.js";

/** A square matrix of so many rows, as large as it can be. */
const panel = (n) => {
  const one = Object.create(Heatmap.prototype);
  Object.assign(one, { rows: Array(n).fill("r"), columns: Array(n).fill("c"), spec: { title: "Weights", note: "" } });
  one.geo = { left: 30, top: 40, bottom: 2, width: 0, plotWidth: 0, plotHeight: 0 };
  one.take = (width, height) => {
    one.ch = one.cw = Math.min(56, (width - 30) / n, height / n);
    one.low = n * one.ch > height - n;
    one.plain = n * one.cw;
    Object.assign(one.geo, { width: 30 + n * one.cw, plotWidth: n * one.cw, plotHeight: n * one.ch });
  };
  return one;
};
const measuring = (panels) => (_across, width, height) => panels.forEach((one) => one.take(width, height(one)));

test("panels that scroll stand one below the other on a phone, else as many beside each other as have room", () => {
  for (let count = 1; count <= 6; count++)
    for (const width of [320, 374, 700, 1400]) {
      const { across, width: each, gap } = flowing(count, width);
      assert.ok(across * each + (across - 1) * gap <= width);
      assert.ok(across <= count && (across === 1 || each >= least(width)));
      assert.equal(across === 1, width < 480 || count === 1 || 2 * least(width) + gap > width);
    }
  assert.equal(flowing(4, 700).across, 2, "two lines of two, not of three and one");
});

test("panels in a window are as large as their room lets them be, and keep to it", () => {
  for (const count of [1, 2, 3, 4])
    for (const [width, room] of [
      [1000, 300],
      [600, 700],
      [374, 500],
    ]) {
      const panels = Array.from({ length: count }, () => panel(6));
      const at = fitted(panels, width, room, measuring(panels), true);
      const rows = Math.ceil(count / at.across);
      assert.ok(at.across * at.width + (at.across - 1) * at.gap <= width);
      assert.ok(rows * at.each + 12 * (rows - 1) <= room + 1e-9);
    }
  const wide = Array.from({ length: 2 }, () => panel(6));
  assert.equal(fitted(wide, 1000, 300, measuring(wide), true).across, 2);
  assert.equal(fitted(wide, 374, 800, measuring(wide), true).across, 1);
});

test("cells are grown unless it is for their height that they are small", () => {
  const one = panel(6);
  one.take(1000, 6 * 20);
  assert.ok(!grown([one]));
  one.take(30 + 6 * 20, 1000);
  assert.ok(grown([one]));
});
