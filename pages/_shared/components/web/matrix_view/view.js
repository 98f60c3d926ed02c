// One view: its panels and its slider, and how they go from one picture to the next.

import { component } from "../base/component.js";
import { element, still } from "../base/dom.js";
import { _ } from "../base/language.js";
import { mathNodes } from "../base/mathematics.js";
import { dress } from "../base/theme.js";
import { Arched } from "./arcs.js";
import { Areas } from "./areas.js";
import { Bars } from "./bars.js";
import { forgetWidths } from "./canvas.js";
import { Graph } from "./graph.js";
import { Pointer } from "./pointer.js";
import { Highlight } from "./highlight.js";
import { followLaw } from "./law.js";
import { Follow } from "./follow.js";
import { Lines } from "./lines.js";
import { Heatmap } from "./heatmap.js";
import { Motion, THERE } from "./motion.js";
import { Rows } from "./rows.js";
import { Scatter } from "./scatter.js";
import { Numbers, Panel, readingTable } from "./panel.js";
import { Fit } from "./fit.js";
import { Pictured } from "./picture.js";
import { Play } from "./play.js";

/** @import { Still } from "./panel.js" */
/** @import { Start } from "./start.js" */
/** @import { Cell, Component, PanelSpec, Pointed, Position, ViewData } from "../base/types" */

// `around`: pixels that its title, legend and note took last, from top to bottom.
/** @typedef {Record<"panel" | "title" | "plot" | "legend" | "note", HTMLElement>} Elements */
/** @typedef {Elements & { ctx: CanvasRenderingContext2D, around: number }} Parts */
/** @typedef {{ drawn: Panel<PanelSpec>, parts: Parts }} Shown */

const FRAME_MS = 16;
const FOLLOW_FRAMES = 3;
const AWAIT_FRAMES = 12;
const KINDS = {
  matrix: Heatmap,
  arcs: Arched,
  picture: Pictured,
  bars: Bars,
  rows: Rows,
  lines: Lines,
  scatter: Scatter,
  graph: Graph,
  areas: Areas,
};

// Where each view stood last. The description cannot hold it (moving would send all numbers again), and a view that
// is taken down and put up again must not jump back to where the description was made.
const positions = /** @type {Map<string, Position>} */ (new Map());

export class View {
  panels = /** @type {Shown[]} */ ([]);
  tables = false;
  look = "";
  zoom = 1; // magnified for a projector, the view counts in pixels of its own; asked for with its place
  frame = 0;
  stage = THERE;
  following = 0;
  awaiting = 0;
  stop = new AbortController();
  highlight = new Highlight(this, this.stop.signal);
  held = new Follow(this, this.stop.signal);
  pointer = new Pointer(this);
  tip = element("div", { className: "tip", "aria-hidden": "true" });
  spoken = element("div", { className: "unseen", "aria-live": "polite" });
  reading = element("div", { className: "unseen" });
  sweepName = element("label", { htmlFor: "sweep" });
  sweepValue = element("span", { className: "now" });
  range = element("input", { id: "sweep", type: "range", min: 0, step: 1 });
  words = element("div", { className: "words" }, this.sweepName, this.sweepValue);
  play = new Play(
    this,
    (step) => this.stepTo(step),
    () => this.report(),
  );
  sweep = element("div", { className: "sweep" }, this.play.button, element("div", {}, this.words, this.range));
  box = element("div", { className: "view", role: "figure" }, this.sweep, this.tip, this.spoken, this.reading);
  resize = new ResizeObserver(() => this.follow());
  outside = /** @type {WeakSet<Element>} */ (new WeakSet()); // panels that the window does not show
  sight = new IntersectionObserver((panels) => {
    for (const { target, isIntersecting } of panels) this.outside[isIntersecting ? "delete" : "add"](target);
  });

  /** @param {Component<ViewData>} given */
  constructor({ data, parentElement, setStateValue }) {
    this.data = data;
    this.setStateValue = setStateValue;
    this.position = data.at;
    parentElement.append(this.box);
    parentElement.host.setAttribute("data-drawn", ""); // until then style.css keeps the room
    this.fit = new Fit(this, parentElement.host);
    this.sweep.after(this.fit.front);
    this.theme = dress(this.box, data.colours);
    this.family = getComputedStyle(this.box).fontFamily; // asked once: a living style looks its answer up each time
    const { signal } = this.stop;
    for (const one of [this.box, this.fit.box]) if (one) this.resize.observe(one);
    window.addEventListener("resize", () => this.refit(), { signal });
    followLaw(this, signal);
    document.addEventListener(
      "pointerdown",
      (event) =>
        event.composedPath().some((one) => one === this.box || one === this.fit.aside) || this.pointer.leave(),
      {
        signal,
      },
    );
    this.box.addEventListener("focusin", () => this.tables || this.buildTables(), { signal });
    this.range.oninput = () => (this.play.end(), this.stepTo(Number(this.range.value)));
    signal.addEventListener("abort", () => this.markSweeping(false));
    this.range.onchange = () => this.report();
    this.range.onkeydown = (event) => /^(Arrow|Home|End)/.test(event.key) && event.stopPropagation();
    this.watchResolution();
    // A canvas asks for a font, such as the italic of a formula, when it is first written in it.
    document.fonts.addEventListener("loadingdone", () => (forgetWidths(), this.layout()), { signal });
  }

