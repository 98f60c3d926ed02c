// Where the panels of a view stand. In a page's figure they have only so much room from top to bottom.

import { clamp, element } from "../base/dom.js";
import { dress } from "../base/theme.js";
import { Axes } from "./axes.js";
import { Bands, room as between } from "./bands.js";
import { Flow } from "./flow.js";
import { Graph } from "./graph.js";
import { fitted, flowing, grown, least, legible, LOWEST } from "./grid.js";
import { Heatmap } from "./heatmap.js";
import { Tally } from "./tally.js";

/** @import { MatrixSpec, PanelSpec } from "../base/types" */
/** @import { Panel } from "./panel.js" */
/** @import { Layout } from "./grid.js" */
/** @import { Shown, View } from "./view.js" */

/** @typedef {(panel: Panel<PanelSpec>) => number} Height  of what a panel plots */

const FIGURE = ".st-key-figure"; // a page's picture shares the window's height with what else stands there
const COMPONENT = "[data-testid=stBidiComponentIsolated]"; // whose shadow has none of our styles before it is drawn
const LEAST_HIGH = 120;
const HIGH_ENOUGH = 200; // pixels of a chart
const CHART = 150; // and from left to right
const LEGEND = 26; // pixels of one that all panels share
const BROAD = 240; // and from left to right of one that says what hidden cells are
const PAIR = ".st-key-pair"; // or with another picture, and what stands around each, from left to right

const THEIRS = ["font", ...["text", "background", "primary", "border"].map((what) => `${what}-color`)].map(
  (name) => `--st-${name}`,
); // what Streamlit tells a component alone

/** What a panel's colours mean; panels for which it is the same share a legend. @param {MatrixSpec} spec */
const meaning = ({ scale, limits, quantity, unit, hidden_as }) =>
  JSON.stringify([scale, limits, quantity, unit, hidden_as]);

/** Those on the page. @type {Set<Fit>} */
const fits = new Set();

const high = (/** @type {Element} */ one) => one.getBoundingClientRect().height;

export class Fit {
  width = 0;
  room = Infinity;
  list = element("div", { className: "panels" });
  legend = element("div", { className: "legend shared" });
  front = element("div", { className: "front" }, this.list);
  rest = element("div", { className: "panels" }); // the second look, which stands in a shadow of its own
  aside = element("div", { className: "aside" });
  flow = new Flow();
  bands = new Bands(this);
  tally = new Tally();

  /** @param {View} view @param {Element} host */
  constructor(view, host) {
    this.view = view;
    this.box = host.closest(FIGURE);
    if (!this.box) return;
    this.pair = host.closest(PAIR);
    this.column = [...(this.pair?.children ?? [])].find((one) => one.contains(host)) ?? this.box;
    const shadow = this.aside.attachShadow({ mode: "open" });
    shadow.adoptedStyleSheets = host.shadowRoot?.adoptedStyleSheets ?? [];
    shadow.append(element("div", { className: "view" }, this.rest));
    fits.add(this);
  }

  destroy() {
    fits.delete(this);
    this.aside.remove();
  }

  /** Pixels of what shares a column with the panels. */
  get around() {
    return this.column ? high(this.column) - high(this.front) : 0;
  }

  /** Whether something that stands here is yet to be drawn; what room it takes is not known before. */
  get awaits() {
    return [...(this.box?.querySelectorAll(COMPONENT) ?? [])].some(
      ({ shadowRoot }) => !shadowRoot?.adoptedStyleSheets.length,
    );
  }

  /** Whether the room is another than when the panels were placed. */
  get outdated() {
    return this.width !== this.view.box.clientWidth || Math.abs(this.room - this.height) > 1;
  }

  /** Pixels from top to bottom that the figure leaves the panels; no end of them outside of one. */
  get height() {
    return this.leaves("--figure-most");
  }

  /** As many where a picture's cells would be small without them, on a phone; 0 elsewhere. */
  get limit() {
    const most = this.leaves("--figure-limit");
    return most === Infinity ? 0 : most;
  }

  /** @param {string} property  that says what a picture takes at most */
  leaves(property) {
    const most = this.box && parseFloat(getComputedStyle(this.box).getPropertyValue(property));
    if (!this.box || !most) return Infinity;
    // Two pictures that are seen at once are as high as each other, whatever stands around one of them.
    const { pair } = this;
    const beside = (/** @type {Fit} */ one) => pair && one.pair === pair && pair.scrollWidth <= pair.clientWidth;
    const around = [...fits].filter((one) => one === this || beside(one)).map((one) => one.around);
    const others = Math.max(...around) + (pair ? high(this.box) - high(pair) : 0);
    return Math.max(LEAST_HIGH, Math.floor((most - others) / this.view.zoom));
  }

