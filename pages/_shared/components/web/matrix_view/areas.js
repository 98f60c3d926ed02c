// Distributions that are compared on one axis, each as an area or as columns of its own, the first behind the others.

import { _ } from "../base/language.js";
import { Axes } from "./axes.js";
import * as canvas from "./canvas.js";
import { formatNumber, tickText, ticks, ticksThatFit } from "../base/numbers.js";
import { paintBeside } from "./labels.js";
import { Panel } from "./panel.js";

/** @import { AreaSpec, AreasSpec, Scene, Word } from "../base/types" */

const PLACES = 80; // on an axis of numbers that can be pointed at
const LINE = 14; // pixels of a line of words
const BEHIND = 0.5; // how strongly the first is drawn

/** @typedef {AreaSpec & { heights: Float32Array, borders: Float32Array, ends: Float32Array | null, text: string }} Area */

/** @extends {Axes<AreasSpec>} */
export class Areas extends Axes {
  name = _("distributions");
  areas = /** @type {Area[]} */ ([]);

  /** @returns {[number, number]} */
  get size() {
    return [1, this.spec.labels.labels.length || PLACES];
  }

  /** @param {number} step */
  pose(step) {
    this.areas = this.spec.areas.map((one) => ({
      ...one,
      heights: this.numbers.at(one.values, step),
      borders: this.numbers.at(one.edges, step),
      ends: one.bracket && this.numbers.at(one.bracket, step),
      text: one.said[one.said.length > 1 ? step : 0],
    }));
  }

  /** @param {number} value */
  x(value) {
    const [low, high] = this.spec.span;
    return this.geo.left + (this.geo.plotWidth * (value - low)) / (high - low);
  }

  /** In the middle of a place that can be pointed at. @param {number} at */
  value(at) {
    const [low, high] = this.spec.span;
    return low + ((high - low) * (at + 0.5)) / this.size[1];
  }

  /** @param {Area} area @param {number} value */
  heightAt({ heights, borders }, value) {
    const at = borders.findLastIndex((edge) => edge <= value);
    return heights[at] ?? 0;
  }

  /** @type {Panel<AreasSpec>["hit"]} */
  hit(x, y) {
    const at = Math.floor(((x - this.geo.left) / this.geo.plotWidth) * this.size[1]);
    return this.isNear(y) && at >= 0 && at < this.size[1] ? [0, at] : null;
  }

  /** @param {number} at */
  placeName(at) {
    return this.spec.labels.labels[at] ?? formatNumber(this.value(at));
  }

  /** @param {number | null} _row @param {number | null} column @returns {Word[]} */
  words(_row, column) {
    const at = column ?? 0;
    /** @type {(area: Area) => Word[]} */
    const said = (area) => [
      { text: area.name, as: "quiet", line: true },
      { text: formatNumber(this.heightAt(area, this.value(at))), as: "value" },
    ];
    return [{ text: this.spec.labels.title, as: "quiet" }, { text: this.placeName(at) }, ...this.areas.flatMap(said)];
  }

  /** @type {Panel<AreasSpec>["anchor"]} */
  anchor(row, column) {
    return { ...super.anchor(row, column), x: this.x(this.value(column ?? 0)) };
  }

  listing() {
    const rows = Array.from({ length: this.size[1] }, (_, at) => this.placeName(at));
    const cell = (/** @type {number} */ r, /** @type {number} */ c) =>
      formatNumber(this.heightAt(this.areas[c], this.value(r)));
    return { rows, columns: this.areas.map(({ name }) => name), cell };
  }

  // ---- painting ----

