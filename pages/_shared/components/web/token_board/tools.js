// The buttons that reorder all chips at once.

import { element, keep, plain } from "../shared.js";
import { identity, shuffled } from "./order.js";

/** @import { Board } from "./board.js" */

const STROKES = {
  Shuffle: "M2 4h2.6l6 8H14M2 12h2.6l1.6-2.2M9 6.1 10.6 4H14M12 2l2 2-2 2M12 10l2 2-2 2",
  Reverse: "M2 5h11M10.5 2.5 13 5l-2.5 2.5M14 11H3M5.5 8.5 3 11l2.5 2.5",
  Rotate: "M12.8 5.5A5.5 5.5 0 1 0 13.5 8M13.5 2.5v3.2h-3.2",
  Swap: "M3 6.5a5 4 0 0 1 10 0M11 5l2 2 2-2M13 9.5a5 4 0 0 1-10 0",
  Restore: "M3 8a5 5 0 1 0 1.6-3.7L2.5 6.2M2.5 2.8v3.4h3.4",
};

/** @param {string} strokes */
function icon(strokes) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", strokes);
  svg.append(path);
  return svg;
}

export class Tools {
  bar = element("div", { className: "tools", role: "toolbar" });

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    this.shuffle = this.tool("Shuffle", "shuffled", shuffled);
    this.reverse = this.tool("Reverse", "reversed", (order) => order.toReversed());
    this.rotate = this.tool("Rotate", "rotated", ([first, ...rest]) => [...rest, first]);
    this.swap = this.tool("Swap", "swapped", (order) => this.swapped(order));
    this.restore = this.tool("Restore", "restored", (order) => identity(order.length));
    this.all = [this.shuffle, this.reverse, this.rotate, this.swap, this.restore];
    this.shuffle.tabIndex = 0;
    this.bar.append(...this.all);
    this.bar.onkeydown = (event) => this.key(event);
    for (const [type, on] of Object.entries({ pointerenter: true, pointerleave: false, focus: true, blur: false })) {
      this.swap.addEventListener(type, () => board.root.classList.toggle("pairing", on));
    }
  }

  /** @param {keyof typeof STROKES} name @param {string} done @param {(order: number[]) => number[]} next */
  tool(name, done, next) {
    const text = element("span", { className: "tool-name" }, name);
    const button = element(
      "button",
      { className: "tool", type: "button", name, tabIndex: -1 },
      icon(STROKES[name]),
      text,
    );
    button.onclick = () => button.ariaDisabled === "true" || this.board.reorder(next(this.board.order), done);
    return button;
  }

  /** The chips that Swap exchanges. */
  get pair() {
    const { recent, order } = this.board;
    return recent.length === 2 ? recent : order.slice(0, 2);
  }

  /** @param {number[]} order */
  swapped(order) {
    const [one, other] = this.pair;
    return order.map((index) => (index === one ? other : index === other ? one : index));
  }

  /** A button that does nothing keeps the focus it has: aria-disabled, not disabled. */
  refresh() {
    const { board } = this;
    const alone = board.order.length < 2;
    for (const button of this.all)
      button.ariaDisabled = String(alone || (button === this.restore && board.isInPlace));
    const pair = alone ? [] : this.pair;
    board.slots.forEach(({ item }, index) => item.classList.toggle("pair", pair.includes(index)));
    this.swap.title = alone ? "" : `Swap ${pair.map((index) => board.name(index)).join(" and ")}`;
    board.adding.ariaDisabled = String(board.tokens.length >= board.data.most.tokens);
    for (const { text } of board.slots)
      text.title = text.scrollWidth > text.clientWidth ? (text.textContent ?? "") : "";
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const from = this.all.findIndex((button) => button === event.target);
    if (!step || from < 0 || !plain(event)) return;
    keep(event);
    const next = this.all[(from + step + this.all.length) % this.all.length];
    for (const button of this.all) button.tabIndex = button === next ? 0 : -1;
    next.focus();
  }
}