  arrange() {
    const { panels, data, box } = this.view;
    this.view.zoom = box.currentCSSZoom ?? 1; // asked later, after the panels have moved, it would lay the page out again
    this.width = box.clientWidth;
    if (!this.width) return;
    this.room = this.height;
    this.showLitStep();
    this.flow.end(this, panels);
    this.tally.show(this.told, this.front);
    if (data.flow && this.room !== Infinity) {
      this.share(panels, false);
      this.aside.remove();
      this.flow.arrange(this, data.flow, Math.max(this.room, this.limit));
    } else if (this.room === Infinity) {
      this.share(panels, false);
      this.fill(panels, flowing(panels.length, this.width - 1), () => data.height);
    } else this.choose(this.room);
    this.stretch();
    this.bands.arrange();
  }

  // As many panels as can be read stand in the picture, at least its own; the others are a second look.
  /** @param {number} room */
  choose(room) {
    const { panels, data, zoom } = this.view;
    const own = this.own();
    const shown = own < (data.front ?? panels.length) ? own : panels.length - data.second;
    const counts = panels.map((_, i) => shown - i).filter((n) => n > 0 && (n === shown || n % own === 0));
    // An equation that ends before its = is none: on a slide, too, rows as low as on a laptop are better than fewer panels.
    const read = (/** @type {Panel<PanelSpec>[]} */ drawn) => legible(drawn, this.inLine ? 1 : zoom);
    // On a phone a picture takes more of the window, but only where that makes small cells larger.
    const most = this.limit;
    const isPhone = most > 0;
    void (
      counts.some((n) => this.fitIn(n, room, (drawn) => read(drawn) && (!isPhone || grown(drawn)))) ||
      (isPhone && (counts.some((n) => this.fitIn(n, most, read)) || this.fitIn(own, room, grown))) ||
      this.fitIn(own, isPhone ? most : room)
    );
  }

  /** How many panels are the picture: its own, but on a phone no more than leave a chart the width that it needs. */
  own() {
    const { panels, data } = this.view;
    const own = data.front ?? panels.length;
    if (!this.limit) return own;
    const shares = panels.map(({ drawn }) => (drawn instanceof Graph ? 2 : 1));
    const chart = (/** @type {number} */ n) => {
      if (!panels.slice(0, n).some(({ drawn }) => drawn instanceof Axes)) return Infinity;
      return this.width / shares.slice(0, n).reduce((sum, one) => sum + one, 0);
    };
    let most = own;
    while (most > 1 && chart(most) < CHART) most -= 1;
    return most;
  }

  /** A strip of steps above the picture may be wider than a phone: the one that is lit is in sight. */
  showLitStep() {
    const lit = /** @type {HTMLElement | null} */ (this.box?.querySelector("[role=radiogroup] [aria-checked=true]"));
    const strip = lit?.parentElement;
    if (lit && strip)
      strip.scrollLeft = lit.offsetLeft - strip.offsetLeft - (strip.clientWidth - lit.offsetWidth) / 2;
  }

  // Has the first panels take so much room from top to bottom. Says whether they are as they should be; where that is
  // to be foreseen, nothing is moved.
  /** @param {number} count @param {number} height @param {(drawn: Panel<PanelSpec>[]) => boolean} [good] */
  fitIn(count, height, good = () => true) {
    const shown = this.view.panels.slice(0, count);
    const drawn = shown.map((one) => one.drawn);
    const { inLine } = this;
    for (const [i, one] of this.view.panels.entries())
      if (one.drawn instanceof Heatmap && inLine) one.drawn.bare = i && i < count ? "next" : "first";
    const shared = this.share(shown, true);
    const { bands } = this.view.data;
    const [beside, below] = this.tally.room(this.told, this.width, height);
    const room = height - (shared && !below ? LEGEND : 0) - below; // what is counted says more than a legend
    const width = this.width - beside - 1; // clientWidth is rounded, and half a pixel too many wraps the last panel
    const gap = bands.length ? between(width) : undefined;
    const layout = fitted(
      drawn,
      width,
      room,
      (across, w, height) => this.measure(shown, across, w, height),
      !shared,
      inLine,
      gap,
    );
    if (!good(drawn)) return false;
    const heights = new Map(drawn.map((one) => [one, one.geo.plotHeight]));
    // Titles, legends and notes take what lines they need; matrices that are compared are of one size, charts too,
    // and both where they stand in one line.
    const isRow = layout.across === shown.length;
    const kinds = [true, false].map((kind) => shown.filter(({ drawn }) => drawn instanceof Heatmap === kind));
    const leave = (/** @type {(one: Shown) => number} */ around) => {
      for (const alike of isRow ? [shown] : kinds) {
        const free = Math.floor(Math.min(...alike.map((one) => layout.each - around(one))));
        for (const one of alike) heights.set(one.drawn, Math.max(LOWEST, free));
      }
    };
    // They mostly take what they took last; whether they do is seen once the page has been laid out.
    if (shown.every(({ parts }) => parts.around)) leave(({ parts }) => parts.around);
    for (let again = 0; again < 3; again++) {
      const before = [...heights.values()];
      this.fill(shown, layout, (one) => heights.get(one) ?? 0);
      leave(({ drawn: { geo }, parts }) => (parts.around = parts.panel.offsetHeight - geo.plotHeight));
      if ([...heights.values()].every((height, i) => height === before[i])) break;
    }
    this.putAside(this.view.panels.slice(count));
    return good(drawn);
  }

