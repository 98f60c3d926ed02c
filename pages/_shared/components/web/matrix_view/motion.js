// How one picture becomes the next: what is switched off drains, what stays moves to its place, what others are made of
// rises, and values grow.

import { clamp, FOLLOW_MS, MOVE_MS } from "../base/dom.js";

export const DRAIN_MS = 250;
export const GROW_MS = 350;

/** How far each part of the way is, from 0 to 1. @typedef {{ drain: number, row: number, column: number, rise: number, value: number }} Stage */
/** Which parts there are. @typedef {{ drains: boolean, rows: boolean, columns: boolean, rises?: boolean, grows: boolean }} Change */

/** @type {Stage} */
export const THERE = { drain: 1, row: 1, column: 1, rise: 1, value: 1 };

/** Slow where it begins and where it ends. @param {number} ms @param {number} from @param {number} length */
function eased(ms, from, length) {
  const t = length ? clamp((ms - from) / length, 0, 1) : 1;
  return t * t * (3 - 2 * t);
}

/** All panels of a view go the same way at the same time: rows before columns, and values as the last ones arrive. */
export class Motion {
  /** @param {Change[]} changes  of its panels @param {boolean} [follows]  whether it follows a hand */
  constructor(changes, follows = false) {
    const [drains, rows, columns, rises, grows] = /** @type {const} */ ([
      "drains", "rows", "columns", "rises", "grows",
    ]).map((part) => changes.some((one) => one[part])); // prettier-ignore
    const move = follows ? FOLLOW_MS : MOVE_MS;
    const each = rows && columns && !follows ? move / 2 : move;
    this.moves = drains ? DRAIN_MS : 0;
    this.row = rows ? each : 0;
    this.columns = this.moves + (follows ? 0 : this.row);
    this.column = columns ? each : 0;
    const arrived = rows || columns ? this.moves + move : this.moves;
    this.grows = Math.max(rises ? this.moves + GROW_MS : this.moves, arrived - GROW_MS);
    this.length = Math.max(arrived, grows || rises ? this.grows + GROW_MS : 0);
  }

  /** @param {number} ms  since it began @returns {Stage} */
  at(ms) {
    return {
      drain: eased(ms, 0, DRAIN_MS),
      row: eased(ms, this.moves, this.row),
      column: eased(ms, this.columns, this.column),
      rise: eased(ms, this.moves, GROW_MS),
      value: eased(ms, this.grows, GROW_MS),
    };
  }
}
