// The board: tokens in an order, the messages about it, the chips, and what keys do to them.

import { component } from "../base/component.js";
import { clamp, element, FOLLOW_MS, MOVE_MS, same, still } from "../base/dom.js";
import { listen, tell, tellHeld } from "../base/hover.js";
import { _ } from "../base/language.js";
import { dress } from "../base/theme.js";
import { Drag } from "./drag.js";
import { Keys } from "./keys.js";
import { identity } from "./order.js";
import { Tools } from "./tools.js";
import { invite } from "./invite.js";

/** @import { BoardData, Component, Role } from "../base/types" */

/** @typedef {{ item: HTMLLIElement, chip: HTMLElement, text: HTMLElement, number: HTMLElement }} Slot */

const FINGER = matchMedia("(pointer: coarse)").matches;
const MANY = 12; // tokens; more than that may have to scroll
const AROUND = 6; // pixels of what is drawn around a chip

export class Board {
  tokens = /** @type {string[]} */ ([]);
  order = /** @type {number[]} */ ([]);
  /** By original index, as tokens are. @type {Slot[]} */
  slots = [];
  /** The chip that last had the focus. @type {number | null} */
  last = null;
  lit = /** @type {Record<Role, number | null>} */ ({ query: null, key: null, value: null, output: null });
  pointed = /** @type {number | null} */ (null);
  /** As the chips are drawn. @type {boolean | null} */
  locked = null;
  gone = new AbortController();
  title = element("span", { className: "title" });
  list = element("ul", { className: "chips", role: "list" });
  words = element("p", { className: "words", role: "status" });
  help = element(
    "p",
    { className: "help", id: "help" },
    _(
      "Space grabs a chip, the arrow keys move it, Space or Enter drops it, Escape puts it back. " +
        "Alt with an arrow key moves it at once.",
    ),
  );

  /** @param {Component<BoardData>} given */
  constructor({ data, parentElement, setStateValue }) {
    this.data = data;
    this.setStateValue = setStateValue;
    this.sent = this.answered = data.answered;
    this.drag = new Drag(this);
    this.keys = new Keys(this);
    this.tools = new Tools(this);
    const head = element("div", { className: "head" }, this.title, this.tools.bar);
    this.root = element("section", { className: "board", role: "group" }, head, this.list, this.words, this.help);
    parentElement.append(this.root);
    this.listen();
    if (data.invites.length) invite(this, data.invites);
  }

  destroy() {
    this.point(null);
    this.gone.abort();
    this.root.remove();
  }

  // ---- what the server says ----

  /** @param {Component<BoardData>} given */
  update({ data, setStateValue }) {
    this.data = data;
    this.setStateValue = setStateValue;
    this.dress();
    if (data.answered < this.answered) this.sent = data.answered;
    this.answered = data.answered;
    // An answer to an earlier move than the last one would put the chips back under the hand that moved them.
    if (data.answered >= this.sent) this.show(data);
  }

  /** @param {BoardData} data */
  show({ tokens, order, locked, refused }) {
    const redress = this.locked !== locked;
    const known = same(this.tokens, tokens);
    if (redress || !known || !same(this.order, order)) {
      this.drag.drop(false);
      this.keys.release(false);
      if (redress) for (const { item } of this.slots.splice(0)) item.remove();
      if (!known) this.last = null;
      this.locked = locked;
      this.tokens = tokens.slice();
      this.order = order.slice();
      this.render({ moving: !redress });
      this.say(FINGER ? _("Drag to reorder.") : _("Drag, or Space and the arrow keys."));
      this.words.classList.add("hint");
    }
    if (refused) {
      this.lead(false);
      this.say(refused);
    }
    this.words.classList.toggle("refused", refused !== "");
  }

  dress() {
    const { role, label, locked, colours } = this.data;
    this.root.dataset.role = role;
    this.root.classList.toggle("locked", locked);
    this.root.setAttribute("aria-label", label);
    this.title.textContent = label;
    this.tools.bar.setAttribute("aria-label", _("Reorder: {label}", { label }));
    this.tools.bar.hidden = locked;
    dress(this.root, colours);
  }

  // ---- what the server hears: once for each completed move ----

  /** @param {string} words */
  send(words) {
    this.say(words);
    this.sent += 1;
    this.setStateValue("sent", { serial: this.sent, order: this.order.slice() });
  }