  /** Puts panels below the stage. @param {Shown[]} others */
  putAside(others) {
    const { view, aside } = this;
    if (!others.length) return aside.remove();
    const below = document.querySelector(".second") ?? this.front;
    if (aside.parentElement !== below) below.append(aside);
    const style = getComputedStyle(view.box);
    for (const name of THEIRS) aside.style.setProperty(name, style.getPropertyValue(name));
    dress(aside, view.data.colours);
    this.fill(others, flowing(others.length, aside.clientWidth / view.zoom - 1), () => view.data.height, this.rest);
  }

  /** @param {Shown[]} shown @param {number} across  in a line @param {number} width @param {Height} height */
  measure(shown, across, width, height) {
    // Matrices of one shape have cells of one size, however long their words are.
    const labelled = /** @type {Map<string, number>} */ (new Map());
    for (const { drawn, parts } of shown) {
      if (!(drawn instanceof Heatmap)) continue;
      const [shape, labels] = [String(drawn.size), drawn.labels(parts.ctx, width, this.view.font)];
      labelled.set(shape, Math.max(labelled.get(shape) ?? 0, labels));
    }
    for (const { drawn } of shown)
      if (drawn instanceof Heatmap) drawn.labelled = labelled.get(String(drawn.size)) ?? 0;
    // In a line of signs only the first has its rows' labels, and all lend it the room for them: rows are equally high.
    const [before, next] = shown
      .slice(0, 2)
      .map(({ drawn, parts }) => (drawn instanceof Heatmap ? drawn.labels(parts.ctx, width, this.view.font) : 0));
    const lent = this.inLine ? before - (next ?? 0) : 0;
    // Charts are as high as what they stand beside, where that is high enough for them.
    const [charts, others] = [true, false].map((kind) => shown.filter(({ drawn }) => drawn instanceof Axes === kind));
    for (const [i, { drawn, parts }] of others.entries()) {
      const own = width - lent / shown.length + (i ? 0 : lent);
      drawn.measure(parts.ctx, own, height(drawn), this.view.font);
    }
    const beside = Math.max(...others.map(({ drawn: { geo } }) => geo.plotHeight));
    const most = others.length && across === shown.length ? Math.max(HIGH_ENOUGH, beside) : Infinity;
    for (const { drawn, parts } of charts)
      drawn.measure(parts.ctx, width, Math.min(most, height(drawn)), this.view.font);
  }

  /** What is told of how many numbers are the same; nothing beside another picture on a phone, where cells need the room. */
  get told() {
    return this.pair && this.limit ? null : this.view.data.tally;
  }

  /** Whether panels with signs between them read as one line. */
  get inLine() {
    return this.view.data.signs.length > 0;
  }

  // One legend for all panels whose colours mean the same, where that says it in fewer words. Says whether it does.
  /** @param {Shown[]} shown @param {boolean} wanted */
  share(shown, wanted) {
    const maps = shown.map(({ drawn }) => drawn).filter((one) => one instanceof Heatmap);
    const meant = /** @type {Map<string, Heatmap>} */ (new Map());
    for (const one of maps) {
      const first = meant.get(meaning(one.spec));
      if (!first || (one.hidden && !first.hidden)) meant.set(meaning(one.spec), one); // it says what is hidden, too
    }
    const shared = wanted && maps.length === shown.length && meant.size < maps.length && meant.size <= 2;
    this.legend.replaceChildren(...(shared ? [...meant.values()].flatMap((one) => one.legend(this.view.theme)) : []));
    if (shared) this.front.append(this.legend);
    else this.legend.remove();
    if (shared) for (const one of maps) one.marker = meant.get(meaning(one.spec))?.marker ?? one.marker;
    return shared;
  }

