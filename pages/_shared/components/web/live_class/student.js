// A student's strip: what is asked and answered, and what came of it.

import { element } from "../base/dom.js";
import { _ } from "../base/language.js";
import { RoomClient } from "./room.js";
import { histogram, LETTERS } from "./histogram.js";
import { Follow } from "./follow.js";

/** @import { RoomState } from "./room.js" */
/** @import { Panel } from "./panel.js" */

const change = () => _("Sent. You may change it until the vote is closed.");

export class Student {
  state = /** @type {RoomState | null} */ (null);
  drawn = "";
  line = element("p", { className: "line", role: "status" });
  answers = element("div", { className: "answers", role: "group" });
  sent = element("p", { className: "sent", role: "status" });
  counts = element("div", { className: "results" });
  note = element("p", { className: "note" });
  back = element("button", { type: "button" }, _("Back to my page"));
  quit = element("button", { type: "button", className: "quiet" }, _("Leave the class"));
  fold = element("button", { type: "button", className: "fold" });
  look = element("div", { className: "look", role: "alert", hidden: true }, element("p", {}, _("Look up")));

  /** @param {Panel} panel @param {string} key */
  constructor(panel, key) {
    this.key = key;
    this.panel = panel;
    this.way = new Follow(panel, key);
    this.foot = element("div", { className: "foot" }, this.note);
    this.body = element("div", { className: "body" }, this.answers, this.sent, this.counts, this.foot);
    panel.root.append(element("div", { className: "head" }, this.line, this.fold), this.body, this.look);
    this.note.textContent = panel.data.kept;
    this.fold.onclick = () => this.open(this.isFolded);
    this.back.onclick = () => this.way.back();
    this.quit.onclick = () => panel.say({ do: "leave" });
    this.client = new RoomClient(key, {
      ticket: panel.data.ticket,
      onState: (state) => this.show(state),
      onEnd: (sentence) => this.end(sentence),
      onRefused: (sentence) => (this.line.textContent = sentence),
    });
    this.line.textContent = _("Coming into class {key}…", { key });
    this.open(true);
    this.client.start();
  }

  leave() {
    this.way.leave();
    this.client.stop();
  }

  update() {
    const { state } = this;
    if (state && this.way.follow(state.follow, state.called) && state.phase !== "open") this.open(false);
    this.back.hidden = !this.way.leadsBack;
  }

  /** What no class was ever seen of is said where its key was typed. @param {string} sentence */
  end(sentence) {
    if (!this.state && this.panel.data.typed) return this.panel.say({ do: "leave", why: sentence });
    this.line.textContent = sentence;
    this.look.hidden = true;
    for (const part of [this.answers, this.counts]) part.replaceChildren();
    this.sent.textContent = this.note.textContent = "";
    this.quit.textContent = _("Close");
    this.open(true);
  }

  get isFolded() {
    return this.body.hidden;
  }

  /** @param {boolean} open */
  open(open) {
    this.body.hidden = !open;
    if (open) this.foot.append(this.back, this.quit);
    else this.fold.before(this.back);
    this.fold.ariaExpanded = String(open);
    this.fold.ariaLabel = open ? _("Fold the class away") : _("Show the class");
  }

  /** @param {RoomState} state */
  show(state) {
    this.state = state;
    this.look.hidden = !state.paused;
    const now = `${state.question?.name}/${state.round}/${state.phase}/${state.unmeasured ?? ""}`;
    const isFreed = !state.follow && this.way.kept.follows;
    if (now !== this.drawn) {
      this.drawn = now;
      this.draw(state);
      this.open(true);
    }
    if (isFreed && ["waiting", "revealed", "dropped"].includes(state.phase))
      this.line.textContent = _("Look around freely: your teacher's questions come here.");
    this.update();
  }

  /** @param {RoomState} state */
  draw(state) {
    const { phase, round } = state;
    const question = phase === "dropped" ? null : state.question;
    const asks = phase === "open" ? (question?.answers ?? []) : [];
    this.note.hidden = question !== null;
    this.answers.replaceChildren(...asks.map((answer, at) => this.answer(answer, at)));
    this.answers.ariaLabel = question?.text ?? "";
    this.counts.replaceChildren(...(state.tallies.length ? [histogram(state, this.client.mine)] : []));
    this.sent.textContent = question ? this.comment(state) : "";
    if (!question) {
      this.line.textContent = _("You are in class {key}. Look around: your teacher's questions come here.", {
        key: this.key,
      });
      return;
    }
    const titles = {
      open: round === 2 ? _("Vote again.") : _("Vote."),
      closed: _("Closed."),
      shown: _("Counted."),
      revealed: question.page ? _("Measured.") : _("Answered."),
    };
    this.line.replaceChildren(
      element("b", {}, titles[phase === "waiting" || phase === "dropped" ? "open" : phase]),
      _(" {text}", { text: question.text }),
    );
    this.mark();
  }

  /** What there is to say of this student's own answer, or why no answer was measured. @param {RoomState} state */
  comment({ phase, question, measured, unmeasured, round }) {
    if (unmeasured) return unmeasured;
    const { mine } = this.client;
    if (phase === "open") return mine === null ? "" : change();
    if (mine === null) return phase === "closed" ? _("The vote is closed.") : "";
    const answer = question?.answers[mine] ?? "";
    if (phase === "closed")
      return round === 1 ? _("You said: {answer}. Talk it over.", { answer }) : _("You said: {answer}.", { answer });
    if (measured === null) return "";
    if (mine === measured)
      return question?.page ? _("Your answer matches the measurement.") : _("Your answer is right.");
    return question?.page ? _("The measurement disagrees with you.") : _("Another answer is right.");
  }

  /** @param {string} text @param {number} at */
  answer(text, at) {
    const button = element(
      "button",
      { type: "button", className: "answer" },
      element("b", {}, LETTERS[at]),
      ` ${text}`,
    );
    button.onclick = async () => {
      const asked = this.drawn;
      this.sent.textContent = _("Sending…");
      const { error } = await this.client.vote(at);
      if (asked !== this.drawn && !error) return;
      this.sent.textContent = error || change();
      this.mark();
    };
    return button;
  }

  mark() {
    [...this.answers.children].forEach((one, at) => (one.ariaPressed = String(at === this.client.mine)));
  }
}
