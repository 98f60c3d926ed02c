// The field in which a token is written, in place of its chip or after the last one.

import { clamp, element } from "../shared.js";

/** @import { Board } from "./board.js" */

/** @typedef {{ item: HTMLElement, index: number | null, input: HTMLInputElement, box: HTMLElement }} Open */

// The server refuses these too: controls, lone surrogates, line separators and overrides of the writing direction.
const CONTROLS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

/** @param {string[]} tokens */
const characters = (tokens) => tokens.reduce((sum, token) => sum + [...token].length, 0);

export class Editor {
  /** @type {Open | null} */
  open = null;

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
  }

  /** The place of a token that is being added. */
  get added() {
    return this.open?.index === null ? this.open.item : null;
  }

  /** @param {EventTarget | null} target */
  holds(target) {
    return target instanceof Node && Boolean(this.open?.box.contains(target));
  }

  /** @param {number | null} index */
  edit(index) {
    const { board } = this;
    if (index === null || !board.data.editable || this.open) return;
    const label = `Remove ${board.name(index)}`;
    const cross = element("button", { className: "remove", type: "button", "aria-label": label }, "×");
    // A blur would write the token and take the button away before its click arrives.
    cross.onpointerdown = (event) => event.preventDefault();
    cross.onclick = () => {
      this.close();
      board.remove(index);
    };
    this.begin(board.slots[index].item, index, board.tokens[index], `Token ${board.place(index)}`, cross);
  }

  add() {
    const { board } = this;
    if (this.open) return;
    const most = board.data.most.tokens;
    if (board.tokens.length >= most) return board.say(`${most} tokens at most`);
    const item = element("li", { className: "slot" });
    board.list.insertBefore(item, board.plus);
    this.begin(item, null, "", "New token");
  }

  /**
   * @param {HTMLElement} item
   * @param {number | null} index
   * @param {string} value
   * @param {string} label
   * @param {HTMLElement[]} more
   */
  begin(item, index, value, label, ...more) {
    const input = element("input", {
      value,
      dir: "auto",
      "aria-label": label,
      autocomplete: "off",
      spellcheck: false,
    });
    const box = element("span", { className: "editor" }, input, ...more);
    this.open = { item, index, input, box };
    item.classList.add("editing");
    item.append(box);
    input.oninput = () => (input.size = clamp(input.value.length + 1, 4, 24));
    input.dispatchEvent(new Event("input"));
    box.onkeydown = (event) => {
      event.stopPropagation();
      if (event.isComposing || event.target !== input) return;
      if (event.key === "Enter") this.write(true);
      else if (event.key === "Escape") this.close(true);
    };
    box.addEventListener("focusout", (event) => this.holds(event.relatedTarget) || this.write(false));
    input.focus();
    input.select();
  }

  /** Takes the editor away. @param {boolean} [refocus]  whether the chip gets the focus */
  close(refocus = false) {
    if (!this.open) return;
    const { item, index, box } = this.open;
    this.open = null;
    item.classList.remove("editing");
    box.remove();
    if (index === null) item.remove();
    if (refocus) (index === null ? this.board.adding : this.board.slots[index].chip).focus();
  }

  /** @param {boolean} byEnter */
  write(byEnter) {
    if (!this.open) return;
    const { board } = this;
    const { index, input } = this.open;
    const { most } = board.data;
    const token = input.value.replace(CONTROLS, "").trim();
    const at = index ?? board.tokens.length;
    const excess = characters(board.tokens.toSpliced(at, 1, token)) - most.characters;
    if (excess > 0) {
      board.say(`${most.characters} characters at most, together: ${excess} too many`);
      input.setAttribute("aria-invalid", "true");
      if (!byEnter) this.close();
      return;
    }
    this.close(byEnter);
    if (token === "" && index !== null) board.say(`a token needs at least one character: ${board.name(index)} stays`);
    if (token === "" || token === board.tokens[at]) return;
    board.take(at, token);
    if (byEnter) board.slots[at].chip.focus();
  }
}
