// One number for each label as bars, or a histogram.

import { clamp } from "../base/dom.js";
import { _ } from "../base/language.js";
import { Axes, LINE } from "./axes.js";
import * as canvas from "./canvas.js";
import { formatNumber, tickText, ticks, ticksThatFit } from "../base/numbers.js";
import { THERE } from "./motion.js";
import { identities, LEAST, lineKey, Panel, named, whereFrom } from "./panel.js";
import { ifAny, isAway, recounted, startFrom } from "./start.js";

/** @import { BarsSpec, Context, Font, Role, Scene, Theme, Tone, Word } from "../base/types" */
/** @import { Stage } from "./motion.js" */
/** @import { Still } from "./panel.js" */
/** @import { Start } from "./start.js" */

const SIZE = 12; // pixels of a label
const APART = 15; // pixels from one slanted label to the next

/** @extends {Axes<BarsSpec>} */
export class Bars extends Axes {
  name = _("bar chart");
  values = new Float32Array();
  edges = /** @type {Float32Array | null} */ (null);
  overlay = /** @type {Float32Array[]} */ ([]);
  /** The labels in lines, where each finds room below its bar. @type {string[][] | null} */
  lines = null;
  turn = 45; // degrees of labels that are slanted

  /** @returns {[number, number]} */
  get size() {
    return [1, this.values.length];
  }

  get axes() {
    return this.spec.labels.labels.length ? { column: this.spec.labels } : {};
  }

  get slot() {
    return this.geo.plotWidth / this.values.length;
  }

  /** @param {number} step */
  pose(step) {
    const { values, edges, overlay } = this.spec;
    this.values = this.numbers.at(values, step);
    this.edges = edges && this.numbers.at(edges, step);
    this.overlay = overlay?.map((part) => this.numbers.at(part, step)) ?? [];
  }

  /** What is above and below 0, of the axis. @param {number} value */
  risen(value) {
    const [at, zero] = [value, 0].map((one) => this.share(clamp(one, ...this.limits)));
    return at - zero;
  }

  /** A bar is followed by its label; one of a histogram by its place. */
  get ids() {
    return [["0"], this.edges ? Array.from(this.values, (_, i) => String(i)) : identities(this.spec.labels.labels)];
  }

  /** @param {Stage} [stage] @returns {Still} */
  still(stage = THERE) {
    const { values, ids } = this;
    const roles = Array.from(values, (_, i) => [this.spec.role].flat()[i] ?? [this.spec.role].flat()[0] ?? null);
    return { values: values.map((_, i) => this.shown(i, stage)), ids, places: [[0], this.places(stage)], roles };
  }

  /** @param {Still} old @returns {Start | null} */
  begin(old) {
    const { ids } = this;
    if (this.edges && old.values.length !== this.values.length) return null;
    const to = this.values.map((value) => this.risen(value));
    const start = startFrom(old, ids, to, { zero: 0 });
    const kept = new Set(whereFrom(old.ids[1], ids[1]));
    start.gone = old.ids[1].flatMap((_, i) => {
      if (kept.has(i) || !isAway(old.values[i], 0)) return [];
      const place = recounted(old.places[1][i], old.values.length, to.length);
      return [{ place, value: old.values[i], role: old.roles?.[i] ?? null }];
    });
    start.change.drains ||= start.gone.length > 0;
    return ifAny(start);
  }

  /** Where each bar stands. @param {Stage} stage */
  places(stage) {
    return Array.from(this.values, (_, i) => canvas.lerp(this.from?.places[1][i] ?? i, i, stage.column));
  }

  /** How high a bar is. @param {number} i @param {Stage} stage */
  shown(i, stage) {
    const [before, to] = [this.from?.values[i] ?? NaN, this.risen(this.values[i])];
    if (!Number.isFinite(before) || !Number.isFinite(to)) return to;
    return canvas.lerp(before, to, this.from?.off[i] ? stage.drain : stage.value);
  }

  /** A tick at or above every bar, and one at or below those that hang. @param {number[]} ticks */
  reach(ticks) {
    const [low, high] = this.limits;
    const made = ticks.slice();
    if (this.spec.log_y) {
      const every = ticks.length > 1 ? ticks[1] / ticks[0] : 10;
      while (made[made.length - 1] < high * (1 - 1e-6)) made.push(made[made.length - 1] * every);
    } else {
      const step = ticks[1] - ticks[0];
      const next = (/** @type {number} */ tick) => +tick.toPrecision(12);
      while (made[made.length - 1] < high - 1e-6 * step) made.push(next(made[made.length - 1] + step));
      while (low < 0 && made[0] > low + 1e-6 * step) made.unshift(next(made[0] - step));
    }
    this.limits = [Math.min(low, made[0]), Math.max(high, made[made.length - 1])];
    return made;
  }

