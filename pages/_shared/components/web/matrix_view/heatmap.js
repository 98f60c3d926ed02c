// One matrix as coloured cells: rows top to bottom, columns left to right.

import { clamp, element } from "../base/dom.js";
import { _ } from "../base/language.js";
import { mathNodes } from "../base/mathematics.js";
import { rgb } from "../base/theme.js";
import * as canvas from "./canvas.js";
import { formatCell, formatNumber } from "../base/numbers.js";
import { THERE } from "./motion.js";
import { bytes, identities, lineKey, Panel, named } from "./panel.js";
import { ifAny, isAway, startFrom } from "./start.js";

/** @import { Axis, Context, Font, MatrixSpec, Scene, Theme, Word } from "../base/types" */
/** @import { Stage } from "./motion.js" */
/** @import { Numbers, Still } from "./panel.js" */
/** @import { Start } from "./start.js" */

const GAPPED = 16; // matrices up to this many rows and columns are drawn as separate rounded cells
const LINE = 13; // pixels from one label to the next
const SLANTED_APART = 19; // and from one slanted label
const FEW = 8; // rows and columns whose numbers are to be read, in cells that may be
const TALLER = 1.6; // and as high as wide in a flow
const [LARGE, HIGHER] = [40, 1.2]; // where there are few, cells so large are as much higher than wide if there is room
export const SMALL = 24; // pixels of cells that give way to no label
const RAIL = 4; // pixels of the bar beside rows of queries, keys, values or outputs
const HATCHED = 4; // pixels of the smallest cells that are hatched
const LARGEST = 64; // and of the largest
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
  broadest = LARGEST; // pixels of a cell
  highest = LARGEST;
  wider = 2; // times as wide as high, where there are few
  plain = 0; // width of its cells if none is wider than it is high
  low = false; // whether it is for its height that cells are no larger
  marker = element("i");
  turn = 0; // degrees of the column labels
  /** What stands in the cells, and how large; not known, or null where it does not fit.
   * @type {{ shown: string[], size: number } | null | undefined} */
  texts;
  decimals = /** @type {number | null} */ (null);
  raster = /** @type {OffscreenCanvas | null} */ (null);
  /** Where rows and columns stand while a chip is held; null where each has its own place. */
  shift = /** @type {(number[] | null)[]} */ ([null, null]);

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
    this.decimals = this.spec.decimals[step] ?? this.spec.decimals[0];
    this.fractions = this.values.map((value) => (value - low) / (high - low));
    this.texts = undefined;
    this.raster = null;
  }

  /** @param {Stage} [stage] @returns {Still} */
  still(stage = THERE) {
    const values = this.fractions.map((_, i) => (this.isCovered(i, stage) ? NaN : this.shown(i, stage)));
    return { values, ids: [this.rows, this.columns].map(identities), places: this.places(stage) };
  }

  /** Of the colour scale, where the number 0 is. */
  get zero() {
    const [low, high] = this.spec.limits;
    return clamp(-low / (high - low), 0, 1);
  }

  /** @param {Still} old @returns {Start | null} */
  begin(old) {
    const { zero, hidden, shift, fractions } = this;
    const ids = [this.rows, this.columns].map(identities);
    const inPlace = fractions.length > IMAGE_CELLS;
    return ifAny(startFrom(old, ids, fractions, { zero, hidden, shift, inPlace }));
  }

  /** Where each row and each column stands. @param {Stage} stage */
  places(stage) {
    return [this.rows, this.columns].map((labels, side) =>
      labels.map((_, i) => {
        const to = this.shift[side]?.[i] ?? i;
        return canvas.lerp(this.from?.places[side][i] ?? to, to, side ? stage.column : stage.row);
      }),
    );
  }

  /** Of the colour scale, what a cell shows. @param {number} i @param {Stage} stage */
  shown(i, stage) {
    const { from } = this;
    const [before, to] = [from?.values[i] ?? NaN, this.hidden?.[i] ? this.zero : this.fractions[i]];
    if (!Number.isFinite(before) || !Number.isFinite(to)) return this.fractions[i];
    return canvas.lerp(before, to, from?.off[i] ? stage.drain : stage.value);
  }

  /** Whether a cell shows that it is hidden: one that was seen drains first. @param {number} i @param {Stage} stage */
  isCovered(i, stage) {
    return Boolean(this.hidden?.[i]) && !(this.from?.off[i] && stage.drain < 1);
  }

  /** Whether its columns are numbers of which one is as good as the other. */
  get isCounted() {
    return this.columns.every((label) => /^[\d.]+$/.test(label));
  }

  /** Pixels that the rail takes, with the air beside it. */
  get rail() {
    return this.spec.role ? RAIL + 2 : 0;
  }

  /** Pixels of the row labels. @param {Context} ctx @param {number} width @param {Font} font */
  labels(ctx, width, font) {
    if (this.bare === "next") return 2 + this.rail;
    ctx.font = font(13);
    const written = Math.min(canvas.widest(ctx, this.written(this.spec.rows)), 120, width * 0.3);
    return Math.ceil(Math.max(14, written)) + 8 + this.rail;
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
    const few = Math.max(rows, columns) <= FEW;
    const highest = (/** @type {number} */ wide) => (few && wide >= LARGE ? HIGHER * wide : wide);
    let cw = clamp((width - left - 2) / columns, 0.25, this.broadest);
    let ch = clamp(height / rows, 0.25, this.highest);
    if (square) {
      ch = Math.min(highest(cw), ch);
      cw = Math.min(cw, few ? this.wider * ch : ch);
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
      if (square) ch = Math.min(highest(cw), ch);
    }
    [this.cw, this.ch] = [cw, ch] = [cw, ch].map((side) => (side >= 8 ? Math.floor(side) : side));
    const [reach, over] = this.turn === 90 ? [along, 0] : [along * Math.SQRT1_2, Math.max(0, hang - cw / 2)];
    const tall = this.bare && this.turn === 45 ? 12 : 8; // half of the letters' height reaches over what they are long
    this.geo = {
      left,
      slanted,
      top: (this.bare ? 0 : 22) + (this.bare && this.isCounted ? 2 : slanted ? Math.ceil(reach + tall) : 18),
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
    const number = /** @type {Word} */ ({ text: formatNumber(this.values[i]) + unit, as: "value" });
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
    const { limits, quantity, unit, scale, cells } = this.spec;
    const hidden = this.hidden ? [element("span", { className: "swatch" }, this.spec.hidden_as)] : [];
    if (cells === "allowed") return [lineKey(quantity, theme.ink, "dot"), ...hidden];
    const [low, high] = limits.map((limit) => element("span", { className: "number" }, formatNumber(limit)));
    const ramp = element("span", { className: "ramp" }, this.marker);
    ramp.style.background = `linear-gradient(to right, ${theme.scales[scale].join()})`;
    return [
      low,
      ramp,
      high,
      element("span", { className: "quantity" }, ...mathNodes(quantity + (unit && ` (${unit})`))),
      ...hidden,
    ];
  }

  /** The colour bar starts where the cells do, unless it needs the room. @type {Panel<MatrixSpec>["legendLeft"]} */
  legendLeft(ctx, font) {
    ctx.font = font(12);
    const numbers = this.spec.limits.reduce((sum, limit) => sum + ctx.measureText(formatNumber(limit)).width, 0);
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
      this.hidden?.[at(r, c)] ? _("hidden") : formatNumber(this.values[at(r, c)]);
    const [rows, columns] = [this.spec.rows, this.spec.columns].map(({ labels, groups }) =>
      labels.map((label, i) => [...groups.slice((i * groups.length) / labels.length).slice(0, 1), label].join(" ")),
    );
    return { rows, columns, cell };
  }

  // ---- painting ----

  /** @param {Scene} scene */
  paint(scene) {
    const { ctx, theme, lit, stage } = scene;
    const { left, top, plotWidth, plotHeight } = this.geo;
    const [down, across] = this.places(stage);
    const rowAt = down.map((r) => top + this.ch * r);
    const columnAt = across.map((c) => left + this.cw * c);
    if (this.values.length > IMAGE_CELLS) {
      const raster = this.raster ?? this.paintImage(scene);
      this.raster = this.from ? null : raster;
      ctx.imageSmoothingEnabled = this.cw < 1 || this.ch < 1;
      ctx.imageSmoothingQuality = "high";
      ctx.drawImage(raster, left, top, plotWidth, plotHeight);
    } else this.paintStrips(scene, rowAt, columnAt);
    this.paintHidden(scene, rowAt, columnAt);
    this.paintBorders(scene);
    if (lit.row !== null || lit.column !== null) this.dim(scene);
    this.ring(ctx, scene.selected, theme.paper, 5);
    this.ring(ctx, scene.selected, this.chosenIn(theme), 2.5);
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

  /** @param {Theme} theme */
  chosenIn(theme) {
    return theme.primary;
  }

  get radius() {
    return Math.min(6, Math.min(this.cw, this.ch) * 0.18);
  }

  // Rows that move lie above the others, the one from farthest on top; then columns.
  /** @param {Scene} scene @param {number[]} rowAt @param {number[]} columnAt */
  paintStrips(scene, rowAt, columnAt) {
    const { stage } = scene;
    const side = stage.row < 1 ? 0 : 1;
    const count = columnAt.length;
    const way = (this.from?.places[side] ?? []).map((was, i) => Math.abs(was - (this.shift[side]?.[i] ?? i)));
    const moving = [...way.keys()].filter((i) => isAway(way[i], 0)).sort((a, b) => way[a] - way[b]);
    const how = side ? stage.column : stage.row;
    if (how === 0 || how === 1 || !moving.length) return this.paintCells(scene, rowAt, columnAt);
    const stripOf = (/** @type {number} */ i) => (side ? i % count : Math.floor(i / count));
    const strips = way.map(() => /** @type {number[]} */ ([]));
    for (let i = 0; i < this.values.length; i++) strips[stripOf(i)].push(i);
    const lying = way.flatMap((far, i) => (isAway(far, 0) ? [] : strips[i]));
    this.paintCells(scene, rowAt, columnAt, lying);
    const { left, top, plotWidth, plotHeight } = this.geo;
    for (const i of moving) {
      if (side) this.lift(scene, how, columnAt[i], top, this.cw, plotHeight);
      else this.lift(scene, how, left, rowAt[i], plotWidth, this.ch);
      this.paintCells(scene, rowAt, columnAt, strips[i]);
    }
  }

  /** Paper and a shadow below what is on its way. @type {(scene: Scene, how: number, x: number, y: number, w: number, h: number) => void} */
  lift({ ctx, theme }, how, x, y, w, h) {
    const up = Math.sin(Math.PI * how);
    ctx.fillStyle = theme.ink;
    for (const away of [2, 4]) {
      ctx.globalAlpha = 0.14 * up;
      ctx.fillRect(x + away * up - 1, y + away * up - 1, w + 2, h + 2);
    }
    ctx.globalAlpha = 1;
    ctx.fillStyle = theme.paper;
    ctx.fillRect(x - 1, y - 1, w + 2, h + 2);
  }

  /** @type {(scene: Scene, rowAt: number[], columnAt: number[], cells?: Iterable<number>) => void} */
  paintCells({ ctx, theme, font, stage }, rowAt, columnAt, cells = this.values.keys()) {
    const { cw, ch, hidden, radius } = this;
    const isAllowed = this.spec.cells === "allowed";
    const separate = Math.max(...this.size) <= GAPPED && Math.min(cw, ch) >= 10;
    const gap = separate ? 2 : Math.min(cw, ch) >= 8 ? 1 : 0;
    const more = gap ? 0 : 0.5;
    const table = canvas.colourTable(theme.scales[this.spec.scale]);
    if (this.texts === undefined) this.texts = ch >= 16 ? this.cellTexts(ctx, cw - gap - 3, font) : null;
    const size = this.texts?.size ?? 12;
    const [plain, strong] = [font(size), font(size, 650)];
    ctx.lineWidth = 1;
    ctx.strokeStyle = theme.grid;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    for (const i of cells) {
      const [x, y] = [columnAt[i % columnAt.length] + gap / 2, rowAt[(i / columnAt.length) | 0] + gap / 2];
      const [w, h] = [cw - gap, ch - gap];
      const value = this.shown(i, stage);
      const at = level(value);
      const covered = hidden && this.isCovered(i, stage);
      const drawn = !covered && Number.isFinite(value);
      ctx.fillStyle = !drawn ? theme.hidden : isAllowed ? theme.paper : table.css[at];
      if (separate) {
        canvas.roundRect(ctx, x, y, w, h, radius);
        ctx.fill();
      } else ctx.fillRect(x, y, w + more, h + more);
      if (covered) continue;
      if (isAllowed) {
        canvas.roundRect(ctx, x + 0.5, y + 0.5, w - 1, h - 1, radius);
        ctx.stroke();
        ctx.fillStyle = theme.ink;
        canvas.disc(ctx, x + w / 2, y + h / 2, 0.16 * Math.min(w, h) * Math.sqrt(Math.max(0, value)));
      }
      const text = this.texts?.shown[i];
      if (!text) continue;
      ctx.font = drawn ? plain : strong;
      ctx.fillStyle = drawn ? table.ink[at] : theme.ink;
      ctx.fillText(text, x + w / 2, y + h / 2 + 0.5);
    }
  }

  // All of them as their kind is written, as large as their cells allow; none if one does not fit.
  /** @param {Context} ctx @param {number} width @param {Font} font */
  cellTexts(ctx, width, font) {
    const { cells } = this.spec;
    const shown = Array.from(this.values, (v, i) => (this.hidden?.[i] ? "" : formatCell(v, cells, this.decimals)));
    ctx.font = font(12);
    const widest = canvas.widestNumber(
      ctx,
      shown.filter((_, i) => Number.isFinite(this.values[i])),
    );
    if (widest > width) return null;
    const wanted = clamp(8 + Math.min(this.cw, this.ch) / 8, 12, 16);
    return { shown, size: Math.floor(Math.min(wanted, (12 * width) / widest)) };
  }

  // What is hidden is hatched as one surface, wherever its cells stand at the moment.
  /** @param {Scene} scene @param {number[]} rowAt @param {number[]} columnAt */
  paintHidden({ ctx, theme, stage }, rowAt, columnAt) {
    const { hidden, cw, ch } = this;
    if (!hidden || Math.min(cw, ch) < HATCHED) return;
    const gap = Math.min(cw, ch) < 8 ? 0 : Math.max(...this.size) <= GAPPED && Math.min(cw, ch) >= 10 ? 2 : 1;
    const areas = /** @type {[number, number, number, number][]} */ ([]);
    for (let i = 0; i < hidden.length; i++) {
      if (!this.isCovered(i, stage)) continue;
      const [x, y] = [columnAt[i % columnAt.length], rowAt[(i / columnAt.length) | 0]];
      areas.push([x + gap / 2, y + gap / 2, cw - gap, ch - gap]);
    }
    canvas.hatch(ctx, areas, theme.muted);
  }

  /** @param {Scene} scene */
  paintImage({ theme, stage }) {
    const [rows, columns] = this.size;
    const image = new ImageData(columns, rows);
    const pixels = new Uint32Array(image.data.buffer);
    const table = canvas.colourTable(theme.scales[this.spec.scale]);
    const blank = canvas.packed(rgb(theme.hidden));
    for (let i = 0; i < pixels.length; i++) {
      const value = this.shown(i, stage);
      const drawn = !this.isCovered(i, stage) && Number.isFinite(value);
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
  paintLabels(scene, rowAt, columnAt) {
    const { ctx, theme, font, lit } = scene;
    const { cw, ch } = this;
    const { left, top, slanted, width } = this.geo;
    const { rows, columns } = this.spec;
    const pen = (
      /** @type {MatrixSpec["rows"]} */ axis,
      /** @type {number | null} */ one,
      /** @type {number} */ i,
      size = 13,
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
    if (this.spec.role) {
      ctx.fillStyle = theme.roles[this.spec.role];
      ctx.fillRect(left - RAIL - 2, top, RAIL, this.geo.plotHeight);
    }
    ctx.textBaseline = "middle";
    ctx.textAlign = "right";
    const beside = left - 6 - this.rail;
    const grouped = { row: rows.groups.length > 0, column: columns.groups.length > 0 };
    rows.groups.forEach((name, i) => {
      pen(rows, null, i);
      if (lit.row === null) ctx.fillText(name, beside, top + (this.geo.plotHeight * (i + 0.5)) / rows.groups.length);
    });
    this.rows.forEach((label, r) => {
      if (grouped.row || this.bare === "next" || r === lit.row) return;
      if (!canvas.isWritten(r, lit.row, Math.ceil((size - 1) / ch))) return;
      pen(rows, lit.row, r, size);
      ctx.fillText(canvas.fit(ctx, label, beside - 1), beside, rowAt[r] + ch / 2 + 0.5);
    });
    if (lit.row !== null && this.bare !== "next") {
      pen(rows, lit.row, lit.row, size);
      const y = rowAt[lit.row] + ch / 2 + 0.5;
      canvas.wholeText(ctx, this.rows[lit.row], beside, y, "right", theme.paper, width);
    }
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
    const apart = this.turn === 90 ? size - 1 : this.turn ? SLANTED_APART : canvas.isCounted(this.columns) ? flat : 0;
    this.columns.forEach((label, c) => {
      if (grouped.column || counted || c === lit.column) return;
      if (!canvas.isWritten(c, lit.column, Math.max(1, Math.ceil(apart / cw)))) return;
      pen(columns, lit.column, c, size);
      const x = columnAt[c] + cw / 2;
      if (slanted) canvas.slantedText(ctx, label, x + 1, top - 7, "left", this.turn);
      else ctx.fillText(label, x, top - 11);
    });
    if (lit.column !== null && !counted) this.paintLit(scene, columnAt[lit.column] + cw / 2, size);
    if (this.bare) return;
    ctx.font = font(12, 650);
    ctx.textAlign = "left";
    ctx.fillStyle = rows.role ? theme.roles[rows.role] : theme.muted;
    canvas.mathText(ctx, rows.title + " ↓", 0, 8);
    const past = ctx.measureText(rows.title + " ↓").width + 10;
    ctx.fillStyle = columns.role ? theme.roles[columns.role] : theme.muted;
    canvas.mathText(ctx, columns.title + " →", Math.max(left + 2, past), 8);
  }
  // The label of the lit column: as the others stand, if it is whole so.
  /** @param {Scene} scene @param {number} x @param {number} size */
  paintLit({ ctx, theme, font, lit }, x, size) {
    const { top, slanted, width } = this.geo;
    const { role } = this.spec.columns;
    const label = this.columns[lit.column ?? 0];
    ctx.font = font(size, 650);
    ctx.fillStyle = role ? theme.roles[role] : theme.ink;
    if (slanted && canvas.widest(ctx, [label]) <= canvas.SLANTED)
      canvas.slantedText(ctx, label, x + 1, top - 7, "left", this.turn);
    else canvas.wholeText(ctx, label, x, top - 11, "center", theme.paper, width);
  }
}
