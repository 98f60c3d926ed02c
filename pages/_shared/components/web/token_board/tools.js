// The buttons that reorder all chips at once.

import { element, svg } from "../base/dom.js";
import { _ } from "../base/language.js";
import { identity, shuffled } from "./order.js";

/** @import { Board } from "./board.js" */

const STROKES = {
  Shuffle: "M2 4h2.6l6 8H14M2 12h2.6l1.6-2.2M9 6.1 10.6 4H14M12 2l2 2-2 2M12 10l2 2-2 2",
  Reverse: "M2 5h11M10.5 2.5 13 5l-2.5 2.5M14 11H3M5.5 8.5 3 11l2.5 2.5",
  Restore: "M3 8a5 5 0 1 0 1.6-3.7L2.5 6.2M2.5 2.8v3.4h3.4",
};

export class Tools {
  bar = element("div", { className: "tools", role: "group" });

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    this.shuffle = this.tool("Shuffle", _("Shuffle"), (words) => _("shuffled: {words}", { words }), shuffled);
    this.reverse = this.tool(
      "Reverse",
      _("Reverse"),
      (words) => _("reversed: {words}", { words }),
      (order) => order.toReversed(),
    );
    this.restore = this.tool(
      "Restore",
      _("Restore"),
      (words) => _("restored: {words}", { words }),
      (order) => identity(order.length),
    );
    this.all = [this.shuffle, this.reverse, this.restore];
    this.bar.append(...this.all);
  }

  /** @type {(name: keyof typeof STROKES, label: string, done: (words: string) => string, next: (order: number[]) => number[]) => HTMLButtonElement} */
  tool(name, label, done, next) {
    const text = element("span", { className: "tool-name" }, label);
    const icon = svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: STROKES[name] }));
    const button = element("button", { className: "tool", type: "button", name }, icon, text);
    button.onclick = () => button.ariaDisabled === "true" || this.board.reorder(next(this.board.order), done);
    return button;
  }

  /** A button that does nothing keeps the focus it has: aria-disabled, not disabled. */
  refresh() {
    const { board } = this;
    const alone = board.order.length < 2;
    for (const button of this.all)
      button.ariaDisabled = String(alone || (button === this.restore && board.isInPlace));
    for (const { text } of board.slots)
      text.title = text.scrollWidth > text.clientWidth ? (text.textContent ?? "") : "";
  }
}
