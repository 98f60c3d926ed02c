// One matrix as coloured cells: rows top to bottom, columns left to right.

import { clamp, element } from "../base/dom.js";
import { _ } from "../base/language.js";
import { rgb } from "../base/theme.js";
import * as canvas from "./canvas.js";
import { bytes, identities, Panel, named, whereFrom } from "./panel.js";

/** @import { Axis, Context, Font, MatrixSpec, Scene, Word } from "../base/types" */
/** @import { Numbers, Start, Still } from "./panel.js" */

const GAPPED = 16; // matrices up to this many rows and columns are drawn as separate rounded cells
const LINE = 13; // pixels from one label to the next
const SLANTED_APART = 19; // and from one slanted label
const FEW = 8; // rows and columns whose numbers are to be read, in cells that may be
const TALLER = 1.6; // and as high as wide in a flow
export const SMALL = 24; // pixels of cells that give way to no label
const CHIP = 18; // pixels of a chip
const IMAGE_CELLS = 4096; // above this a matrix is painted as one image

/** Place in a colour table. @param {number} fraction  of the scale */
const level = (fraction) => clamp(Math.round(fraction * (canvas.LUT_SIZE - 1)), 0, canvas.LUT_SIZE - 1);

/** @extends {Panel<MatrixSpec>} */
export class Heatmap extends Panel {
  name = _("heatmap");
  choosable = true;
  values = new Float32Array();
  fractions = new Float32Array(); // of the colour scale
  cw = 0; // width and height of a cell
  ch = 0;
  /** Of a flow: what its sides are called is left out, and so are rows that stand as they do before. */
  bare = /** @type {"" | "first" | "next"} */ ("");
  labelled = 0; // pixels that the row labels of matrices beside it take
  broadest = 56; // pixels of a cell
  wider = 2; // times as wide as high, where there are few
  plain = 0; // width of its cells if none is wider than it is high
  low = false; // whether it is for its height that cells are no larger
  marker = element("i");
  turn = 0; // degrees of the column labels
  /** The numbers inside the cells; not known, or null where they do not fit. @type {string[] | null | undefined} */
  texts;
  raster = /** @type {OffscreenCanvas | null} */ (null);

  /** @param {MatrixSpec} spec @param {Numbers} numbers */
  constructor(spec, numbers) {
    super(spec, numbers);
    this.hidden = spec.hidden ? bytes(spec.hidden) : null;
    this.rows = spec.rows.labels;
    this.columns = spec.columns.labels;
  }

  /** What is written beside the rows, or above the columns: names of groups, where there are any. @param {Axis} axis */
  written({ labels, groups }) {
    return groups.length ? groups : labels;
  }

  /** @returns {[number, number]} */
  get size() {
    return [this.rows.length, this.columns.length];
  }

  get axes() {
    return { row: this.spec.rows, column: this.spec.columns };
  }

  /** @param {number} step */
  pose(step) {
    const [low, high] = this.spec.limits;
    this.values = this.numbers.at(this.spec.values, step);
    this.fractions = this.values.map((value) => (value - low) / (high - low));
    this.texts = undefined;
    this.raster = null;
  }

  still() {
    return { values: this.fractions, ids: [this.rows, this.columns].map(identities) };
  }

  /** @param {Still} old @returns {Start | null} */
  begin(old) {
    const mine = this.still();
    if (old.values.length !== mine.values.length) return null;
    if (this.values.length > IMAGE_CELLS) return { values: old.values, row: null, column: null };
    const [row, column] = mine.ids.map((ids, side) => whereFrom(old.ids[side], ids));
    if (old.ids[0].length !== row.length) return null;
    const n = column.length;
    // A cell starts where its row and column were, with the colour it had there.
    return { row, column, values: mine.values.map((_, i) => old.values[row[(i / n) | 0] * n + column[i % n]]) };
  }

  /** Whether its columns are numbers of which one is as good as the other. */
  get isCounted() {
    return this.columns.every((label) => /^[\d.]+$/.test(label));
  }

