// Names that stand beside what they name.

import { widest } from "./canvas.js";

/** @import { Context } from "../base/types" */

// A name, and the point it is of; whether the curve falls to this point and from it, where it is one of a curve; and
// where else on the curve the name may stand, where that is level.
/** @typedef {{ text: string, x: number, y: number, colour: string, falls?: boolean, along?: number[] }} Label */
/** @typedef {{ left: number, right: number, top: number, bottom: number }} Box */

const HIGH = 14; // pixels of a line of words
const AWAY = 9; // from a point to its name
const NEAR = 2; // from a level curve to its name

/** @param {Box} one @param {Box} other */
const meet = (one, other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/**
 * Writes each name where it meets no other and no point: beside its own, above or below it, within the box and on no
 * curve if it can, and nearer to its own point than to the height of any other's. None is left out. What rises leaves
 * room above it on the left, what falls on the right.
 *
 * @param {Context} ctx  in the font of the names @param {Label[]} labels @param {Box} within
 * @param {[number, number][]} [curves]  points on them @param {Box[]} [written]  where other words stand
 */
export function paintBeside(ctx, labels, within, curves = [], written = []) {
  const points = labels.map(({ x, y }) => ({ left: x - 4, right: x + 4, top: y - 4, bottom: y + 4 }));
  const taken = [...written, ...points];
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  for (const { text, x, y, colour, falls, along = [] } of labels) {
    const wide = widest(ctx, [text]);
    /** @type {(left: number, middle: number) => Box} */
    const box = (left, middle) => ({ left, right: left + wide, top: middle - HIGH / 2, bottom: middle + HIGH / 2 });
    const [above, below] = [-1, 1].map((side) => y + side * (AWAY + HIGH / 2));
    const [left, right] = [x - AWAY - wide, x + AWAY];
    const middle = Math.max(within.left, Math.min(x - wide / 2, within.right - wide));
    const [first, then] = [box(left, above), box(right, above)];
    const tried = [
      ...(falls === undefined ? [box(right, y)] : falls ? [then, box(left, y), box(left, below)] : [first]),
      box(right, y),
      then,
      first,
      box(left, y),
      ...[right, left, middle].map((one) => box(one, below)),
      ...along.flatMap((at) => [-1, 1].map((side) => box(at - wide / 2, y + side * (NEAR + HIGH / 2)))),
      ...along.flatMap((at) => [above, below].map((side) => box(at - wide / 2, side))),
      ...[0, 1, 2, 3].flatMap((n) => [box(middle, above - n * HIGH), box(middle, below + n * HIGH)]),
    ];
    const inside = tried.filter(
      (one) =>
        one.left >= within.left && one.right <= within.right && one.top >= within.top && one.bottom <= within.bottom,
    );
    const free = inside.filter((one) => !taken.some((other) => meet(one, other)));
    const on = (/** @type {Box} */ { left, right, top, bottom }) =>
      curves.some(([x, y]) => x > left - 2 && x < right + 2 && y > top && y < bottom);
    const isOwn = (/** @type {Box} */ { top, bottom }) =>
      labels.every((other) => Math.abs((top + bottom) / 2 - other.y) >= Math.abs((top + bottom) / 2 - y));
    const clear = free.filter((one) => !on(one));
    const place = clear.find(isOwn) ?? clear[0] ?? free.find(isOwn) ?? free[0] ?? inside[0] ?? box(middle, y);
    taken.push({ ...place, left: place.left - AWAY, right: place.right + AWAY });
    ctx.fillStyle = colour;
    ctx.fillText(text, place.left, (place.top + place.bottom) / 2);
  }
}
