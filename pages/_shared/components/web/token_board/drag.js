// A chip under a mouse, a pen or a finger.

import { same, still } from "../base/dom.js";
import { moved } from "./order.js";

/** @import { Board, Slot } from "./board.js" */

/** @typedef {{ index: number, slot: Slot, home: number[], x: number, y: number }} Held  x and y: where it was taken hold of */

const MOUSE_SLACK = 4;
const TOUCH_SLACK = 8;
const HOLD_MS = 250; // a finger that rests so long on a chip has taken hold of it
const EDGE = 16; // pixels at the board's borders where a chip that is held scrolls it
const STEP = 8;

export class Drag {
  held = /** @type {Held | null} */ (null);
  pressed = new AbortController();

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
  }

  /** A finger that moves up or down scrolls the page, unless it holds a chip. @param {TouchEvent} event */
  touch(event) {
    if (this.held && event.cancelable) event.preventDefault();
  }

  /** @param {PointerEvent} event */
  press(event) {
    const { board } = this;
    const index = board.indexOf(event.target);
    const onChip = event.target instanceof Element && event.target.closest(".chip");
    if (index === null || board.data.locked || this.held || event.button !== 0 || !onChip) return;
    const pressed = (this.pressed = new AbortController());
    board.gone.signal.addEventListener("abort", () => pressed.abort(), { once: true });
    const isFinger = event.pointerType === "touch";
    const slack = isFinger ? TOUCH_SLACK : MOUSE_SLACK;
    const rest = isFinger ? setTimeout(() => this.lift(index, event), HOLD_MS) : 0;
    pressed.signal.addEventListener("abort", () => clearTimeout(rest));
    const options = { signal: pressed.signal, capture: true };
    /** @param {"pointermove" | "pointerup" | "pointercancel"} type @param {(event: PointerEvent) => void} handler */
    const on = (type, handler) =>
      addEventListener(type, (one) => one.pointerId === event.pointerId && handler(one), options);
    on("pointermove", (move) => {
      const [across, down] = [move.clientX - event.clientX, move.clientY - event.clientY].map(Math.abs);
      const isFar = Math.hypot(across, down) > slack;
      if (!this.held && isFar) {
        clearTimeout(rest);
        if (isFinger && down > across) return pressed.abort(); // that scrolls
        this.lift(index, event);
      }
      if (this.held) this.follow(this.held, move);
    });
    on("pointerup", () => this.drop(true));
    on("pointercancel", () => this.drop(false));
    const escape = (/** @type {KeyboardEvent} */ key) => {
      if (!this.held || key.key !== "Escape") return;
      key.stopPropagation();
      this.drop(false);
    };
    addEventListener("keydown", escape, options);
  }

  /** @param {number} index @param {PointerEvent} event */
  lift(index, event) {
    const { board } = this;
    board.keys.release(false);
    const slot = board.slots[index];
    for (const running of slot.item.getAnimations()) running.finish();
    const box = slot.item.getBoundingClientRect();
    this.held = { index, slot, home: board.order, x: event.clientX - box.left, y: event.clientY - box.top };
    // Capturing only now keeps a click a click on the chip; captured, the drag goes on outside the window.
    board.list.setPointerCapture(event.pointerId);
    slot.item.classList.add("lifted");
    board.list.classList.add("dragging");
    board.aim();
  }

  /** @param {Held} held @param {PointerEvent} event */
  follow(held, { clientX, clientY }) {
    const { board } = this;
    const { index, slot, x, y } = held;
    const box = board.list.getBoundingClientRect();
    if (clientY < box.top + EDGE) board.list.scrollTop -= STEP;
    else if (clientY > box.bottom - EDGE) board.list.scrollTop += STEP;
    const [across, down] = [clientX - box.left, clientY - box.top + board.list.scrollTop];
    const next = moved(board.order, board.order.indexOf(index), this.before(held, across, down));
    if (!same(next, board.order)) {
      board.order = next;
      board.render({ held: slot });
      board.lead(true);
    }
    const [left, top] = [across - x - slot.item.offsetLeft, down - y - slot.item.offsetTop];
    slot.chip.style.transform = `translate(${left}px, ${top}px)`;
  }

  // The number of other chips before the pointer. A neighbour gives way before its middle is reached, but never so
  // early that it would have to give way again once it has moved. Offsets ignore the animation under way.
  /** @param {Held} held @param {number} x @param {number} y */
  before({ index, slot }, x, y) {
    const { slots, order } = this.board;
    const tops = [...new Set(slots.map(({ item }) => item.offsetTop))].sort((a, b) => a - b);
    const row = tops.findLast((top) => y >= top - 4) ?? tops[0];
    const from = order.indexOf(index);
    const passed = order.filter((other, position) => {
      const { offsetLeft, offsetTop, offsetWidth } = slots[other].item;
      const lead = Math.min(0.25, (0.45 * slot.item.offsetWidth) / offsetWidth / 2);
      const edge = offsetLeft + offsetWidth * (position < from ? 0.5 + lead : 0.5 - lead);
      return other !== index && (offsetTop < row || (offsetTop === row && edge < x));
    });
    return passed.length;
  }

  /** Ends a drag. @param {boolean} kept */
  drop(kept) {
    this.pressed.abort();
    if (!this.held) return;
    const { board } = this;
    const { index, slot, home } = this.held;
    const { item, chip } = slot;
    this.held = null;
    const from = chip.getBoundingClientRect();
    item.classList.remove("lifted");
    board.list.classList.remove("dragging");
    chip.style.transform = "";
    if (!kept) board.order = home;
    board.render({ held: slot });
    board.lead(false);
    if (!still()) board.slide(chip, from, chip.getBoundingClientRect(), 200);
    chip.focus({ preventScroll: true });
    board.aim();
    if (kept && !same(home, board.order)) board.sendMove(index, home);
  }
}
