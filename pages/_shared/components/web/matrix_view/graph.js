// Tokens in layers, from below upwards, and what joins each layer to the one below it.

import { clamp } from "../base/dom.js";
import { _ } from "../base/language.js";
import { disc, fit, isCounted, isWritten, mathText, roundRect, widest, wholeText } from "./canvas.js";
import { formatNumber } from "../base/numbers.js";
import { LEAST, lineKey, Panel, named } from "./panel.js";

/** @import { Context, EdgesSpec, GraphSpec, Scene, Theme, Word } from "../base/types" */

const EDGE = 14; // pixels around the nodes, so that the outermost can be ringed
const MOST_APART = 44;
const SHORT = 26; // pixels of a label that is cut so far that it still tells something
const BOX = 30; // pixels of a node that is a box
const GAUGE = 44; // pixels of a bar below, with its words

/** @extends {Panel<GraphSpec>} */
export class Graph extends Panel {
  name = _("layered graph");
  choosable = true;
  upwards = true;
  values = new Float32Array();
  // The graph as it is while nobody points at it: far too many lines to draw at every move.
  /** @type {OffscreenCanvas | null} */
  raster = null;
  lowest = 0; // the last layer of which anything stands out
  step = 0;
  edge = EDGE; // pixels beside the outermost nodes

  /** @returns {[number, number]} */
  get size() {
    return [this.spec.layers.labels.length, this.spec.tokens.labels.length];
  }

  get span() {
    return this.spec.window;
  }

  get axes() {
    return { row: this.spec.layers, column: this.spec.tokens };
  }

  /** @returns {[number, number]} */
  get home() {
    return [this.size[0] - 1, this.span[1]];
  }

  /** @param {number} step */
  pose(step) {
    this.values = this.numbers.at(this.spec.values);
    this.lowest = this.spec.unfolds === null ? 0 : this.spec.unfolds - step;
    this.step = step;
    this.raster = null;
  }

  /** @type {Panel<GraphSpec>["measure"]} */
  measure(ctx, width, height, font) {
    const { layers, tokens } = this.spec;
    ctx.font = font(12, 650);
    const title = ctx.measureText(layers.title + " ↑").width;
    ctx.font = font(13);
    const left = Math.ceil(Math.max(title, Math.min(widest(ctx, layers.labels), 120))) + 10;
    const [first, last] = this.span;
    this.edge = this.hasBoxes ? BOX / 2 + 1 : EDGE;
    const wanted = (last - first) * Math.max(MOST_APART, widest(ctx, tokens.labels) + 8) + 2 * this.edge;
    ctx.font = font(14, 650);
    const right = this.spec.counts.length ? Math.ceil(widest(ctx, this.spec.counts)) + 4 : 0;
    const plotWidth = Math.max(2 * this.edge + LEAST, Math.min(width - left - right, wanted));
    const most = (layers.labels.length - 1) * (this.hasBoxes ? 4 : 2) * MOST_APART + 2 * EDGE;
    const plotHeight = Math.min(height, most);
    const bottom = 40 + (this.spec.gauge ? GAUGE : 0);
    this.geo = { left, top: 22, bottom, width: left + plotWidth + right, plotWidth, plotHeight, slanted: false };
    this.raster = null;
  }

  /** Whether some nodes are boxes; then no others are drawn than those that stand out. */
  get hasBoxes() {
    return this.spec.nodes.some(({ boxes }) => boxes.length);
  }

  /** What is there at the step of the sweep. @template {{ step: number | null }} One @param {One[]} all */
  present(all) {
    return all.filter(({ step }) => step === null || step === this.step);
  }

  get apart() {
    return (this.geo.plotWidth - 2 * this.edge) / Math.max(1, this.span[1] - this.span[0]);
  }

  /** @param {number} token */
  x(token) {
    return this.geo.left + this.edge + (token - this.span[0]) * this.apart;
  }

  /** @param {number} layer */
  y(layer) {
    const { top, plotHeight } = this.geo;
    return top + EDGE + (plotHeight - 2 * EDGE) * (1 - layer / Math.max(1, this.size[0] - 1));
  }

  /** @type {Panel<GraphSpec>["hit"]} */
  hit(x, y) {
    const { top, plotHeight } = this.geo;
    if (y < top - 8 || y > top + plotHeight + 8) return null;
    const high = (this.y(0) - y) / Math.max(1, this.y(0) - this.y(1));
    const along = this.span[0] + (x - this.x(this.span[0])) / this.apart;
    return [clamp(Math.round(high), 0, this.size[0] - 1), clamp(Math.round(along), ...this.span)];
  }

  /** @param {number | null} row @param {number | null} column @returns {Word[]} */
  words(row, column) {
    const { layers, tokens, quantity } = this.spec;
    const value = formatNumber(this.values[(row ?? 0) * this.size[1] + (column ?? 0)]);
    return [
      ...named(tokens, column),
      ...named(layers, row),
      { text: quantity, as: "quiet", line: true },
      { text: value, as: "value" },
    ];
  }

