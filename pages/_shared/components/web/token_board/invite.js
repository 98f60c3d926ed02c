// A board on a page that nobody has touched yet shows that its chips can be moved: one nudges, then all take another order.

import { still } from "../base/dom.js";
import { _ } from "../base/language.js";

/** @import { Board } from "./board.js" */

const NUDGE_AFTER = 400;
const SHUFFLE_AFTER = 1200;
const NUDGE = { duration: 500, easing: "ease-in-out" };
const WAYS = ["none", "translate(4px, -5px) rotate(-4deg)", "translate(-2px, 1px) rotate(2deg)", "none"];

/** @param {Board} board @param {number[]} order */
export function invite(board, order) {
  const { signal } = board.gone;
  const isUntouched = () =>
    !signal.aborted && board.isInPlace && board.order.length === order.length && !board.drag.held && !board.keys.grab;
  const after = (/** @type {number} */ wait, /** @type {() => void} */ act) => {
    const timer = setTimeout(() => isUntouched() && !still() && act(), wait);
    for (const touch of ["pointerdown", "keydown"])
      document.addEventListener(touch, () => clearTimeout(timer), { signal, capture: true });
  };
  after(NUDGE_AFTER, () => board.slots[order[0]].chip.animate({ transform: WAYS }, NUDGE));
  after(SHUFFLE_AFTER, () => board.reorder(order.slice(), (words) => _("shuffled: {words}", { words })));
}
