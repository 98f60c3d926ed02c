// What a class sees on the wall in place of the page: how to come in, what is asked, what was counted. Once the answer is
// out, the page has the wall again, with the picture that measured it.

import { element } from "../base/dom.js";
import { _ } from "../base/language.js";
import { keep, kept } from "../base/tab.js";
import { LETTERS } from "./answers.js";
import { histogram } from "./histogram.js";

/** @import { RoomState } from "./room.js" */
/** @import { Teacher } from "./teacher.js" */

const COUNTDOWN_S = 60;
/** Sizes of what is asked, from the largest; the first that fits is taken. */
const SIZES = [1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.42, 0.35];

export class Wall {
  root = element("div", { className: "wall", hidden: true });
  image = element("img", { className: "code", alt: _("QR code of the students' link") });
  letters = element("p", { className: "letters" });
  address = element("p", { className: "address" });
  here = element("p", { className: "count" });
  voted = element("p", { className: "count" });
  clock = element("p", { className: "clock", role: "timer", hidden: true });
  countdown = element("button", { type: "button", className: "countdown", hidden: true });
  sizes = new ResizeObserver(() => this.fit());
  drawn = "";
  /** When the time is up, in milliseconds of this page; 0 without a countdown. */
  ends = 0;
  tick = /** @type {ReturnType<typeof setInterval> | undefined} */ (undefined);

  /** @param {Teacher} teacher */
  constructor(teacher) {
    this.teacher = teacher;
    this.isJoining = !kept(this.name);
    this.letters.textContent = teacher.key;
    this.countdown.onclick = () => this.count(this.ends ? 0 : COUNTDOWN_S);
    this.count(0);
    this.sizes.observe(this.root);
  }

  get name() {
    return `room_joined/${this.teacher.key}`;
  }

  leave() {
    clearInterval(this.tick);
    this.sizes.disconnect();
  }

  /** Show the way in, or go on from it. @param {boolean} isJoining */
  join(isJoining) {
    this.isJoining = isJoining;
    keep(this.name, "yes");
    this.teacher.draw();
  }

  /** What is on it; empty where the page has the wall. @param {RoomState} state */
  sceneOf({ phase, question }) {
    if (!this.teacher.data.slide) return "";
    if (this.isJoining) return "join";
    return question && ["open", "closed", "shown"].includes(phase) ? phase : "";
  }

  /** @param {RoomState} state */
  draw(state) {
    const { voted, here, question, round, phase, tallies } = state;
    const { data } = this.teacher;
    const scene = this.sceneOf(state);
    this.here.textContent = _("{here} here", { here });
    this.voted.textContent = _("{voted} of {here} have voted.", { voted, here });
    this.countdown.hidden = scene !== "open";
    const now = JSON.stringify([scene, question?.name, round, phase, tallies, data.qr, data.address, data.warning]);
    if (now === this.drawn) return;
    this.drawn = now;
    if (scene !== "open") this.count(0);
    this.root.hidden = !scene;
    this.root.className = `wall ${scene}`;
    this.root.replaceChildren(...(scene === "join" ? this.way() : scene ? this.question(state) : []));
    this.fit();
  }

  way() {
    const { address, qr, warning } = this.teacher.data;
    this.image.hidden = !qr;
    this.image.src = `data:image/svg+xml,${encodeURIComponent(qr)}`;
    const [url] = address.split("?");
    const way = qr ? _("Scan the code, or open {url} and type the key.", { url }) : warning;
    this.address.textContent = way;
    return [element("div", { className: "way" }, this.letters, this.address, this.here), this.image];
  }

  /** @param {RoomState} state */
  question(state) {
    const { question, phase, round } = state;
    const says = {
      open: round === 2 ? _("Vote again.") : _("Vote."),
      closed: round === 2 ? _("The vote is closed.") : _("Talk it over with your neighbour."),
      shown: _("Counted."),
    };
    const line = element("p", { className: "says" }, says[/** @type {keyof typeof says} */ (phase)]);
    const hints = {
      one: "",
      several: _("Tick all that are right."),
      number: _("A number."),
      words: _("A few words."),
    };
    if (question && phase === "open") line.append(" ", hints[question.kind]);
    const answers = (question?.answers ?? []).map((answer, at) =>
      element("li", {}, element("b", {}, LETTERS[at]), " ", element("span", {}, answer)),
    );
    const below = state.tallies.length
      ? [histogram(state)]
      : [
          element("ol", { className: "options" }, ...answers),
          element("div", { className: "below" }, this.voted, this.clock),
        ];
    return [line, element("h2", {}, question?.text ?? ""), ...below];
  }

  /** A long question is set smaller, so that all its answers are seen. */
  fit() {
    const { root } = this;
    if (root.hidden) return;
    for (const size of SIZES) {
      root.style.setProperty("--wall-size", String(size));
      if (root.scrollHeight <= root.clientHeight) return;
    }
  }

  /** Count so many seconds down; 0 ends it. @param {number} seconds */
  count(seconds) {
    clearInterval(this.tick);
    this.ends = seconds ? performance.now() + 1000 * seconds : 0;
    this.countdown.textContent = seconds ? _("No countdown") : _("Countdown");
    this.clock.hidden = !seconds;
    if (!seconds) return;
    this.tick = setInterval(() => this.tell(), 200);
    this.tell();
  }

  tell() {
    const left = Math.max(0, Math.ceil((this.ends - performance.now()) / 1000));
    const said = left ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}` : _("Time is up");
    if (this.clock.textContent !== said) this.clock.textContent = said;
    if (!left) clearInterval(this.tick);
  }
}
