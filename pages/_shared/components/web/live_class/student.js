// A student's strip: what is asked and answered, and what came of it.

import { element } from "../base/dom.js";
import { _ } from "../base/language.js";
import { RoomClient } from "./room.js";
import { answerFields, isRight, mark, worded } from "./answers.js";
import { histogram } from "./histogram.js";
import { Follow } from "./follow.js";
import { RoomCourse } from "./room_course.js";
import { TestAnswers } from "./test_answers.js";
import { keepSecret, running } from "../base/secret.js";

/** @import { Answer, RoomState } from "./room.js" */
/** @import { Panel } from "./panel.js" */

/** Milliseconds for which the class takes a student for lost who said so. */
const LOST = 180_000;

/** Milliseconds until an answer that did not get through is sent again. */
const AGAIN = 2000;

/** The step at which the question was asked, from 0, whoever has heard it then. @param {RoomState} state */
const stepOf = ({ question, course }) => (question?.step ? question.step - 1 : course?.step);

export class Student {
  state = /** @type {RoomState | null} */ (null);
  drawn = "";
  /** Whether it says that one may look around. */
  isFree = false;
  /** Step of the class's course at which the question was asked. */
  askedAt = /** @type {number | undefined} */ (undefined);
  line = element("p", { className: "line", role: "status" });
  answers = element("div", { className: "answers", role: "group" });
  sent = element("p", { className: "sent", role: "status" });
  counts = element("div", { className: "results" });
  note = element("p", { className: "note" });
  back = element("button", { type: "button", className: "back" }, element("span", {}, _("Back to my page")));
  /** Says that the class is at another step of its course, and leads there. */
  rejoin = element("button", { type: "button", hidden: true });
  quit = element("button", { type: "button", className: "quiet" }, _("Leave the class"));
  lost = element("button", { type: "button", className: "lost", ariaPressed: "false" }, _("I am lost"));
  found = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  /** An answer that did not get through, and to what: it is sent again once the class is heard again. */
  unsent = /** @type {{ asked: string, answer: Answer } | null} */ (null);
  again = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  fold = element("button", { type: "button", className: "fold" });
  look = element("div", { className: "look", role: "alert", hidden: true }, element("p", {}, _("Look up")));

  /** @param {Panel} panel @param {string} key */
  constructor(panel, key) {
    this.key = key;
    this.panel = panel;
    this.way = new Follow(panel, key);
    this.foot = element("div", { className: "foot" }, this.note, this.rejoin);
    this.body = element("div", { className: "body" }, this.answers, this.sent, this.counts, this.foot);
    const led = running();
    if (led?.key === key) {
      const lead = element("button", { type: "button" }, _("Lead this class"));
      lead.onclick = () => (keepSecret(key, led.secret), panel.enter(key), panel.face?.update(panel.data));
      this.foot.append(lead);
    }
    this.note.textContent = panel.data.kept;
    this.fold.onclick = () => this.open(this.isFolded);
    this.lost.title = _("Your teacher sees how many are lost, and not who.");
    this.lost.onclick = () => this.lose(this.lost.ariaPressed !== "true");
    this.back.onclick = () => this.way.back();
    this.quit.onclick = () => panel.say({ do: "leave" });
    this.client = new RoomClient(key, {
      ticket: panel.data.ticket,
      onState: (state) => this.show(state),
      onEnd: (sentence) => this.end(sentence),
      onRefused: (sentence) => (this.line.textContent = sentence),
    });
    this.course = new RoomCourse(panel, this.client);
    this.tests = new TestAnswers(panel, this.client);
    const head = element("div", { className: "head" }, this.line, this.fold);
    panel.root.append(head, this.tests.root, this.body, this.look);
    this.line.textContent = _("Coming into class {key}…", { key });
    this.open(true);
    this.client.start();
  }

  leave() {
    this.way.leave();
    this.course.leave();
    this.tests.leave();
    this.client.stop();
    clearTimeout(this.found);
    clearTimeout(this.again);
    delete document.documentElement.dataset.voting;
  }

  /** Whether the class is where this phone is, and not let play: what the page asks is then the teacher's to ask. */
  get isLed() {
    const { follow, course } = this.state ?? {};
    const { page, at, course: name } = this.panel.data;
    return Boolean(follow) && (course ? course.name === name && course.step === at : follow?.page === page);
  }

  /** While the page's own question is the class's, the page does not ask it, too: it would tell the answer. */
  cover() {
    const { phase, question } = this.state ?? {};
    const isAsked = Boolean(question?.page) && question?.page === this.panel.data.page;
    const isOpen = isAsked && ["open", "closed", "shown"].includes(phase ?? "");
    if (isOpen || this.isLed) document.documentElement.dataset.voting = "yes";
    else delete document.documentElement.dataset.voting;
  }

  update() {
    const { state } = this;
    this.cover();
    if (state && this.course.isHere(state.course)) this.follow(state);
    this.back.hidden = !this.way.leadsBack;
    this.tests.update();
    this.compare();
  }

  /** Who has gone to another step of the class's course is told where the class is. */
  compare() {
    const { at, steps, course: name } = this.panel.data;
    const { course } = this.state ?? {};
    this.rejoin.hidden = !course || course.name !== name || !steps || course.step === at;
    if (!course || this.rejoin.hidden) return;
    this.rejoin.textContent =
      course.step < course.steps
        ? _("The class is at step {number}: go there", { number: course.step + 1 })
        : _("The class is at the end of the course: go there");
    this.rejoin.onclick = () => this.panel.say({ do: "step", at: course.step });
  }