  /** @param {Context} ctx @param {number} width @param {number} height @param {Font} font */
  measure(ctx, width, height, font) {
    super.measure(ctx, width, height, font);
    const { labels } = this.spec.labels;
    const longest = canvas.widest(ctx, labels);
    const lines = labels.map((label) => canvas.wrapWhole(ctx, label, this.slot - 4, 2));
    this.lines = lines.includes(null) ? null : /** @type {string[][]} */ (lines);
    if (this.lines) this.geo.bottom += LINE * (Math.max(1, ...this.lines.map(({ length }) => length)) - 1);
    const few = canvas.isCounted(labels) && (labels.length > 32 || longest <= 22); // numbers of which some are enough
    this.geo.slanted = !this.lines && longest > this.slot - 4 && !few;
    if (!this.geo.slanted) return;
    this.turn = labels.some(canvas.isStacked) || this.slot < APART ? 90 : 45;
    const reach = Math.ceil(Math.min(longest, canvas.SLANTED) * (this.turn === 90 ? 1 : Math.SQRT1_2));
    this.geo.bottom = 30 + reach + LINE * (this.below.length - 1);
    if (this.turn === 90) return;
    const begins = reach + 4 - this.geo.left - this.slot / 2; // or the first would begin outside
    const more = clamp(begins, 0, this.geo.plotWidth - LEAST);
    this.geo.left += more;
    this.geo.plotWidth -= more;
  }

  /** @type {Panel<BarsSpec>["hit"]} */
  hit(x, y) {
    const at = Math.floor((x - this.geo.left) / this.slot);
    return this.isNear(y) && at >= 0 && at < this.values.length ? [0, at] : null;
  }

  /** @param {number | null} _row @param {number | null} column @returns {Word[]} */
  words(_row, column) {
    const at = column ?? 0;
    const unit = this.spec.unit && ` ${this.spec.unit}`;
    return [
      ...(this.edges
        ? [{ text: this.spec.labels.title, as: /** @type {const} */ ("quiet") }, { text: this.range(at) }]
        : named(this.spec.labels, at)),
      { text: this.spec.y_title, as: "quiet", line: true },
      { text: formatNumber(this.values[at]) + unit, as: "value" },
    ];
  }

  /** @param {number} at */
  range(at) {
    if (!this.edges) return "";
    const [from, to] = [this.edges[at], this.edges[at + 1]].map(formatNumber);
    return _("{from} to {to}", { from, to });
  }

  /** @type {Panel<BarsSpec>["anchor"]} */
  anchor(row, column) {
    return { ...super.anchor(row, column), x: this.geo.left + ((column ?? 0) + 0.5) * this.slot };
  }

  /** @param {Theme} theme */
  legend(theme) {
    return this.spec.overlay ? [lineKey(this.spec.overlay_name, theme.ink)] : [];
  }

  listing() {
    const rows = Array.from(this.values, (_, i) => this.spec.labels.labels[i] ?? this.range(i));
    return {
      rows,
      columns: [this.spec.y_title],
      cell: (/** @type {number} */ r) => formatNumber(this.values[r]),
    };
  }