  /** @param {Shown[]} shown @param {Layout} layout @param {Height} height @param {HTMLElement} [list] */
  fill(shown, { across, width, gap }, height, list = this.list) {
    const { view } = this;
    this.measure(shown, across, width, height);
    const panels = shown.map(({ parts }) => parts.panel);
    const placed = [...list.children].filter((one) => one.className === "panel");
    if (panels.some((panel, i) => placed[i] !== panel) || placed.length !== panels.length)
      list.replaceChildren(...panels);
    const all = shown.map(({ drawn }) => drawn);
    const narrow = Math.min(width, this.box ? least(this.width) : 0); // or words would take more lines than they save width
    const wide = Math.min(width, Math.max(narrow, ...all.map(({ geo }) => geo.width)));
    const roomy = this.roomy(shown, across, width, narrow, height);
    list.style.gridTemplateColumns = roomy?.map((one) => `${one}px`).join(" ") ?? `repeat(${across}, ${wide}px)`;
    list.style.columnGap = `${gap}px`;
    list.style.setProperty("--gap", `${gap}px`);
    const matrices = all.filter((one) => one instanceof Heatmap);
    const top = Math.max(0, ...matrices.map(({ geo }) => geo.top));
    const alike = across === shown.length ? all.filter((one) => one instanceof Axes) : [];
    if (!view.data.flow) for (const { geo } of [...matrices, ...alike]) geo.top = Math.max(geo.top, top);
    const shared = list === this.list && this.legend.parentElement !== null;
    for (const [i, { drawn, parts }] of shown.entries()) {
      const { canvas } = parts.ctx;
      // No line goes on below, and none after its last panel.
      const goesOn = list === this.list && i + 1 < shown.length;
      const sign = goesOn ? (view.data.signs[view.panels.indexOf(shown[i])] ?? "") : "";
      if (parts.panel.dataset.sign !== sign) parts.panel.dataset.sign = sign;
      parts.panel.style.setProperty("--middle", `${drawn.geo.top + drawn.geo.plotHeight / 2}px`);
      parts.panel.style.width = `${roomy ? roomy[i] : clamp(drawn.geo.width, narrow, width)}px`;
      parts.legend.replaceChildren(...(shared ? [] : drawn.legend(view.theme)));
      parts.legend.style.paddingLeft = `${drawn.legendLeft(parts.ctx, view.font)}px`;
      parts.legend.hidden = !parts.legend.childElementCount;
      parts.note.hidden = !drawn.spec.note;
      canvas.style.width = `${drawn.geo.width}px`;
      canvas.style.height = `${drawn.height}px`;
      if (drawn instanceof Heatmap) {
        parts.plot.dataset.cell = String(Math.min(drawn.cw, drawn.ch) * view.zoom);
        parts.plot.dataset.across = String(drawn.bare ? Infinity : Math.max(...drawn.size)); // a flow is no table to read
      }
    }
  }

  // Widths of panels in one line of the figure that are not all of one kind: matrices are often no wider for want of
  // height, a graph is twice as wide as a chart, and charts take what these leave.
  /** @type {(shown: Shown[], across: number, width: number, narrow: number, height: Height) => number[] | null} */
  roomy(shown, across, width, narrow, height) {
    if (this.inLine && across === shown.length) return shown.map(({ drawn }) => drawn.geo.width);
    const shares = shown.map(({ drawn }) => (drawn instanceof Heatmap ? 0 : drawn instanceof Graph ? 2 : 1));
    if (!this.box || across !== shown.length || new Set(shares).size < 2) return null;
    const kept = shown.map(({ drawn }) => {
      const low = drawn instanceof Heatmap && drawn.hidden ? Math.min(BROAD, width) : narrow;
      return drawn instanceof Heatmap ? clamp(drawn.geo.width, low, width) : 0;
    });
    for (const share of [2, 1]) {
      const some = [...shown.keys()].filter((i) => shares[i] === share);
      const left = shares.reduce((/** @type {number} */ sum, one, i) => sum + (kept[i] ? 0 : one), 0);
      const free = (width * across - kept.reduce((sum, one) => sum + one, 0)) / left;
      const as = (/** @type {Panel<PanelSpec>} */ one) => Math.min(height(one), one.geo.plotHeight);
      this.measure(
        some.map((i) => shown[i]),
        across,
        Math.floor(share * free),
        as,
      );
      for (const i of some) kept[i] = shown[i].drawn.geo.width;
    }
    return kept;
  }

  /** Gives canvases the pixels of their layout, where they have others. */
  stretch() {
    const { density, panels } = this.view;
    for (const { drawn, parts } of panels) {
      const { canvas } = parts.ctx;
      const [width, height] = [drawn.geo.width, drawn.height].map((side) => Math.round(side * density));
      if (canvas.width !== width) canvas.width = width;
      if (canvas.height !== height) canvas.height = height;
    }
  }
}
