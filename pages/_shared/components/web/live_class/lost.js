// How many say that they are lost: a number, and their share of those here over the last minutes, as this tab has seen it.

import { element, svg } from "../base/dom.js";
import { _ } from "../base/language.js";
import { keep, kept } from "../base/tab.js";

/** @import { Pair } from "../base/types" */
/** @import { RoomState } from "./room.js" */

const EVERY = 10_000; // milliseconds between two points
const MOST = 360; // points: an hour
const [WIDE, HIGH] = [90, 22];

export class Lost {
  count = element("span", {});
  picture = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, width: WIDE, height: HIGH, role: "img" });
  root = element("span", { className: "lost-share", hidden: true }, this.picture, this.count);
  /** Points of time, in steps of `EVERY`, and the largest share in each. @type {Pair[]} */
  points;

  /** @param {string} key */
  constructor(key) {
    this.name = `room_lost/${key}`;
    this.points = JSON.parse(kept(this.name) ?? "[]");
  }

  /** @param {RoomState} state */
  hear({ lost, here }) {
    const now = Math.floor(Date.now() / EVERY);
    const share = here ? lost / here : 0;
    const last = this.points.at(-1);
    if (last?.[0] === now) last[1] = Math.max(last[1], share);
    else this.points = [...this.points, /** @type {Pair} */ ([now, share])].slice(-MOST);
    keep(this.name, JSON.stringify(this.points));
    this.root.hidden = !this.points.some(([, one]) => one > 0);
    this.count.textContent = _("{lost} of {here} lost", { lost, here });
    this.draw(now);
  }

  /** @param {number} now */
  draw(now) {
    const from = Math.min(this.points[0][0], now - 30);
    const x = (/** @type {number} */ at) => ((at - from) / (now + 1 - from)) * WIDE;
    const y = (/** @type {number} */ share) => HIGH - 1 - share * (HIGH - 2);
    const steps = this.points.map(([at, share], index) => {
      const until = this.points[index + 1]?.[0] ?? now + 1;
      return `L${x(at).toFixed(1)} ${y(share).toFixed(1)}H${x(until).toFixed(1)}`;
    });
    const area = svg("path", { d: `M${x(this.points[0][0]).toFixed(1)} ${HIGH - 1}${steps.join("")}V${HIGH - 1}z` });
    const axis = svg("line", { x1: 0, x2: WIDE, y1: HIGH - 1, y2: HIGH - 1 });
    const most = Math.round(100 * Math.max(...this.points.map(([, share]) => share)));
    const minutes = Math.round(((now + 1 - from) * EVERY) / 60_000);
    this.root.title = _("Share of the class that is lost, over {minutes} minutes; at most {most} %", {
      minutes,
      most,
    });
    this.picture.setAttribute("aria-label", this.root.title);
    this.picture.replaceChildren(axis, area);
  }
}
