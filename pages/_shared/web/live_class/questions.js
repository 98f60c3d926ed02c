// What a teacher can ask next: the page's own question, and those written in advance, which this tab keeps.

import { element } from "../shared.js";
import { keep, kept } from "../room.js";
import { EXAMPLE, read } from "./notes.js";

/** @import { ClassData } from "../types" */
/** @import { Note } from "./notes.js" */
/** @typedef {{ text: string, answers: string[], page: string }} Choice */

export class Questions {
  /** @type {Choice | null} */
  page = null;
  /** @type {Note[]} */
  notes = [];
  /** Text of the chosen question. */
  picked = "";
  list = element("div", { className: "choices", role: "radiogroup", "aria-label": "Next question" });
  wrong = element("p", { className: "wrong", role: "status" });
  area = element("textarea", { rows: 6, placeholder: EXAMPLE, "aria-label": "Your own questions" });

  /** @param {string} key @param {() => void} onChange */
  constructor(key, onChange) {
    this.key = key;
    this.onChange = onChange;
    /** @type {string[]} */
    this.asked = JSON.parse(kept(`room_asked/${key}`) ?? "[]");
    this.area.value = kept(`room_notes/${key}`) ?? "";
    this.area.oninput = () => this.write();
    const hint = "A question, then an answer a line; an empty line begins the next. A * marks the right answer.";
    const own = element("details", {}, element("summary", {}, "Write your own questions"));
    own.append(element("p", { className: "note" }, hint), this.area, this.wrong);
    this.root = element("div", { className: "questions" }, this.list, own);
    this.write();
  }

  /** All that can be asked here. @returns {Choice[]} */
  get choices() {
    const own = this.notes.map(({ text, answers }) => ({ text, answers, page: "" }));
    return this.page ? [this.page, ...own] : own;
  }

  /** What is asked next. */
  get chosen() {
    return this.choices.find(({ text }) => text === this.picked) ?? null;
  }

  /** @param {ClassData} data */
  update({ page, question }) {
    const before = this.page?.text;
    this.page = question && { ...question, page };
    if (question && question.text !== before && !this.asked.includes(question.text)) this.picked = question.text;
    this.draw();
  }

  write() {
    keep(`room_notes/${this.key}`, this.area.value);
    const { notes, wrong } = read(this.area.value);
    this.notes = notes;
    this.wrong.textContent = wrong;
    this.draw();
    this.onChange();
  }

  /** The next one is chosen by itself. @param {string} text */
  wasAsked(text) {
    this.asked.push(text);
    keep(`room_asked/${this.key}`, JSON.stringify(this.asked));
    const next = this.choices.find((one) => !this.asked.includes(one.text));
    if (next) this.picked = next.text;
    this.draw();
    this.onChange();
  }

  /** Place of the right answer of a question of the teacher's own. @param {{ text: string } | null | undefined} asked */
  rightOf(asked) {
    return this.notes.find(({ text }) => text === asked?.text)?.right ?? null;
  }

  draw() {
    const { choices } = this;
    if (!this.chosen)
      this.picked = (choices.find(({ text }) => !this.asked.includes(text)) ?? choices[0])?.text ?? "";
    /** @type {HTMLElement[]} */
    const rows = choices.map((one) => this.row(one));
    if (!rows.length)
      rows.push(
        element("p", { className: "note" }, "This page asks nothing: open one that does, or write your own."),
      );
    this.list.replaceChildren(...rows);
  }

  /** @param {Choice} one */
  row({ text, page }) {
    const radio = element("input", { type: "radio", name: "next", checked: text === this.picked });
    radio.onchange = () => {
      this.picked = text;
      this.onChange();
    };
    const label = element("label", {}, radio, element("span", {}, text));
    if (page) label.append(element("em", {}, "this page"));
    if (this.asked.includes(text)) label.append(element("em", {}, "asked"));
    return label;
  }
}
