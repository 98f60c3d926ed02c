// The teacher's panel: the way in, the loop's steps in their order, what was counted, and where all are to go.

import { copy, element, plain, saveFile } from "../base/dom.js";
import { _ } from "../base/language.js";
import { keep, kept } from "../base/tab.js";
import { RoomClient } from "./room.js";
import { histogram } from "./histogram.js";
import { LessonCourse } from "./lesson_course.js";
import { QuestionSteps } from "./question_steps.js";
import { isSame, placeOf } from "./location.js";
import { Questions } from "./questions.js";
import { TestCount } from "./test_count.js";
import { Lost } from "./lost.js";
import { Wall } from "./wall.js";
import { WordChoice } from "./word_choice.js";
import { keepSecret, ownLink, rememberClass } from "../base/secret.js";

/** @import { RoomState } from "./room.js" */
/** @import { ClassData } from "../base/types" */
/** @import { Panel } from "./panel.js" */

/** Characters of settings that a room takes; what lies in it of a course is not among them. */
const LONGEST = 1500;

/** Milliseconds for which a sentence stands that nothing else takes away. */
const READ = 6000;

/** @param {string} text @param {() => void} onclick */
const button = (text, onclick) => element("button", { type: "button", onclick }, text);

export class Teacher {
  state = /** @type {RoomState | null} */ (null);
  word = "";
  gone = new AbortController();
  here = element("span", { className: "here" });
  status = element("p", { className: "status", role: "status" });
  votes = element("div", { className: "votes" });
  image = element("img", { className: "qr", alt: _("QR code of the students' link") });
  address = element("p", { className: "address" });
  fold = element("button", { type: "button", className: "fold" });
  isFolded = false;
  /** Whether the page's slides were walked on since the answer was revealed. */
  hasLeft = false;
  /** Step of the course at which the question was asked that is on. */
  askedAt = 0;
  /** Where this device has taken the class last. */
  brought = /** @type {import("../base/types").Place | null} */ (null);

  /** @param {Panel} panel @param {string} key @param {string} secret */
  constructor(panel, key, secret) {
    this.panel = panel;
    this.key = key;
    this.data = panel.data;
    this.client = new RoomClient(key, {
      teacher: secret,
      ticket: panel.data.ticket,
      onState: (state) => this.show(state),
      onEnd: (sentence) => this.end(sentence),
      onRefused: (sentence) => this.tell(sentence),
    });
    this.questions = new Questions(
      key,
      panel.data,
      () => this.draw(),
      (message) => panel.say(message),
    );
    this.course = new LessonCourse(this);
    this.loop = new QuestionSteps(this);
    this.wall = new Wall(this);
    this.way = button(_("Show the key"), () => this.wall.join(true));
    this.goOn = button(_("Go on"), () => this.wall.join(false));
    this.goOn.className = "main next";
    this.words = new WordChoice(this);
    this.lost = new Lost(key);
    this.tests = new TestCount(this);
    this.follow = button(_("Bring them here"), () => this.takeAll());
    this.free = button(_("Let them play"), () => this.teach({ do: "free" }));
    this.pause = button(_("Look up"), () => this.teach({ do: this.state?.paused ? "resume" : "pause" }));
    this.results = button(_("Results (CSV)"), () => this.save());
    this.gain = button(_("Gain of the second votes (SVG)"), () => this.saveGain());
    this.over = button(_("End the class"), () => this.finish(true));
    this.first = button(_("Save the results"), () => this.save());
    this.ending = element(
      "div",
      { className: "ending", hidden: true },
      element("p", {}, _("All of this class is deleted when it ends.")),
      this.first,
      button(_("End it for everybody"), () => this.teach({ do: "end" })),
      button(_("Not yet"), () => this.finish(false)),
    );
    this.own = button(_("Copy my own link"), () => this.copyOwn(ownLink(key, secret, this.client.ticket)));
    this.own.title = _("Opens this panel on another device. Keep it to yourself.");
    this.fold.onclick = () => this.open(this.isFolded);
    const steer = element("div", { className: "steer" }, this.course.into, this.follow, this.pause);
    const bar = element("div", { className: "head" }, element("b", { className: "key" }, key), this.here);
    bar.append(
      this.lost.root,
      this.tests.root,
      this.status,
      this.wall.countdown,
      this.goOn,
      this.loop.next,
      steer,
      this.fold,
    );
    const letters = element("p", { className: "letters" }, key);
    const way = element("div", { className: "way" }, this.image, element("div", {}, letters, this.address));
    const end = (this.foot = element("div", { className: "foot" }));
    end.append(
      element("p", { className: "note" }, panel.data.kept),
      this.free,
      this.way,
      this.own,
      this.results,
      this.gain,
      this.over,
      this.ending,
    );
    this.inside = element(
      "div",
      { className: "inside" },
      way,
      this.course.walk,
      this.loop.root,
      this.questions.root,
      this.words.root,
      this.votes,
      end,
    );
    panel.root.append(this.wall.root, bar, this.inside);
    window.addEventListener("keydown", (event) => this.press(event), { capture: true, signal: this.gone.signal });
    document.addEventListener("click", ({ target }) => this.walk(target), { signal: this.gone.signal });
    this.open(!panel.data.slide && kept(this.at("folded")) !== "yes");
    if (panel.data.slide) panel.main.scrollTop = 0; // the button that opened the class was below the slide
    this.tell(_("Opening…"));
    this.client.start();
    this.remember();
  }

