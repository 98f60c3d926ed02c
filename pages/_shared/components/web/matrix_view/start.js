// Where a picture starts that comes after another: each row, column and value where it was, and what has to move from there.

import { whereFrom } from "./panel.js";

/** @import { Role, Tone } from "../base/types" */
/** @import { Change } from "./motion.js" */
/** @import { Still } from "./panel.js" */

/** What the picture before had, and the new one has not. @typedef {{ place: number, value: number, role: Role | Tone | null }} Gone */
/**
 * What the values were, which of them drain, where the rows and the columns stood, and how parts shared one bar.
 *
 * @typedef {{ change: Change, values: Float32Array, off: boolean[], places: number[][], gone: Gone[], parts?: number[] }} Start
 */
/**
 * Of the new picture: the share that stands for 0, which values are hidden, where rows and columns stand that are not in
 * their places, and whether it is too large for them to move.
 *
 * @typedef {{ zero: number, hidden?: Uint8Array | null, shift?: (number[] | null)[], inPlace?: boolean }} Now
 */

/** Whether one was elsewhere. @param {number} was @param {number} is */
export const isAway = (was, is) => Math.abs(was - is) > 1e-3;

/** Of places counted in `of`, one as it is counted in `among`. @type {(place: number, of: number, among: number) => number} */
export const recounted = (place, of, among) => ((place + 0.5) * among) / of - 0.5;

/**
 * @param {Still} old @param {string[][]} ids  of the rows and the columns @param {Float32Array} to @param {Now} now
 * @returns {Start}
 */
export function startFrom(old, ids, to, { zero, hidden = null, shift = [], inPlace = false }) {
  const [row, column] = ids.map((mine, side) => whereFrom(old.ids[side], mine));
  const [n, wide] = [column.length, old.ids[1].length];
  // A value starts where its row and column were, and as it was there; one that was not seen, at 0.
  const values = to.map((_, i) => {
    const [r, c] = [row[Math.floor(i / n)], column[i % n]];
    const before = r < 0 || c < 0 ? NaN : old.values[inPlace ? i : r * wide + c];
    return Number.isFinite(before) ? before : hidden?.[i] ? NaN : zero;
  });
  const off = Array.from(values, (was, i) => {
    if (hidden?.[i]) return Number.isFinite(was);
    return Math.abs(to[i] - zero) <= 1e-3 && isAway(was, zero);
  });
  const places = [row, column].map((was, side) => {
    const [of, among] = [old.ids[side].length, was.length];
    return was.map((at, i) => (at < 0 || inPlace ? i : recounted(old.places[side][at], of, among)));
  });
  const [rows, columns] = places.map((was, side) => was.some((at, i) => isAway(at, shift[side]?.[i] ?? i)));
  const grows = values.some((was, i) => !off[i] && isAway(was, to[i]));
  const change = { drains: off.includes(true), rows, columns, grows };
  return { change, values, off, places, gone: [] };
}

/** Null where nothing is on its way. @param {Start} start */
export const ifAny = (start) => (Object.values(start.change).includes(true) ? start : null);
