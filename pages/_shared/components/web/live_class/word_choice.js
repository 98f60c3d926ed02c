// The words that answered a question, for the teacher to choose what everybody sees of them: none by themselves.

import { element } from "../base/dom.js";
import { _ } from "../base/language.js";

/** @import { RoomState } from "./room.js" */
/** @import { Teacher } from "./teacher.js" */

/** Different words that are shown at once. */
const MOST = 30;

export class WordChoice {
  summary = element("summary");
  list = element("div", { className: "words", role: "group", "aria-label": _("Words to show") });
  root = element("details", { className: "word-choice", hidden: true }, this.summary, this.list);
  words = /** @type {[string, number][]} */ ([]);
  /** Of which vote they are. */
  vote = "";

  /** @param {Teacher} teacher */
  constructor(teacher) {
    this.teacher = teacher;
    this.root.ontoggle = () => this.draw();
  }

  /** @param {RoomState} state */
  update({ question, round, phase, voted }) {
    const isClosed = question?.kind === "words" && ["closed", "shown", "revealed"].includes(phase);
    this.root.hidden = !isClosed;
    const vote = isClosed ? `${question.name}/${round}` : "";
    if (vote !== this.vote) {
      [this.vote, this.words, this.root.open] = [vote, [], false];
      if (vote) this.read();
    }
    this.summary.textContent = _("Choose which of {voted} answers everybody sees", { voted });
    this.draw();
  }

  async read() {
    const { vote } = this;
    const { words, error } = await this.teacher.client.words();
    if (vote !== this.vote) return;
    if (error) return this.teacher.say(error);
    this.words = words;
    this.draw();
  }

  /** Places of what is shown. */
  get shown() {
    const tallies = this.teacher.state?.tallies.flat() ?? [];
    const names = new Set(tallies.map((pair) => (Array.isArray(pair) ? pair[0] : pair)));
    return [...this.words.keys()].filter((at) => names.has(this.words[at][0]));
  }

  draw() {
    if (!this.root.open) return this.list.replaceChildren();
    const { shown } = this;
    const buttons = this.words.map(([word, count], at) => {
      const isShown = shown.includes(at);
      const next = isShown ? shown.filter((one) => one !== at) : [...shown, at];
      const button = element("button", { type: "button" }, word, " ", element("em", {}, String(count)));
      button.ariaPressed = String(isShown);
      button.disabled = next.length > MOST;
      button.onclick = () => this.teacher.teach({ do: "show", words: next });
      return button;
    });
    this.list.replaceChildren(...buttons);
  }
}
