// All claims on one logarithmic axis: a dot for what was measured, a bar for its bound, a diamond for the switch that
// breaks it. For who reads it, a table; each row leads to what is told of its claim below.

import { component } from "../base/component.js";
import { element, plain } from "../base/dom.js";
import { _ } from "../base/language.js";
import { mathNodes } from "../base/mathematics.js";

/** @import { ChartData, ChartMark, ChartRow, Component } from "../base/types" */

const TOLD_MS = 4000; // that what is told of a claim may take to come
const SETTLED_MS = 500;
const COUNTED = { held: 0, broken: 0.4 }; // where numbers stand that have no place on the axis
const percent = (/** @type {number} */ at) => `${(100 * at).toFixed(2)}%`;

class Chart {
  box = element("div", { className: "chart" });
  shown = "";
  gone = false;
  go = (/** @type {string} */ _id) => {};

  /** @param {Component<ChartData>} given */
  constructor({ parentElement }) {
    parentElement.append(this.box);
  }

  destroy() {
    this.gone = true;
    this.box.remove();
  }

  /** @param {Component<ChartData>} given */
  update({ data, setTriggerValue }) {
    this.go = (/** @type {string} */ id) => (setTriggerValue("go", id), this.lead(id, performance.now() + TOLD_MS));
    const now = JSON.stringify(data);
    if (now === this.shown) return; // a run of the page must not take the focus away
    this.shown = now;
    const focused = /** @type {ShadowRoot} */ (this.box.getRootNode()).activeElement?.id;
    const columns = data.columns.map((sections) => {
      const axis = element("div", { className: "axis", ariaHidden: "true" }, ...data.ticks.map(tick));
      const tables = sections.map(({ title, rows }) => this.table(title, rows));
      const grid = element("div", { className: "grid", ariaHidden: "true" }, ...data.ticks.map(rule));
      return element("div", { className: "column" }, grid, axis, ...tables);
    });
    this.box.style.setProperty("--rounding", percent(data.rounding));
    this.box.replaceChildren(legend(data), element("div", { className: "columns" }, ...columns));
    if (focused) /** @type {HTMLElement | null} */ (this.box.querySelector(`#${CSS.escape(focused)}`))?.focus();
  }

  /** @param {string} title @param {ChartRow[]} rows */
  table(title, rows) {
    const heads = [title, _("measured"), _("bound"), _("with the switch")];
    const head = heads.map((name) => element("span", { role: "columnheader" }, name));
    return element(
      "div",
      { role: "table", ariaLabel: title },
      element("div", { role: "row", className: "head" }, ...head),
      ...rows.map((row) => this.row(row)),
    );
  }

  /** @param {ChartRow} row */
  row(row) {
    const { id, says, state, means, switch: by, held, bound, broken } = row;
    const link = element("a", { id, href: `#${id}`, title: `${says} ${means}` }, ...mathNodes(says));
    link.append(element("span", { className: "unseen" }, `. ${means}`));
    link.onclick = (event) => {
      if (!plain(event) || event.shiftKey) return;
      event.preventDefault();
      this.go(id);
    };
    const way = element("i", { className: "way", ariaHidden: "true" });
    const [from, to] = [held, broken].map((one) => one?.at ?? null);
    if (from !== null && to !== null) {
      way.style.left = percent(Math.min(from, to));
      way.style.width = percent(Math.abs(from - to));
    }
    const cells = [
      mark("held", held ?? { text: _("not measured"), at: 0 }, ""),
      mark("bound", bound ?? { text: "–", at: null }, ""),
      mark("broken", broken ?? { text: "–", at: null }, by),
    ];
    cells[1].hidden = !bound;
    cells[2].hidden = !broken;
    const line = element("span", { className: "line", role: "presentation" }, way, ...cells);
    const name = element("span", { role: "rowheader", className: "name" }, link);
    return element("div", { role: "row", className: `row ${state}${held ? "" : " open"}` }, name, line);
  }

  /** Once more as soon as all that comes with it stands. @param {Element} told */
  show(told) {
    for (const wait of [0, SETTLED_MS]) setTimeout(() => told.scrollIntoView({ block: "center" }), wait);
  }

  /** Goes to what is told of a claim, as soon as it is there. @param {string} id @param {number} until */
  lead(id, until) {
    const told = document.querySelector(`.st-key-claim_${CSS.escape(id)}`);
    if (told) return this.show(told);
    if (!this.gone && performance.now() < until) requestAnimationFrame(() => this.lead(id, until));
  }
}

/** @param {ChartMark} one */
function tick(one) {
  const made = element("span", {}, one.text);
  made.style.left = percent(one.at ?? 0);
  return made;
}

/** @param {ChartMark} one */
function rule(one) {
  const made = element("i");
  made.style.left = percent(one.at ?? 0);
  return made;
}

/** One cell: its sign where it stands on the axis, and its number, which is read and not seen there. */
/** @param {"held" | "bound" | "broken"} kind @param {ChartMark} one @param {string} by */
function mark(kind, { text, at }, by) {
  const number = element("span", { className: at === null && kind !== "bound" ? "number" : "unseen" }, text);
  const sign = element("i", { className: "sign", ariaHidden: "true" });
  const cell = element(
    "span",
    {
      role: "cell",
      className: kind,
      title: kind === "broken" && by ? _("with {switch}: {number}", { switch: by, number: text }) : text,
    },
    sign,
    number,
  );
  cell.style.left = percent(at ?? (kind === "broken" ? COUNTED.broken : COUNTED.held));
  return cell;
}

/** @param {ChartData} data */
function legend({ columns, rounding }) {
  const meant = new Map(
    columns.flat().flatMap(({ rows }) => rows.map(({ state, means, held }) => [means, { state, open: !held }])),
  );
  const signs = [...meant].map(([means, { state, open }]) =>
    element(
      "span",
      { className: `${state}${open ? " open" : ""}` },
      element("i", { className: "held" }, element("i", { className: "sign" })),
      means,
    ),
  );
  const kinds = /** @type {const} */ ([
    ["bound", _("the bound it is held to")],
    ["broken", _("with the switch that breaks it")],
  ]);
  const others = kinds.map(([kind, said]) =>
    element("span", {}, element("i", { className: kind }, element("i", { className: "sign" })), said),
  );
  const room = rounding ? [element("span", { className: "room" }, _("what rounding leaves"))] : [];
  return element("p", { className: "legend", ariaHidden: "true" }, ...signs, ...others, ...room);
}

export default await component(Chart, import.meta.url);