  /** Nobody is taken to a step before the session has the course. @param {RoomState} state */
  follow({ follow, called, course, phase }) {
    if (this.way.follow(follow, called, course?.step ?? null) && phase !== "open") this.open(false);
  }

  /** What no class was ever seen of is said where its key was typed. @param {string} sentence */
  end(sentence) {
    if (!this.state && this.panel.data.typed) return this.panel.say({ do: "leave", why: sentence });
    this.line.textContent = sentence;
    this.tests.leave();
    this.look.hidden = true;
    this.state = null;
    this.cover();
    for (const part of [this.answers, this.counts]) part.replaceChildren();
    this.sent.textContent = this.note.textContent = "";
    this.lost.hidden = this.rejoin.hidden = true;
    this.quit.textContent = _("Close");
    this.open(true);
  }

  get isFolded() {
    return this.body.hidden;
  }

  /** @param {boolean} open */
  open(open) {
    this.body.hidden = !open;
    if (open) this.foot.append(this.back, this.lost, this.quit);
    else this.fold.before(this.back, this.lost);
    this.fold.ariaExpanded = String(open);
    this.fold.ariaLabel = open ? _("Fold the class away") : _("Show the class");
  }

  /** @param {RoomState} state */
  show(state) {
    if (state.question?.name !== this.state?.question?.name) this.askedAt = stepOf(state);
    this.state = state;
    this.look.hidden = !state.paused;
    const now = `${state.question?.name}/${state.round}/${state.phase}/${state.unmeasured ?? ""}/${this.isPast(state)}`;
    const isFreed = !state.follow && this.way.kept.follows;
    if (now !== this.drawn) {
      this.drawn = now;
      this.draw(state);
      this.open(true);
      const { question } = state;
      if (
        state.phase === "revealed" &&
        question?.page &&
        question.page === this.panel.data.page &&
        !this.isPast(state)
      )
        this.panel.say({ do: "revealed", page: question.page, question: question.name, led: this.isLed });
    }
    if (isFreed && ["waiting", "revealed", "dropped"].includes(state.phase)) {
      this.line.textContent = _("Look around freely: your teacher's questions come here.");
      this.isFree = true;
    } else if (this.isFree && state.follow) this.draw(state);
    if (this.unsent?.asked === this.drawn) this.vote(this.unsent.answer);
    this.update();
  }

  /** Whether the question was put away, or answered at a step that the class has left. @param {RoomState} state */
  isPast({ phase, course }) {
    return phase === "dropped" || (phase === "revealed" && Boolean(course) && course?.step !== this.askedAt);
  }

  /** @param {RoomState} state */
  draw(state) {
    const { phase, round } = state;
    this.isFree = false;
    const isPast = this.isPast(state);
    const question = isPast ? null : state.question;
    const { mine } = this.client;
    const fields = question && phase === "open" ? answerFields(question, mine, (answer) => this.vote(answer)) : [];
    this.note.hidden = question !== null;
    this.answers.replaceChildren(...fields);
    mark(this.answers, mine);
    this.answers.ariaLabel = question?.text ?? "";
    const isUnshown = question?.kind === "words" && phase === "shown" && !state.tallies.flat().length;
    const counts = isUnshown
      ? element("p", {}, _("Your teacher chooses which words everybody sees."))
      : histogram(state, mine);
    this.counts.replaceChildren(...(state.tallies.length && !isPast ? [counts] : []));
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
  }

  /** What there is to say of this student's own answer, or why no answer was measured.
   * @param {RoomState} state @param {Answer | null} mine */
  comment({ phase, question, measured, unmeasured, round }, mine = this.client.mine) {
    if (unmeasured) return unmeasured;
    const answer = question && mine !== null ? worded(question, mine) : "";
    if (phase === "open") {
      if (mine === null) return "";
      return question?.answers.length
        ? _("Sent. You may change it until the vote is closed.")
        : _("Sent: {answer}. You may change it until the vote is closed.", { answer });
    }
    if (mine === null) return phase === "closed" ? _("The vote is closed.") : "";
    if (phase === "closed")
      return round === 1 ? _("You said: {answer}. Talk it over.", { answer }) : _("You said: {answer}.", { answer });
    if (measured === null) return "";
    if (isRight(mine, measured))
      return question?.page ? _("Your answer matches the measurement.") : _("Your answer is right.");
    return question?.page ? _("The measurement disagrees with you.") : _("Another answer is right.");
  }

  /** @param {Answer} answer */
  async vote(answer) {
    const asked = this.drawn;
    clearTimeout(this.again);
    this.unsent = null;
    this.sent.textContent = _("Sending…");
    const { error, status } = await this.client.vote(answer);
    const isLost = Boolean(error) && (status === 0 || status >= 500);
    if (isLost) this.unsent = { asked, answer };
    if (isLost) this.again = setTimeout(() => this.unsent?.asked === this.drawn && this.vote(answer), AGAIN);
    if (asked !== this.drawn && !error) return;
    const lost = isLost && _("Not sent yet: the class cannot be reached. It is sent once it can be.");
    this.sent.textContent = lost || error || (this.state ? this.comment(this.state, this.client.mine ?? answer) : "");
    mark(this.answers, this.client.mine);
  }

  /** Say that this student is lost, for a while, or is not any more. @param {boolean} lost */
  async lose(lost) {
    clearTimeout(this.found);
    const { error } = await this.client.lose(lost);
    if (error) return void (this.sent.textContent = error);
    this.lost.ariaPressed = String(lost);
    if (lost) this.found = setTimeout(() => (this.lost.ariaPressed = "false"), LOST);
  }
}