  /** Pixels of the row labels. @param {Context} ctx @param {number} width @param {Font} font */
  labels(ctx, width, font) {
    if (this.bare === "next") return 2;
    ctx.font = font(13);
    return Math.ceil(Math.max(14, Math.min(canvas.widest(ctx, this.written(this.spec.rows)), 120, width * 0.3))) + 8;
  }

  /** @type {Panel<MatrixSpec>["measure"]} */
  measure(ctx, width, height, font) {
    const [rows, columns] = this.size;
    const left = this.bare ? this.labels(ctx, width, font) : Math.max(this.labels(ctx, width, font), this.labelled);
    ctx.font = font(13);
    const longest = canvas.widest(ctx, this.written(this.spec.columns));
    ctx.font = font(12, 650);
    const titles = this.bare
      ? 0
      : ctx.measureText(`${this.spec.rows.title} ↓ ${this.spec.columns.title} →`).width + 10;
    ctx.font = font(13);
    const numbered = columns > GAPPED && this.written(this.spec.columns).every((label) => /^\d+$/.test(label));
    const square = !this.bare && rows <= 2 * columns && columns <= 2 * rows;
    let cw = clamp((width - left - 2) / columns, 0.25, this.broadest);
    let ch = clamp(height / rows, 0.25, 56);
    if (square) {
      ch = Math.min(cw, ch);
      cw = Math.min(cw, Math.max(rows, columns) <= FEW ? this.wider * ch : ch);
    } else ch = Math.min(ch, this.bare ? Math.max(TALLER * cw, LINE + 1) : Math.max(cw, 24));
    // Slanted labels reach over the right border by their own projection, and cells give way to them; where they would
    // touch each other, or cells are small, they stand upright, and so do those in ideographs. Many numbers lie flat: a few say where the others are.
    const slanted = longest > Math.max(cw - Math.min(6, longest / 2), Math.min(cw, LINE)) && !numbered;
    const along = Math.min(longest, canvas.SLANTED);
    const hang = slanted ? along * Math.SQRT1_2 + 4 : longest / 2 + 1; // from the middle of a column
    const given = hang > cw / 2 ? Math.min(cw, (width - left - hang) / (columns - 0.5)) : cw;
    const stacked = this.written(this.spec.columns).some(canvas.isStacked);
    this.turn = slanted ? (stacked || cw < SLANTED_APART || given < Math.min(cw, SMALL) ? 90 : 45) : 0;
    if (this.turn !== 90 && given < cw) {
      cw = Math.max(0.25, given);
      if (square) ch = Math.min(cw, ch);
    }
    [this.cw, this.ch] = [cw, ch] = [cw, ch].map((side) => (side >= 8 ? Math.floor(side) : side));
    const [reach, over] = this.turn === 90 ? [along, 0] : [along * Math.SQRT1_2, Math.max(0, hang - cw / 2)];
    this.geo = {
      left,
      slanted,
      top: (this.bare ? 0 : 22) + (this.bare && this.isCounted ? 2 : slanted ? Math.ceil(reach + 8) : 18),
      bottom: 2,
      width: Math.ceil(Math.max(left + cw * columns + over, Math.min(titles, width - 1))) + 1,
      plotWidth: cw * columns,
      plotHeight: ch * rows,
    };
    this.plain = (square ? Math.min(cw, ch) : cw) * columns;
    this.low = ch * rows > height - rows;
    this.texts = undefined;
    this.raster = null;
  }

  /** @type {Panel<MatrixSpec>["hit"]} */
  hit(x, y) {
    const { left, top, slanted } = this.geo;
    const [row, column] = [Math.floor((y - top) / this.ch), Math.floor((x - left) / this.cw)];
    const [hasRow, hasColumn] = [row >= 0 && row < this.rows.length, column >= 0 && column < this.columns.length];
    if (hasRow && hasColumn) return [row, column];
    // On a label its whole row or column is meant.
    if (x < left && hasRow) return [row, null];
    return y < top && y > (slanted ? 20 : top - 20) && hasColumn ? [null, column] : null;
  }