  /** What this class was asked in a tab that was closed, or on another device, is not asked again by itself. */
  async remember() {
    const { votes } = await this.client.votes();
    this.questions.know(votes.map(({ question }) => question.text));
  }

  leave() {
    this.gone.abort();
    this.course.leave();
    this.wall.leave();
    this.client.stop();
    delete document.documentElement.dataset.remote;
  }

  /** @param {string} what */
  at(what) {
    return `room_${what}/${this.key}`;
  }

  /** @param {ClassData} data */
  update(data) {
    const before = this.data;
    if (data.page !== before.page || data.at !== before.at) this.word = ""; // it was of what is left
    this.leaveStep(before, data);
    this.data = data;
    this.panel.root.classList.toggle("slide", data.slide);
    if (data.slide && !before.slide) this.open(false);
    this.course.update(before);
    const { ticket } = this.client;
    if (ticket) rememberClass(this.key, this.client.teacher, ticket);
    if (!data.teaches || (ticket && !data.ticket)) this.panel.say({ do: "teach", ticket });
    this.image.hidden = !data.qr;
    this.image.src = `data:image/svg+xml,${encodeURIComponent(data.qr)}`;
    const [url] = data.address.split("?");
    const way = _("Scan the code, or open {url} and type the key.", { url });
    const { warning } = data;
    this.address.textContent = !data.qr ? warning : warning ? _("{way} {warning}", { way, warning }) : way;
    this.address.className = data.warning ? "address wrong" : "address";
    this.questions.update(data);
    this.loop.measured(data.measured);
    this.tests.update();
    this.draw();
  }

  /** @param {RoomState} state */
  show(state) {
    const [before, now] = [this.state, state].map((one) => `${one?.question?.name}/${one?.round}/${one?.phase}`);
    if (before !== now) [this.word, this.hasLeft] = ["", false];
    const { question } = state;
    if (question && question.name !== this.state?.question?.name)
      this.askedAt = question.step ? question.step - 1 : this.data.at;
    if (before !== now && state.phase === "revealed") this.panel.main.scrollTop = 0; // to the picture of what was asked
    const past = this.state;
    this.state = state;
    this.lost.hear(state);
    this.words.update(state);
    if (question) this.questions.hear(question.text);
    // The wall has the question, and then the picture: neither is left behind an open panel.
    if (before !== now && this.data.slide) this.open(false);
    if (past && question && before !== now && state.phase === "revealed" && this.data.slide)
      this.loop.makeMove(question);
    if (question && before !== now) this.wall.isJoining = false;
    this.course.hear(past);
    if (past) this.goAlong(past, state);
    this.draw();
  }

