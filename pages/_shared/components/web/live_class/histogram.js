// What was voted in both rounds, with the answer that came out marked: bars side by side, or numbers as dots on a line.

import { element } from "../base/dom.js";
import { _ } from "../base/language.js";
import { LETTERS, voteTitle } from "./answers.js";
import { dots } from "./dots.js";

/** @import { Answer, RoomState } from "./room.js" */
/** What is drawn of a question: a room's state has it, and so has what it tells of those before.
 * @typedef {Pick<RoomState, "question" | "sums" | "tallies" | "measured">} Voted */
/** @typedef {{ name: string, letter: string, counts: number[], right: boolean, mine: boolean }} Row */

/** Of the styles of what it draws. */
export const MODULE = import.meta.url;

/** @param {Voted} state @param {Answer | null} mine  the answer of who looks, marked too */
export function histogram(state, mine = null) {
  const { question, sums } = state;
  if (question?.kind === "number") return dots(state, mine);
  const rows = question?.kind === "words" ? words(state, mine) : answers(state, mine);
  if (!rows.length) return element("p", { className: "counts" }, ...sums.map((sum, at) => `${voteTitle(at, sum)} `));
  const truth = question?.page ? _("✓ measured") : _("✓ right"); // of a question of their own a teacher has said it
  const head = sums.map((sum, round) => element("th", { scope: "col" }, voteTitle(round, sum)));
  const drawn = rows.map(({ name, letter, counts, right, mine: own }) => {
    const marks = [right ? truth : "", own ? _("your answer") : ""].filter(Boolean);
    const called = element(
      "th",
      { scope: "row" },
      element("b", {}, letter),
      letter && " ",
      element("span", {}, name),
    );
    called.append(...marks.map((mark) => element("em", {}, mark)));
    return element(
      "tr",
      { className: right ? "measured" : "" },
      called,
      ...counts.map((count, round) => bar(count, sums[round])),
    );
  });
  const titles = element("tr", {}, element("td"), ...head);
  return element("table", { className: "counts" }, element("thead", {}, titles), element("tbody", {}, ...drawn));
}

/** @param {Voted} state @param {Answer | null} mine @returns {Row[]} */
function answers({ question, tallies, measured }, mine) {
  const has = (/** @type {RoomState["measured"] | Answer} */ some, /** @type {number} */ at) =>
    Array.isArray(some) ? some.includes(at) : some === at;
  return (question?.answers ?? []).map((name, at) => ({
    name,
    letter: LETTERS[at],
    counts: tallies.map((counts) => Number(counts[at])),
    right: has(measured, at),
    mine: has(mine, at),
  }));
}

/** @param {Voted} state @param {Answer | null} mine @returns {Row[]} */
function words({ tallies }, mine) {
  const pairs = /** @type {[string, number][][]} */ (tallies);
  return (pairs[0] ?? []).map(([name], at) => ({
    name,
    letter: "",
    counts: pairs.map((counts) => counts[at][1]),
    right: false,
    mine: name === mine,
  }));
}

/** @param {number} count @param {number} sum */
function bar(count, sum) {
  const drawn = element("span", { className: "bar" });
  drawn.style.width = `${sum ? (100 * count) / sum : 0}%`;
  const track = element("span", { className: "track", "aria-hidden": "true" }, drawn);
  return element("td", {}, element("span", { className: "count" }, track, String(count)));
}
