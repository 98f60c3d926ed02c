// Bars that lie below each other, each with its number at its end, and one bar above them that all share.

import { clamp } from "../base/dom.js";
import { _ } from "../base/language.js";
import { luminance, rgb } from "../base/theme.js";
import * as canvas from "./canvas.js";
import { formatCell, formatNumber, formatShare } from "../base/numbers.js";
import { THERE } from "./motion.js";
import { identities, LEAST, Panel, named, whereFrom } from "./panel.js";
import { ifAny, isAway, startFrom } from "./start.js";

/** @import { BarsSpec, Role, Scene, Theme, Tone, WholeSpec } from "../base/types" */
/** @import { Stage } from "./motion.js" */
/** @import { Still } from "./panel.js" */
/** @import { Start } from "./start.js" */

const WIDE = 560;
const [FLAT, HIGH, HIGHEST] = [14, 32, 64]; // pixels of a row that is written, and at most; of the rows of a few
const FEW = 3;
const [BAR, THIN] = [44, 8]; // pixels of the bar that is shared, and of the same as it was before
const LINE = 17; // pixels from one line of words to the next
const AIR = 18; // pixels between what is shared and who shares it
const DARK = 0.18; // luminance of colours that white letters are read on

/** Of two colours, most of the first. @param {string} one @param {string} other */
const mixed = (one, other) => {
  const [a, b] = [rgb(one), rgb(other)];
  return `#${a
    .map((c, i) =>
      Math.round(canvas.lerp(b[i], c, 0.55))
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
};

/** @extends {Panel<BarsSpec>} */
export class Rows extends Panel {
  name = _("bar chart");
  values = new Float32Array();
  before = /** @type {Float32Array | null} */ (null);
  high = HIGH; // pixels of a row
  ends = 0; // pixels of the numbers

  /** @returns {[number, number]} */
  get size() {
    return [this.values.length, 1];
  }

  get axes() {
    return { row: this.spec.labels };
  }

  /** @param {number} step */
  pose(step) {
    this.values = this.numbers.at(this.spec.values, step);
    this.before = this.spec.before && this.numbers.at(this.spec.before);
  }

  get ids() {
    return [identities(this.spec.labels.labels), ["0"]];
  }

  /** @param {Stage} [stage] @returns {Still} */
  still(stage = THERE) {
    const values = this.values.map((_, row) => this.shown(row, stage));
    const { whole } = this.spec;
    const parts = whole ? Array.from(this.parts(whole, stage)) : undefined;
    return { values, ids: this.ids, places: [Array.from(values, (_, row) => row), [0]], parts };
  }

  /** A bar grows from what its word had, or from nothing. @param {Still} old @returns {Start | null} */
  begin(old) {
    const start = startFrom(old, this.ids, this.values, { zero: 0 });
    start.change.rows = false; // words stand in an order of their own
    if (!this.spec.whole?.of_bars) return ifAny(start);
    const was = whereFrom(old.ids[0], this.ids[0]).map((at) => old.parts?.[at] ?? 0);
    start.parts = was;
    const shared = this.numbers.at(this.spec.whole.values);
    start.change.rises = start.change.grows || was.some((before, i) => isAway(before, shared[i]));
    return ifAny(start);
  }

  /** Where bars that share one rise from, in a picture that had none: from nothing. @returns {Still | null} */
  origin() {
    if (!this.spec.whole?.of_bars) return null;
    const none = Array.from(this.values, () => 0);
    return { values: Float32Array.from(none), ids: this.ids, places: [none.map((_, row) => row), [0]], parts: none };
  }

  /** How much of the bar that is shared each part has. @param {WholeSpec} whole @param {Stage} stage */
  parts({ values }, stage) {
    const to = this.numbers.at(values);
    const was = this.from?.parts;
    return was ? to.map((share, i) => canvas.lerp(was[i], share, stage.value)) : to;
  }

  /** How long a bar is. @param {number} row @param {Stage} stage */
  shown(row, stage) {
    const [before, to] = [this.from?.values[row] ?? NaN, this.values[row]];
    if (!Number.isFinite(before) || !Number.isFinite(to)) return to;
    return canvas.lerp(before, to, this.from?.off[row] ? stage.drain : this.from?.parts ? stage.rise : stage.value);
  }

  /** @param {number} value */
  say(value) {
    if (this.spec.whole?.of_bars) return formatCell(value, "weight", null);
    return this.spec.percent ? formatShare(value) : formatNumber(value);
  }

  /** @param {number} value */
  told(value) {
    return this.say(value) + (this.spec.unit && ` ${this.spec.unit}`);
  }

  /** @type {Panel<BarsSpec>["measure"]} */
  measure(ctx, width, height, font) {
    const { labels, whole } = this.spec;
    const n = this.values.length;
    ctx.font = font(14, 650);
    const left = Math.ceil(Math.min(canvas.widest(ctx, labels.labels), width * 0.4)) + 12;
    ctx.font = font(13);
    this.ends =
      Math.ceil(
        canvas.widest(
          ctx,
          Array.from(this.values, (value) => this.told(value)),
        ),
      ) + 12;
    const wide = Math.min(width, WIDE);
    const top = whole ? this.wholeHeight(whole) + AIR : 4;
    this.high = Math.min(height / n, n <= FEW ? HIGHEST : HIGH);
    this.geo = {
      left,
      top,
      bottom: 4,
      width: wide,
      plotWidth: Math.max(LEAST, wide - left - this.ends),
      plotHeight: this.high * n,
      slanted: false,
    };
  }

  // With room for what it was, so that nothing moves once there is such a thing, and a line below for each part that
  // may be too narrow for its words.
  /** @param {WholeSpec} whole */
  wholeHeight({ names, of_bars }) {
    if (of_bars) return 2 + BAR;
    return 2 + BAR + THIN + 6 + LINE * Math.max(0, names.length - 1);
  }

  /** @type {Panel<BarsSpec>["hit"]} */
  hit(_x, y) {
    const row = Math.floor((y - this.geo.top) / this.high);
    return row >= 0 && row < this.values.length ? [row, 0] : null;
  }

  /** @type {Panel<BarsSpec>["words"]} */
  words(row) {
    const at = row ?? 0;
    const said = [
      ...named(this.spec.labels, at),
      { text: this.spec.y_title, as: /** @type {const} */ ("quiet"), line: true },
      { text: this.exact(this.values[at]), as: /** @type {const} */ ("value") },
    ];
    if (!this.before) return said;
    return [
      ...said,
      { text: _("as before"), as: "quiet", line: true },
      { text: this.exact(this.before[at]), as: "value" },
    ];
  }

  /** @param {number} value */
  exact = (value) => formatNumber(value) + (this.spec.unit && ` ${this.spec.unit}`);

  /** @type {Panel<BarsSpec>["anchor"]} */
  anchor(row) {
    const y = this.geo.top + (row ?? 0) * this.high;
    return { x: this.geo.left + this.geo.plotWidth / 2, y, below: y + this.high, free: true };
  }

  listing() {
    const columns = [this.spec.y_title, ...(this.before ? [_("as before")] : [])];
    const cell = (/** @type {number} */ r, /** @type {number} */ c) =>
      formatNumber((c ? this.before : this.values)?.[r] ?? NaN);
    return { rows: this.spec.labels.labels, columns, cell };
  }

  // ---- painting ----

  /** @param {Theme} theme @param {Role | Tone | null} role @param {boolean} several  whether bars have colours of their own */
  colour(theme, role, several) {
    if (role) return theme.roles[role];
    return several ? mixed(theme.muted, theme.paper) : theme.primary;
  }

  /** @param {Scene} scene */
  paint(scene) {
    const { ctx, theme, font, lit, stage } = scene;
    const { left, top, plotWidth } = this.geo;
    const { labels, limits, role } = this.spec;
    if (this.spec.whole) this.paintWhole(scene, this.spec.whole);
    const several = Array.isArray(role);
    const along = (/** @type {number} */ value) => plotWidth * clamp(value / limits[1], 0, 1) || 0;
    ctx.textBaseline = "middle";
    this.values.forEach((to, row) => {
      const wide = Math.max(2, along(this.shown(row, stage)));
      const before = this.before ? along(this.before[row]) : 0;
      const high = Math.min(this.high * 0.62, 40);
      const [y, middle] = [top + row * this.high + (this.high - high) / 2, top + (row + 0.5) * this.high];
      ctx.globalAlpha = lit.row !== null && lit.row !== row ? 0.35 : 1;
      ctx.fillStyle = this.colour(theme, Array.isArray(role) ? role[row] : role, several);
      if (Number.isFinite(to)) {
        canvas.roundRect(ctx, left, y, wide, high, Math.min(4, wide / 2));
        ctx.fill();
      } else canvas.hatch(ctx, [[left, y, plotWidth, high]], theme.muted);
      if (before) {
        ctx.strokeStyle = before > wide ? ctx.fillStyle : theme.paper;
        ctx.lineWidth = 1.5;
        ctx.setLineDash([4, 3]);
        canvas.roundRect(ctx, left + 0.75, y + 0.75, Math.max(2, before - 1.5), high - 1.5, 4);
        ctx.stroke();
        ctx.setLineDash([]);
      }
      if (!canvas.isWritten(row, lit.row, Math.ceil(FLAT / this.high))) return;
      ctx.font = font(14, lit.row === row ? 650 : 500);
      ctx.textAlign = "right";
      ctx.fillStyle = labels.role && lit.row === row ? theme.roles[labels.role] : theme.ink;
      ctx.fillText(canvas.fit(ctx, labels.labels[row], left - 10), left - 10, middle);
      ctx.font = font(13);
      ctx.textAlign = "left";
      ctx.fillStyle = theme.muted;
      ctx.fillText(this.told(to), left + Math.max(wide, before) + 8, middle);
    });
    ctx.globalAlpha = 1;
  }

  /** @param {Scene} scene @param {WholeSpec} whole */
  paintWhole({ ctx, theme, font, lit, stage }, whole) {
    const { width } = this.geo;
    const { names, role, before, of_bars } = whole;
    const now = this.parts(whole, stage);
    const all = of_bars ? 1 : undefined;
    let y = 2;
    const edges = this.paintParts(ctx, theme, now, role, y, BAR, all, of_bars ? lit.row : null);
    ctx.font = font(14, 650);
    ctx.textBaseline = "middle";
    const shares = this.numbers.at(whole.values); // a number is never told on its way
    const said = names.map((name, i) => `${name} ${formatShare(shares[i])}`);
    const narrow = said.flatMap((text, i) => {
      const [from, to] = edges[i];
      if (ctx.measureText(text).width + 20 > to - from) return [i];
      ctx.fillStyle = luminance(rgb(this.colour(theme, role[i], true))) < DARK ? "#ffffff" : "#000000";
      ctx.textAlign = "left";
      ctx.fillText(text, from + 10, y + BAR / 2);
      return [];
    });
    y += BAR + 4;
    if (of_bars) return;
    if (before) {
      ctx.globalAlpha = 0.4;
      const then = this.paintParts(ctx, theme, this.numbers.at(before), role, y, THIN);
      ctx.globalAlpha = 1;
      ctx.font = font(12);
      ctx.fillStyle = theme.muted;
      ctx.textAlign = "right";
      ctx.fillText(_("as before"), then[then.length - 1][1], y + THIN + 9);
      y += THIN + 2;
    }
    ctx.font = font(13, 650);
    ctx.textAlign = "left";
    narrow.forEach((i, line) => {
      const wide = ctx.measureText(said[i]).width;
      ctx.fillStyle = role[i] ? this.colour(theme, role[i], true) : theme.muted;
      ctx.fillText(said[i], clamp((edges[i][0] + edges[i][1]) / 2 - wide / 2, 0, width - wide), y + 9 + LINE * line);
    });
  }

  /** @type {(ctx: Scene["ctx"], theme: Theme, values: Float32Array, role: (Role | Tone | null)[], y: number, high: number, all?: number, lit?: number | null) => [number, number][]} */
  paintParts(
    ctx,
    theme,
    values,
    role,
    y,
    high,
    all = values.reduce((sum, value) => sum + value, 0) || 1,
    lit = null,
  ) {
    let x = 0;
    const alpha = ctx.globalAlpha;
    const edges = /** @type {[number, number][]} */ (
      Array.from(values, (value, i) => {
        const from = x;
        x += (this.geo.width * value) / all;
        if (x === from) return [from, x];
        ctx.fillStyle = this.colour(theme, role[i], true);
        ctx.globalAlpha = lit !== null && lit !== i ? 0.35 * alpha : alpha;
        canvas.roundRect(ctx, from, y, Math.max(1.5, x - from - 2), high, Math.min(4, (x - from) / 3));
        ctx.fill();
        return [from, x];
      })
    );
    ctx.globalAlpha = alpha;
    return edges;
  }
}
