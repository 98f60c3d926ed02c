// The page's pictures as a file: the panels paint them once more, and the words around them are drawn where they stand.

import { element, svg } from "../base/dom.js";
import * as canvas from "./canvas.js";
import { THERE } from "./motion.js";
import { drawable, SvgContext } from "./svg.js";

/** @import { Context, SaveRequest, Scene, Theme } from "../base/types" */
/** @import { Shown, View } from "./view.js" */
/** @typedef {{ x: number, y: number, zoom: number }} Origin  of the sheet, in the window's pixels */
/** @typedef {{ width: number, height: number, first: View, paint: (ctx: Context) => void }} Sheet */

const SCALE = 2; // pixels of a PNG for one of the screen
const MARGIN = 16;
const SIGNS = ".line, .dot, .cross, .swatch";
const WORDS = /[\u{2e80}-\u{3ffff}]|[^\s\u{2e80}-\u{3ffff}]+/gu; // a line may end after each Chinese character
const TYPES = { png: "image/png", svg: "image/svg+xml", html: "text/html" };

/** @param {View[]} views @param {SaveRequest["format"]} format @param {string} filename */
export async function saveViews(views, format, filename) {
  const top = (/** @type {View} */ { box }) => box.getBoundingClientRect().top;
  const sheet = layOut(views.toSorted((one, other) => top(one) - top(other)));
  const made = format === "png" ? await png(sheet) : await text(sheet, format);
  const link = element("a", { href: URL.createObjectURL(new Blob([made], { type: TYPES[format] })) });
  link.download = `${filename}.${format}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** @param {Sheet} sheet @returns {Promise<Blob>} */
async function png({ width, height, paint }) {
  const pixels = Object.assign(document.createElement("canvas"), { width: width * SCALE, height: height * SCALE });
  const ctx = /** @type {Context} */ (pixels.getContext("2d"));
  ctx.scale(SCALE, SCALE);
  paint(ctx);
  return new Promise((resolve, reject) =>
    pixels.toBlob((made) => (made ? resolve(made) : reject(Error("no picture")))),
  );
}

/** @param {Sheet} sheet @param {"svg" | "html"} format */
async function text({ width, height, first, paint }, format) {
  const { family, theme, data } = first;
  const summary = drawable(data.summary);
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "font-family": family });
  const style = svg("style");
  root.append(svg("title", {}, summary), style);
  paint(/** @type {Context} */ (/** @type {unknown} */ (new SvgContext(root))));
  style.append(await typeface(family));
  if (root.querySelector("[font-style]")) style.append(await typeface(family, true));
  if (format === "svg") return new XMLSerializer().serializeToString(root);
  const page = document.implementation.createHTMLDocument(summary);
  page.head.prepend(
    element("meta", { charset: "utf-8" }),
    element("meta", { name: "viewport", content: "width=device-width" }),
  );
  page.body.style.cssText = `margin: 1.5rem; background: ${theme.paper}; color: ${theme.ink}; font-family: ${family}`;
  root.style.cssText = "max-width: 100%; height: auto";
  page.body.append(root, element("p", {}, summary));
  return `<!doctype html>\n${page.documentElement.outerHTML}`;
}

/** Views below each other, as the screen shows them but for what is pointed at. @param {View[]} views @returns {Sheet} */
function layOut(views) {
  let [width, height] = [0, MARGIN];
  const parts = views.flatMap((view) => {
    const { fit, box, words, data } = view;
    const zoom = box.currentCSSZoom ?? 1;
    return [fit.list, ...(fit.aside.isConnected ? [fit.rest] : [])].map((list) => {
      const panels = view.panels.filter(({ parts }) => list.contains(parts.panel));
      const legend = list === fit.list && fit.legend.isConnected ? fit.legend : null;
      const sweep = list === fit.list && data.sweep ? words : null;
      const tally = list === fit.list && fit.tally.box.isConnected ? fit.tally.box : null;
      const drawn = [...panels.map(({ parts }) => parts.panel), legend, tally, sweep].filter((one) => one !== null);
      const rects = drawn.map((one) => one.getBoundingClientRect());
      const [left, top] = [Math.min(...rects.map(({ left }) => left)), Math.min(...rects.map(({ top }) => top))];
      const origin = { x: left - MARGIN * zoom, y: top - height * zoom, zoom };
      width = Math.max(width, ...rects.map(({ right }) => (right - left) / zoom));
      height += Math.max(...rects.map(({ bottom }) => bottom - top)) / zoom + MARGIN;
      return { view, panels, legend, tally, sweep, origin };
    });
  });
  const size = { width: Math.ceil(width) + 2 * MARGIN, height: Math.ceil(height) };
  const [first] = views;
  /** @param {Context} ctx */
  const paint = (ctx) => {
    ctx.fillStyle = first.theme.paper;
    ctx.fillRect(0, 0, size.width, size.height);
    for (const { view, panels, legend, tally, sweep, origin } of parts) {
      const { flow, bands } = view.fit;
      if (panels.length && (flow.lines.length || bands.place)) {
        const box = view.fit.list.getBoundingClientRect();
        ctx.save();
        ctx.translate((box.left - origin.x) / origin.zoom, (box.top - origin.y) / origin.zoom);
        flow.paint(ctx);
        bands.paint(ctx);
        ctx.restore();
      }
      for (const panel of panels) paintPanel(ctx, view, panel, origin);
      if (legend) paintWords(ctx, view, legend, origin);
      if (tally) paintWords(ctx, view, tally, origin);
      if (tally) view.fit.tally.paint(ctx, (at) => placed(at, origin));
      if (sweep) paintWords(ctx, view, sweep, origin);
    }
  };
  return { ...size, first, paint };
}

/** @param {Context} ctx @param {View} view @param {Shown} shown @param {Origin} origin */
function paintPanel(ctx, view, { drawn, parts }, origin) {
  const at = parts.ctx.canvas.getBoundingClientRect();
  /** @type {Scene} */
  const scene = {
    ctx,
    theme: view.theme,
    font: view.font,
    lit: { row: null, column: null },
    stage: THERE,
    pointed: null,
    selected: drawn === view.panels[view.cell?.[0] ?? -1]?.drawn ? view.cell : null,
    exact: true,
  };
  ctx.save();
  ctx.translate((at.left - origin.x) / origin.zoom, (at.top - origin.y) / origin.zoom);
  drawn.paint(scene);
  ctx.restore();
  for (const one of [parts.title, parts.legend, parts.note]) paintWords(ctx, view, one, origin);
}

/** Where a part of the window stands on the sheet. @param {DOMRect} at @param {Origin} origin */
const placed = ({ x, y, width, height }, { x: left, y: top, zoom }) =>
  new DOMRect((x - left) / zoom, (y - top) / zoom, width / zoom, height / zoom);

/**
 * Text as the browser has broken it into lines, and the signs of a legend.
 *
 * @param {Context} ctx @param {View} view @param {HTMLElement} box @param {Origin} origin
 */
function paintWords(ctx, view, box, origin) {
  if (!box.getClientRects().length) return;
  const place = (/** @type {DOMRect} */ one) => placed(one, origin);
  const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const style = getComputedStyle(/** @type {Element} */ (node.parentElement));
    const italic = style.fontStyle === "italic" ? "italic " : "";
    ctx.font = italic + view.font(parseFloat(style.fontSize), Number(style.fontWeight));
    ctx.fillStyle = style.color;
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    for (const { text, rect } of linesOf(/** @type {Text} */ (node))) {
      const at = place(rect);
      ctx.fillText(text, at.x, at.y + at.height / 2);
    }
  }
  for (const sign of box.querySelectorAll(SIGNS))
    paintSign(ctx, view.theme, sign, place(sign.getBoundingClientRect()));
  for (const ramp of box.querySelectorAll(".ramp")) paintRamp(ctx, ramp, place(ramp.getBoundingClientRect()));
}

/** @param {Text} node */
function linesOf(node) {
  const range = document.createRange();
  const lines = /** @type {{ text: string, rect: DOMRect }[]} */ ([]);
  for (const { 0: word, index } of node.data.matchAll(WORDS)) {
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    const [rect] = range.getClientRects();
    const last = lines.at(-1);
    if (!rect) continue;
    const between = /\s/.test(node.data[index - 1] ?? "") ? " " : "";
    if (last && Math.abs(last.rect.top - rect.top) < 2) last.text += between + word;
    else lines.push({ text: word, rect });
  }
  return lines;
}

/**
 * The sign of a legend, as view.css draws it before the words.
 *
 * @param {Context} ctx @param {Theme} theme @param {Element} sign @param {DOMRect} at
 */
function paintSign(ctx, theme, sign, at) {
  const kind = sign.classList;
  const middle = at.y + at.height / 2;
  ctx.fillStyle = ctx.strokeStyle = getComputedStyle(sign).getPropertyValue("--line").trim() || theme.hidden;
  if (kind.contains("swatch")) {
    canvas.roundRect(ctx, at.x, middle - 6, 12, 12, 3);
    ctx.fill();
    canvas.hatch(ctx, [[at.x, middle - 6, 12, 12]], theme.muted);
  } else if (kind.contains("dot")) canvas.disc(ctx, at.x + 4, middle, 4);
  else if (kind.contains("cross")) {
    ctx.lineWidth = 1.5;
    canvas.line(ctx, at.x + 1, middle - 4, at.x + 9, middle + 4);
    canvas.line(ctx, at.x + 9, middle - 4, at.x + 1, middle + 4);
  } else {
    ctx.lineWidth = 2;
    const stroke = /** @type {(keyof typeof canvas.DASHES)[]} */ (Object.keys(canvas.DASHES));
    ctx.setLineDash(canvas.DASHES[stroke.find((one) => kind.contains(one)) ?? "solid"]);
    canvas.line(ctx, at.x, middle, at.x + 16, middle);
    ctx.setLineDash([]);
  }
}

/** @param {Context} ctx @param {Element} ramp @param {DOMRect} at */
function paintRamp(ctx, ramp, { x, y, width, height }) {
  const stops = getComputedStyle(ramp).backgroundImage.match(/rgb\([^)]*\)/g) ?? [];
  const { pixel } = canvas.colourTable(stops);
  const colours = new OffscreenCanvas(pixel.length, 1);
  colours
    .getContext("2d")
    ?.putImageData(new ImageData(Uint8ClampedArray.from(new Uint8Array(pixel.buffer)), pixel.length, 1), 0, 0);
  ctx.save();
  canvas.roundRect(ctx, x, y, width, height, 4);
  ctx.clip();
  ctx.drawImage(colours, x, y, width, height);
  ctx.restore();
}

/** The page's typeface as a style that needs nothing from elsewhere. @param {string} family @param {boolean} italic */
async function typeface(family, italic = false) {
  const [name] = family.split(",").map((one) => one.trim().replace(/^"|"$/g, ""));
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  const face = rules.find(
    (rule) =>
      rule instanceof CSSFontFaceRule &&
      rule.style.getPropertyValue("font-family").replace(/"/g, "") === name &&
      (rule.style.getPropertyValue("font-style") === "italic") === italic,
  );
  const [, url] = face?.cssText.match(/url\("([^"]+)"\)/) ?? [];
  if (!face || !url) return "";
  const base = face.parentStyleSheet?.href ?? location.href;
  const answer = await fetch(new URL(url, base));
  const data = new Uint8Array(await answer.arrayBuffer());
  const letters = Array.from(data, (byte) => String.fromCharCode(byte)).join("");
  return face.cssText.replace(url, `data:font/woff2;base64,${btoa(letters)}`);
}
