// Panels that follow from each other, from left to right, and the ways between them: a band for each row.

import { clamp, element, still, svg } from "../base/dom.js";
import { mathNodes } from "../base/mathematics.js";
import { LOWEST } from "./grid.js";
import { Heatmap } from "./heatmap.js";

/** @import { ViewData } from "../base/types" */
/** @import { Fit } from "./fit.js" */
/** @import { Shown } from "./view.js" */
/** @typedef {NonNullable<ViewData["flow"]>} Spec */
/** @typedef {{ x: number[], top: number[], bottom: number[], colour: string, from: number, row: number }} Way  a band: where
 * it begins, bends and ends, and its edges at both ends */

const [NARROW, WIDE] = [18, 40]; // pixels between columns: room for the ways
const LEAST = 330; // narrower than this the flow scrolls to its end
const TITLE = 24;
const BAND = 0.6; // of a row's height
const LABELLED = 70; // pixels of a column that has room for words beside its cells
const DRAWN_MS = 500; // for the ways of one column to the next, once

const TRAVEL_MS = 450;

/** The outline of a way. @param {Way} way */
function outline({ x: [x0, bend, x1], top, bottom }) {
  const middle = (bend + x1) / 2;
  const edge = (/** @type {number} */ from, /** @type {number} */ to) => `${middle} ${from} ${middle} ${to}`;
  return (
    `M${x0} ${top[0]}H${bend}C${edge(top[0], top[1])} ${x1} ${top[1]}` +
    `V${bottom[1]}C${edge(bottom[1], bottom[0])} ${bend} ${bottom[0]}H${x0}Z`
  );
}

export class Flow {
  ways = svg("svg", { class: "ways", "aria-hidden": "true" });
  strip = element("div", { className: "strip" });
  gap = 0;
  seen = false;

  /** Places a view's panels; says how wide they are. @param {Fit} fit @param {Spec} spec @param {number} room */
  arrange(fit, { columns, ribbons }, room) {
    const { panels } = fit.view;
    const count = Math.max(...columns) + 1;
    const whole = Math.max(LEAST, fit.width);
    this.gap = clamp(0.05 * whole, NARROW, WIDE);
    const width = (whole - this.gap * (count - 1)) / count - 1;
    panels.forEach(({ drawn }, i) => {
      if (drawn instanceof Heatmap) drawn.bare = columns[i] || width < LABELLED ? "next" : "first";
    });
    const alike = (/** @type {number} */ i) => columns.filter((one) => one === columns[i]).length;
    fit.measure(panels, 1, width, () => LOWEST);
    const top = Math.max(...panels.map(({ drawn }) => drawn.geo.top));
    const lines = Math.max(...columns.map((_, i) => alike(i)));
    // What a way passes stands above it.
    const passed = (/** @type {number} */ i) =>
      ribbons.some(([from, to]) => columns[from] < columns[i] && columns[i] < columns[to]);
    const share = (/** @type {number} */ i) => (alike(i) > 1 ? 1 / alike(i) : passed(i) ? (lines - 1) / lines : 1);
    const heights = new Map(panels.map(({ drawn }, i) => [drawn, room * share(i) - TITLE - top - drawn.geo.bottom]));
    fit.fill(panels, { across: count, width, gap: this.gap, each: 0 }, (one) =>
      Math.max(LOWEST, heights.get(one) ?? 0),
    );
    fit.list.classList.add("flow");
    panels.forEach(({ drawn, parts }, i) => {
      const row = columns.slice(0, i).filter((one) => one === columns[i]).length;
      parts.panel.style.gridColumn = String(columns[i] + 1);
      parts.panel.style.gridRow = alike(i) === 1 ? `1 / ${passed(i) ? lines : lines + 1}` : String(row + 1);
      parts.legend.hidden = true;
      const [title] = drawn.spec.title.split(/[,，]/); // the head is said by its control
      parts.title.replaceChildren(...mathNodes(title, true));
    });
    this.draw(fit, columns, ribbons);
  }

