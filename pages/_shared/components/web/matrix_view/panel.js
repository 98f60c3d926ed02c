// What all kinds of panels share: numbers, where they lie, and what is told of them in words.

import { element } from "../base/dom.js";
import { _ } from "../base/language.js";
import { mathNodes } from "../base/mathematics.js";

/** @import { Axis, Font, Listing, Measured, PanelSpec, Part, Role, Scene, Theme, Tone, Word } from "../base/types" */
/** @import { Stage } from "./motion.js" */
/** @import { Start } from "./start.js" */

export const LEAST = 1; // pixels that a panel plots in, however narrow its place: a radius below 0 is refused
const READ_CELLS = 1024; // more cells than this are too many to be read aloud

/** A loop, for Uint8Array.from takes twenty times as long. @param {string} base64 */
export function bytes(base64) {
  const letters = atob(base64);
  const made = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) made[i] = letters.charCodeAt(i);
  return made;
}

/** A row is followed by its label; equal labels by their order. @param {string[]} labels */
export function identities(labels) {
  const seen = new Map();
  return labels.map((label) => {
    const count = seen.get(label) ?? 0;
    seen.set(label, count + 1);
    return `${count} ${label}`;
  });
}

/**
 * Where each row was before, −1 for one that is new. One in the place of another that is gone comes from there.
 *
 * @param {string[]} before @param {string[]} after
 */
export function whereFrom(before, after) {
  const at = new Map(before.map((id, i) => [id, i]));
  const stays = new Set(after);
  const replaced = (/** @type {number} */ i) => i < before.length && !stays.has(before[i]);
  return after.map((id, i) => at.get(id) ?? (replaced(i) ? i : -1));
}

/** All numbers of a view: one block, of which a panel's parts are views, one for each step where they move. */
export class Numbers {
  /** @param {string} base64 @param {number} steps */
  constructor(base64, steps) {
    this.block = new Float32Array(bytes(base64).buffer);
    this.steps = steps;
  }

  /** @param {Part} part @param {number} [step] */
  at({ start, length, swept }, step = 0) {
    const size = swept ? length / this.steps : length;
    const from = start + (swept ? step * size : 0);
    return this.block.subarray(from, from + size);
  }
}

/**
 * A picture that the next one may start from: values as shares of their axis or scale, NaN where nothing is seen, and
 * where the rows and the columns stand; `parts` of the one bar that bars share.
 *
 * @typedef {{ values: Float32Array, ids: string[][], places: number[][], roles?: (Role | Tone | null)[],
 *   parts?: number[] }} Still
 */

/** @template {PanelSpec} Spec */
export class Panel {
  name = ""; // what it is called to those who cannot see it
  choosable = false;
  upwards = false; // whether rows count from below
  /** @type {Measured} */
  geo = { left: 0, top: 0, bottom: 0, width: 0, plotWidth: 0, plotHeight: 0, slanted: false };
  from = /** @type {Start | null} */ (null);

  /** @param {Spec} spec @param {Numbers} numbers */
  constructor(spec, numbers) {
    this.spec = spec;
    this.numbers = numbers;
  }

  get height() {
    return Math.ceil(this.geo.top + this.geo.plotHeight + this.geo.bottom);
  }

  /** Rows and columns that can be pointed at. @returns {[number, number]} */
  get size() {
    return [1, 1];
  }

  /** The first and the last column that is drawn. @returns {[number, number]} */
  get span() {
    return [0, this.size[1] - 1];
  }

  /** Sides that other panels may show too. @returns {{ row?: Axis, column?: Axis }} */
  get axes() {
    return {};
  }

  /** Where the keys begin. @returns {[number, number]} */
  get home() {
    return [0, 0];
  }

  /** The column that an arrow leads to. @param {number} column @param {number} by  1, or −1 */
  beside(column, by) {
    return column + by;
  }

  /** Takes the numbers of a step. @param {number} _step */
  pose(_step) {}

  // Takes its place.
  /** @param {CanvasRenderingContext2D} _ctx @param {number} _width @param {number} _height @param {Font} _font */
  measure(_ctx, _width, _height, _font) {}

  /** @param {Scene} _scene */
  paint(_scene) {}

  // Row and column under a point of the canvas.
  /** @param {number} _x @param {number} _y @returns {[number | null, number | null] | null} */
  hit(_x, _y) {
    return null;
  }

  /** What is at a row and a column. @param {number | null} _row @param {number | null} _column @returns {Word[]} */
  words(_row, _column) {
    return [];
  }

  // Where the readout points to, and where it goes if it may not stand above.
  /** @param {number | null} _row @param {number | null} _column */
  anchor(_row, _column) {
    return { x: 0, y: this.geo.top, below: this.geo.top + this.geo.plotHeight, free: true };
  }

  /** @param {Theme} _theme @returns {HTMLElement[]} */
  legend(_theme) {
    return [];
  }

  /** @param {CanvasRenderingContext2D} _ctx @param {Font} _font */
  legendLeft(_ctx, _font) {
    return this.geo.left;
  }

  // Marks the number of a cell on its colour bar; null takes the mark away.
  /** @param {[number, number] | null} _cell */
  mark(_cell) {}

  /** @returns {Listing} */
  listing() {
    return { rows: [], columns: [], cell: () => "" };
  }

  /** What is seen of it. @param {Stage} [_stage] @returns {Still | null} */
  still(_stage) {
    return null;
  }

  /** Where it rises from in a picture of other panels; null where it stands there at once. @returns {Still | null} */
  origin() {
    return null;
  }

  /** Begins where `old` was, so that the eye can follow; null where nothing moves. @param {Still} _old @returns {Start | null} */
  begin(_old) {
    return null;
  }
}

/** @param {Axis} axis @param {number | null} at @returns {Word[]} */
export function named(axis, at) {
  if (at === null || !axis.labels.length) return [];
  const { title, labels, role, groups, formulas } = axis;
  const group = groups.length ? [{ text: groups[Math.floor((at * groups.length) / labels.length)] }] : [];
  return [{ text: title, as: "quiet" }, ...group, { text: labels[at], role, formula: formulas }];
}

/** @param {string} name @param {string} colour @param {string} [kind] */
export function lineKey(name, colour, kind = "line") {
  const made = element("span", { className: kind }, element("span", {}, ...mathNodes(name)));
  made.style.setProperty("--line", colour);
  return made;
}

/** The numbers of a panel as a table, for those who hear them. @param {Panel<PanelSpec>} panel */
export function readingTable(panel) {
  const { rows, columns, cell } = panel.listing();
  const across = Math.min(columns.length, READ_CELLS);
  const down = Math.min(rows.length, Math.floor(READ_CELLS / across));
  const all = rows.length === down && columns.length === across;
  const { title } = panel.spec;
  const counts = { title, down, rows: rows.length, across, columns: columns.length };
  const caption = all
    ? title
    : _("{title}. Only the first {down} of {rows} rows and {across} of {columns} columns are listed here", counts);
  const heads = columns.slice(0, across).map((name) => element("th", { scope: "col" }, name));
  const lines = rows.slice(0, down).map((name, r) => {
    const cells = heads.map((_, c) => element("td", {}, cell(r, c)));
    return element("tr", {}, element("th", { scope: "row" }, name), ...cells);
  });
  return element(
    "table",
    {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, element("td"), ...heads)),
    element("tbody", {}, ...lines),
  );
}
