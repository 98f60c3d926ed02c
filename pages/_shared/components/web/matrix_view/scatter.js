// Crosses that can be chosen, each at an x of its own, and curves beside them.

import { _ } from "../base/language.js";
import { formatNumber } from "../base/numbers.js";
import { Lines } from "./lines.js";

/** @import { Pointed, Scene, Word } from "../base/types" */

const REACH = 24; // pixels from a cross that are still its own
const RING = 9;

export class Scatter extends Lines {
  name = _("scatter plot");
  choosable = true;

  /** @returns {[number, number]} */
  get home() {
    return [0, this.span[0]];
  }

  /** @returns {[number, number]} */
  get span() {
    const crosses = this.crosses();
    return [crosses[0], crosses[crosses.length - 1]];
  }

  /** Which x have a cross. @returns {number[]} */
  crosses() {
    return [...this.xs.keys()].filter((at) => this.crossing(at) !== undefined);
  }

  /** The cross at an x. @param {number} at */
  crossing(at) {
    return this.series.find((one) => one.crosses && this.isDrawn(one.numbers[at]))?.numbers[at];
  }

  /** Where a cross stands. @param {number} at */
  place(at) {
    return { x: this.x(this.xs[at]), y: this.y(this.crossing(at) ?? NaN) };
  }

  /** @type {Lines["beside"]} */
  beside(column, by) {
    return (
      this.crosses()
        .filter((at) => (at - column) * by > 0)
        .at(by > 0 ? 0 : -1) ?? column
    );
  }

  /** @type {Lines["hit"]} */
  hit(x, y) {
    const away = this.crosses().map((at) => ({ at, far: Math.hypot(this.place(at).x - x, this.place(at).y - y) }));
    const near = away.reduce((one, other) => (other.far < one.far ? other : one));
    return near.far <= REACH ? [0, near.at] : null;
  }

  /** @param {number | null} _row @param {number | null} column @returns {Word[]} */
  words(_row, column) {
    const at = column ?? 0;
    const { points, x_title, y_title } = this.spec;
    return [
      { text: points[at] },
      { text: x_title, as: "quiet", line: true },
      { text: formatNumber(this.xs[at]), as: "value" },
      { text: y_title, as: "quiet", line: true },
      { text: formatNumber(this.crossing(at) ?? NaN), as: "value" },
    ];
  }

  /** @type {Lines["anchor"]} */
  anchor(_row, column) {
    const { x, y } = this.place(column ?? 0);
    return { x, y: y - RING, below: y + RING, free: true };
  }

  listing() {
    const { points, x_title, y_title } = this.spec;
    const crosses = this.crosses();
    const cell = (/** @type {number} */ r, /** @type {number} */ c) =>
      formatNumber((c ? this.crossing(crosses[r]) : this.xs[crosses[r]]) ?? NaN);
    return { rows: crosses.map((at) => points[at]), columns: [x_title, y_title], cell };
  }

  /** @param {Scene} scene */
  paint(scene) {
    super.paint({ ...scene, lit: { row: null, column: null } });
    const { ctx, theme, selected, pointed } = scene;
    for (const [one, colour] of /** @type {[Pointed | null, string][]} */ ([
      [selected, theme.primary],
      [pointed, theme.ink],
    ])) {
      if (!one) continue;
      const { x, y } = this.place(one[2] ?? 0);
      ctx.strokeStyle = colour;
      ctx.lineWidth = 2;
      ctx.beginPath();
      ctx.arc(x, y, RING, 0, 2 * Math.PI);
      ctx.stroke();
    }
  }
}
