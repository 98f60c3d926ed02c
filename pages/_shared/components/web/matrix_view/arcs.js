// A matrix below a sentence: arcs from one of its words to the others, and rows that are switched on and off.

import { clamp } from "../base/dom.js";
import { _ } from "../base/language.js";
import * as canvas from "./canvas.js";
import { Heatmap } from "./heatmap.js";
import { named } from "./panel.js";

/** @import { Font, MatrixSpec, Scene } from "../base/types" */
/** @import { Panel } from "./panel.js" */

const [RISE, LOW] = [84, 48]; // pixels of the arcs, and where there is little room
const NARROW = 440; // pixels of a panel with little room
const TITLES = 22; // pixels of what its sides are called
const SEEN = 0.005; // of a weight: less is no arc
const BROAD = 10; // pixels of an arc that has all the weight
const SWITCH = 48; // pixels that a switch takes at the end of a row
const [LONG, THICK] = [30, 16]; // and of itself
const LARGE = 16; // pixels of letters that are 13 elsewhere, where the words still have room side by side
const BROADEST = 88;

export class Arched extends Heatmap {
  broadest = BROADEST;
  wider = 4; // the words above are a sentence to be read
  rise = 0; // pixels of the arcs above the columns' labels
  over = 0; // and of these labels
  large = true;

  /** @param {Font} font @returns {Font} */
  enlarged = (font) => (size, weight) => font(this.large && size === 13 ? LARGE : size, weight);

  get hasSwitches() {
    return this.spec.switches.length > 0;
  }

  /** A switch is a cell after a row's last. @returns {[number, number]} */
  get span() {
    return [0, this.columns.length - (this.hasSwitches ? 0 : 1)];
  }

  /** @param {number | null} column */
  isSwitch(column) {
    return column === this.columns.length;
  }

  /** @type {Panel<MatrixSpec>["measure"]} */
  measure(ctx, width, height, font) {
    const room = this.hasSwitches ? SWITCH : 0;
    this.rise = !this.spec.arcs ? 0 : width < NARROW ? LOW : RISE;
    for (this.large of [true, false]) {
      super.measure(ctx, width - room, height, this.enlarged(font));
      if (!this.geo.slanted) break;
    }
    this.over = this.geo.top - TITLES + 7;
    this.geo.top += this.rise;
    this.geo.width = Math.max(this.geo.width, Math.ceil(this.geo.left + this.geo.plotWidth) + room + 1);
  }

  /** @type {Panel<MatrixSpec>["hit"]} */
  hit(x, y) {
    const { left, top, plotWidth } = this.geo;
    const [row, past] = [Math.floor((y - top) / this.ch), x - left - plotWidth];
    const isOnSwitch = this.hasSwitches && past >= 0 && past < SWITCH && row >= 0 && row < this.rows.length;
    return isOnSwitch ? [row, this.columns.length] : super.hit(x, y);
  }

  /** @type {Panel<MatrixSpec>["words"]} */
  words(row, column) {
    if (row === null || !this.isSwitch(column)) return super.words(row, column);
    return [...named(this.spec.rows, row), { text: this.spec.switches[row] ? _("on") : _("off"), as: "value" }];
  }

  /** @type {Panel<MatrixSpec>["anchor"]} */
  anchor(row, column) {
    const made = super.anchor(row, column);
    return this.isSwitch(column) ? { ...made, x: this.geo.left + this.geo.plotWidth + SWITCH / 2 } : made;
  }

  /** @type {Panel<MatrixSpec>["mark"]} */
  mark(cell) {
    super.mark(cell && this.isSwitch(cell[1]) ? null : cell);
  }

  listing() {
    const { rows, columns, cell } = super.listing();
    if (!this.hasSwitches) return { rows, columns, cell };
    const told = (/** @type {number} */ r, /** @type {number} */ c) =>
      this.isSwitch(c) ? (this.spec.switches[r] ? _("on") : _("off")) : cell(r, c);
    return { rows, columns: [...columns, _("on")], cell: told };
  }

  // ---- painting ----

  /** @param {Scene} scene */
  paint(scene) {
    const { lit, pointed } = scene;
    const column = this.isSwitch(lit.column) ? null : lit.column;
    super.paint({
      ...scene,
      font: this.enlarged(scene.font),
      lit: { ...lit, column },
      pointed: pointed && this.isSwitch(pointed[2]) ? null : pointed,
    });
    this.paintArcs(scene);
    this.paintSwitches(scene);
  }

