// The loop of a question: ask, close, ask again, close, show, reveal; each a button, and the next one marked. In a course
// the step after the last question is the next page.

import { element } from "../base/dom.js";
import { _ } from "../base/language.js";

/** @import { Told } from "../base/types" */
/** @import { RoomState } from "./room.js" */
/** @import { Teacher } from "./teacher.js" */

const [ASK, CLOSE, AGAIN, CLOSE_AGAIN, SHOW, REVEAL, NEXT] = Array(7).keys();

/** The steps that can be taken now, the one to take next first. @param {RoomState} state */
function possible({ phase, round }) {
  if (phase === "open") return [round === 2 ? CLOSE_AGAIN : CLOSE];
  if (phase === "waiting" || phase === "revealed" || phase === "dropped") return [ASK];
  // Who has seen the counts of a first vote would vote for them.
  if (round === 1) return phase === "closed" ? [AGAIN, SHOW, REVEAL, ASK] : [REVEAL, AGAIN, ASK];
  return phase === "closed" ? [SHOW, REVEAL, ASK] : [REVEAL, ASK];
}

export class QuestionSteps {
  /** What each step is called. */
  names = [
    _("Ask"),
    _("Close the vote"),
    _("Ask again"),
    _("Close the vote"),
    _("Show the counts"),
    _("Reveal the answer"),
    _("Next step"),
  ];
  /** Name of the question whose answer is being measured. */
  measuring = "";
  /** Name of the question that this device has had measured last. */
  measuredHere = "";
  step = ASK;
  taken = ""; // of which state which step is on its way

  /** @param {Teacher} teacher */
  constructor(teacher) {
    this.teacher = teacher;
    this.buttons = this.names.map((text, step) =>
      element("button", { type: "button", onclick: () => this.take(step) }, text),
    );
    const items = this.buttons.map((one) => element("li", {}, one));
    this.onward = items[NEXT];
    this.root = element("ol", { className: "steps", "aria-label": _("Steps of a question") }, ...items);
    this.next = element("button", { type: "button", className: "next", onclick: () => this.advance() });
  }

  /** @param {RoomState} state */
  draw(state) {
    const { questions, data } = this.teacher;
    const can = possible(state).filter((step) => step !== ASK || questions.chosen);
    const isFree = possible(state)[0] === ASK;
    this.onward.hidden = !data.steps;
    if (data.at < data.steps && state.phase !== "open") {
      if (isFree && !questions.isDue) can.unshift(NEXT);
      else can.push(NEXT);
    }
    this.step = can[0] ?? ASK;
    this.buttons.forEach((one, step) => {
      one.disabled = !can.includes(step);
    });
    this.next.disabled = !can.length;
    this.buttons[NEXT].textContent = this.names[NEXT] = data.at + 1 < data.steps ? _("Next step") : _("Finish");
    const isAnew = questions.chosen && !questions.isFresh(questions.chosen);
    const ask = isAnew ? _("Ask once more") : state.question ? _("Next question") : this.names[ASK];
    this.next.textContent = this.step === ASK ? ask : this.names[this.step];
  }

  /** Mark the next step. @param {boolean} isTaken  whether PageDown takes it */
  light(isTaken) {
    const lit = isTaken && !this.asksAgain;
    this.buttons.forEach((one, step) => (one.className = lit && step === this.step ? "main" : ""));
    this.next.className = lit ? "main next" : "next";
  }

  /** Whether a question waits for its next step: one that was asked and not revealed, or the page's that is to be asked. */
  get isOn() {
    const { questions, state, data } = this.teacher;
    if (!state || this.next.disabled) return false;
    const { chosen } = questions;
    if (this.step !== ASK) return this.step !== NEXT;
    if (!chosen || !questions.isFresh(chosen)) return false;
    return chosen.at === undefined ? chosen.text === data.question?.text : chosen.at === data.at;
  }

  /** Whether the step that is marked asks what has just been revealed, or put away. */
  get asksAgain() {
    const { questions, state } = this.teacher;
    return (
      this.step === ASK &&
      ["revealed", "dropped"].includes(state?.phase ?? "") &&
      !!questions.chosen &&
      !questions.isFresh(questions.chosen)
    );
  }

  /** Take the step that is marked; the presenter's remote does too. */
  advance() {
    if (!this.next.disabled) this.take(this.step);
  }

  /** Take a step, once for each state: the next state often comes before the answer to what led there.
   * @param {number} step */
  async take(step) {
    const { question, phase, round } = this.teacher.state ?? {};
    const taken = JSON.stringify([question?.name, phase, round, step]);
    if (this.taken === taken) return;
    this.taken = taken;
    await this.send(step);
    if (this.taken === taken) this.taken = "";
  }

  /** @param {number} step */
  async send(step) {
    const { teacher } = this;
    const asked = teacher.state?.question;
    if (step === ASK) return this.ask();
    if (step === NEXT) return teacher.course.go(teacher.data.at + 1);
    if (step === AGAIN) return teacher.teach({ do: "ask", question: asked?.name, round: 2 });
    if (step === SHOW) return teacher.teach({ do: "show" });
    if (step !== REVEAL) return teacher.teach({ do: "close" });
    if (!asked?.page) return this.reveal(teacher.questions.rightOf(asked));
    this.measuring = this.measuredHere = asked.name;
    teacher.say(_("Measuring…"));
    teacher.panel.say({ do: "measure", page: asked.page, question: asked.name });
  }

  /** What another of the teacher's devices has had measured, this one shows: its page makes the move, too.
   * @param {import("./room.js").Question} question */
  makeMove({ page, name }) {
    if (!page || this.measuredHere === name) return;
    this.measuredHere = name;
    this.teacher.panel.say({ do: "measure", page, question: name });
  }

  async ask() {
    const { questions } = this.teacher;
    if (!questions.isRead) this.teacher.say(_("Reading your question…"));
    if (!(await questions.read())) return this.teacher.say(_("What you wrote could not be read. Try again."));
    const { chosen } = questions;
    if (questions.isWrong || !chosen) return this.teacher.say(questions.wrong.textContent ?? "");
    if (chosen.at !== undefined) this.teacher.course.go(chosen.at);
    const name = `q-${Math.random().toString(36).slice(2, 12)}`;
    const { kind, text, answers, page } = chosen;
    const own = page ? { page } : { kind, text, ...(answers.length ? { answers } : {}) };
    const { at, steps } = this.teacher.data;
    const step = steps ? { step: Math.min((chosen.at ?? at) + 1, steps) } : {};
    await this.teacher.teach({ do: "ask", question: name, round: 1, ...own, ...step });
  }

  /** @param {number | number[] | null} answer */
  reveal(answer) {
    return this.teacher.teach({ do: "reveal", ...(answer === null ? {} : { answer }) });
  }

  /** What the page has measured, once it has, or why it has not: then the question stays, and may be revealed once more.
   * @param {Told | null} result */
  async measured(result) {
    if (!this.measuring || result?.question !== this.measuring) return;
    this.measuring = "";
    if (!("refused" in result)) return this.reveal(result.answer);
    this.measuredHere = "";
    await this.teacher.teach({ do: "unmeasured", question: result.question, why: result.why });
    this.teacher.say(result.refused);
  }
}
