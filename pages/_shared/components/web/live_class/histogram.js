// The counts of both rounds side by side, with the answer that came out marked.

import { element } from "../base/dom.js";
import { _ } from "../base/language.js";

/** @import { RoomState } from "./room.js" */

/** Of the answers, as on a presenter's slide. */
export const LETTERS = "ABCDEF";

/** @param {RoomState} state @param {number | null} mine  the answer of who looks, marked too */
export function histogram({ question, tallies, measured }, mine = null) {
  const truth = question?.page ? _("✓ measured") : _("✓ right"); // of a question of their own a teacher has said it
  const sums = tallies.map((counts) => counts.reduce((sum, count) => sum + count, 0));
  const title = (/** @type {number} */ sum, /** @type {number} */ round) =>
    round ? _("Second vote ({sum})", { sum }) : _("First vote ({sum})", { sum });
  const head = sums.map((sum, round) => element("th", { scope: "col" }, title(sum, round)));
  const rows = (question?.answers ?? []).map((answer, at) => {
    const marks = [at === measured ? truth : "", at === mine ? _("your answer") : ""].filter(Boolean);
    const name = element("th", { scope: "row" }, element("b", {}, LETTERS[at]), " ", element("span", {}, answer));
    name.append(...marks.map((mark) => element("em", {}, mark)));
    const bars = tallies.map((counts, round) => bar(counts[at], sums[round]));
    return element("tr", { className: at === measured ? "measured" : "" }, name, ...bars);
  });
  const titles = element("tr", {}, element("td"), ...head);
  return element("table", { className: "counts" }, element("thead", {}, titles), element("tbody", {}, ...rows));
}

/** @param {number} count @param {number} sum */
function bar(count, sum) {
  const drawn = element("span", { className: "bar" });
  drawn.style.width = `${sum ? (100 * count) / sum : 0}%`;
  const track = element("span", { className: "track", "aria-hidden": "true" }, drawn);
  return element("td", {}, element("span", { className: "count" }, track, String(count)));
}