  /** @param {number | null} row @param {number | null} column @returns {Word[]} */
  words(row, column) {
    const where = [...named(this.spec.rows, row), ...named(this.spec.columns, column)];
    if (row === null || column === null) return where;
    const i = row * this.columns.length + column;
    if (this.hidden?.[i]) return [...where, { text: this.spec.hidden_as, as: "quiet", line: true }];
    const unit = this.spec.unit && ` ${this.spec.unit}`;
    const number = /** @type {Word} */ ({ text: canvas.formatNumber(this.values[i]) + unit, as: "value" });
    return [...where, { text: this.spec.quantity, as: "quiet", line: true }, number];
  }

  /** @type {Panel<MatrixSpec>["anchor"]} */
  anchor(row, column) {
    const { left, top } = this.geo;
    const x = column === null ? left / 2 : left + (column + 0.5) * this.cw;
    const y = row === null ? top - 20 : top + row * this.ch;
    return { x, y, below: y + this.ch, free: row === null }; // a readout never covers the column labels
  }

  /** @type {Panel<MatrixSpec>["legend"]} */
  legend(theme) {
    const { limits, quantity, unit, scale } = this.spec;
    const [low, high] = limits.map((limit) => element("span", { className: "number" }, canvas.formatNumber(limit)));
    const ramp = element("span", { className: "ramp" }, this.marker);
    ramp.style.background = `linear-gradient(to right, ${theme.scales[scale].join()})`;
    const made = [low, ramp, high, element("span", { className: "quantity" }, quantity + (unit && ` (${unit})`))];
    return this.hidden ? [...made, element("span", { className: "swatch" }, this.spec.hidden_as)] : made;
  }

  /** The colour bar starts where the cells do, unless it needs the room. @type {Panel<MatrixSpec>["legendLeft"]} */
  legendLeft(ctx, font) {
    ctx.font = font(12);
    const numbers = this.spec.limits.reduce(
      (sum, limit) => sum + ctx.measureText(canvas.formatNumber(limit)).width,
      0,
    );
    return Math.floor(clamp(this.geo.width - numbers - 76, 0, this.geo.left));
  }

  /** @param {[number, number] | null} cell */
  mark(cell) {
    const i = cell ? cell[0] * this.columns.length + cell[1] : -1;
    const shown = i >= 0 && !this.hidden?.[i] && Number.isFinite(this.fractions[i]);
    this.marker.style.opacity = shown ? "1" : "0";
    if (shown) this.marker.style.left = `${100 * clamp(this.fractions[i], 0, 1)}%`;
  }

  listing() {
    const at = (/** @type {number} */ r, /** @type {number} */ c) => r * this.columns.length + c;
    const cell = (/** @type {number} */ r, /** @type {number} */ c) =>
      this.hidden?.[at(r, c)] ? _("hidden") : canvas.formatNumber(this.values[at(r, c)]);
    const [rows, columns] = [this.spec.rows, this.spec.columns].map(({ labels, groups }) =>
      labels.map((label, i) => [...groups.slice((i * groups.length) / labels.length).slice(0, 1), label].join(" ")),
    );
    return { rows, columns, cell };
  }

  // ---- painting ----

