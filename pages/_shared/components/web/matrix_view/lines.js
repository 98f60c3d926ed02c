// Curves over one x.

import { _ } from "../base/language.js";
import { Axes } from "./axes.js";
import { DASHES, disc, formatNumber, line, tickText, ticks, ticksThatFit } from "./canvas.js";
import { lineKey, Panel } from "./panel.js";

/** @import { Context, LinesSpec, Scene, SeriesSpec, Theme, Word } from "../base/types" */

const DOTTED = 24; // curves of up to this many points show each of them

/** @typedef {SeriesSpec & { numbers: Float32Array, borders: Float32Array[] }} Series */

/** @extends {Axes<LinesSpec>} */
export class Lines extends Axes {
  name = _("line chart");
  xs = new Float32Array();
  series = /** @type {Series[]} */ ([]);
  /** Which x a cursor marks. @type {number | null} */
  cursor = null;

  /** @returns {[number, number]} */
  get size() {
    return [1, this.xs.length];
  }

  /** @returns {[number, number]} */
  get home() {
    return [0, this.cursor ?? 0];
  }

  /** @param {number} step */
  pose(step) {
    const { numbers } = this;
    this.xs = numbers.at(this.spec.x);
    this.series = this.spec.series.map((one) => ({
      ...one,
      numbers: numbers.at(one.values),
      borders: one.band?.map((part) => numbers.at(part)) ?? [],
    }));
    this.cursor = numbers.steps > 1 && this.xs.length === numbers.steps ? step : this.spec.marked;
  }

  /** @param {number} value */
  x(value) {
    const { left, plotWidth } = this.geo;
    const [low, high, at] = [this.xs[0], this.xs[this.xs.length - 1], value].map((v) =>
      this.spec.log_x ? Math.log10(v) : v,
    );
    return left + 6 + ((plotWidth - 12) * (at - low)) / (high - low || 1);
  }

  /** @type {Panel<LinesSpec>["hit"]} */
  hit(x, y) {
    if (!this.isNear(y)) return null;
    const away = Array.from(this.xs, (v) => Math.abs(this.x(v) - x));
    return [0, away.indexOf(Math.min(...away))];
  }

  /** @param {number | null} _row @param {number | null} column @returns {Word[]} */
  words(_row, column) {
    const at = column ?? 0;
    /** @type {(one: Series) => Word[]} */
    const said = (one) => [
      { text: one.name, as: "quiet", line: true },
      { text: formatNumber(one.numbers[at]), as: "value" },
    ];
    const there = this.series.filter((one) => !one.crosses || Number.isFinite(one.numbers[at]));
    return [{ text: this.spec.x_title, as: "quiet" }, { text: formatNumber(this.xs[at]) }, ...there.flatMap(said)];
  }

  /** @type {Panel<LinesSpec>["anchor"]} */
  anchor(row, column) {
    return { ...super.anchor(row, column), x: this.x(this.xs[column ?? 0]) };
  }

  /** @param {Series} series @param {Theme} theme */
  colour(series, theme) {
    return theme.roles[series.role];
  }

  /** @param {Theme} theme */
  legend(theme) {
    const kind = (/** @type {Series} */ one) => (one.crosses ? "cross" : `line ${one.stroke}`);
    return this.series
      .filter((one) => one.listed)
      .map((one) => lineKey(one.name, this.colour(one, theme), kind(one)));
  }

  listing() {
    const cell = (/** @type {number} */ r, /** @type {number} */ c) => formatNumber(this.series[c].numbers[r]);
    return { rows: Array.from(this.xs, formatNumber), columns: this.series.map((one) => one.name), cell };
  }

  /** @param {Scene} scene */
  paint(scene) {
    const { ctx, theme, lit } = scene;
    const { left, top, plotWidth, plotHeight } = this.geo;
    this.paintFrame(scene, this.spec.x_title, null);
    this.paintTicks(scene);
    const cursor = lit.column ?? this.cursor;
    if (cursor !== null) {
      const x = Math.round(this.x(this.xs[cursor])) + 0.5;
      ctx.strokeStyle = theme.muted;
      line(ctx, x, top, x, top + plotHeight);
    }
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top - 6, plotWidth + 6, plotHeight + 12);
    ctx.clip();
    for (const series of this.series) this.paintSeries(scene, series, cursor);
    ctx.restore();
  }

  /** @param {Scene} scene @param {Series} series @param {number | null} cursor */
  paintSeries({ ctx, theme }, series, cursor) {
    const drawable = (/** @type {number} */ v) => Number.isFinite(v) && !(this.spec.log_y && v <= 0);
    ctx.fillStyle = ctx.strokeStyle = this.colour(series, theme);
    if (series.borders.length) this.paintBand(ctx, series.borders);
    ctx.lineWidth = 2;
    ctx.lineJoin = "round";
    ctx.setLineDash(DASHES[series.stroke]);
    ctx.beginPath();
    let pen = false;
    series.numbers.forEach((v, i) => {
      const before = pen;
      pen = drawable(v);
      if (!pen) return;
      const [x, y] = [this.x(this.xs[i]), this.y(v)];
      if (series.crosses) for (const side of [-4, 4]) (ctx.moveTo(x - side, y - 4), ctx.lineTo(x + side, y + 4));
      else if (before) ctx.lineTo(x, y);
      else ctx.moveTo(x, y);
    });
    ctx.stroke();
    ctx.setLineDash([]);
    if (series.crosses) return;
    if (series.stroke === "solid" && this.xs.length <= DOTTED) {
      series.numbers.forEach((v, i) => drawable(v) && disc(ctx, this.x(this.xs[i]), this.y(v), 2.5));
    }
    if (cursor === null || !drawable(series.numbers[cursor])) return;
    disc(ctx, this.x(this.xs[cursor]), this.y(series.numbers[cursor]), 4.5);
    ctx.strokeStyle = theme.paper;
    ctx.stroke();
  }

  /** @param {Context} ctx @param {Float32Array[]} borders */
  paintBand(ctx, [low, high]) {
    const y = (/** @type {number} */ v) => this.y(this.spec.log_y ? Math.max(v, this.spec.limits[0]) : v);
    ctx.beginPath();
    high.forEach((v, i) => ctx.lineTo(this.x(this.xs[i]), y(v)));
    for (let i = low.length - 1; i >= 0; i--) ctx.lineTo(this.x(this.xs[i]), y(low[i]));
    ctx.globalAlpha = 0.16;
    ctx.fill();
    ctx.globalAlpha = 1;
  }

  /** @param {Scene} scene */
  paintTicks({ ctx, theme }) {
    const { xs, geo } = this;
    ctx.fillStyle = theme.muted;
    ctx.textAlign = "center";
    const log = this.spec.log_x;
    const most = ticksThatFit(geo.plotWidth, log ? 5 : 4);
    const every = Math.ceil(xs.length / Math.max(2, ticksThatFit(geo.plotWidth, xs.length)));
    const few = xs.length <= 16 ? Array.from(xs).filter((_, i) => i % every === 0) : null;
    const shown = few ?? ticks(xs[0], xs[xs.length - 1], log ? Math.max(2, most) : most, log);
    for (const tick of shown) ctx.fillText(tickText(tick, log), this.x(tick), geo.top + geo.plotHeight + 15);
  }
}