  /** @type {Panel<GraphSpec>["anchor"]} */
  anchor(row, column) {
    const y = this.y(row ?? 0);
    return { x: this.x(column ?? 0), y: y - 8, below: y + 8, free: true };
  }

  /** @param {Theme} theme */
  legend(theme) {
    const named = (/** @type {{ name: string }} */ { name }) => name;
    return [
      ...this.spec.nodes
        .filter(named)
        .map((one) => lineKey(one.name, one.role ? theme.roles[one.role] : theme.ink, "dot")),
      ...this.spec.edges.filter(named).map((one) => lineKey(one.name, this.colour(one, theme))),
    ];
  }

  listing() {
    const { layers, tokens } = this.spec;
    const cell = (/** @type {number} */ r, /** @type {number} */ c) =>
      formatNumber(this.values[c * this.size[1] + r]);
    return { rows: tokens.labels, columns: layers.labels, cell };
  }

  /** @param {EdgesSpec} edges @param {Theme} theme */
  colour({ role, lit }, theme) {
    return role ? theme.roles[role] : lit ? theme.muted : theme.grid;
  }

  // ---- painting ----

  /** @param {Scene} scene */
  paint(scene) {
    const { ctx, theme, selected, pointed } = scene;
    this.raster ??= this.rasterOf(scene);
    ctx.drawImage(this.raster, 0, 0, this.geo.width, this.height);
    if (pointed) this.paintNear(ctx, theme, pointed[2] ?? 0, pointed[1] ?? 0);
    for (const [node, colour, width] of /** @type {const} */ ([
      [selected, theme.primary, 2.5],
      [pointed, theme.ink, 2],
    ])) {
      if (!node || node[1] === null || node[2] === null) continue;
      ctx.strokeStyle = colour;
      ctx.lineWidth = width;
      ctx.beginPath();
      ctx.arc(this.x(node[2]), this.y(node[1]), 9, 0, 2 * Math.PI);
      ctx.stroke();
    }
    this.paintLabels(scene);
    this.paintGauge(scene);
  }

  /** @param {Scene} scene */
  rasterOf({ ctx: { canvas }, theme }) {
    const raster = new OffscreenCanvas(canvas.width, canvas.height);
    const ctx = /** @type {OffscreenCanvasRenderingContext2D} */ (raster.getContext("2d"));
    ctx.scale(canvas.width / this.geo.width, canvas.height / this.height);
    this.paintGraph(ctx, theme);
    return raster;
  }

  /** @param {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} ctx @param {Theme} theme */
  paintGraph(ctx, theme) {
    const [levels, n] = this.size;
    for (const edges of this.present(this.spec.edges))
      if (edges.lit || this.hasBoxes)
        this.paintEdges(ctx, theme, edges, ({ layer }) => !edges.lit || layer > this.lowest);
    const r = clamp(this.apart * 0.25, 1, 3.5);
    const [first, last] = this.span;
    const every = Math.ceil((2 * r) / this.apart); // dots that touch would look like a line
    ctx.fillStyle = theme.muted;
    ctx.globalAlpha = 0.5;
    for (let layer = 0; layer < levels && !this.hasBoxes; layer++) {
      for (let token = first; token <= last; token += every) disc(ctx, this.x(token), this.y(layer), r);
    }
    ctx.globalAlpha = 1;
    for (const { at, role, large, boxes } of this.present(this.spec.nodes)) {
      ctx.fillStyle = role ? theme.roles[role] : theme.ink;
      for (const node of this.numbers.at(at)) {
        const [x, y] = [this.x(node % n), this.y(Math.floor(node / n))];
        if (boxes.length)
          this.paintBox(
            ctx,
            x,
            y,
            boxes.map((one) => theme.roles[one]),
          );
        else if (Math.floor(node / n) >= this.lowest) disc(ctx, x, y, large ? 6.5 : r);
      }
    }
  }

  /** Its parts side by side. @type {(ctx: Context | OffscreenCanvasRenderingContext2D, x: number, y: number, colours: string[]) => void} */
  paintBox(ctx, x, y, colours) {
    const side = Math.min(BOX, Math.max(8, this.apart - 4));
    const wide = side / colours.length;
    const r = Math.min(5, side / 4);
    colours.forEach((colour, i) => {
      const [first, last] = [i === 0 ? r : 0, i === colours.length - 1 ? r : 0];
      ctx.fillStyle = colour;
      ctx.beginPath();
      ctx.roundRect(x - side / 2 + i * wide, y - side / 2, wide, side, [first, last, last, first]);
      ctx.fill();
    });
  }