  /** @param {Scene} scene */
  paint(scene) {
    const { ctx, theme, lit, t } = scene;
    const { left, top, plotWidth, plotHeight } = this.geo;
    const from = t < 1 ? this.from : null;
    const at = (/** @type {number[] | null | undefined} */ was, /** @type {number} */ i) =>
      was ? canvas.lerp(was[i], i, t) : i;
    const rowAt = this.rows.map((_, r) => top + this.ch * at(from?.row, r));
    const columnAt = this.columns.map((_, c) => left + this.cw * at(from?.column, c));
    const fraction = (/** @type {number} */ i) => {
      const [before, to] = [from?.values[i] ?? NaN, this.fractions[i]];
      return Number.isFinite(before) && Number.isFinite(to) ? canvas.lerp(before, to, t) : to;
    };
    if (this.values.length > IMAGE_CELLS) {
      const raster = this.raster ?? this.paintImage(scene, fraction);
      this.raster = t < 1 ? null : raster;
      ctx.imageSmoothingEnabled = this.cw < 1 || this.ch < 1;
      ctx.imageSmoothingQuality = "high";
      ctx.drawImage(raster, left, top, plotWidth, plotHeight);
    } else this.paintCells(scene, fraction, rowAt, columnAt);
    this.paintBorders(scene);
    if (lit.row !== null || lit.column !== null) this.dim(scene);
    this.ring(ctx, scene.selected, theme.paper, 5);
    this.ring(ctx, scene.selected, theme.primary, 2.5);
    if (String(scene.pointed) !== String(scene.selected)) this.ring(ctx, scene.pointed, theme.ink, 2);
    this.paintChips(scene, rowAt, columnAt);
    this.paintLabels(scene, rowAt, columnAt);
  }

