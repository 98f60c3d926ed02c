// The teacher's panel: the way in, the loop's steps in their order, what was counted, and where all are to go.

import { copy, element, plain } from "../base/dom.js";
import { RoomClient, keep, kept } from "./room.js";
import { histogram } from "./histogram.js";
import { QuestionSteps } from "./question_steps.js";
import { placeOf } from "./location.js";
import { Questions } from "./questions.js";
import { keepSecret, ownLink } from "./secret.js";

/** @import { RoomState } from "./room.js" */
/** @import { ClassData } from "../base/types" */
/** @import { Panel } from "./panel.js" */

/** Characters of settings that a room takes. */
const LONGEST = 1500;
/** Milliseconds in which the end has to be pressed again. */
const SURE = 5000;

const UNTOLD = "These settings cannot tell, so no answer is marked.";
const HOW =
  "Ask, and everybody votes unseen. Close the vote, have them talk it over with a neighbour, and ask again: that is where " +
  "they learn. Then show the counts, and reveal what is measured. PageDown, which a remote sends, takes the next step.";

/** @param {string} text @param {() => void} onclick */
const button = (text, onclick) => element("button", { type: "button", onclick }, text);

export class Teacher {
  state = /** @type {RoomState | null} */ (null);
  word = "";
  gone = new AbortController();
  here = element("span", { className: "here" });
  status = element("p", { className: "status", role: "status" });
  votes = element("div", { className: "votes" });
  image = element("img", { className: "qr", alt: "QR code of the students' link" });
  address = element("p", { className: "address" });
  fold = element("button", { type: "button", className: "fold" });

