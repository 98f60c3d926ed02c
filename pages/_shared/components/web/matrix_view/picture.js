// A picture cut into patches, which are the cells: each shows its pixels, below a veil that is as thick as its number.

import { clamp } from "../base/dom.js";
import * as canvas from "./canvas.js";
import { Heatmap } from "./heatmap.js";
import { formatCell } from "../base/numbers.js";

/** @import { MatrixSpec, Scene, Theme } from "../base/types" */
/** @import { Numbers, Panel } from "./panel.js" */

const MOST = 160; // pixels of a patch
const VEIL = 0.75; // of its colour, where a number is the largest
const SMALLEST = 34; // pixels of a patch that has room for its number
const [CHIP, CHIP_SMALL] = [13, 12]; // pixels of its letters
const ROOMY = 60; // pixels of a patch with room for larger ones

export class Pictured extends Heatmap {
  broadest = MOST;
  highest = MOST;
  wider = 1;

  /** @param {MatrixSpec} spec @param {Numbers} numbers */
  constructor(spec, numbers) {
    super(spec, numbers);
    this.greys = spec.image ? numbers.at(spec.image) : new Float32Array();
    this.each = Math.round(Math.sqrt(this.greys.length / Math.max(1, this.rows.length * this.columns.length)));
  }

  /** @type {Panel<MatrixSpec>["measure"]} */
  measure(ctx, width, height, font) {
    super.measure(ctx, width, height, font);
    // Patches are squares of as many whole pixels as theirs: all of these are equally large then.
    const side = Math.min(this.cw, this.ch);
    this.cw = this.ch = Math.max(side < this.each ? side : this.each, side - (side % this.each));
    const [rows, columns] = this.size;
    Object.assign(this.geo, { plotWidth: this.cw * columns, plotHeight: this.ch * rows });
    this.plain = this.geo.plotWidth;
  }

  /** What is chosen of a picture is a query. @param {Theme} theme */
  chosenIn(theme) {
    return theme.roles.query;
  }

  /** @type {Heatmap["legend"]} */
  legend(theme) {
    const made = super.legend(theme);
    for (const part of made)
      if (part.classList.contains("ramp"))
        part.style.background = `linear-gradient(to right, ${theme.paper}, ${theme.primary})`;
    return made;
  }

  /** @type {Heatmap["paintCells"]} */
  paintCells({ ctx, theme, font, stage }, rowAt, columnAt, cells = this.values.keys()) {
    const { cw, ch, each } = this;
    const greys = canvas.colourTable(theme.scales.ink);
    const across = this.columns.length * each;
    const size = cw >= ROOMY ? CHIP : CHIP_SMALL;
    for (const i of cells) {
      const [row, column] = [Math.floor(i / this.columns.length), i % this.columns.length];
      const [x, y] = [columnAt[column], rowAt[row]];
      const [w, h] = [cw / each, ch / each];
      for (let down = 0; down < each; down++)
        for (let right = 0; right < each; right++) {
          const grey = this.greys[(row * each + down) * across + column * each + right];
          ctx.fillStyle = greys.css[Math.round(clamp(grey, 0, 1) * (canvas.LUT_SIZE - 1))];
          ctx.fillRect(x + right * w, y + down * h, w, h);
        }
      ctx.globalAlpha = VEIL * clamp(this.shown(i, stage), 0, 1) || 0;
      ctx.fillStyle = theme.primary;
      ctx.fillRect(x, y, cw, ch);
      ctx.globalAlpha = 1;
      ctx.lineWidth = 1.5;
      ctx.strokeStyle = theme.grid;
      ctx.strokeRect(x, y, cw, ch);
      const text = cw < SMALLEST ? "" : formatCell(this.values[i], this.spec.cells, this.decimals);
      if (text) this.paintNumber({ ctx, theme, font }, text, x + cw - 4, y + ch - 4, size);
    }
  }

  /** On a chip of paper, in the lower right corner of its patch.
   * @type {(scene: Pick<Scene, "ctx" | "theme" | "font">, text: string, right: number, bottom: number, size: number) => void} */
  paintNumber({ ctx, theme, font }, text, right, bottom, size) {
    ctx.font = font(size);
    const wide = ctx.measureText(text).width + 8;
    ctx.globalAlpha = 0.85;
    ctx.fillStyle = theme.paper;
    canvas.roundRect(ctx, right - wide, bottom - size - 5, wide, size + 5, 4);
    ctx.fill();
    ctx.globalAlpha = 1;
    ctx.fillStyle = theme.ink;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.fillText(text, right - wide / 2, bottom - (size + 5) / 2 + 0.5);
  }
}
