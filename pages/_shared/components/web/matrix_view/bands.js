// Between two matrices that show the same rows, a band for each row: from where it stood to where it stands.

import { svg } from "../base/dom.js";
import { Heatmap } from "./heatmap.js";

/** @import { Fit } from "./fit.js" */
/** @import { Stage } from "./motion.js" */
/** @typedef {{ x0: number, x1: number, y: [number, number], high: number, band: number }} Place  tops of the two plots, height of a row and of a band */

const [NARROW, WIDE] = [8, 176]; // pixels between the matrices
const PHONE = 480; // below this width cells need what bands would take: thin ones end behind the labels of the second
const [PART, THIN] = [0.6, 0.25]; // of a row's height

/** Pixels between two matrices with bands, from left to right. @param {number} width  of all */
export const room = (width) => (width < PHONE ? NARROW : Math.min(0.16 * width, WIDE));

export class Bands {
  drawing = svg("svg", { class: "bands", "aria-hidden": "true" });
  /** By the rows of the second matrix. @type {SVGElement[]} */
  paths = [];
  place = /** @type {Place | null} */ (null);

  /** @param {Fit} fit */
  constructor(fit) {
    this.fit = fit;
  }

  /** Takes its place, once the matrices have theirs. */
  arrange() {
    const { list, view } = this.fit;
    const [first, second] = view.panels.map(({ drawn, parts }) => {
      const at = parts.ctx.canvas.getBoundingClientRect();
      return { at, drawn, high: drawn instanceof Heatmap ? drawn.ch : 0 };
    });
    this.place = null;
    if (!view.data.bands.length || first.at.right > second.at.left) return this.drawing.remove(); // or one above the other
    if (this.drawing.parentElement !== list) list.prepend(this.drawing);
    const box = list.getBoundingClientRect();
    const [left, top] = [box.left, box.top].map((side) => side / view.zoom);
    const x0 = first.at.left / view.zoom - left + first.drawn.geo.left + first.drawn.geo.plotWidth + 6;
    const narrow = this.fit.width < PHONE;
    const x1 = second.at.left / view.zoom - left + (narrow ? second.drawn.geo.left : 0) - 2;
    const y = [first, second].map(({ at, drawn }) => at.top / view.zoom - top + drawn.geo.top);
    this.place = { x0, x1, y: [y[0], y[1]], high: first.high, band: (narrow ? THIN : PART) * first.high };
    if (this.paths.length !== view.data.bands.length) {
      this.paths = view.data.bands.map((_, row) => {
        const path = svg("path");
        path.onpointerenter = () => view.highlight.on([1, row, null]);
        path.onpointerleave = () => view.highlight.on(null);
        return path;
      });
      this.drawing.replaceChildren(...this.paths);
    }
    this.drawing.style.setProperty("--band", `${this.place.band}px`);
  }

  /** The ends of each band, in rows from the top: where its row stands in both matrices. @param {Stage} stage */
  ends(stage) {
    const { panels, data } = this.fit.view;
    const [before, after] = panels.map(({ drawn }) => (drawn instanceof Heatmap ? drawn.places(stage)[0] : []));
    return data.bands.map((was, row) => [before[was], after[row]]);
  }

  /** @param {Stage} stage */
  pose(stage) {
    if (!this.place) return;
    const { view } = this.fit;
    const { bands } = view.data;
    const { x0, x1, y, high } = this.place;
    const middle = (x0 + x1) / 2;
    const pointed = view.highlight.now?.cell?.[0] === 0;
    const lit = view.highlight.of(pointed ? 0 : 1).row;
    this.ends(stage).forEach(([was, is], row) => {
      const [y0, y1] = [y[0] + (was + 0.5) * high, y[1] + (is + 0.5) * high];
      this.paths[row].setAttribute("d", `M${x0} ${y0}C${middle} ${y0} ${middle} ${y1} ${x1} ${y1}`);
      this.paths[row].classList.toggle("lit", lit !== null && lit === (pointed ? bands[row] : row));
    });
  }
}
