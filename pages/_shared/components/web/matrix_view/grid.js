// How many panels stand side by side, and how high they are.

import { clamp } from "../base/dom.js";
import { Heatmap, SMALL } from "./heatmap.js";

/** @import { Panel } from "./panel.js" */
/** @import { PanelSpec } from "../base/types" */

// Panels in lines: how many across, the width of each, pixels of a line from top to bottom, and between panels.
/** @typedef {{ across: number, width: number, each: number, gap: number }} Layout */
/** @typedef {(across: number, width: number, height: (panel: Panel<PanelSpec>) => number) => void} Measure */

const LABELLED = 16; // matrices up to this many rows are to be read row by row
const FEW = 8; // and those up to this many from the back of a room
const READABLE = 18; // pixels of a row that is read with ease
const FROM_AFAR = 36; // pixels of a window that is projected
const PHONE = 480; // below this width panels of a page that scrolls stand one below the other
export const LOWEST = 24; // pixels of the lowest plot
const LOW = 120; // and of the lowest that is looked at with ease
const CLOSE = 12; // pixels between panels from top to bottom

/** Pixels of a panel: what stands around a plot needs them. @param {number} width  of all panels */
export const least = (width) => (width < PHONE ? 100 : 160);

/** Pixels between panels, from left to right. @param {number} width */
const between = (width) => (width < PHONE ? 8 : 24);

/** @param {number} width @param {number} across @param {number} gap */
const share = (width, across, gap) => Math.floor((width - gap * (across - 1)) / across);

/** How wide a text is, in letters; a Chinese character is as wide as two. @param {string} text */
const letters = (text) => text.length + (text.match(/[\u2e80-\uffef]/g)?.length ?? 0);

// Pixels that a panel's title, legend and note are likely to take.
/** @param {Panel<PanelSpec>} panel @param {number} width @param {boolean} legends  whether each panel has its own */
function words({ spec, geo }, width, legends) {
  const wide = Math.max(100, Math.min(width, geo.width));
  const note = Math.ceil((letters(spec.note) * 6.5) / wide);
  return 4 + 21 * Math.ceil((letters(spec.title) * 8) / wide) + (legends ? 26 : 0) + (note && 18 * note + 8);
}

/** Layout where only the width counts. @param {number} count @param {number} width @returns {Layout} */
export function flowing(count, width) {
  const gap = between(width);
  const most = clamp(width < PHONE ? 1 : Math.floor((width + gap) / (least(width) + gap)), 1, count);
  const across = Math.ceil(count / Math.ceil(count / most));
  return { across, width: share(width, across, gap), each: Infinity, gap };
}

/** Whether cells can be told apart and charts seen. @param {Panel<PanelSpec>[]} panels  as measured @param {number} zoom */
export const legible = (panels, zoom) =>
  panels.every((one) => {
    const { size, geo } = one;
    if (!(one instanceof Heatmap) || size[0] > LABELLED) return geo.plotHeight >= LOW / zoom;
    return one.ch >= (zoom > 1 && Math.max(...size) <= FEW ? FROM_AFAR / zoom : READABLE);
  });

/** Whether no cells are small for want of height. @param {Panel<PanelSpec>[]} panels  as they are measured */
export const grown = (panels) => panels.every((one) => !(one instanceof Heatmap) || one.ch >= SMALL || !one.low);

// The layout in which most is to be seen of panels that have only so much room from top to bottom. `measure` takes a
// width and a height; `legends` is whether each panel has its own, `inLine` whether all stand side by side.
/** @type {(panels: Panel<PanelSpec>[], width: number, room: number, measure: Measure, legends: boolean, inLine: boolean, gap?: number) => Layout} */
export function fitted(panels, width, room, measure, legends, inLine, gap = between(width)) {
  const count = panels.length;
  const tried = (/** @type {number} */ across) => {
    const lines = Math.ceil(count / across);
    const each = (room - CLOSE * (lines - 1)) / lines;
    const wide = share(width, across, gap);
    measure(across, wide, () => each);
    measure(across, wide, (one) => Math.max(LOWEST, each - one.geo.top - one.geo.bottom - words(one, wide, legends)));
    // Wide cells are what the room leaves, and no reason for lower ones.
    const plain = (/** @type {Panel<PanelSpec>} */ one) => (one instanceof Heatmap ? one.plain : one.geo.plotWidth);
    const seen = panels.reduce((sum, one) => sum + Math.min(plain(one), wide) * one.geo.plotHeight, 0);
    const low = Math.min(...panels.map(({ geo }) => geo.plotHeight)) <= LOWEST;
    return { across, width: wide, each, gap, seen: low ? each - room : seen };
  };
  if (inLine) return tried(count);
  const shapes = new Set(panels.map((_, i) => Math.ceil(count / Math.ceil(count / (i + 1)))));
  const all = [...shapes].filter((n) => n === 1 || share(width, n, gap) >= least(width)).map(tried);
  return all.reduce((most, one) => (one.seen > most.seen ? one : most));
}
