// One number for each label as bars, or a histogram.

import { clamp } from "../base/dom.js";
import { _ } from "../base/language.js";
import { Axes, LINE } from "./axes.js";
import * as canvas from "./canvas.js";
import { lineKey, Panel, named } from "./panel.js";

/** @import { BarsSpec, Context, Font, Scene, Theme, Word } from "../base/types" */
/** @import { Still } from "./panel.js" */

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

  /** @returns {Still} */
  still() {
    return { values: this.values, ids: [] };
  }

  /** @param {Context} ctx @param {number} width @param {number} height @param {Font} font */
  measure(ctx, width, height, font) {
    super.measure(ctx, width, height, font);
    const { labels } = this.spec.labels;
    const longest = canvas.widest(ctx, labels);
    const lines = labels.map((label) => canvas.wrap(ctx, label, this.slot - 4));
    const high = Math.max(1, ...lines.map(({ length }) => length));
    const letters = (/** @type {string} */ text) => text.replace(/\s/g, "");
    const isWhole = lines.every((each, i) => letters(each.join("")) === letters(labels[i]));
    this.lines = isWhole && high <= 2 ? lines : null;
    if (this.lines) this.geo.bottom += LINE * (high - 1);
    this.geo.slanted = !this.lines && longest > this.slot - 4 && labels.length <= 32 && longest > 22;
    if (!this.geo.slanted) return;
    this.turn = labels.some(canvas.isStacked) ? 90 : 45;
    const reach = Math.ceil(Math.min(longest, canvas.SLANTED) * (this.turn === 90 ? 1 : Math.SQRT1_2));
    this.geo.bottom = 30 + reach;
    if (this.turn === 90) return;
    const more = Math.max(0, reach + 4 - this.geo.left - this.slot / 2); // or the first would begin outside
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
      { text: canvas.formatNumber(this.values[at]) + unit, as: "value" },
    ];
  }

  /** @param {number} at */
  range(at) {
    if (!this.edges) return "";
    const [from, to] = [this.edges[at], this.edges[at + 1]].map(canvas.formatNumber);
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
      cell: (/** @type {number} */ r) => canvas.formatNumber(this.values[r]),
    };
  }

  /** @param {Scene} scene */
  paint(scene) {
    const { ctx, theme, lit, t } = scene;
    const { left, top, plotHeight } = this.geo;
    const { limits, labels, role } = this.spec;
    this.paintFrame(scene, labels.title, labels.role);
    const plain = canvas.colourTable(theme.scales.sequential).css[(canvas.LUT_SIZE * 0.6) | 0];
    const colours = [role].flat().map((one) => (one ? theme.roles[one] : plain));
    const gap = this.edges ? Math.min(1, this.slot * 0.1) : this.slot >= 4 ? Math.min(6, this.slot * 0.22) : 0;
    const width = this.slot - gap;
    const zero = this.y(clamp(0, ...limits));
    this.values.forEach((to, i) => {
      const before = t < 1 && this.from ? this.from.values[i] : NaN;
      const value = Number.isFinite(before) ? canvas.lerp(before, to, t) : to;
      const x = left + i * this.slot + gap / 2;
      if (!Number.isFinite(value)) return canvas.hatch(ctx, x, top, width, plotHeight, theme.muted);
      const high = Math.abs(zero - this.y(clamp(value, ...limits)));
      const r = Math.min(3, width / 4, high);
      ctx.globalAlpha = lit.column !== null && lit.column !== i ? 0.35 : 1;
      ctx.fillStyle = colours[i % colours.length];
      ctx.beginPath();
      if (value >= 0) ctx.roundRect(x, zero - high, width, high, [r, r, 0, 0]);
      else ctx.roundRect(x, zero, width, high, [0, 0, r, r]);
      ctx.fill();
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
  paintLabels({ ctx, theme, font, lit }) {
    const { left, plotWidth, slanted } = this.geo;
    const base = this.geo.top + this.geo.plotHeight;
    const { labels, role, formulas } = this.spec.labels;
    const write = formulas ? canvas.mathText : canvas.plainText;
    ctx.fillStyle = theme.muted;
    ctx.textAlign = "center";
    if (this.edges) {
      const [low, high] = [this.edges[0], this.edges[this.edges.length - 1]];
      for (const tick of canvas.ticks(low, high, canvas.ticksThatFit(plotWidth, 4)))
        ctx.fillText(canvas.tickText(tick), left + (plotWidth * (tick - low)) / (high - low), base + 13);
      return;
    }
    const every = Math.ceil((slanted ? 15 : Math.max(22, canvas.widest(ctx, labels.slice(-1)) + 8)) / this.slot);
    labels.forEach((label, i) => {
      if (!this.lines && !canvas.isWritten(i, lit.column, every)) return;
      ctx.font = font(12, lit.column === i ? 650 : 400);
      ctx.fillStyle = lit.column !== i ? theme.muted : role ? theme.roles[role] : theme.ink;
      const x = left + (i + 0.5) * this.slot;
      if (slanted)
        canvas.slantedText(ctx, label, x + (this.turn === 90 ? 0 : 3), base + 8, "right", this.turn, write);
      else if (this.lines) this.lines[i].forEach((words, line) => write(ctx, words, x, base + 13 + LINE * line));
      else write(ctx, canvas.fit(ctx, label, canvas.SLANTED), x, base + 13);
    });
  }
}
