// What keys do to the chips: walk, grab, move, drop.

import { clamp, keep, same } from "../base/dom.js";
import { _ } from "../base/language.js";
import { moved } from "./order.js";

/** @import { Board } from "./board.js" */

/** @type {Record<string, number>} */
const STEPS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

export class Keys {
  /** The chip that keys move, and the order it was taken from. @type {{ index: number, home: number[] } | null} */
  grab = null;

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (this.board.drag.held) return;
    if (this.act(event, this.board.indexOf(event.target), STEPS[event.key])) keep(event);
  }

  // Whether the key was one of the board's; all others stay the page's.
  /** @param {KeyboardEvent} event @param {number | null} index @param {number | undefined} step */
  act({ key, ctrlKey, metaKey, altKey }, index, step) {
    if (ctrlKey || metaKey) return false;
    if (index !== null && step && (this.grab || altKey)) this.shift(index, step);
    else if (step && !altKey) this.walk(step);
    else if (index === null || altKey) return false;
    else if (key === " ") this.grab ? this.release(true) : this.seize(index);
    else if (key === "Enter" && this.grab) this.release(true);
    else if (key === "Escape" && this.grab) this.release(false);
    else return false;
    return true;
  }

  /** @param {number} step */
  walk(step) {
    /** @type {HTMLElement[]} */
    const chips = [...this.board.list.querySelectorAll(/** @type {"button"} */ (".slot > .chip"))];
    const from = chips.findIndex((chip) => chip.parentElement === this.board.focusedItem());
    chips[clamp(from + step, 0, chips.length - 1)].focus();
  }

  /** @param {number} index @param {number} step */
  shift(index, step) {
    const home = this.board.order;
    const from = home.indexOf(index);
    const to = clamp(from + step, 0, home.length - 1);
    if (to === from) return;
    this.board.order = moved(home, from, to);
    this.board.render();
    if (this.grab) {
      this.board.lead(true);
      this.board.say(_("{name}, {position} of {count}", this.place(index)));
    } else this.board.sendMove(index, home);
  }

  /** @param {number} index */
  seize(index) {
    this.grab = { index, home: this.board.order };
    this.board.slots[index].item.classList.add("grabbed");
    this.board.aim();
    this.board.say(_("grabbed {name}, {position} of {count}: arrows move, Space drops", this.place(index)));
  }

  /** Ends a grab. @param {boolean} kept */
  release(kept) {
    if (!this.grab) return;
    const { index, home } = this.grab;
    this.grab = null;
    this.board.slots[index].item.classList.remove("grabbed");
    const changed = !same(home, this.board.order);
    if (!kept) {
      this.board.order = home;
      this.board.render();
    }
    this.board.lead(false);
    this.board.aim();
    if (kept && changed) this.board.sendMove(index, home);
    else this.board.say(_("{name} stays at {position} of {count}", this.place(index)));
  }

  /** A chip and where it stands, for what is said of it. @param {number} index */
  place(index) {
    const { board } = this;
    return { name: board.name(index), position: board.position(index), count: board.order.length };
  }
}