  /** The arcs of the row that is pointed at, else of the view's own. @param {Scene} scene */
  paintArcs({ ctx, theme, font, lit }) {
    const { arcs, switches } = this.spec;
    if (!arcs) return;
    const row = lit.row ?? arcs.row;
    const off = lit.row === null || lit.row === arcs.row ? arcs.off : switches[row] === false;
    const { left, top, plotWidth } = this.geo;
    const n = this.columns.length;
    const values = this.values.subarray(row * n, (row + 1) * n);
    const most = values.indexOf(Math.max(...values));
    const base = top - this.over;
    const x = (/** @type {number} */ column) => left + (column + 0.5) * this.cw;
    const heightTo = (/** @type {number} */ column) =>
      (base - 46) * (0.4 + 0.6 * Math.abs(column - arcs.column) * (1 / Math.max(1, n - 1)));
    ctx.strokeStyle = off ? theme.muted : theme.primary;
    values.forEach((value, column) => {
      if (column === arcs.column || !(value > SEEN) || (off && column !== most)) return;
      ctx.globalAlpha = off ? 1 : clamp(0.3 + value, 0, 1);
      ctx.lineWidth = off ? 2 : Math.max(1, BROAD * value);
      ctx.setLineDash(off ? [3, 6] : []);
      const over = base - (4 / 3) * heightTo(column);
      ctx.beginPath();
      ctx.moveTo(x(arcs.column), base);
      ctx.bezierCurveTo(x(arcs.column), over, x(column), over, x(column), base);
      ctx.stroke();
    });
    ctx.globalAlpha = 1;
    ctx.setLineDash([]);
    if (row === arcs.row)
      this.tell(arcs.label, { ctx, theme, font }, most === arcs.column ? null : most, heightTo(most));
    if (off) return;
    ctx.lineWidth = 1.5;
    ctx.strokeStyle = theme.primary;
    canvas.roundRect(ctx, left - 2, top + row * this.ch - 1.5, plotWidth + 4, this.ch + 3, this.radius + 2);
    ctx.stroke();
  }

  // The label, on top of the broadest arc; at the left where that arc would go to its own word.
  /** @type {(label: string, scene: Pick<Scene, "ctx" | "theme" | "font">, to: number | null, high: number) => void} */
  tell(label, { ctx, theme, font }, to, high) {
    const { left, top, width } = this.geo;
    ctx.font = font(13, 650);
    ctx.textBaseline = "middle";
    ctx.textAlign = "center";
    const wide = ctx.measureText(label).width + 14;
    const from = this.spec.arcs?.column ?? 0;
    const middle = left + ((to === null ? from : (from + to) / 2) + 0.5) * this.cw;
    const [x, y] = [clamp(middle, wide / 2, width - wide / 2), top - this.over - 15 - (to === null ? 0 : high)];
    ctx.fillStyle = theme.paper;
    canvas.roundRect(ctx, x - wide / 2, y - 10, wide, 20, 10);
    ctx.fill();
    ctx.fillStyle = this.spec.arcs?.off ? theme.muted : theme.primary;
    ctx.fillText(label, x, y + 0.5);
  }

  /** @param {Scene} scene */
  paintSwitches({ ctx, theme, font, pointed }) {
    if (!this.hasSwitches) return;
    const { left, top, plotWidth } = this.geo;
    const x = left + plotWidth + (SWITCH - LONG) / 2;
    ctx.font = font(12);
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.fillStyle = theme.muted;
    ctx.fillText(_("on"), x + LONG / 2, top - 11);
    this.spec.switches.forEach((on, row) => {
      const high = Math.max(4, Math.min(THICK, this.ch - 2));
      const y = top + (row + 0.5) * this.ch - high / 2;
      ctx.fillStyle = on ? theme.primary : theme.muted;
      canvas.roundRect(ctx, x, y, LONG, high, high / 2);
      ctx.fill();
      ctx.fillStyle = theme.paper;
      canvas.disc(ctx, on ? x + LONG - high / 2 : x + high / 2, y + high / 2, Math.max(1, high / 2 - 2));
      if (!pointed || pointed[1] !== row || !this.isSwitch(pointed[2])) return;
      ctx.lineWidth = 2;
      ctx.strokeStyle = theme.ink;
      canvas.roundRect(ctx, x - 3, y - 3, LONG + 6, high + 6, high / 2 + 3);
      ctx.stroke();
    });
  }
}