  /** @param {string} words */
  say(words) {
    this.words.classList.remove("refused", "hint");
    this.words.textContent = words;
  }

  // Isolated, for a word written from right to left would pull the numbers after it to its other side.
  /** @param {number} index */
  name(index) {
    const token = this.tokens[index];
    const letters = [...token];
    return `‘\u2068${letters.length > 24 ? `${letters.slice(0, 23).join("")}…` : token}\u2069’`;
  }

  /** @param {number} index */
  position(index) {
    return this.order.indexOf(index) + 1;
  }

  /** Sends a move of one chip. @param {number} index @param {number[]} home */
  sendMove(index, home) {
    const [from, to] = [home.indexOf(index) + 1, this.position(index)];
    this.send(
      _("moved {name} from {from} to {to} of {count}", { name: this.name(index), from, to, count: home.length }),
    );
  }

  // ---- drawing ----

  /** @param {{ moving?: boolean, held?: Slot | null }} [how]  whether chips slide; one that stays where it is */
  render({ moving = true, held = null } = {}) {
    const focused = this.focusedItem();
    const before =
      moving && !still() ? new Map(this.slots.map((slot) => [slot, slot.item.getBoundingClientRect()])) : null;
    while (this.slots.length > this.tokens.length) this.slots.pop()?.item.remove();
    while (this.slots.length < this.tokens.length) this.slots.push(this.buildSlot());
    this.tokens.forEach((_, index) => this.fill(index));
    this.list.classList.toggle("many", this.tokens.length > MANY);
    this.arrange(held?.item ?? focused);
    if (focused && !focused.isConnected) this.slots[this.order[0]].chip.focus({ preventScroll: true });
    this.rove();
    this.paint();
    this.tools.refresh();
    if (focused && !held) this.reveal(focused);
    if (before) this.flow(before, held);
    this.aim();
  }

  /** Scrolls the board, and not the page, so far that a chip is in sight. @param {HTMLElement} item */
  reveal({ offsetTop, offsetHeight }) {
    const { list } = this;
    list.scrollTop = clamp(list.scrollTop, offsetTop + offsetHeight + AROUND - list.clientHeight, offsetTop - AROUND);
  }

  /** @returns {Slot} */
  buildSlot() {
    const text = element("span", { className: "text", dir: "auto" });
    const number = element("span", { className: "number", "aria-hidden": "true" });
    const grip = element("span", { className: "grip", "aria-hidden": "true" });
    const chip = this.data.locked
      ? element("span", { className: "chip" }, text, number)
      : element(
          "button",
          { className: "chip", type: "button", tabIndex: -1, "aria-describedby": "help" },
          grip,
          text,
          number,
        );
    return { item: element("li", { className: "slot" }, chip), chip, text, number };
  }

  /** @param {number} index */
  fill(index) {
    const { item, chip, text, number } = this.slots[index];
    const [token, position, last] = [this.tokens[index], this.position(index), this.order.length];
    if (text.textContent !== token) text.textContent = token;
    number.textContent = String(index + 1);
    item.classList.toggle("displaced", position !== index + 1);
    if (this.data.locked) return;
    const original = index + 1;
    const label =
      position === original
        ? _("{token}, {position} of {last}", { token, position, last })
        : _("{token}, {position} of {last}, originally {original}", { token, position, last, original });
    chip.setAttribute("aria-label", label);
  }

  // Everything moves around the chip that is held or focused: taking it out of the document would end the drag and
  // lose the focus.
  /** @param {HTMLElement | null} fixed */
  arrange(fixed) {
    const wanted = /** @type {HTMLElement[]} */ (this.order.map((index) => this.slots[index].item));
    if (same(wanted, [...this.list.children])) return;
    const pivot = wanted.findIndex((item) => item === fixed);
    wanted.forEach((item, at) => {
      if (at < pivot) this.list.insertBefore(item, fixed);
      else if (at > pivot) this.list.append(item);
    });
  }

  /** @param {Map<Slot, DOMRect>} before @param {Slot | null} held */
  flow(before, held) {
    for (const slot of this.slots) {
      if (slot === held) continue;
      const from = before.get(slot);
      for (const running of slot.item.getAnimations()) running.cancel();
      if (!from) {
        slot.item.animate({ scale: [0.6, 1], opacity: [0, 1] }, { duration: 180, easing: "ease-out" });
        continue;
      }
      const to = slot.item.getBoundingClientRect();
      const far = Math.hypot(from.left - to.left, from.top - to.top);
      if (far >= 1) this.slide(slot.item, from, to, held || this.keys.grab ? FOLLOW_MS : MOVE_MS);
    }
  }