  draw() {
    if (!this.state) return;
    const { state } = this;
    const { phase, voted, here, paused, follow, round } = state;
    const question = this.isPast(state) ? null : state.question;
    this.here.textContent = _("{here} here", { here });
    this.pause.textContent = paused ? _("Go on") : _("Look up");
    this.pause.ariaPressed = String(paused);
    this.free.disabled = !follow;
    this.first.hidden = this.results.disabled = !state.question || (phase === "open" && round === 1);
    this.gain.disabled = this.results.disabled;
    this.loop.draw(state);
    this.tests.draw(state);
    this.course.draw();
    this.wall.draw(state);
    this.way.hidden = !this.data.slide;
    const isJoining = this.wall.sceneOf(state) === "join";
    this.goOn.hidden = !isJoining;
    this.loop.next.hidden = isJoining || !this.isFolded;
    this.takeRemote();
    // While a question is on, its counts have the room: the way in is a small picture in the corner.
    this.inside.classList.toggle("asking", Boolean(question));
    this.questions.root.hidden =
      this.data.slide || (Boolean(question) && (phase !== "revealed" || this.questions.choices.length < 2));
    const isCounted = Boolean(question) && state.tallies.length > 0;
    this.inside.classList.toggle("counted", isCounted && !this.hasLeft);
    this.placeCounts(isCounted && !this.hasLeft && !this.wall.sceneOf(state));
    const counted = isCounted
      ? histogram(state)
      : element("p", { className: question ? "" : "advice" }, this.advice(state));
    this.votes.replaceChildren(...(question ? [element("p", { className: "asked" }, question.text)] : []), counted);
    const vote = () =>
      round === 2
        ? _("Second vote: {voted} of {here}", { voted, here })
        : _("Vote: {voted} of {here}", { voted, here });
    const closed = () =>
      round === 2 ? _("Second vote closed: {voted} voted", { voted }) : _("Vote closed: {voted} voted", { voted });
    const open = !question ? "" : phase === "open" ? vote() : closed();
    const isUnshown = question?.kind === "words" && isCounted && !state.tallies.flat().length;
    const isUntold = phase === "revealed" && question?.page && state.measured === null;
    this.tell(
      this.word ||
        this.course.word ||
        (isUntold ? _("These settings cannot tell, so no answer is marked.") : "") ||
        (isUnshown ? this.unshown() : "") ||
        open,
    );
  }

  /** Of words nobody sees any before the teacher has chosen them, where the class does not look on. */
  unshown() {
    return this.data.slide
      ? _("No words are seen yet: on your own device (▲, Copy my own link) you choose which.")
      : _("No words are seen yet: below you choose which.");
  }

  /** On a slide the counts stand beside the picture, or nowhere. @param {boolean} isSeen */
  placeCounts(isSeen) {
    const { slide } = this.data;
    this.votes.hidden = slide && !isSeen;
    this.votes.classList.toggle("beside", slide);
    if (slide && this.votes.parentElement !== this.panel.root) this.panel.root.append(this.votes);
    else if (!slide && this.votes.parentElement !== this.inside) this.foot.before(this.votes);
    document.documentElement.style.setProperty("--class-side", slide && isSeen ? "26vw" : "0px");
  }

  /** Whether the question is done with, and its page or step left: its counts would be taken for those of what is on.
   * @param {RoomState} state */
  isPast({ phase, question }) {
    if (phase === "dropped") return true;
    const { page, at, steps } = this.data;
    const isLeft = Boolean(question?.page) && question?.page !== page;
    return phase === "revealed" && (isLeft || (steps > 0 && at !== this.askedAt));
  }

  /**
   * Put a question away that is not answered once its step of the course is left: the next one has its own. In a course
   * that lies in the room the room does: a device that has just come goes through steps that the class is not at.
   * @param {ClassData} before
   * @param {ClassData} now
   */
  leaveStep(before, now) {
    const { question, phase } = this.state ?? {};
    const isOn = question && phase !== "revealed" && phase !== "dropped";
    const isLeft = before.steps && now.steps && before.at === this.askedAt && now.at !== this.askedAt;
    if (isOn && isLeft && !this.state?.course) this.teach({ do: "drop", question: question.name });
  }

  /**
   * Where another of the teacher's devices has taken the class, or asks a page's question, this one goes too.
   * @param {RoomState} past
   * @param {RoomState} state
   */
  goAlong(past, { called, follow, question, course }) {
    const isNew = question?.page && question.name !== past.question?.name && question.page !== this.data.page;
    const to = called !== past.called && follow?.page ? follow : isNew && { page: question.page, settings: "" };
    if (!to || isSame(to, placeOf(this.data.page)) || isSame(to, this.brought)) return;
    this.panel.say({ do: "go", ...to, step: course && this.data.laid ? course.step : null });
  }

