// At the end of a course: what the class voted, beside what was measured, with the answers of who looks.

import { component } from "../base/component.js";
import { element } from "../base/dom.js";
import { _ } from "../base/language.js";
import { MODULE, histogram } from "./histogram.js";
import { RoomClient, answers } from "./room.js";

/** @import { Component, VotesData } from "../base/types" */
/** @import { Outcome } from "./room.js" */

class Votes {
  root = element("section", { className: "votes" });
  gone = new AbortController();

  /** @param {Component<VotesData>} given */
  constructor({ data, parentElement }) {
    // It only asks: the panel listens.
    this.client = new RoomClient(data.room, { ticket: data.ticket, onState: () => {}, onEnd: () => {} });
    parentElement.append(this.root);
    answers.addEventListener("out", () => this.draw(), { signal: this.gone.signal });
    this.draw();
  }

  async draw() {
    const { votes, error } = await this.client.votes();
    if (this.gone.signal.aborted) return;
    const none = _("No question of this class has its answer yet.");
    const seen = votes.length ? votes.map((one) => this.outcome(one)) : [element("p", {}, error || none)];
    this.root.replaceChildren(element("h2", {}, _("What the class voted")), ...seen);
  }

  /** @param {Outcome} outcome */
  outcome(outcome) {
    const { step, question, sums } = outcome;
    const title = step ? _("Step {number}. {text}", { number: step, text: question.text }) : question.text;
    const mine = this.client.answerTo(question.name, sums.length);
    return element("article", {}, element("h3", {}, title), histogram(outcome, mine));
  }

  destroy() {
    this.gone.abort();
    this.root.remove();
  }
}

export default await component(Votes, import.meta.url, MODULE);