  /** @param {HTMLElement} one @param {DOMRect} from @param {DOMRect} to @param {number} duration */
  slide(one, from, to, duration) {
    const away = `translate(${from.left - to.left}px, ${from.top - to.top}px)`;
    one.animate(
      { transform: [away, "none"] },
      { duration, easing: duration === MOVE_MS ? "ease-in-out" : "ease-out" },
    );
  }

  // ---- chips: which one has the focus, which ones are lit ----

  /** @returns {HTMLElement | null} */
  focusedItem() {
    const root = /** @type {ShadowRoot} */ (this.root.getRootNode());
    return root.activeElement?.closest(".slot") ?? null;
  }

  // The original index of the chip that holds an element; null outside the chips.
  /** @param {EventTarget | Element | null} inside */
  indexOf(inside) {
    const item = inside instanceof Element ? inside.closest(".slot") : null;
    const index = this.slots.findIndex((slot) => slot.item === item);
    return index < 0 ? null : index;
  }

  /** One stop for the Tab key: the chip that last had the focus, else the first. */
  rove() {
    if (this.data.locked) return;
    const focused = this.focusedItem();
    const chips = this.order.map((index) => this.slots[index].chip);
    const stop =
      chips.find((chip) => chip.parentElement === focused) ?? this.slots[this.last ?? -1]?.chip ?? chips[0];
    for (const chip of chips) chip.tabIndex = chip === stop ? 0 : -1;
  }

  // Tells the pictures which row or column to light; the board hears its own event and lights its chip.
  /** @param {number | null} position */
  point(position) {
    if (position === this.pointed) return;
    this.pointed = position;
    for (const role of this.roles) tell({ group: this.data.group, role, index: position });
  }

  /** @returns {("query" | "key")[]} */
  get roles() {
    return this.data.role === "both" ? ["query", "key"] : [this.data.role];
  }

  /** Has the picture follow the chips; it shows them in the order that the server has last sent. @param {boolean} held */
  lead(held) {
    const { group, order } = this.data;
    tellHeld({ group, roles: this.roles, order: this.order.map((index) => order.indexOf(index)), held });
  }

  aim() {
    if (this.drag.held || this.keys.grab) return this.point(null);
    const index = this.indexOf(this.list.querySelector(".slot:hover")) ?? this.indexOf(this.focusedItem());
    return this.point(index === null ? null : this.order.indexOf(index));
  }

  paint() {
    this.slots.forEach(({ item }, index) => {
      for (const role of this.roles)
        item.classList.toggle(`lit-${role}`, this.lit[role] === this.order.indexOf(index));
    });
  }

  listen() {
    const { signal } = this.gone;
    /** @type {<Type extends keyof HTMLElementEventMap>(type: Type, handler: (event: HTMLElementEventMap[Type]) => void) => void} */
    const on = (type, handler) => this.list.addEventListener(type, handler, { signal });
    on("pointerdown", (event) => this.drag.press(event));
    this.list.addEventListener("touchmove", (event) => this.drag.touch(event), { signal, passive: false });
    on("pointerover", () => this.aim());
    on("pointerleave", () => this.aim());
    on("focusin", (event) => this.focused(event));
    on("focusout", () => (this.aim(), this.keys.release(false)));
    on("keydown", (event) => this.keys.press(event));
    listen(({ group, role, index }) => {
      if (group !== this.data.group || !role) return;
      this.lit[role] = index ?? null;
      this.paint();
    }, signal);
  }

  /** @param {FocusEvent} event */
  focused(event) {
    const index = this.indexOf(event.target);
    this.last = index ?? this.last;
    this.rove();
    this.aim();
  }

  /** @param {number[]} next @param {(words: string) => string} done  says so of the tokens in their order */
  reorder(next, done) {
    if (same(next, this.order)) return;
    this.keys.release(false);
    this.order = next;
    this.render();
    const names = () => next.map((index) => this.name(index)).join(" ");
    this.send(done(next.length <= 12 ? names() : _("{count} tokens", { count: next.length })));
  }

  get isInPlace() {
    return same(this.order, identity(this.order.length));
  }
}

export default await component(Board, import.meta.url);
