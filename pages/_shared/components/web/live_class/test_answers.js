// A student's answers to a test: kept in this tab, and handed in until all that there are have arrived.

import { element } from "../base/dom.js";
import { _ } from "../base/language.js";
import { keep, kept } from "../base/tab.js";

/** @import { RoomClient } from "./room.js" */
/** @import { Panel } from "./panel.js" */
/** @typedef {Record<string, Record<string, string>>} Letters by time and item */

/** Milliseconds after which what was not heard is said again, the first time; then twice as long, but no longer than the other. */
const [AGAIN, LONGEST] = [2000, 30_000];

export class TestAnswers {
  root = element("p", { className: "sent", role: "status" });
  /** What has arrived, by the time. @type {Record<string, string>} */
  arrived = {};
  isOver = false;
  isSending = false;
  wait = AGAIN;
  again = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  told = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);

  /** @param {Panel} panel @param {RoomClient} client */
  constructor(panel, client) {
    this.panel = panel;
    this.client = client;
    this.name = `room_test/${client.key}`;
  }

  update() {
    const { person, answers, arrived, of } = this.panel.data.test;
    if (this.isOver) return;
    if (!person) return this.restore();
    keep(this.name, JSON.stringify({ person, answers }));
    this.send();
    // The page says that all has been handed in, once it has heard so.
    for (const [time, letters] of Object.entries(this.arrived)) {
      const count = Object.keys(JSON.parse(letters)).length;
      if (count >= of && arrived[time] !== count) this.say({ do: "arrived", time, count });
    }
  }

  /** A session that is new knows nothing of what this tab has answered. */
  restore() {
    const known = kept(this.name);
    if (known) this.say({ do: "tested", ...JSON.parse(known) });
  }

  /** Say something to the session, and say it again if that does not show. @param {object} message */
  say(message) {
    if (this.told !== undefined) return;
    this.panel.say(message);
    this.told = setTimeout(() => {
      this.told = undefined;
      this.update();
    }, LONGEST / 4);
  }

  async send() {
    const { person, answers, of } = this.panel.data.test;
    const next = Object.keys(answers).find((time) => JSON.stringify(answers[time]) !== this.arrived[time]);
    if (this.isSending || this.isOver || !next) return;
    clearTimeout(this.again);
    this.isSending = true;
    const letters = JSON.stringify(answers[next]);
    const { counted, error, status } = await this.client.handIn(next, person, answers[next]);
    this.isSending = false;
    if (this.isOver) return;
    if (error) {
      const mayArrive = status === 0 || status === 429 || status >= 500;
      this.root.textContent = mayArrive
        ? _("{error} Your answers are kept here and sent again.", { error })
        : _("{error} Your answers did not arrive.", { error });
      if (mayArrive) this.again = setTimeout(() => this.send(), this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST);
      return;
    }
    this.wait = AGAIN;
    this.arrived[next] = letters;
    const count = Object.keys(JSON.parse(letters)).length;
    const others = count - counted;
    this.root.textContent = others
      ? _(
          "{count} of {of} answers have arrived. With this word {others} were answered otherwise before: that counts.",
          {
            count,
            of,
            others,
          },
        )
      : _("{count} of {of} answers have arrived.", { count, of });
    this.update();
  }

  leave() {
    this.isOver = true;
    this.root.textContent = "";
    clearTimeout(this.again);
    clearTimeout(this.told);
  }
}