  /** @param {Panel} panel @param {string} key @param {string} secret */
  constructor(panel, key, secret) {
    this.panel = panel;
    this.key = key;
    this.data = panel.data;
    this.client = new RoomClient(key, {
      teacher: secret,
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
    this.loop = new QuestionSteps(this);
    this.follow = button("Follow me", () => this.takeAll());
    this.free = button("Let them play", () => this.teach({ do: "free" }));
    this.pause = button("Look up", () => this.teach({ do: this.state?.paused ? "resume" : "pause" }));
    this.results = button("Results (CSV)", () => this.save());
    this.over = button("End the class", () => this.finish());
    this.own = button("Copy my own link", () => this.copyOwn(ownLink(key, secret)));
    this.own.title = "Opens this panel on another device. Keep it to yourself.";
    this.fold.onclick = () => this.open(this.isFolded);
    const steer = element("div", { className: "steer" }, this.follow, this.free, this.pause);
    const bar = element("div", { className: "head" }, element("b", { className: "key" }, key), this.here);
    bar.append(this.status, this.loop.next, steer, this.fold);
    const letters = element("p", { className: "letters" }, key);
    const way = element("div", { className: "way" }, this.image, element("div", {}, letters, this.address));
    const end = element("div", { className: "foot" }, element("p", { className: "note" }, panel.data.kept));
    end.append(this.results, this.own, this.over);
    this.inside = element("div", { className: "inside" }, way, this.loop.root, this.questions.root, this.votes, end);
    panel.root.append(bar, this.inside);
    window.addEventListener("keydown", (event) => this.press(event), { capture: true, signal: this.gone.signal });
    this.open(kept(this.at("folded")) !== "yes");
    this.tell("Opening…");
    this.client.start();
  }

  leave() {
    this.gone.abort();
    this.client.stop();
    delete document.documentElement.dataset.remote;
  }

  /** @param {string} what */
  at(what) {
    return `room_${what}/${this.key}`;
  }

  /** @param {ClassData} data */
  update(data) {
    this.data = data;
    if (!data.teaches) this.panel.say({ do: "teach" });
    this.image.hidden = !data.qr;
    this.image.src = `data:image/svg+xml,${encodeURIComponent(data.qr)}`;
    const way = `Scan the code, or open ${data.address.split("?")[0]} and type the key.`;
    this.address.textContent = data.qr ? `${way} ${data.warning}`.trim() : data.warning;
    this.address.className = data.warning ? "address wrong" : "address";
    this.questions.update(data);
    this.loop.measured(data.measured);
    this.draw();
  }

  /** @param {RoomState} state */
  show(state) {
    const [before, now] = [this.state, state].map((one) => `${one?.question?.name}/${one?.round}/${one?.phase}`);
    if (before !== now) this.word = "";
    if (before !== now && state.phase === "revealed") this.panel.main.scrollTop = 0; // to the picture of what was asked
    this.state = state;
    if (state.question) this.questions.hear(state.question.text);
    this.draw();
  }

  draw() {
    if (!this.state) return;
    const { state } = this;
    const { phase, voted, here, paused, follow, question, round } = state;
    this.here.textContent = `${here} here`;
    this.pause.textContent = paused ? "Go on" : "Look up";
    this.pause.ariaPressed = String(paused);
    this.free.disabled = !follow;
    this.follow.ariaPressed = String(Boolean(follow));
    this.results.disabled = !question || (phase === "open" && round === 1);
    this.loop.draw(state);
    // While a question is on, its counts have the room: the way in is a small picture in the corner.
    this.inside.classList.toggle("asking", Boolean(question));
    this.questions.root.hidden = Boolean(question) && (phase !== "revealed" || this.questions.choices.length < 2);
    const hidden = `${voted} of ${here} have voted. ${phase === "open" ? "" : "Nobody sees the counts until you show them."}`;
    const counted = state.tallies.length ? histogram(state) : element("p", {}, question ? hidden : HOW);
    this.votes.replaceChildren(...(question ? [element("p", { className: "asked" }, question.text)] : []), counted);
    const open = phase === "open" ? `${round === 2 ? "Second vote" : "Vote"}: ${voted} of ${here}` : "";
    const untold = phase === "revealed" && question?.page && state.measured === null ? UNTOLD : "";
    this.tell(this.word || open || untold);
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
    const place = placeOf(this.data.page, LONGEST);
    if (place.settings.length > LONGEST)
      return this.say("These settings are too long to be followed: shorten the text.");
    await this.teach({ do: "follow", ...place });
  }

  async save() {
    const { csv, error } = await this.client.results();
    if (error) return this.say(error);
    const href = URL.createObjectURL(new Blob([csv], { type: "text/csv" }));
    element("a", { href, download: `class-${this.key}.csv` }).click();
    URL.revokeObjectURL(href);
  }

  /** @param {string} link */
  async copyOwn(link) {
    this.say(
      (await copy(link)) ? "Copied. Keep it to yourself: who has it leads this class." : "Copying is blocked here.",
    );
  }

  finish() {
    if (this.over.textContent !== "End the class") return void this.teach({ do: "end" });
    this.over.textContent = "End it for everybody?";
    setTimeout(() => (this.over.textContent = "End the class"), SURE);
  }

  /** @param {string} sentence */
  end(sentence) {
    keepSecret(this.key, "");
    this.state = null;
    this.leave();
    const close = button("Close", () => this.panel.say({ do: "leave" }));
    this.panel.root.replaceChildren(element("div", { className: "head" }, this.status, close));
    this.tell(sentence);
  }

  get isFolded() {
    return this.inside.hidden;
  }

  /** @param {boolean} open */
  open(open) {
    this.inside.hidden = !open;
    this.loop.next.hidden = open;
    keep(this.at("folded"), open ? "no" : "yes");
    this.fold.ariaExpanded = String(open);
    this.fold.ariaLabel = open ? "Fold the panel" : "Unfold the panel";
    // An open panel has the presenter's remote: PageDown takes the next step, and not the next preset.
    if (open) document.documentElement.dataset.remote = "class";
    else delete document.documentElement.dataset.remote;
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const types = event.composedPath()[0] instanceof HTMLTextAreaElement;
    if (this.isFolded || types || !/^Page(Up|Down)$/.test(event.key) || !plain(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.repeat) return;
    if (event.key === "PageDown" && this.loop.asksAgain)
      this.open(false); // and the next press is the page's
    else if (event.key === "PageDown") this.loop.advance();
    else this.loop.go(Math.max(0, this.data.at - 1));
  }
}
