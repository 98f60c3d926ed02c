// Numbers as dots on a line, a line for each vote, with what counts as right shaded.

import { element, svg } from "../base/dom.js";
import { _ } from "../base/language.js";
import { tickText, ticks } from "../base/numbers.js";
import { isRight, voteTitle } from "./answers.js";

/** @import { Pair } from "../base/types" */
/** @import { Answer } from "./room.js" */
/** @import { Voted } from "./histogram.js" */

const WIDE = 400;
const EDGE = 26; // at both ends, where it is told how many lie farther off
const HIGH = 72; // of the highest stack
const DOT = 8; // across, and from one to the next where there is room
const FAR = 3; // times the middle half's width beyond its ends: J. W. Tukey's outer fences

/** @param {Voted} state @param {Answer | null} mine */
export function dots({ tallies, sums, measured }, mine) {
  const rounds = /** @type {Pair[][]} */ (tallies);
  const right = Array.isArray(measured) ? /** @type {Pair} */ (measured) : null;
  const span = seen(rounds.flat(), right, typeof mine === "number" ? mine : null);
  const at = (/** @type {number} */ value) => EDGE + ((WIDE - 2 * EDGE) * (value - span[0])) / (span[1] - span[0]);
  const most = Math.max(1, ...rounds.flatMap((pairs) => [...stacked(pairs, span, at).values()]));
  const drawn = rounds.map((pairs, round) => {
    const figure = element("figure", {});
    const said = described(pairs, right);
    figure.append(
      element("figcaption", {}, voteTitle(round, sums[round])),
      line(pairs, right, span, at, mine, said, most),
    );
    figure.append(element("p", { className: "note" }, said));
    return figure;
  });
  return element("div", { className: "counts dots" }, ...drawn);
}

/** What of the line is seen: all but what lies far outside of the middle half; the right number and one's own always.
 * @param {Pair[]} pairs @param {Pair | null} right @param {number | null} mine @returns {Pair} */
function seen(pairs, right, mine) {
  const sorted = [...pairs].sort(([one], [other]) => one - other);
  const [low, high] = [0.25, 0.75].map((share) => quantile(sorted, share));
  const reach = FAR * (high - low || spread(sorted, low));
  const near = sorted.map(([value]) => value).filter((value) => value >= low - reach && value <= high + reach);
  const asked = right ? [right[0] - right[1], right[0] + right[1]] : [];
  const all = [...near, ...asked, ...(mine === null ? [] : [mine])];
  const [from, to] = [Math.min(...all, Infinity), Math.max(...all, -Infinity)];
  if (from > to) return [0, 1];
  const around = (to - from || Math.abs(to) || 1) * 0.05;
  return [from - around, to + around];
}

/** How far those lie from a number that half of all have said, who have said another: the middle one of them.
 * @param {Pair[]} pairs @param {number} middle */
function spread(pairs, middle) {
  const others = pairs.filter(([value]) => value !== middle);
  const apart = others.map(([value, count]) => /** @type {Pair} */ ([Math.abs(value - middle), count]));
  return (
    quantile(
      apart.sort(([one], [other]) => one - other),
      0.5,
    ) || 0
  );
}

/** The smallest number that a share of all are not above. @param {Pair[]} sorted @param {number} share */
function quantile(sorted, share) {
  let left = share * sorted.reduce((sum, [, count]) => sum + count, 0);
  return sorted.find(([, count]) => (left -= count) <= 0)?.[0] ?? NaN;
}

/** What is seen, in words. @param {Pair[]} pairs @param {Pair | null} right */
function described(pairs, right) {
  if (!pairs.length) return _("Nobody answered.");
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(pairs, share));
  const among = (/** @type {(value: number) => boolean} */ is) =>
    pairs.reduce((sum, [value, count]) => sum + (is(value) ? count : 0), 0);
  const [sum, inside] = [among(() => true), among((value) => low <= value && value <= high)];
  const half =
    low === high
      ? _("Half of them or more: {middle}.", { middle })
      : _("{inside} of {sum} from {low} to {high}, the middle one {middle}.", { inside, sum, low, high, middle });
  if (!right) return half;
  const count = among((value) => isRight(value, right));
  const [value, within] = right;
  const near = _("{count} within {value} ± {within}.", { count, value, within });
  return `${half} ${near}`;
}

/**
 * @param {Pair[]} pairs
 * @param {Pair | null} right
 * @param {Pair} span
 * @param {(value: number) => number} at
 * @param {Answer | null} mine
 * @param {string} said
 * @param {number} most  dots of the highest stack of all lines: they are alike
 */
function line(pairs, right, span, at, mine, said, most) {
  const stacks = stacked(pairs, span, at);
  const apart = Math.min(DOT, HIGH / most);
  const base = apart * (most - 1) + DOT + 2;
  const picture = svg("svg", { viewBox: `0 0 ${WIDE} ${base + 24}`, role: "img", "aria-label": said });
  if (right) {
    const [from, to] = [right[0] - right[1], right[0] + right[1]].map(at);
    const wide = Math.max(3, to - from);
    picture.append(svg("rect", { class: "right", x: (from + to - wide) / 2, y: 0, width: wide, height: base }));
  }
  picture.append(svg("line", { class: "axis", x1: 0, x2: WIDE, y1: base, y2: base }));
  for (const value of ticks(...span, 4).filter((one) => one >= span[0] && one <= span[1])) {
    picture.append(svg("line", { class: "axis", x1: at(value), x2: at(value), y1: base, y2: base + 5 }));
    picture.append(svg("text", { x: at(value), y: base + 18, "text-anchor": "middle" }, tickText(value)));
  }
  for (const [x, count] of stacks)
    for (let up = 0; up < count; up++)
      picture.append(svg("circle", { cx: x, cy: base - DOT / 2 - 1 - apart * up, r: DOT / 2 - 0.5 }));
  const [below, above] = [pairs.filter(([v]) => v < span[0]), pairs.filter(([v]) => v > span[1])].map((some) =>
    some.reduce((sum, [, count]) => sum + count, 0),
  );
  if (below) picture.append(svg("text", { x: 0, y: base - 5 }, `◂ ${below}`));
  if (above) picture.append(svg("text", { x: WIDE, y: base - 5, "text-anchor": "end" }, `${above} ▸`));
  if (typeof mine === "number")
    picture.append(svg("path", { class: "mine", d: `M${at(mine) - 4} ${base + 7}h8l-4 -6z` }));
  return picture;
}

/** How many dots stand at each place, none closer to the next than a dot is wide.
 * @param {Pair[]} pairs @param {Pair} span @param {(value: number) => number} at */
function stacked(pairs, [low, high], at) {
  const stacks = /** @type {Map<number, number>} */ (new Map());
  let place = -Infinity;
  for (const [value, count] of pairs) {
    if (value < low || value > high) continue;
    if (at(value) - place >= DOT) place = at(value);
    stacks.set(place, (stacks.get(place) ?? 0) + count);
  }
  return stacks;
}