  // Moving the window to a screen of another density calls for a new backing store.
  watchResolution() {
    const again = () => (this.layout(), this.watchResolution());
    const query = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    query.addEventListener("change", again, { signal: this.stop.signal, once: true });
  }

  destroy() {
    this.stop.abort();
    this.play.end();
    this.sight.disconnect();
    this.resize.disconnect();
    cancelAnimationFrame(this.frame);
    cancelAnimationFrame(this.following);
    cancelAnimationFrame(this.awaiting);
    this.highlight.tellOthers(this.highlight.now, null);
    this.fit.destroy();
    this.box.remove();
  }

  /** @param {Component<ViewData>} given */
  update({ data, setStateValue }) {
    this.setStateValue = setStateValue;
    this.theme = dress(this.box, data.colours);
    this.family = getComputedStyle(this.box).fontFamily;
    // Every run of the page sends its views again; one that is the same stays as it is.
    const look = JSON.stringify([{ ...data, block: "" }, this.theme, this.family]);
    const same = look === this.look && data.block === this.data.block;
    this.look = look;
    if (!same) this.takeInPlace(data);
    else this.held.settle();
  }

  // The old picture stays until what comes with the new one stands beside it: placed before, it would be placed
  // twice.
  /** @param {ViewData} data */
  takeInPlace(data, frames = AWAIT_FRAMES) {
    cancelAnimationFrame(this.awaiting);
    if (frames && this.panels.length && this.fit.awaits)
      this.awaiting = requestAnimationFrame(() => this.takeInPlace(data, frames - 1));
    else this.take(data);
  }

  font = (/** @type {number} */ size, weight = 400) => `${weight} ${size}px ${this.family}`;

  // ---- what is shown ----

  /** @param {ViewData} data */
  take(data) {
    const before = this.panels;
    if (this.data.flow && !data.flow) this.fit.flow.travel(this.fit, data.panels);
    this.data = data;
    const numbers = new Numbers(data.block, this.steps);
    const known = positions.get(data.id);
    this.position = known?.order === data.at.order ? known : { ...data.at };
    positions.set(data.id, this.position);
    if (this.play.timer && (known !== this.position || before.length !== data.panels.length)) this.play.end();
    this.box.setAttribute("aria-label", data.summary);
    const kept = data.panels.map(({ kind }, i) => before[i]?.drawn.spec.kind === kind);
    const same = before.length === kept.length && kept.every(Boolean);
    this.panels = data.panels.map((spec, i) => {
      const drawn = /** @type {Panel<PanelSpec>} */ (new KINDS[spec.kind](/** @type {any} */ (spec), numbers));
      drawn.pose(this.step);
      return { drawn, parts: kept[i] ? before[i].parts : this.buildPanel(i) };
    });
    this.panels.forEach((panel) => this.name(panel));
    this.showSweep();
    this.fit.arrange();
    this.move(
      same ? before.map(({ drawn }) => drawn.still(this.stage)) : this.panels.map(({ drawn }) => drawn.origin()),
    );
    this.pointer.again();
    if (this.tables) this.buildTables();
    if (data.replay && !known && !still()) this.play.replay();
  }

  get steps() {
    return this.data.sweep?.values.length ?? 1;
  }

  // The position may be one that this view does not have but the next one has again.
  get step() {
    return this.position.step < this.steps ? this.position.step : 0;
  }

  get cell() {
    const { cell } = this.position;
    const panel = this.panels[cell?.[0] ?? -1]?.drawn;
    return cell && panel?.choosable && cell[1] < panel.size[0] && cell[2] < panel.size[1] ? cell : null;
  }

  // Lets every panel that is seen go from its old picture to its new one, so that the eye can follow.
  /** @param {(Still | null)[]} old @param {boolean} [follows]  whether they follow a hand */
  move(old, follows = false) {
    cancelAnimationFrame(this.frame);
    this.panels.forEach(({ drawn, parts }, i) => {
      const was = this.outside.has(parts.panel) ? null : old[i];
      drawn.from = was ? drawn.begin(was) : null;
    });
    this.stage = THERE;
    if (still() || !this.panels.some(({ drawn }) => drawn.from)) return this.paint();
    const moving = this.panels.filter(({ drawn }) => drawn.from);
    const motion = new Motion(
      moving.map(({ drawn }) => /** @type {Start} */ (drawn.from).change),
      follows,
    );
    const begin = performance.now() - FRAME_MS; // the first picture is already on its way: nobody waits for a still one
    const tick = () => {
      const ms = performance.now() - begin;
      this.stage = ms < motion.length ? motion.at(ms) : THERE;
      this.paint(moving);
      if (this.stage !== THERE) this.frame = requestAnimationFrame(tick);
    };
    this.stage = motion.at(FRAME_MS);
    this.paint();
    this.frame = requestAnimationFrame(tick);
  }