  /** @param {Fit} fit @param {number[]} columns @param {Spec["ribbons"]} ribbons */
  draw(fit, columns, ribbons) {
    const { list, view } = fit;
    if (this.ways.parentElement !== list) list.prepend(this.ways);
    const box = list.getBoundingClientRect();
    const { zoom, theme } = view;
    this.ways.setAttribute("width", String(list.scrollWidth));
    this.ways.setAttribute("height", String(list.scrollHeight));
    const edges = view.panels.map(({ drawn, parts }) => {
      const at = parts.ctx.canvas.getBoundingClientRect();
      const [left, top] = [(at.left - box.left) / zoom + drawn.geo.left, (at.top - box.top) / zoom + drawn.geo.top];
      return { left, top, right: left + drawn.geo.plotWidth, high: drawn.geo.plotHeight };
    });
    const ways = ribbons.flatMap(([from, to, role]) => {
      const [start, end] = [edges[from], edges[to]];
      const count = view.panels[from].drawn.size[0];
      const colour = role ? theme.roles[role] : theme.primary;
      const [x0, x1] = [start.right + 3, end.left - 3];
      const bend = Math.max(x0, x1 - this.gap); // straight below what lies between, and up where it has passed
      const edge = (/** @type {number} */ row, /** @type {number} */ side) =>
        [start, end].map(({ top, high }) => top + ((row + 0.5 + (side * BAND) / 2) / count) * high);
      return Array.from({ length: count }, (_, row) => {
        return { x: [x0, bend, x1], top: edge(row, -1), bottom: edge(row, 1), colour, from, row };
      });
    });
    const moves = !this.seen && !still();
    this.seen = true;
    this.ways.replaceChildren(
      ...ways.map((line) => {
        const { colour, from, row } = line;
        const way = svg("path", { d: outline(line), fill: colour });
        way.dataset.row = String(row);
        if (moves)
          way.animate([{ opacity: 0 }, {}], {
            duration: DRAWN_MS,
            delay: columns[from] * DRAWN_MS,
            fill: "backwards",
          });
        return way;
      }),
    );
  }

  /** Lights the ways of a row; null for none. @param {number | null} row */
  light(row) {
    for (const way of this.ways.children)
      if (way instanceof SVGElement) way.classList.toggle("lit", row !== null && way.dataset.row === String(row));
  }

  /**
   * Travels into the part of the flow that the next picture shows.
   *
   * @param {Fit} fit @param {{ title: string }[]} next
   */
  travel({ list, front, view }, next) {
    const part = view.panels.findLast(({ drawn }) => next.some(({ title }) => title === drawn.spec.title));
    if (!part || still()) return;
    const [box, target] = [list, part.parts.plot].map((one) => one.getBoundingClientRect());
    const [width, height] = [box.width, box.height].map((side) => Math.round(side * devicePixelRatio));
    const picture = element("canvas", { className: "leaving", width, height });
    const ctx = /** @type {CanvasRenderingContext2D} */ (picture.getContext("2d"));
    ctx.scale(devicePixelRatio, devicePixelRatio);
    for (const { parts } of view.panels) {
      const { canvas } = parts.ctx;
      const at = canvas.getBoundingClientRect();
      ctx.drawImage(canvas, at.left - box.left, at.top - box.top, at.width, at.height);
    }
    picture.style.transformOrigin = `${target.left + target.width / 2 - box.left}px ${target.top + target.height / 2 - box.top}px`;
    front.append(picture);
    const way = picture.animate([{}, { transform: "scale(4)", opacity: 0 }], {
      duration: TRAVEL_MS,
      easing: "ease-in",
    });
    way.onfinish = () => picture.remove();
  }

  /** The panels stand in a row again. @param {Fit} fit @param {Shown[]} panels */
  end({ list }, panels) {
    if (!list.classList.contains("flow")) return;
    list.classList.remove("flow");
    this.ways.remove();
    for (const { parts } of panels) parts.panel.style.gridColumn = parts.panel.style.gridRow = "";
  }
}
