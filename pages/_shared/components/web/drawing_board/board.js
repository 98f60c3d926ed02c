// A board to draw a small picture on: by hand, by finger, or pixel by pixel with keys.

import { component } from "../base/component.js";
import { clamp, element, keep, plain } from "../base/dom.js";
import { _ } from "../base/language.js";
import { dress } from "../base/theme.js";
import { digitsOf, dotted, INK, SIZE, stroked } from "./drawing.js";

/** @import { Component, DrawingData } from "../base/types" */

const SIDE = 240; // pixels of the board on screen

/** @type {Record<string, [number, number]>} */
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

export class Board {
  greys = /** @type {number[]} */ (Array(SIZE ** 2).fill(0));
  erases = false;
  /** Row and column of the pixel that keys draw. */
  at = [SIZE / 2, SIZE / 2];
  keyed = false;
  /** Where the hand was last, while it draws. @type {[number, number] | null} */
  hand = null;
  theme = /** @type {ReturnType<typeof dress> | null} */ (null);
  gone = new AbortController();
  canvas = element("canvas", { width: SIDE, height: SIDE, tabIndex: 0, role: "application" });
  words = element("p", { className: "words", role: "status" });
  draws = element("button", { className: "tool", type: "button" }, _("Draw"));
  rubs = element("button", { className: "tool", type: "button" }, _("Erase"));
  clears = element("button", { className: "tool", type: "button" }, _("Clear"));

  /** @param {Component<DrawingData>} given */
  constructor({ data, parentElement, setStateValue }) {
    this.data = data;
    this.setStateValue = setStateValue;
    this.sent = this.answered = data.answered;
    const tools = element("div", { className: "tools" }, this.draws, this.rubs, this.clears);
    this.root = element("section", { className: "drawing", role: "group" }, this.canvas, tools, this.words);
    parentElement.append(this.root);
    this.canvas.setAttribute(
      "aria-description",
      _("The arrow keys go from pixel to pixel, Space draws, Delete erases. The hand draws as with a pen."),
    );
    this.listen();
  }

  destroy() {
    this.gone.abort();
    this.root.remove();
  }

  /** @param {Component<DrawingData>} given */
  update({ data, setStateValue }) {
    this.data = data;
    this.setStateValue = setStateValue;
    this.theme = dress(this.root, data.colours);
    this.root.setAttribute("aria-label", data.label);
    this.canvas.setAttribute("aria-label", data.label);
    this.root.classList.toggle("locked", data.locked);
    for (const tool of [this.draws, this.rubs, this.clears]) tool.disabled = data.locked;
    if (data.answered < this.answered) this.sent = data.answered;
    this.answered = data.answered;
    // An answer to an earlier stroke would take back what the hand has drawn since.
    if (data.answered >= this.sent && !this.hand) this.greys = data.greys;
    this.words.classList.toggle("refused", data.refused !== "");
    if (data.refused) this.words.textContent = data.refused;
    this.paint();
  }

  listen() {
    const { signal } = this.gone;
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => this.press(event), { signal });
    canvas.addEventListener("pointermove", (event) => this.move(event), { signal });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => this.lift(), { signal });
    canvas.addEventListener("keydown", (event) => this.key(event), { signal });
    canvas.addEventListener("blur", () => ((this.keyed = false), this.paint()), { signal });
    this.draws.addEventListener("click", () => this.take(false), { signal });
    this.rubs.addEventListener("click", () => this.take(true), { signal });
    this.clears.addEventListener(
      "click",
      () =>
        this.change(
          this.greys.map(() => 0),
          true,
        ),
      { signal },
    );
    this.take(false);
  }

  /** @param {boolean} erases */
  take(erases) {
    this.erases = erases;
    this.draws.setAttribute("aria-pressed", String(!erases));
    this.rubs.setAttribute("aria-pressed", String(erases));
  }

  // ---- the hand ----

  /** Where a hand is, in pixels of the picture. @param {PointerEvent} event @returns {[number, number]} */
  place({ clientX, clientY }) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    return [((clientX - left) / width) * SIZE, ((clientY - top) / height) * SIZE];
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (this.data.locked || event.button > 0) return;
    this.keyed = false;
    this.canvas.setPointerCapture(event.pointerId);
    this.hand = this.place(event);
    this.change(stroked(this.greys, this.hand, this.hand, this.erases), false);
  }

  /** @param {PointerEvent} event */
  move(event) {
    if (!this.hand) return;
    const now = this.place(event);
    this.change(stroked(this.greys, this.hand, now, this.erases), false);
    this.hand = now;
  }

  lift() {
    if (!this.hand) return;
    this.hand = null;
    this.send();
  }

  // ---- keys ----

  /** @param {KeyboardEvent} event */
  key(event) {
    const step = STEPS[event.key];
    if (!plain(event) || this.data.locked) return;
    if (step) this.at = this.at.map((place, side) => clamp(place + step[side], 0, SIZE - 1));
    else if (event.key !== " " && event.key !== "Delete" && event.key !== "Backspace") return;
    keep(event);
    this.keyed = true;
    const [row, column] = this.at;
    const pixel = row * SIZE + column;
    if (!step) this.change(dotted(this.greys, pixel, event.key !== " " || this.erases), true);
    const values = { row: row + 1, column: column + 1, grey: this.greys[pixel], ink: INK };
    this.words.textContent = _("row {row}, column {column}: grey {grey} of {ink}", values);
    this.paint();
  }

  // ---- what is drawn ----

  /** @param {number[]} greys @param {boolean} done  whether the server is told */
  change(greys, done) {
    this.greys = greys;
    this.paint();
    if (done) this.send();
  }

  send() {
    this.sent += 1;
    this.setStateValue("sent", { serial: this.sent, pixels: digitsOf(this.greys) });
  }

  paint() {
    const ctx = this.canvas.getContext("2d");
    if (!ctx || !this.theme) return;
    const each = SIDE / SIZE;
    ctx.globalAlpha = 1;
    ctx.fillStyle = this.theme.paper;
    ctx.fillRect(0, 0, SIDE, SIDE);
    ctx.fillStyle = this.theme.ink;
    this.greys.forEach((grey, i) => {
      ctx.globalAlpha = grey / INK;
      if (grey) ctx.fillRect((i % SIZE) * each, Math.floor(i / SIZE) * each, each, each);
    });
    ctx.globalAlpha = 1;
    ctx.lineWidth = 1;
    ctx.strokeStyle = this.theme.grid;
    for (let i = 4; i < SIZE; i += 4) {
      ctx.strokeRect(i * each, -1, 0.01, SIDE + 2);
      ctx.strokeRect(-1, i * each, SIDE + 2, 0.01);
    }
    if (!this.keyed) return;
    const [row, column] = this.at;
    ctx.lineWidth = 2;
    ctx.strokeStyle = this.theme.primary;
    ctx.strokeRect(column * each, row * each, each, each);
  }
}

export default await component(Board, import.meta.url);
