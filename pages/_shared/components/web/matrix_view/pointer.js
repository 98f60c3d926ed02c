// What a hand or a key does to a view: pointing, choosing, and the number that is pointed at.

import { clamp, element, keep, plain } from "../base/dom.js";
import { mathNodes } from "../base/mathematics.js";

/** @import { Cell, Pointed } from "../base/types" */
/** @import { View } from "./view.js" */

export class Pointer {
  pointed = /** @type {Pointed | null} */ (null);
  keyed = false; // whether keys point

  /** @param {View} view */
  constructor(view) {
    this.view = view;
  }

  /** Has a panel's plot hear the hand. @param {HTMLElement} plot @param {number} index */
  hear(plot, index) {
    plot.onpointermove = (event) => event.pointerType !== "touch" && this.point(this.hit(index, event));
    plot.onpointerleave = (event) => event.pointerType !== "touch" && this.leave();
    plot.onclick = (event) => this.tap(this.hit(index, event));
    plot.onkeydown = (event) => this.key(index, event);
    plot.onfocus = () => plot.matches(":focus-visible") && this.point(this.home(index), true);
    plot.onblur = () => this.keyed && this.leave();
  }

  /** Stays where it is on the view's new numbers, if they have such a cell. */
  again() {
    const [panel, row, column] = this.pointed ?? [-1, 0, 0];
    const drawn = this.view.panels[panel]?.drawn;
    const isThere = drawn && (row ?? 0) < drawn.size[0] && (column ?? 0) <= drawn.span[1];
    if (this.pointed && isThere) this.point(this.pointed, this.keyed, true);
    else this.leave();
  }

  /** @param {number} index @param {MouseEvent} event @returns {Pointed | null} */
  hit(index, event) {
    const { drawn, parts } = this.view.panels[index];
    const box = parts.ctx.canvas.getBoundingClientRect();
    const found = drawn.hit((event.clientX - box.left) / this.view.zoom, (event.clientY - box.top) / this.view.zoom);
    return found && [index, ...found];
  }

  // Where keys stand: what they point at, else the chosen cell, else what a pointer points at.
  /** @param {number} index @returns {Cell} */
  home(index) {
    const [panel, row, column] = this.pointed ?? [-1, null, null];
    const pointed = /** @type {Cell | null} */ (
      panel === index && row !== null && column !== null ? this.pointed : null
    );
    const chosen = this.view.cell?.[0] === index ? this.view.cell : null;
    return (this.keyed ? pointed : null) ?? chosen ?? pointed ?? [index, ...this.view.panels[index].drawn.home];
  }

  /**
   * @param {Pointed | null} cell
   * @param {boolean} [byKey]
   * @param {boolean} [again]  whether the numbers below are new
   */
  point(cell, byKey = false, again = false) {
    if (!cell) return this.leave();
    this.keyed = byKey;
    if (!byKey && !again && String(this.pointed) === String(cell)) return;
    this.pointed = cell;
    this.view.highlight.on(cell);
    this.readOut(cell);
    if (byKey && !again)
      this.view.spoken.textContent = this.view.panels[cell[0]].drawn
        .words(cell[1], cell[2])
        .map(({ text }) => text)
        .join(" ");
  }

  leave() {
    if (!this.pointed && !this.view.highlight.now) return;
    this.pointed = null;
    this.keyed = false;
    this.view.tip.classList.remove("shown");
    for (const { drawn } of this.view.panels) drawn.mark(null);
    this.view.highlight.on(null);
  }

  /** @param {Pointed | null} at */
  tap(at) {
    this.point(at);
    if (!at || !this.view.panels[at[0]].drawn.choosable) return;
    const [panel, row, column] = at;
    if (row !== null && column !== null) this.choose([panel, row, column]);
  }

  /** @param {Cell} cell */
  choose(cell) {
    this.view.position.cell = String(this.view.cell) === String(cell) ? null : cell;
    this.view.paint();
    this.view.setStateValue("cell", [this.view.position.order, ...(this.view.position.cell ?? [])]);
  }

  /** @param {number} index @param {KeyboardEvent} event */
  key(index, event) {
    const { drawn } = this.view.panels[index];
    const [, row, column] = this.home(index);
    const [first, last] = drawn.span;
    const up = drawn.upwards ? 1 : -1;
    const moved = {
      ArrowLeft: [row, drawn.beside(column, -1)],
      ArrowRight: [row, drawn.beside(column, 1)],
      ArrowUp: [row + up, column],
      ArrowDown: [row - up, column],
      Home: [row, first],
      End: [row, last],
    }[event.key];
    if (!plain(event)) return;
    if (moved) this.point([index, clamp(moved[0], 0, drawn.size[0] - 1), clamp(moved[1], first, last)], true);
    else if ((event.key === "Enter" || event.key === " ") && drawn.choosable) this.choose([index, row, column]);
    else if (event.key === "Escape" && (this.view.cell || this.pointed)) {
      if (this.view.cell) this.choose(this.view.cell);
      this.leave();
    } else return;
    keep(event);
  }

  // ---- the number under the pointer ----

  /** @param {Pointed} at */
  readOut([index, row, column]) {
    const { drawn, parts } = this.view.panels[index];
    let words = element("div");
    this.view.tip.replaceChildren(words);
    for (const { text, as, role, line, formula } of drawn.words(row, column)) {
      if (line) this.view.tip.append((words = element("div")));
      const said = element("span", { className: as ?? "token" });
      said.append(...(as === "quiet" || formula ? mathNodes(text) : [text]));
      if (role) said.style.color = this.view.theme.roles[role];
      words.append(said);
    }
    const [canvas, box] = [parts.ctx.canvas, this.view.box].map((one) => one.getBoundingClientRect());
    const { x, y, below, free } = drawn.anchor(row, column);
    const { offsetWidth: wide, offsetHeight: tall } = this.view.tip;
    const above = free || y - tall - 9 > drawn.geo.top - 8;
    this.view.tip.style.left = `${clamp((canvas.left - box.left) / this.view.zoom + x - wide / 2, 0, Math.max(0, this.view.fit.width - wide))}px`;
    this.view.tip.style.top = `${(canvas.top - box.top) / this.view.zoom + (above ? y - tall - 9 : below + 9)}px`;
    this.view.tip.classList.add("shown");
    this.view.panels.forEach((panel, i) =>
      panel.drawn.mark(i === index && row !== null && column !== null ? [row, column] : null),
    );
  }
}
