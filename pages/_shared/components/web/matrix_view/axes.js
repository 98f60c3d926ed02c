// What bars and curves share: a height in numbers, and the frame around them.

import { line, mathText, widest, wrap } from "./canvas.js";
import { tickText, ticks } from "../base/numbers.js";
import { LEAST, Panel } from "./panel.js";

/** @import { AreasSpec, BarsSpec, Context, Font, LinesSpec, Role, Scene } from "../base/types" */
/** @import { Box } from "./labels.js" */

const MOST_WIDE = 720;
const MOST_HIGH = 420;
export const LINE = 14; // pixels from one line of words to the next

/** @template {AreasSpec | BarsSpec | LinesSpec} Spec @extends {Panel<Spec>} */
export class Axes extends Panel {
  ticks = /** @type {number[]} */ ([]);
  marks = /** @type {string[]} */ ([]);
  title = /** @type {string[]} */ ([]); // lines of what a height is
  below = /** @type {string[]} */ ([]); // and of what stands below the axis
  limits = this.spec.limits; // of what is drawn

  /** @param {Context} ctx @param {number} width @param {number} height @param {Font} font */
  measure(ctx, width, height, font) {
    const { log_y: log } = this.spec;
    ctx.font = font(12);
    if (!this.ticks.length) {
      this.ticks = this.reach(ticks(...this.limits, log ? 4 : 3, log));
      this.marks = this.ticks.map((v) => tickText(v, log));
    }
    const left = Math.ceil(widest(ctx, this.marks)) + 10;
    const plotWidth = Math.max(LEAST, Math.min(width, MOST_WIDE) - left - 12);
    ctx.font = font(12, 650);
    this.title = wrap(ctx, this.spec.y_title, plotWidth + left);
    const arrow = " →";
    this.below = wrap(ctx, this.xTitle, plotWidth + left - widest(ctx, [arrow]));
    this.below.push((this.below.pop() ?? "") + arrow);
    ctx.font = font(12);
    this.geo = {
      left,
      top: 26 + LINE * (this.title.length - 1),
      bottom: 40 + LINE * (this.below.length - 1),
      width: left + plotWidth + 12,
      plotWidth,
      plotHeight: Math.min(MOST_HIGH, height),
      slanted: false,
    };
  }

  /** The ticks of its axis, which may reach farther than its limits. @param {number[]} ticks */
  reach(ticks) {
    return ticks;
  }

  /** What stands below the axis. */
  get xTitle() {
    return "x_title" in this.spec ? this.spec.x_title : this.spec.labels.title;
  }

  /** Where the numbers beside the axis stand. @param {Context} ctx  in their font @returns {Box[]} */
  marked(ctx) {
    const right = this.geo.left - 7;
    return this.ticks.map((tick, i) => {
      const y = this.y(tick);
      return { left: right - widest(ctx, [this.marks[i]]), right, top: y - LINE / 2, bottom: y + LINE / 2 };
    });
  }

  /** @param {number} y */
  isNear(y) {
    return y >= this.geo.top - 8 && y <= this.geo.top + this.geo.plotHeight + 24;
  }

  /** Of the axis, from its lower end. @param {number} value */
  share(value) {
    const { limits } = this;
    const { log_y } = this.spec;
    const [low, high, at] = [...limits, value].map((v) => (log_y ? Math.log10(v) : v));
    return (at - low) / (high - low);
  }

  /** @param {number} value */
  y(value) {
    return this.up(this.share(value));
  }

  /** Pixels from above. @param {number} share  of the axis */
  up(share) {
    return this.geo.top + this.geo.plotHeight * (1 - share);
  }

  /** @param {Scene} scene @param {Role | null} role */
  paintFrame({ ctx, theme, font }, role) {
    const { left, top, bottom, plotWidth, plotHeight } = this.geo;
    ctx.lineWidth = 1;
    ctx.font = font(12);
    ctx.textBaseline = "middle";
    ctx.textAlign = "right";
    ctx.fillStyle = theme.muted;
    this.ticks.forEach((tick, i) => {
      const y = Math.round(this.y(tick)) + 0.5;
      ctx.strokeStyle = tick === 0 && !this.spec.log_y ? theme.muted : theme.grid;
      line(ctx, left, y, left + plotWidth, y);
      ctx.fillText(this.marks[i], left - 7, y);
    });
    ctx.font = font(12, 650);
    ctx.textAlign = "left";
    this.title.forEach((words, i) => mathText(ctx, words, 0, 8 + LINE * i));
    ctx.textAlign = "right";
    ctx.fillStyle = role ? theme.roles[role] : theme.muted;
    const last = top + plotHeight + bottom - 8;
    this.below.forEach((words, i) =>
      mathText(ctx, words, left + plotWidth, last - LINE * (this.below.length - 1 - i)),
    );
    ctx.font = font(12);
  }
}
