// Curves over one x.

import { clamp } from "../base/dom.js";
import { _ } from "../base/language.js";
import { Axes, LINE } from "./axes.js";
import { DASHES, disc, lerp, line, mathText, widest, wrap, wrapWhole } from "./canvas.js";
import { formatNumber, tickText, ticks, ticksThatFit } from "../base/numbers.js";
import { paintBeside } from "./labels.js";
import { THERE } from "./motion.js";
import { lineKey, Panel, identities } from "./panel.js";
import { ifAny, startFrom } from "./start.js";

/** @import { Context, Font, LinesSpec, Scene, SeriesSpec, Theme, Word } from "../base/types" */
/** @import { Stage } from "./motion.js" */
/** @import { Still } from "./panel.js" */
/** @import { Start } from "./start.js" */

const NEAR = 6; // pixels from one point of a line to the next that a name keeps clear of
const DOTTED = 24; // curves of up to this many points show each of them
const NAMED = 3; // as many curves are named where they end; of more there is a legend
const AWAITED = 21; // from one line to the next of what is yet to be guessed
const LEADER = 18; // pixels from the end of a curve to its name
const LEAST_WIDE = 110; // pixels of a plot that has room for names beside it

/**
 * Middles of blocks as near to where they are wanted as they can be without touching, from `low` to `high`.
 *
 * @param {number[]} wanted @param {number[]} heights @param {number} low @param {number} high
 */
export function spread(wanted, heights, low, high) {
  const order = [...wanted.keys()].sort((a, b) => wanted[a] - wanted[b]);
  const at = wanted.slice();
  let edge = low;
  for (const i of order) {
    at[i] = Math.max(at[i], edge + heights[i] / 2);
    edge = at[i] + heights[i] / 2;
  }
  edge = Math.max(high, low + heights.reduce((sum, one) => sum + one, 0));
  for (const i of order.reverse()) {
    at[i] = Math.min(at[i], edge - heights[i] / 2);
    edge = at[i] - heights[i] / 2;
  }
  return at;
}

/** @typedef {SeriesSpec & { numbers: Float32Array, borders: Float32Array[] }} Series */

/** @extends {Axes<LinesSpec>} */
export class Lines extends Axes {
  name = _("line chart");
  xs = new Float32Array();
  series = /** @type {Series[]} */ ([]);
  /** Which x a cursor marks. @type {number | null} */
  cursor = null;
  /** What is written where a curve ends, in lines; none where a legend says it. @type {{ at: number, lines: string[] }[]} */
  names = [];

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

  /** @param {Context} ctx @param {number} width @param {number} height @param {Font} font */
  measure(ctx, width, height, font) {
    super.measure(ctx, width, height, font);
    const { geo } = this;
    this.names = [];
    const listed = [...this.series.keys()].filter((at) => this.series[at].listed);
    if (listed.length < 2 || listed.length > NAMED || listed.some((at) => this.series[at].crosses)) return;
    const words = listed.map((at) => this.series[at].name);
    const room = Math.min(widest(ctx, words) + 1, geo.plotWidth - LEAST_WIDE - LEADER, 0.4 * geo.plotWidth);
    const most = Math.floor(geo.plotHeight / LINE / listed.length);
    const names = listed.flatMap((at) => {
      const lines = wrapWhole(ctx, this.series[at].name, room, most);
      return lines ? [{ at, lines }] : [];
    });
    if (names.length < listed.length) return;
    this.names = names;
    geo.plotWidth -= Math.ceil(Math.max(...names.map(({ lines }) => widest(ctx, lines)))) + LEADER - 6;
  }

  /** @param {Stage} [stage] @returns {Still} */
  still(stage = THERE) {
    const ids = [identities(this.series.map(({ name }) => name)), Array.from(this.xs, (_, i) => String(i))];
    const values = Float32Array.from(
      this.series.flatMap((_, s) => Array.from(this.xs, (_, i) => this.shown(s, i, stage))),
    );
    return { values, ids, places: ids.map((each) => [...each.keys()]) };
  }

  /** Curves of as many points as before grow from there. @param {Still} old @returns {Start | null} */
  begin(old) {
    const mine = this.still();
    if (old.ids[1].length !== mine.ids[1].length || String(old.ids[0]) !== String(mine.ids[0])) return null;
    const start = startFrom(old, mine.ids, mine.values, { zero: 0 });
    start.off.fill(false);
    start.change = { ...start.change, drains: false, grows: start.change.drains || start.change.grows };
    return ifAny(start);
  }