  /** What is said while there are no counts to be seen. @param {RoomState} state */
  advice(state) {
    const { phase, voted, here, question } = state;
    if (!question || this.isPast(state))
      return _(
        "Ask, and everybody votes unseen. Close the vote, have them talk it over with a neighbour, and ask again: that is where " +
          "they learn. Then show the counts, and reveal what is measured. PageDown, which a remote sends, takes the next step.",
      );
    if (phase === "open") return _("{voted} of {here} have voted.", { voted, here });
    return _("{voted} of {here} have voted. Nobody sees the counts until you show them.", { voted, here });
  }

  /** Say something that stays until something happens. @param {string} word */
  say(word) {
    this.word = word;
    this.draw();
  }

  /** @param {string} sentence */
  tell(sentence) {
    if (this.status.textContent !== sentence) this.status.textContent = sentence;
  }

  /** @param {{ do: string } & Record<string, unknown>} step */
  async teach(step) {
    const { error } = await this.client.teach(step);
    this.say(error);
    return !error;
  }

  /** Take everybody to where the teacher is; who has strayed from there since is fetched again. */
  async takeAll() {
    const place = (this.brought = placeOf(this.data.page));
    if (place.settings.length > LONGEST)
      return this.say(_("These settings are too long to be followed: shorten the text."));
    await this.teach({ do: "follow", ...place });
  }

  async save() {
    const { csv, error } = await this.client.results();
    if (error) return this.say(error);
    saveFile(csv, "text/csv", `class-${this.key}.csv`);
  }

  async saveGain() {
    const { svg, error } = await this.client.gains();
    if (error) return this.say(error);
    saveFile(svg, "image/svg+xml", `class-${this.key}.svg`);
  }

  /** @param {string} link */
  async copyOwn(link) {
    const word = (await copy(link))
      ? _("Copied. Keep it to yourself: who has it leads this class.")
      : _("Copying is blocked here.");
    this.say(word);
    setTimeout(() => this.word === word && this.say(""), READ);
  }

  /** Before a class ends its results are offered. @param {boolean} isEnding */
  finish(isEnding) {
    this.ending.hidden = !isEnding;
    for (const one of [this.results, this.over]) one.hidden = isEnding;
  }

  /** @param {string} sentence */
  end(sentence) {
    keepSecret(this.key, "");
    this.state = null;
    this.leave();
    const close = button(_("Close"), () => this.panel.say({ do: "leave" }));
    this.panel.root.replaceChildren(element("div", { className: "head" }, this.status, close));
    this.tell(sentence);
  }

  /** @param {boolean} open */
  open(open) {
    this.isFolded = !open;
    this.panel.root.classList.toggle("folded", !open);
    keep(this.at("folded"), open ? "no" : "yes");
    this.fold.ariaExpanded = String(open);
    this.fold.ariaLabel = open ? _("Fold the panel") : _("Unfold the panel");
    if (this.state) this.draw();
    else this.takeRemote();
  }

  /** An open panel has the presenter's remote, and a folded one while there is a question to get through. */
  get hasRemote() {
    return !this.isFolded || this.wall.isJoining || this.loop.isOn;
  }

  /** With the remote, PageDown takes the next step, and not the next preset; only what it does is lit. */
  takeRemote() {
    if (this.hasRemote) document.documentElement.dataset.remote = "class";
    else delete document.documentElement.dataset.remote;
    this.loop.light(this.hasRemote);
  }

  /** A click on the presets, the remote's too, goes on to a slide that has the room of the counts. @param {unknown} target */
  walk(target) {
    if (!(target instanceof Element) || !target.closest(".st-key-presets")) return;
    this.hasLeft = this.state?.phase === "revealed";
    this.draw();
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const types = event.composedPath()[0] instanceof HTMLTextAreaElement;
    if (!this.hasRemote || types || !/^Page(Up|Down)$/.test(event.key) || !plain(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.repeat) return;
    if (event.key === "PageDown" && !this.goOn.hidden) this.wall.join(false);
    else if (event.key === "PageDown" && this.loop.asksAgain)
      this.open(false); // and the next press is the page's
    else if (event.key === "PageDown") this.loop.advance();
    else this.course.go(Math.max(0, this.data.at - 1));
  }
}