  // ---- layout and paint ----

  layout() {
    this.fit.arrange();
    this.paint();
  }

  refit() {
    if (this.fit.outdated && !this.fit.awaits) this.layout();
  }

  /** Waits some frames: where something on the page takes another room a new picture is often on its way. */
  follow(frames = FOLLOW_FRAMES) {
    cancelAnimationFrame(this.following);
    this.following = requestAnimationFrame(() => (frames > 1 ? this.follow(frames - 1) : this.refit()));
  }

  get density() {
    return devicePixelRatio * this.zoom;
  }

  /** @param {Shown[]} [shown]  those that are painted: all, or those that move */
  paint(shown = this.panels) {
    if (!this.fit.width) return;
    const { density, stage } = this;
    this.fit.bands.pose(stage);
    this.fit.flow.light(this.highlight.now?.cell?.[1] ?? null);
    for (const one of shown) {
      const { drawn, parts } = one;
      const { ctx } = parts;
      const i = this.panels.indexOf(one);
      if (stage === THERE) drawn.from = null;
      ctx.setTransform(density, 0, 0, density, 0, 0);
      ctx.clearRect(0, 0, drawn.geo.width, drawn.height);
      const here = (/** @type {Pointed | null} */ cell) => (cell?.[0] === i ? cell : null);
      const selected = /** @type {Cell | null} */ (here(this.cell));
      const [lit, pointed] = [this.highlight.of(i), here(this.pointer.pointed)];
      drawn.paint({ ctx, theme: this.theme, font: this.font, lit, stage, pointed, selected });
    }
  }

  // ---- parts of the page ----

  /** @param {number} index @returns {Parts} */
  buildPanel(index) {
    const [title, legend, note] = ["title", "legend", "note"].map((className) => element("div", { className }));
    const canvas = element("canvas", { "aria-hidden": "true" });
    const plot = element("div", { className: "plot", role: "application", tabIndex: 0 }, canvas);
    const panel = element("div", { className: "panel" }, title, plot, legend, note);
    this.pointer.hear(plot, index);
    this.sight.observe(panel);
    return {
      panel,
      title,
      plot,
      ctx: /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")),
      legend,
      note,
      around: 0,
    };
  }

  /** @param {Shown} shown */
  name({ drawn, parts }) {
    const { title, note } = drawn.spec;
    const [rows, columns] = drawn.size;
    parts.title.replaceChildren(...mathNodes(title, true));
    const role = drawn.spec.kind === "matrix" && drawn.spec.role;
    parts.title.style.color = role ? `var(--${role})` : "";
    parts.note.replaceChildren(...mathNodes(note));
    const label =
      drawn.choosable && rows > 1 ? _("{title}, {rows} rows, {columns} columns", { title, rows, columns }) : title;
    parts.plot.setAttribute("aria-label", label);
    parts.plot.setAttribute("aria-roledescription", drawn.name);
  }

  showSweep() {
    const { sweep } = this.data;
    this.sweep.hidden = !sweep;
    if (!sweep) return;
    this.sweepName.replaceChildren(...mathNodes(sweep.label));
    this.range.setAttribute("aria-label", sweep.label);
    this.range.max = String(sweep.values.length - 1);
    this.range.value = String(this.step);
    this.sayStep();
  }

  sayStep() {
    const text = this.data.sweep?.values[this.step] ?? "";
    this.sweepValue.replaceChildren(...mathNodes(text));
    this.range.setAttribute("aria-valuetext", text);
    this.range.style.setProperty("--done", `${(100 * this.step) / Math.max(1, this.steps - 1)}%`);
  }

  /** While the slider moves the sentences below stand back: they are about another step. @param {boolean} moves */
  markSweeping(moves) {
    if (moves) document.documentElement.dataset.sweeping = "yes";
    else delete document.documentElement.dataset.sweeping;
  }

  /** @param {number} step */
  stepTo(step) {
    this.markSweeping(true);
    cancelAnimationFrame(this.frame);
    this.stage = THERE;
    this.position.step = step;
    for (const { drawn } of this.panels) drawn.pose(step);
    if (Number(this.range.value) !== step) this.range.value = String(step); // set by hand, Firefox would report no change
    this.sayStep();
    this.paint();
    if (this.pointer.pointed) this.pointer.readOut(this.pointer.pointed);
  }

  /** Says where the slider stands. */
  report() {
    this.markSweeping(false);
    this.setStateValue("step", [this.position.order, this.position.step]);
    if (this.tables) this.buildTables();
  }

  /** The same numbers as text, made when somebody comes who may need it. */
  buildTables() {
    this.tables = true;
    this.reading.replaceChildren(...this.panels.map(({ drawn }) => readingTable(drawn)));
  }
}

export default await component(View, import.meta.url);
