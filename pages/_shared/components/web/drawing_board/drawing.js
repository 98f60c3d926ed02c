// The picture that is drawn: greys of pixels, what a stroke leaves on them, and the digits in which they travel.

import { clamp } from "../base/dom.js";

export const SIZE = 16; // pixels along a side
export const INK = 15; // the darkest grey; 0 is paper
const BROAD = 1.7; // pixels from the middle of a stroke to where nothing of it is left

/** A digit from 0 to f for each, row by row. @param {number[]} greys */
export const digitsOf = (greys) => greys.map((grey) => grey.toString(16)).join("");

/**
 * The greys after a stroke from one place to another, in pixels from the upper left corner.
 *
 * @param {number[]} greys
 * @param {[number, number]} from
 * @param {[number, number]} to
 * @param {boolean} erase  whether it leaves paper
 */
export function stroked(greys, from, to, erase) {
  const along = [to[0] - from[0], to[1] - from[1]];
  const length = along[0] ** 2 + along[1] ** 2;
  return greys.map((grey, i) => {
    const at = [(i % SIZE) + 0.5, Math.floor(i / SIZE) + 0.5];
    const share = length ? clamp(((at[0] - from[0]) * along[0] + (at[1] - from[1]) * along[1]) / length, 0, 1) : 0;
    const far = Math.hypot(at[0] - from[0] - share * along[0], at[1] - from[1] - share * along[1]);
    const left = Math.round(INK * clamp(BROAD - far, 0, 1));
    return erase ? Math.min(grey, INK - left) : Math.max(grey, left);
  });
}

/**
 * The greys after one pixel is drawn or erased.
 *
 * @param {number[]} greys
 * @param {number} pixel
 * @param {boolean} erase
 */
export const dotted = (greys, pixel, erase) => greys.map((grey, i) => (i === pixel ? (erase ? 0 : INK) : grey));
