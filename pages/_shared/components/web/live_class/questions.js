// What a teacher can ask next: what the lesson or the course has prepared, the page's own question, and what is written
// here, which this tab keeps.

import { element } from "../base/dom.js";
import { _ } from "../base/language.js";
import { keep, kept } from "../base/tab.js";

/** @import { ClassData, Written } from "../base/types" */
/** @typedef {Written & { page: string, at?: number }} Choice */

/** Milliseconds after the last key, and for the server to read what is written; how often it is asked to. */
const STILL = 300;
const PATIENCE = 3000;
const TRIES = 3;

export class Questions {
  later = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  /** Text of the question that the teacher has chosen out of turn, or is writing. */
  picked = "";
  /** Whether the teacher has written since something was asked, or chosen. */
  isWriting = false;
  /** What waits until the server has read what is written. */
  heard = () => {};
  list = element("div", { className: "choices", role: "radiogroup", "aria-label": _("Next question") });
  wrong = element("p", { className: "wrong", role: "status" });
  area = element("textarea", {
    rows: 6,
    maxLength: 18_000, // as many as are read
    placeholder: _(
      `What does a head look at, if all keys are equal?
The first key
* All keys alike
Nothing

An empty line begins the next question.
True
False`,
    ),
    "aria-label": _("Your own questions"),
  });

  /**
   * @param {string} key
   * @param {ClassData} data
   * @param {() => void} onChange
   * @param {(message: object) => void} say
   */
  constructor(key, data, onChange, say) {
    this.key = key;
    this.data = data;
    this.onChange = onChange;
    this.say = say;
    /** @type {string[]} */
    this.asked = JSON.parse(kept(`room_asked/${key}`) ?? "[]");
    this.area.value = kept(`room_notes/${key}`) ?? "";
    this.area.oninput = () => this.write();
    const hint = _(
      "A question, then an answer a line, a * before each right one. Or one line below it: “= 64 ± 5” asks for a number, " +
        "“...” for a few words. An empty line begins the next question.",
    );
    const own = element("details", {}, element("summary", {}, _("Write your own questions")));
    own.append(element("p", { className: "note" }, hint), this.area, this.wrong);
    this.root = element("div", { className: "questions" }, this.list, own);
    this.update(data);
  }

  /** What the teacher has written, as the server has read it. @returns {Choice[]} */
  get notes() {
    return this.data.written?.questions.map((one) => ({ ...one, page: "" })) ?? [];
  }

  /** Whether the server has read what is written here. */
  get isRead() {
    return !this.area.value || this.data.written?.lines === this.area.value;
  }

  /** Whether what the teacher is writing cannot be asked: nothing else is asked in its place. */
  get isWrong() {
    return this.isWriting && !this.picked && Boolean(this.data.written?.wrong);
  }

  /** Have the server read what is written here; whether it has. */
  async read() {
    for (let tries = 0; tries < TRIES && !this.isRead; tries++) {
      clearTimeout(this.later);
      this.tell();
      await new Promise((resolve) => {
        this.heard = () => resolve(null);
        setTimeout(resolve, PATIENCE);
      });
    }
    return this.isRead;
  }

  /** All that can be asked here, nothing twice. @returns {Choice[]} */
  get choices() {
    const { prepared, question, page } = this.data;
    const own = question ? [{ ...question, right: null, page }] : [];
    const all = [...prepared, ...own, ...this.notes];
    return all.filter(({ text }, at) => all.findIndex((other) => other.text === text) === at);
  }

  /** What comes by itself, in this order: what is prepared from this step on, else the page's own question. */
  get line() {
    const { prepared, at } = this.data;
    return prepared.length ? [...prepared.filter((one) => one.at >= at), ...this.notes] : this.choices;
  }

  /** What is asked next. */
  get chosen() {
    const { choices, picked, asked } = this;
    const named = (/** @type {string | undefined} */ name) => choices.find(({ text }) => text === name);
    return named(picked) ?? this.line.find((one) => this.isFresh(one)) ?? named(asked.at(-1)) ?? choices[0] ?? null;
  }

  /** Whether it is the turn of what is chosen, and not of the course's next step. */
  get isDue() {
    const { chosen, picked, data } = this;
    if (!chosen) return false;
    return chosen.text === picked || (this.isFresh(chosen) && (chosen.at ?? data.at) <= data.at + 1);
  }

  /** @param {{ text: string }} one */
  isFresh({ text }) {
    return !this.asked.includes(text);
  }

  /** @param {ClassData} data */
  update(data) {
    const before = this.notes;
    this.data = data;
    // What this tab keeps, a session that is new does not know.
    if (data.teaches && !data.written && this.area.value) this.tell();
    const isOld = (/** @type {Choice} */ one) => before.some((old) => JSON.stringify(old) === JSON.stringify(one));
    const isKnown = this.picked && this.choices.some(({ text }) => text === this.picked);
    if (this.isWriting) this.picked = this.notes.find((one) => !isOld(one))?.text ?? (isKnown ? this.picked : "");
    this.heard();
    this.wrong.textContent = data.written?.wrong ?? "";
    this.draw();
  }

  write() {
    this.isWriting = this.area.value.trim() !== "";
    keep(`room_notes/${this.key}`, this.area.value);
    clearTimeout(this.later);
    this.later = setTimeout(() => this.tell(), STILL);
  }

  tell() {
    this.say({ do: "write", lines: this.area.value });
  }

  /** What the class is at was asked, be it here or in another of the teacher's tabs. @param {string} text */
  hear(text) {
    if (this.asked.at(-1) === text) return;
    this.asked = [...this.asked.filter((one) => one !== text), text];
    keep(`room_asked/${this.key}`, JSON.stringify(this.asked));
    if (this.picked === text) this.picked = "";
    this.isWriting = false;
    this.draw();
  }

  /** What the class was asked before this tab came: its answer is out. @param {string[]} texts */
  know(texts) {
    this.asked = [...new Set([...texts, ...this.asked])];
    keep(`room_asked/${this.key}`, JSON.stringify(this.asked));
    this.onChange();
  }

  /** Place of the right answer of a question of the teacher's own. @param {{ text: string } | null | undefined} asked */
  rightOf(asked) {
    return this.choices.find(({ text }) => text === asked?.text)?.right ?? null;
  }

  draw() {
    const { choices, chosen } = this;
    const rows = /** @type {HTMLElement[]} */ (choices.map((one) => this.row(one, one.text === chosen?.text)));
    if (!rows.length)
      rows.push(
        element("p", { className: "note" }, _("This page asks nothing: open one that does, or write your own.")),
      );
    this.list.replaceChildren(...rows);
    const row = this.list.querySelector("label:has(:checked)");
    if (row instanceof HTMLElement) this.list.scrollTop = row.offsetTop - this.list.offsetTop;
  }

  /** @param {Choice} one @param {boolean} checked */
  row(one, checked) {
    const { text, page, at } = one;
    const { data } = this;
    const radio = element("input", { type: "radio", name: "next", checked });
    radio.onchange = () => {
      this.picked = text;
      this.isWriting = false;
      this.onChange();
    };
    const label = element("label", {}, radio, element("span", {}, text));
    if (at !== undefined)
      label.append(element("em", {}, data.steps ? _("step {number}", { number: at + 1 }) : _("lesson")));
    else if (page) label.append(element("em", {}, _("this page")));
    if (!this.isFresh(one)) label.append(element("em", {}, _("asked")));
    return label;
  }
}
