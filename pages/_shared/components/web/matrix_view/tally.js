// How many numbers of two matrices are the same: large, with a square for each, and how many are if a switch is turned.

import { element, svg } from "../base/dom.js";
import { _ } from "../base/language.js";

/** @import { TallyData } from "../base/types" */

const MOST = 16; // rows and columns whose squares can be told apart
const STEP = 8; // pixels from one square to the next
const SIDE = 6;
const NARROW = 640; // below this width it is a line below the panels
const AROUND = 204; // pixels from top to bottom of all but its squares

export class Tally {
  box = element("div", { className: "tally" });

  /** Pixels that it takes beside panels, and below them; without its squares where these make it too high.
   * @param {TallyData | null} data @param {number} width @param {number} height */
  room(data, width, height) {
    const below = width < NARROW;
    this.box.classList.toggle("below", below);
    this.box.classList.toggle("low", height < AROUND + 1.5 * STEP * (data?.same?.length ?? 0));
    return data === null ? [0, 0] : below ? [0, 32] : [152, 0];
  }

  /** @param {TallyData | null} data @param {HTMLElement} front */
  show(data, front) {
    if (!data) return this.box.remove();
    const { same, other, other_same } = data;
    const count = same ? same.length * same[0].length : 0;
    const number = same ? same.join("").replaceAll("0", "").length : null;
    const said = count ? _("of {count} the same", { count }) : _("this precision cannot tell how many");
    this.box.replaceChildren(
      element("strong", { className: number === count ? "all" : "" }, number === null ? "?" : String(number)),
      element("span", {}, said),
      ...(same && Math.max(same.length, same[0].length) <= MOST ? [this.squares(same)] : []),
      element("span", { className: "other" }, other),
      element("b", {}, other_same === null ? "?" : String(other_same)),
      ...(count ? [element("span", {}, _("of {count}", { count }))] : []),
    );
    if (this.box.parentElement !== front) front.append(this.box);
  }

  /** @param {string[]} same */
  squares(same) {
    const [wide, high] = [same[0].length * STEP, same.length * STEP];
    const rects = same.flatMap((row, r) =>
      [...row].map((one, c) =>
        svg("rect", {
          x: c * STEP + 1,
          y: r * STEP + 1,
          width: SIDE,
          height: SIDE,
          rx: 1,
          class: one === "1" ? "same" : "",
        }),
      ),
    );
    const size = { viewBox: `0 0 ${wide} ${high}`, width: 1.5 * wide, height: 1.5 * high };
    return svg("svg", { ...size, "aria-hidden": "true" }, ...rects);
  }
}
