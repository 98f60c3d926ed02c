// What may be done to an order: order[position] is the original index of the token there.

import { same } from "../base/dom.js";

/** @param {number} length */
export const identity = (length) => Array.from({ length }, (_, index) => index);

// An order is never handed back as it was, nor as the original one: a shuffle that does nothing looks broken.
/** @param {number[]} order */
export function shuffled(order) {
  const next = order.slice();
  do {
    for (let at = next.length - 1; at > 0; at--) {
      const other = Math.floor(Math.random() * (at + 1));
      [next[at], next[other]] = [next[other], next[at]];
    }
  } while (same(next, identity(next.length)) || (next.length > 2 && same(next, order)));
  return next;
}

/** @param {number[]} order @param {number} from @param {number} to */
export const moved = (order, from, to) => order.toSpliced(from, 1).toSpliced(to, 0, order[from]);