  /** Below labels that stand for no token. @param {Scene} scene @param {number[]} rowAt @param {number[]} columnAt */
  paintChips({ ctx, theme, font }, rowAt, columnAt) {
    const { left, top, slanted } = this.geo;
    if (Math.min(this.cw, this.ch) < CHIP) return;
    ctx.font = font(13);
    ctx.fillStyle = theme.hidden;
    const chip = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ label) => {
      const wide = ctx.measureText(label).width + 10;
      canvas.roundRect(ctx, x - wide, y - CHIP / 2, wide, CHIP, CHIP / 2);
      ctx.fill();
    };
    for (const r of this.spec.rows.pale) chip(left - 1, rowAt[r] + this.ch / 2, this.rows[r]);
    if (slanted) return;
    for (const c of this.spec.columns.pale) {
      const label = this.columns[c];
      chip(columnAt[c] + this.cw / 2 + (ctx.measureText(label).width + 10) / 2, top - 11, label);
    }
  }

  /** @param {Context} ctx @param {Scene["pointed"]} cell @param {string} colour @param {number} thick */
  ring(ctx, cell, colour, thick) {
    if (!cell || cell[1] === null || cell[2] === null) return;
    const { cw, ch } = this;
    ctx.lineWidth = thick;
    ctx.strokeStyle = colour;
    canvas.roundRect(
      ctx,
      this.geo.left + cell[2] * cw - 0.5,
      this.geo.top + cell[1] * ch - 0.5,
      cw + 1,
      ch + 1,
      this.radius + 1.5,
    );
    ctx.stroke();
  }

  /** The borders between groups. @param {Scene} scene */
  paintBorders({ ctx, theme }) {
    const { left, top, plotWidth, plotHeight } = this.geo;
    const [down, across] = [this.spec.rows.groups.length, this.spec.columns.groups.length];
    ctx.lineWidth = Math.max(2, Math.min(6, Math.min(this.cw, this.ch) / 2));
    ctx.strokeStyle = theme.paper;
    for (let i = 1; i < down; i++) {
      const y = top + (plotHeight * i) / down;
      canvas.line(ctx, left, y, left + plotWidth, y);
    }
    for (let i = 1; i < across; i++) {
      const x = left + (plotWidth * i) / across;
      canvas.line(ctx, x, top, x, top + plotHeight);
    }
  }

  get radius() {
    return Math.min(6, Math.min(this.cw, this.ch) * 0.18);
  }

  /** @type {(scene: Scene, fraction: (i: number) => number, rowAt: number[], columnAt: number[]) => void} */
  paintCells({ ctx, theme, font }, fraction, rowAt, columnAt) {
    const { cw, ch, hidden, radius } = this;
    const separate = Math.max(...this.size) <= GAPPED && Math.min(cw, ch) >= 10;
    const gap = separate ? 2 : Math.min(cw, ch) >= 8 ? 1 : 0;
    const more = gap ? 0 : 0.5;
    const table = canvas.colourTable(theme.scales[this.spec.scale]);
    const [plain, strong] = [font(12), font(12, 650)];
    ctx.font = plain;
    if (this.texts === undefined) this.texts = ch >= 16 ? this.cellTexts(ctx, cw - gap - 3) : null;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    for (let i = 0; i < this.values.length; i++) {
      const [x, y] = [columnAt[i % columnAt.length] + gap / 2, rowAt[(i / columnAt.length) | 0] + gap / 2];
      const [w, h] = [cw - gap, ch - gap];
      const value = fraction(i);
      const at = level(value);
      const drawn = !hidden?.[i] && Number.isFinite(value);
      ctx.fillStyle = drawn ? table.css[at] : theme.hidden;
      if (separate) {
        canvas.roundRect(ctx, x, y, w, h, radius);
        ctx.fill();
      } else ctx.fillRect(x, y, w + more, h + more);
      if (hidden?.[i]) continue;
      if (!drawn) canvas.hatch(ctx, x, y, w, h, theme.muted);
      if (!this.texts) continue;
      ctx.font = drawn ? plain : strong;
      ctx.fillStyle = drawn ? table.ink[at] : theme.ink;
      ctx.fillText(drawn ? this.texts[i] : canvas.formatNumber(this.values[i]), x + w / 2, y + h / 2 + 0.5);
    }
  }

  // Three significant digits if all fit, fewer decimals if not, none if none fit.
  /** @param {Context} ctx @param {number} width */
  cellTexts(ctx, width) {
    const shown = Array.from(this.values, (v, i) =>
      this.hidden?.[i] || !Number.isFinite(v) ? "" : canvas.formatNumber(v),
    );
    if (canvas.widestNumber(ctx, shown) <= width) return shown;
    const reach = Math.max(...this.spec.limits.map(Math.abs));
    if (reach < 0.05 || reach >= 1e4) return null;
    const digits = reach < 10 ? 2 : reach < 100 ? 1 : 0;
    const short = shown.map((text, i) => text && canvas.formatDecimals(this.values[i], digits));
    return canvas.widestNumber(ctx, short) <= width ? short : null;
  }

  /** @param {Scene} scene @param {(i: number) => number} fraction */
  paintImage({ theme }, fraction) {
    const [rows, columns] = this.size;
    const image = new ImageData(columns, rows);
    const pixels = new Uint32Array(image.data.buffer);
    const table = canvas.colourTable(theme.scales[this.spec.scale]);
    const blank = canvas.packed(rgb(theme.hidden));
    for (let i = 0; i < pixels.length; i++) {
      const value = fraction(i);
      const drawn = !this.hidden?.[i] && Number.isFinite(value);
      pixels[i] = drawn ? table.pixel[level(value)] : blank;
    }
    const buffer = new OffscreenCanvas(columns, rows);
    buffer.getContext("2d")?.putImageData(image, 0, 0);
    return buffer;
  }

  /** Everything but the lit row and column steps back. @param {Scene} scene */
  dim({ ctx, theme, lit }) {
    const { cw, ch } = this;
    const { left, top, plotWidth, plotHeight } = this.geo;
    const rowTop = top + (lit.row ?? 0) * ch;
    const columnLeft = left + (lit.column ?? 0) * cw;
    const bright = new Path2D();
    if (lit.row !== null) bright.rect(left, rowTop, plotWidth, ch);
    if (lit.column !== null && lit.row === null) bright.rect(columnLeft, top, cw, plotHeight);
    else if (lit.column !== null) {
      bright.rect(columnLeft, top - 1, cw, rowTop - top + 1);
      bright.rect(columnLeft, rowTop + ch, cw, top + plotHeight + 1 - rowTop - ch);
    }
    const shade = new Path2D(bright);
    shade.rect(left - 1, top - 1, plotWidth + 2, plotHeight + 2);
    ctx.globalAlpha = 0.62;
    ctx.fillStyle = theme.paper;
    ctx.fill(shade, "evenodd");
    ctx.globalAlpha = 1;
    if (Math.min(cw, ch) >= 12) return;
    // Brightness alone does not show a band of faint, tiny cells.
    ctx.lineWidth = 1;
    const colour = (/** @type {MatrixSpec["rows"]} */ axis) => (axis.role ? theme.roles[axis.role] : theme.muted);
    ctx.strokeStyle = colour(this.spec.rows);
    if (lit.row !== null) ctx.strokeRect(left - 0.5, rowTop - 0.5, plotWidth + 1, ch + 1);
    ctx.strokeStyle = colour(this.spec.columns);
    if (lit.column !== null) ctx.strokeRect(columnLeft - 0.5, top - 0.5, cw + 1, plotHeight + 1);
  }

  /** @param {Scene} scene @param {number[]} rowAt @param {number[]} columnAt */
  paintLabels({ ctx, theme, font, lit }, rowAt, columnAt) {
    const { cw, ch } = this;
    const { left, top, slanted } = this.geo;
    const { rows, columns } = this.spec;
    const pen = (
      /** @type {MatrixSpec["rows"]} */ axis,
      /** @type {number | null} */ one,
      /** @type {number} */ i,
    ) => {
      ctx.font = font(size, one === i ? 650 : 400);
      const quiet = one === null && axis.pale.includes(i);
      ctx.fillStyle = quiet
        ? theme.muted
        : one === i && axis.role
          ? theme.roles[axis.role]
          : one === i || one === null
            ? theme.ink
            : theme.muted;
    };
    const size = Math.min(cw, ch) < 15 ? 12 : 13;
    ctx.textBaseline = "middle";
    ctx.textAlign = "right";
    const grouped = { row: rows.groups.length > 0, column: columns.groups.length > 0 };
    rows.groups.forEach((name, i) => {
      pen(rows, null, i);
      if (lit.row === null)
        ctx.fillText(name, left - 6, top + (this.geo.plotHeight * (i + 0.5)) / rows.groups.length);
    });
    this.rows.forEach((label, r) => {
      if (grouped.row && r !== lit.row) return;
      if (this.bare === "next" || !canvas.isWritten(r, lit.row, Math.ceil(LINE / ch))) return;
      pen(rows, lit.row, r);
      ctx.fillText(canvas.fit(ctx, label, left - 7), left - 6, rowAt[r] + ch / 2 + 0.5);
    });
    ctx.textAlign = "center";
    ctx.font = font(size);
    const room = this.geo.plotWidth / columns.groups.length;
    const every = Math.ceil((canvas.widest(ctx, columns.groups) + 6) / room);
    columns.groups.forEach((name, i) => {
      pen(columns, null, i);
      if (lit.column === null && i % every === 0) ctx.fillText(name, left + room * (i + 0.5), top - 11);
    });
    const wide = canvas.widest(ctx, this.columns);
    const flat = Math.min(cw * columns.labels.length, wide + Math.min(6, wide / 3));
    const counted = this.bare && this.isCounted;
    const apart = this.turn === 90 ? LINE : this.turn ? SLANTED_APART : flat;
    this.columns.forEach((label, c) => {
      if (grouped.column && c !== lit.column) return;
      if (counted || !canvas.isWritten(c, lit.column, Math.ceil(apart / cw))) return;
      pen(columns, lit.column, c);
      const x = columnAt[c] + cw / 2;
      if (slanted) canvas.slantedText(ctx, label, x + 1, top - 7, "left", this.turn);
      else ctx.fillText(label, x, top - 11);
    });
    if (this.bare) return;
    ctx.font = font(12, 650);
    ctx.textAlign = "left";
    ctx.fillStyle = rows.role ? theme.roles[rows.role] : theme.muted;
    ctx.fillText(rows.title + " ↓", 0, 8);
    const past = ctx.measureText(rows.title + " ↓").width + 10;
    ctx.fillStyle = columns.role ? theme.roles[columns.role] : theme.muted;
    ctx.fillText(columns.title + " →", Math.max(left + 2, past), 8);
  }
}