  /** Of the axis, where a point is seen. @param {number} s @param {number} i @param {Stage} stage */
  shown(s, i, stage) {
    const [before, to] = [this.from?.values[s * this.xs.length + i] ?? NaN, this.share(this.series[s].numbers[i])];
    return Number.isFinite(before) && Number.isFinite(to) ? lerp(before, to, stage.value) : to;
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
    if (this.names.length) return [];
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
    const { ctx, theme, font, lit } = scene;
    const { left, top, plotWidth, plotHeight } = this.geo;
    this.paintFrame(scene, null);
    this.paintTicks(scene);
    const cursor = this.spec.awaits ? null : (lit.column ?? this.cursor);
    if (cursor !== null) {
      const x = Math.round(this.x(this.xs[cursor])) + 0.5;
      ctx.strokeStyle = theme.muted;
      line(ctx, x, top, x, top + plotHeight);
    }
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top - 6, plotWidth + 6, plotHeight + 12);
    ctx.clip();
    for (const series of this.series) {
      if (this.spec.unfolds && this.cursor !== null && series.stroke === "solid")
        this.paintUnfolded(scene, series, this.x(this.xs[this.cursor]));
      else this.paintSeries(scene, series);
      if (cursor !== null) this.paintDisc(scene, series, cursor);
    }
    ctx.restore();
    this.paintNames(scene);
    this.paintPoints(scene);
    if (!this.spec.awaits) return;
    ctx.font = font(17);
    ctx.fillStyle = theme.muted;
    ctx.textAlign = "center";
    const lines = wrap(ctx, this.spec.awaits, plotWidth);
    const first = top + plotHeight / 2 - (AWAITED * (lines.length - 1)) / 2;
    lines.forEach((words, i) => ctx.fillText(words, left + plotWidth / 2, first + AWAITED * i));
  }

  /** @param {Scene} scene */
  paintNames({ ctx, theme, font }) {
    const { left, top, plotWidth, plotHeight } = this.geo;
    const bottom = top + plotHeight;
    const ends = this.names.map(({ at }) => this.series[at].numbers.findLastIndex((v) => this.isDrawn(v)));
    const wanted = this.names.map(({ at }, i) =>
      ends[i] < 0 ? bottom : clamp(this.y(this.series[at].numbers[ends[i]]), top, bottom),
    );
    const heights = this.names.map(({ lines }) => LINE * lines.length);
    const places = spread(wanted, heights, top - LINE / 2, bottom + LINE / 2);
    ctx.font = font(12);
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    ctx.lineWidth = 1;
    this.names.forEach(({ at, lines }, i) => {
      const series = this.series[at];
      ctx.fillStyle = ctx.strokeStyle = this.colour(series, theme);
      const x = left + plotWidth - 6 + LEADER;
      lines.forEach((words, k) => mathText(ctx, words, x, places[i] + LINE * (k - (lines.length - 1) / 2)));
      if (ends[i] !== this.xs.length - 1) return;
      ctx.setLineDash(DASHES[series.stroke]);
      line(ctx, this.x(this.xs[ends[i]]) + 4, wanted[i], x - 3, places[i]);
      ctx.setLineDash([]);
    });
  }

  /** A curve up to a place, and faint after it. @param {Scene} scene @param {Series} series @param {number} until */
  paintUnfolded(scene, series, until) {
    const { ctx } = scene;
    const { left, top, plotWidth, plotHeight } = this.geo;
    for (const [from, to, strength] of [
      [left, until, 1],
      [until, left + plotWidth + 6, 0.25],
    ]) {
      ctx.save();
      ctx.beginPath();
      ctx.rect(from, top - 6, to - from, plotHeight + 12);
      ctx.clip();
      ctx.globalAlpha = strength;
      this.paintSeries(scene, series);
      ctx.restore();
    }
  }

  /** The names of curves that have them at their points. @param {Scene} scene */
  paintPoints({ ctx, theme, font }) {
    const { left, top, plotWidth, plotHeight } = this.geo;
    const labels = this.series.flatMap((series) => {
      const { numbers, name, pointed, stroke } = series;
      const moves = this.spec.unfolds && stroke === "solid";
      const at = moves ? (this.cursor ?? -1) : numbers.findLastIndex((v) => this.isDrawn(v));
      if (!pointed || !this.isDrawn(numbers[at] ?? NaN)) return [];
      const text = moves ? `${name}: ${formatNumber(numbers[at])}` : name;
      const falls = numbers[at] < (numbers[at - 1] ?? numbers[at]);
      const level = !moves && numbers.every((v) => v === numbers[at]);
      const along = level ? Array.from(this.xs, (v) => this.x(v)).reverse() : [];
      return [
        { text, x: this.x(this.xs[at]), y: this.y(numbers[at]), colour: this.colour(series, theme), falls, along },
      ];
    });
    ctx.font = font(12);
    const written = this.marked(ctx);
    ctx.font = font(13, 650);
    const within = { left: 0, right: left + plotWidth + 12, top: top - 16, bottom: top + plotHeight };
    if (labels.length) paintBeside(ctx, labels, within, [...this.sampled(), ...this.upright()], written);
  }

  /** Points on the line that marks an x, where one does; what is pointed at moves no name. @returns {[number, number][]} */
  upright() {
    const { top, plotHeight } = this.geo;
    if (this.cursor === null || this.spec.awaits) return [];
    const x = this.x(this.xs[this.cursor]);
    return Array.from({ length: Math.ceil(plotHeight / NEAR) + 1 }, (_, k) => [
      x,
      Math.min(top + k * NEAR, top + plotHeight),
    ]);
  }

  /** Points on all curves, near to each other. @returns {[number, number][]} */
  sampled() {
    return this.series.flatMap(({ numbers, crosses }) =>
      Array.from(numbers).flatMap((v, i) => {
        const before = numbers[i - 1] ?? NaN;
        if (crosses || !this.isDrawn(v) || !this.isDrawn(before)) return [];
        const [from, to] = [i - 1, i].map((at) => [this.x(this.xs[at]), this.y(numbers[at])]);
        const parts = Math.ceil(Math.hypot(to[0] - from[0], to[1] - from[1]) / NEAR);
        const at = (/** @type {number} */ share) => [0, 1].map((side) => lerp(from[side], to[side], share));
        return Array.from({ length: parts }, (_, k) => /** @type {[number, number]} */ (at((k + 1) / parts)));
      }),
    );
  }

  /** @param {number} value */
  isDrawn(value) {
    return Number.isFinite(value) && !(this.spec.log_y && value <= 0);
  }

  /** @param {Scene} scene @param {Series} series */
  paintSeries({ ctx, theme, stage }, series) {
    const drawable = (/** @type {number} */ v) => this.isDrawn(v);
    const s = this.series.indexOf(series);
    const yAt = (/** @type {number} */ i) => this.up(this.shown(s, i, stage));
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
      const [x, y] = [this.x(this.xs[i]), yAt(i)];
      if (series.crosses) for (const side of [-4, 4]) (ctx.moveTo(x - side, y - 4), ctx.lineTo(x + side, y + 4));
      else if (before) ctx.lineTo(x, y);
      else ctx.moveTo(x, y);
    });
    ctx.stroke();
    ctx.setLineDash([]);
    if (series.crosses) return;
    if (series.stroke === "solid" && this.xs.length <= DOTTED) {
      series.numbers.forEach((v, i) => drawable(v) && disc(ctx, this.x(this.xs[i]), yAt(i), 2.5));
    }
  }

  /** Where the cursor meets a curve. @param {Scene} scene @param {Series} series @param {number} cursor */
  paintDisc({ ctx, theme, stage }, series, cursor) {
    if (series.crosses || !this.isDrawn(series.numbers[cursor])) return;
    ctx.fillStyle = this.colour(series, theme);
    ctx.lineWidth = 2;
    const s = this.series.indexOf(series);
    disc(ctx, this.x(this.xs[cursor]), this.up(this.shown(s, cursor, stage)), 4.5);
    ctx.strokeStyle = theme.paper;
    ctx.stroke();
  }

  /** @param {Context} ctx @param {Float32Array[]} borders */
  paintBand(ctx, [low, high]) {
    const y = (/** @type {number} */ v) => this.y(this.spec.log_y ? Math.max(v, this.spec.limits[0]) : v);
    ctx.beginPath();
    high.forEach((v, i) => ctx.lineTo(this.x(this.xs[i]), y(v)));
    for (let i = low.length - 1; i >= 0; i--) ctx.lineTo(this.x(this.xs[i]), y(low[i]));
    const strength = ctx.globalAlpha;
    ctx.globalAlpha = 0.16 * strength;
    ctx.fill();
    ctx.globalAlpha = strength;
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