  /** @param {Scene} scene */
  paint(scene) {
    const { ctx, theme, lit, stage } = scene;
    const { left, top, plotHeight } = this.geo;
    const { labels, role } = this.spec;
    this.paintFrame(scene, labels.role);
    const plain = canvas.colourTable(theme.scales.sequential).css[(canvas.LUT_SIZE * 0.6) | 0];
    const colourOf = (/** @type {Role | Tone | null | undefined} */ one) => (one ? theme.roles[one] : plain);
    const colours = [role].flat().map(colourOf);
    const gap = this.edges ? Math.min(1, this.slot * 0.1) : this.slot >= 4 ? Math.min(6, this.slot * 0.22) : 0;
    const width = this.slot - gap;
    const zero = this.y(clamp(0, ...this.limits));
    const bar = (/** @type {number} */ place, /** @type {number} */ value) => {
      const x = left + place * this.slot + gap / 2;
      const high = Math.abs(value) * plotHeight;
      const r = Math.min(3, width / 4, high);
      ctx.beginPath();
      if (value >= 0) ctx.roundRect(x, zero - high, width, high, [r, r, 0, 0]);
      else ctx.roundRect(x, zero, width, high, [0, 0, r, r]);
      ctx.fill();
    };
    for (const one of stage.drain < 1 ? (this.from?.gone ?? []) : []) {
      ctx.fillStyle = colourOf(one.role);
      bar(one.place, canvas.lerp(one.value, 0, stage.drain));
    }
    this.places(stage).forEach((place, i) => {
      const x = left + place * this.slot + gap / 2;
      if (!Number.isFinite(this.values[i])) return canvas.hatch(ctx, [[x, top, width, plotHeight]], theme.muted);
      ctx.globalAlpha = lit.column !== null && lit.column !== i ? 0.35 : 1;
      ctx.fillStyle = colours[i % colours.length];
      bar(place, this.shown(i, stage));
    });
    ctx.globalAlpha = 1;
    if (this.spec.overlay) this.paintOverlay(scene);
    this.paintLabels(scene);
  }

  /** @param {Scene} scene */
  paintOverlay({ ctx, theme }) {
    const { left, top, plotWidth, plotHeight } = this.geo;
    const [low, high] = this.edges
      ? [this.edges[0], this.edges[this.edges.length - 1]]
      : [-0.5, this.values.length - 0.5];
    const [xs, ys] = this.overlay;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top - 2, plotWidth, plotHeight + 3);
    ctx.clip();
    ctx.lineJoin = "round";
    const points = Array.from(xs, (x, i) => [left + (plotWidth * (x - low)) / (high - low), this.y(ys[i])]).flat();
    for (const [width, colour] of /** @type {const} */ ([
      [5, theme.paper],
      [2, theme.ink],
    ])) {
      ctx.lineWidth = width;
      ctx.strokeStyle = colour;
      canvas.line(ctx, ...points);
    }
    ctx.restore();
  }

  /** @param {Scene} scene */
  paintLabels({ ctx, theme, font, lit, stage }) {
    const { left, plotWidth, slanted, width } = this.geo;
    const base = this.geo.top + this.geo.plotHeight;
    const { labels, role, formulas } = this.spec.labels;
    const write = formulas ? canvas.mathText : canvas.plainText;
    ctx.fillStyle = theme.muted;
    ctx.textAlign = "center";
    if (this.edges) {
      const [low, high] = [this.edges[0], this.edges[this.edges.length - 1]];
      for (const tick of ticks(low, high, ticksThatFit(plotWidth, 4)))
        ctx.fillText(tickText(tick), left + (plotWidth * (tick - low)) / (high - low), base + 13);
      return;
    }
    const apart = !slanted
      ? Math.max(22, canvas.widest(ctx, labels.slice(-1)) + 8)
      : this.turn === 90
        ? SIZE - 1
        : APART;
    const every = Math.ceil(apart / this.slot);
    const places = this.places(stage);
    labels.forEach((label, i) => {
      if (i === lit.column || (!this.lines && !canvas.isWritten(i, lit.column, every))) return;
      ctx.font = font(SIZE);
      ctx.fillStyle = theme.muted;
      const x = left + (places[i] + 0.5) * this.slot;
      if (slanted)
        canvas.slantedText(ctx, label, x + (this.turn === 90 ? 0 : 3), base + 8, "right", this.turn, write);
      else if (this.lines) this.lines[i].forEach((words, line) => write(ctx, words, x, base + 13 + LINE * line));
      else write(ctx, label, x, base + 13);
    });
    if (lit.column === null) return;
    ctx.font = font(SIZE, 650);
    ctx.fillStyle = role ? theme.roles[role] : theme.ink;
    const x = left + (places[lit.column] + 0.5) * this.slot;
    if (this.lines) this.lines[lit.column].forEach((words, line) => write(ctx, words, x, base + 13 + LINE * line));
    else if (formulas && !slanted) write(ctx, labels[lit.column], x, base + 13);
    else if (slanted && this.turn === 45 && canvas.widest(ctx, [labels[lit.column]]) <= canvas.SLANTED)
      canvas.slantedText(ctx, labels[lit.column], x + 3, base + 8, "right", this.turn, write);
    else canvas.wholeText(ctx, labels[lit.column], x, base + 13, "center", theme.paper, width);
  }
}