  /** How much it takes: a bar on a track as wide as the graph. @param {Scene} scene */
  paintGauge({ ctx, theme, font }) {
    const { gauge } = this.spec;
    if (!gauge) return;
    const at = gauge.says.length > 1 ? this.step : 0;
    const { left, plotWidth } = this.geo;
    const y = this.height - GAUGE + 4;
    ctx.fillStyle = theme.grid;
    roundRect(ctx, left, y, plotWidth, 12, 4);
    ctx.fill();
    const wide = (plotWidth * this.numbers.at(gauge.values)[at]) / gauge.most;
    ctx.fillStyle = theme.primary;
    roundRect(ctx, left, y, wide, 12, Math.min(4, wide / 2));
    ctx.fill();
    ctx.font = font(13, 650);
    ctx.textAlign = "left";
    ctx.fillStyle = theme.ink;
    const words = fit(ctx, gauge.says[at], this.geo.width);
    ctx.fillText(words, Math.min(left, this.geo.width - ctx.measureText(words).width), y + 26);
  }

  /** @param {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} ctx @param {Theme} theme
   * @param {EdgesSpec} edges @param {(edge: { layer: number, upper: number, below: number }) => boolean} wanted */
  paintEdges(ctx, theme, edges, wanted) {
    const n = this.size[1];
    ctx.strokeStyle = edges.lit || this.hasBoxes ? this.colour(edges, theme) : theme.muted;
    ctx.lineWidth = this.hasBoxes ? 2.5 : edges.lit ? 1.3 : 0.8;
    ctx.beginPath();
    // An edge is one number: (layer · tokens + token) · tokens + token below.
    for (const end of this.numbers.at(edges.ends)) {
      const [node, below] = [Math.floor(end / n), end % n];
      const [layer, upper] = [Math.floor(node / n), node % n];
      if (!wanted({ layer, upper, below })) continue;
      ctx.moveTo(this.x(upper), this.y(layer));
      ctx.lineTo(this.x(below), this.y(layer - 1));
    }
    ctx.stroke();
  }

  /** What is not lit of the edges is seen around the node that is pointed at.
   * @param {CanvasRenderingContext2D} ctx @param {Theme} theme @param {number} token @param {number} layer */
  paintNear(ctx, theme, token, layer) {
    for (const edges of this.spec.edges)
      if (!edges.lit)
        this.paintEdges(
          ctx,
          theme,
          edges,
          (one) => (one.layer === layer && one.upper === token) || (one.layer - 1 === layer && one.below === token),
        );
  }

  /** @param {Scene} scene */
  paintLabels({ ctx, theme, font, lit }) {
    const { left, top, width, plotHeight } = this.geo;
    const { layers, tokens } = this.spec;
    const pen = (/** @type {boolean} */ is) => {
      ctx.font = font(13, is ? 650 : 400);
      ctx.fillStyle = is ? theme.ink : theme.muted;
    };
    ctx.textBaseline = "middle";
    ctx.textAlign = "right";
    layers.labels.forEach((label, layer) => {
      pen(lit.row === layer);
      if (lit.row === layer) return wholeText(ctx, label, left - 8, this.y(layer), "right", theme.paper, width);
      ctx.textAlign = "right";
      ctx.fillText(fit(ctx, label, left - 9), left - 8, this.y(layer));
    });
    ctx.textAlign = "left";
    ctx.font = font(14, 650);
    ctx.fillStyle = theme.ink;
    this.spec.counts.forEach((count, layer) => {
      if (layer >= this.lowest) ctx.fillText(count, left + this.geo.plotWidth + 2, this.y(layer));
    });
    ctx.textAlign = "center";
    const [first, last] = this.span;
    const shown = tokens.labels.slice(first, last + 1);
    const room = isCounted(shown) ? widest(ctx, shown) + 8 : Math.min(widest(ctx, shown) + 8, SHORT);
    const every = Math.ceil(room / this.apart);
    const column = lit.column === null ? null : lit.column - first;
    for (let token = first; token <= last; token++) {
      if (token === lit.column || !isWritten(token - first, column, every)) continue;
      pen(false);
      const label = isCounted(shown) ? tokens.labels[token] : fit(ctx, tokens.labels[token], every * this.apart - 4);
      ctx.fillText(label, this.x(token), top + plotHeight + 10);
    }
    if (lit.column !== null) {
      pen(true);
      const { labels } = tokens;
      wholeText(ctx, labels[lit.column], this.x(lit.column), top + plotHeight + 10, "center", theme.paper, width);
    }
    ctx.font = font(12, 650);
    ctx.fillStyle = theme.muted;
    ctx.textAlign = "right";
    mathText(ctx, layers.title + " ↑", left - 8, 8);
    mathText(ctx, tokens.title + " →", left + this.geo.plotWidth - 1, top + plotHeight + 30); // an arrow reaches a pixel on
  }
}
