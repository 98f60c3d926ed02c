// How many have answered a test, for its teacher, and their answers for the page, where it asks for them.

import { element } from "../base/dom.js";
import { _ } from "../base/language.js";

/** @import { RoomState } from "./room.js" */
/** @import { Teacher } from "./teacher.js" */

export class TestCount {
  root = element("span", { className: "here", hidden: true });
  /** How often the page has asked, when it was answered last. */
  answered = 0;

  /** @param {Teacher} teacher */
  constructor(teacher) {
    this.teacher = teacher;
  }

  /** @param {RoomState} state */
  draw({ tests }) {
    const { here, of } = this.teacher.data.test;
    const people = (/** @type {string} */ time, fewest = 1) =>
      (tests[time] ?? []).reduce((sum, [items, count]) => sum + (items >= fewest ? count : 0), 0);
    const said = { before: _("Test before"), after: _("Test after") };
    const counts = Object.entries(said)
      .filter(([time]) => people(time))
      .map(([time, name]) =>
        _("{time}: {done} of {begun} done", { time: name, done: people(time, of), begun: people(time) }),
      );
    this.root.hidden = !here;
    this.root.textContent = counts.join(" · ") || _("Test: nobody yet");
  }

  /** Give the page the class's answers, once for each time that it asks. */
  async update() {
    const { asked } = this.teacher.data.test;
    if (asked <= this.answered) return;
    this.answered = asked;
    const { csv, error } = await this.teacher.client.testAnswers();
    this.teacher.panel.say({ do: "answers", table: csv, error });
  }
}