  /** @param {Scene} scene */
  paint(scene) {
    const { ctx, theme, font, lit } = scene;
    const { left, top, plotWidth, plotHeight } = this.geo;
    this.paintFrame(scene, null);
    this.paintTicks(scene);
    if (lit.column !== null) {
      const x = Math.round(this.x(this.value(lit.column))) + 0.5;
      ctx.strokeStyle = theme.muted;
      canvas.line(ctx, x, top, x, top + plotHeight);
    }
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top - 2, plotWidth, plotHeight + 2);
    ctx.clip();
    this.areas.forEach((area, i) => {
      ctx.fillStyle = theme.roles[area.role];
      ctx.globalAlpha = i ? 1 : BEHIND;
      if (this.spec.smooth) this.paintArea(ctx, area);
      else this.paintColumns(ctx, area, i ? 0.5 : 0.8);
    });
    ctx.restore();
    ctx.strokeStyle = theme.ink;
    const places = this.areas.map((area, i) => this.place(area, i));
    this.areas.forEach(({ ends }, i) => ends && this.paintBracket(ctx, ends, places[i].y));
    ctx.font = font(12);
    const written = this.marked(ctx);
    ctx.font = font(13, 650);
    const within = { left: 0, right: left + plotWidth + 12, top: top - 8, bottom: top + plotHeight };
    const labels = this.areas.map(({ text, role }, i) => ({ ...places[i], text, colour: theme.roles[role] }));
    paintBeside(ctx, labels, within, [], written);
  }

  /** @param {Scene["ctx"]} ctx @param {Area} area */
  paintArea(ctx, { heights, borders }) {
    ctx.beginPath();
    ctx.moveTo(this.x(borders[0]), this.y(0));
    heights.forEach((height, i) => ctx.lineTo(this.x((borders[i] + borders[i + 1]) / 2), this.y(height)));
    ctx.lineTo(this.x(borders[heights.length]), this.y(0));
    ctx.fill();
  }

  /** @param {Scene["ctx"]} ctx @param {Area} area @param {number} share  of its place that a column takes */
  paintColumns(ctx, { heights, borders }, share) {
    heights.forEach((height, i) => {
      const [from, to] = [this.x(borders[i]), this.x(borders[i + 1])];
      const gap = ((to - from) * (1 - share)) / 2;
      const y = this.y(height);
      const r = Math.min(3, this.y(0) - y);
      ctx.beginPath();
      ctx.roundRect(from + gap, y, to - from - 2 * gap, this.y(0) - y, [r, r, 0, 0]);
      ctx.fill();
    });
  }

  // Where the text of an area stands: beside its bracket, right of all that is as high; or beside its top, above what
  // stands there. Brackets stand one above the other, for two distributions may be as wide as each other.
  /** @param {Area} area @param {number} i */
  place({ heights, borders, ends }, i) {
    if (ends) {
      const share = 0.25 + (0.5 * i) / Math.max(1, this.areas.length - 1);
      const [low, high] = this.spec.limits;
      const height = low + share * (high - low);
      const edges = this.areas.map((one) => one.borders[one.heights.findLastIndex((v) => v >= height) + 1]);
      return { x: this.x(Math.max(ends[1], ...edges)), y: this.y(height) };
    }
    const at = heights.indexOf(Math.max(...heights));
    const beside = this.y(Math.max(0, ...this.areas.map((one) => one.heights[at + 1] ?? 0)));
    return { x: this.x(borders[at + 1]) - 4, y: Math.min(this.y(heights[at]) + LINE / 2, beside - LINE / 2 - 2) };
  }

  /** @param {Scene["ctx"]} ctx @param {Float32Array} ends @param {number} y */
  paintBracket(ctx, ends, y) {
    ctx.lineWidth = 1.5;
    const [from, to] = Array.from(ends, (end) => this.x(end));
    canvas.line(ctx, from, y, to, y);
    for (const x of [from, to]) canvas.line(ctx, x, y - 5, x, y + 5);
  }

  /** @param {Scene} scene */
  paintTicks({ ctx, theme, lit }) {
    const { top, plotWidth, plotHeight } = this.geo;
    const { labels } = this.spec.labels;
    ctx.fillStyle = theme.muted;
    ctx.textAlign = "center";
    const base = top + plotHeight + 15;
    if (!labels.length) {
      for (const tick of ticks(...this.spec.span, ticksThatFit(plotWidth, 4)))
        ctx.fillText(tickText(tick), this.x(tick), base);
      return;
    }
    const every = Math.ceil((canvas.widest(ctx, labels.slice(-1)) + 12) / (plotWidth / labels.length));
    labels.forEach((label, i) => {
      if (!canvas.isWritten(i, lit.column, every)) return;
      ctx.fillStyle = lit.column === i ? theme.ink : theme.muted;
      ctx.fillText(label, this.x(this.value(i)), base);
    });
  }
}
