// Colour scales and text as every panel draws them.

import { clamp } from "../base/dom.js";
import { mathParts } from "../base/mathematics.js";
import { luminance, rgb } from "../base/theme.js";

/** @import { Context, SeriesSpec } from "../base/types" */

export const LUT_SIZE = 512;
const ALIKE = Math.sqrt(1.05 * 0.05) - 0.05; // luminance on which black and white read alike: 4.58 : 1

/** @typedef {{ css: string[], ink: string[], pixel: Uint32Array }} ColourTable */
const tables = /** @type {Map<string, ColourTable>} */ (new Map());

/** One colour for each of LUT_SIZE fractions, and the ink that reads best on it. @param {string[]} stops */
export function colourTable(stops) {
  const id = stops.join();
  const made = tables.get(id);
  if (made) return made;
  const known = stops.map(rgb);
  const table = /** @type {ColourTable} */ ({ css: [], ink: [], pixel: new Uint32Array(LUT_SIZE) });
  for (let i = 0; i < LUT_SIZE; i++) {
    const at = (i / (LUT_SIZE - 1)) * (known.length - 1);
    const low = Math.min(Math.floor(at), known.length - 2);
    const colour = known[low].map((c, k) => Math.round(lerp(c, known[low + 1][k], at - low)));
    table.css.push(`rgb(${colour})`);
    table.pixel[i] = packed(colour);
    table.ink.push(luminance(colour) > ALIKE ? "#000000" : "#ffffff");
  }
  tables.set(id, table);
  return table;
}

/** A colour as an image holds it. @param {number[]} colour */
export const packed = ([r, g, b]) => (255 << 24) | (b << 16) | (g << 8) | r;

/** @param {number} from @param {number} to @param {number} t */
export const lerp = (from, to, t) => from + (to - from) * t;

// ---- text ----

// Labels are measured again and again: while a place is sought for their panel, and in the next picture.
const widths = /** @type {Map<string, Map<string, number>>} */ (new Map());
const MOST_WIDTHS = 2000; // of one font

/** What was measured before a font was there is not true any more. */
export const forgetWidths = () => widths.clear();

/** What measures texts in the context's font. @param {Context} ctx */
function measuring(ctx) {
  const known = widths.get(ctx.font) ?? new Map();
  widths.set(ctx.font, known);
  return (/** @type {string} */ text) => {
    const width = known.get(text) ?? ctx.measureText(text).width;
    if (known.size >= MOST_WIDTHS) known.clear();
    known.set(text, width);
    return width;
  };
}

/** @param {Context} ctx @param {string[]} labels */
export const widest = (ctx, labels) => Math.max(0, ...labels.map(measuring(ctx)));

// Numbers as wide as if all their digits were 0: few texts to measure, and room in a cell does not depend on its
// digits.
/** @param {Context} ctx @param {string[]} texts */
export const widestNumber = (ctx, texts) => widest(ctx, [...new Set(texts.map((text) => text.replace(/\d/g, "0")))]);

/** @param {Context} ctx @param {string} text @param {number} width */
export function fit(ctx, text, width) {
  const measured = measuring(ctx);
  if (measured(text) <= width) return text;
  const letters = Array.from(text);
  const cut = (/** @type {number} */ length) => letters.slice(0, length).join("") + "…";
  let low = 0;
  let high = letters.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measured(cut(middle)) <= width) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}

const WORDS = /\s*(?:[\u2e80-\uffef]|[^\s\u2e80-\uffef]+)/g; // a line may end after each Chinese character

/** A text in lines; a word that is wider than one is cut. @param {Context} ctx @param {string} text @param {number} width */
export function wrap(ctx, text, width) {
  const measured = measuring(ctx);
  const lines = /** @type {string[]} */ ([]);
  for (const word of text.match(WORDS) ?? []) {
    const longer = (lines.at(-1) ?? "") + word;
    if (lines.length && measured(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word.trimStart());
  }
  return lines.map((line) => fit(ctx, line, width));
}

/** The same, where no word is cut and there are no more lines than `most`; null elsewhere.
 * @type {(ctx: Context, text: string, width: number, most: number) => string[] | null} */
export function wrapWhole(ctx, text, width, most) {
  const lines = wrap(ctx, text, width);
  const letters = (/** @type {string} */ one) => one.replace(/\s/g, "");
  return lines.length <= most && letters(lines.join("")) === letters(text) ? lines : null;
}

export const SLANTED = 84; // most pixels of a slanted label
const STACKED = 13; // pixels from one character of a label that stands upright to the next
const IDEOGRAPH = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\u{20000}-\u{3ffff}]/u;

/** Whether characters of a label stand one below the other, where it has no room beside the next: Chinese is read so.
 * @param {string} label */
export const isStacked = (label) => IDEOGRAPH.test(label);

const LINE = 14;

/** A label that is pointed at: all of it, on paper of its own, over whatever that covers of `width` pixels.
 * @type {(ctx: Context, text: string, x: number, y: number, align: "left" | "center" | "right", paper: string, width: number) => void} */
export function wholeText(ctx, text, x, y, align, paper, width) {
  const lines = [""];
  for (const letter of Array.from(text)) {
    const longer = lines[lines.length - 1] + letter;
    if (longer === letter || ctx.measureText(longer).width <= width - 4) lines[lines.length - 1] = longer;
    else lines.push(letter);
  }
  const wide = Math.max(...lines.map((line) => ctx.measureText(line).width));
  const left = clamp(x - wide * { left: 0, center: 0.5, right: 1 }[align], 2, Math.max(2, width - wide - 2));
  const first = Math.max(LINE / 2, y - (LINE * (lines.length - 1)) / 2);
  const ink = ctx.fillStyle;
  ctx.fillStyle = paper;
  ctx.fillRect(left - 2, first - LINE / 2 - 1, wide + 4, LINE * lines.length + 2);
  ctx.fillStyle = ink;
  ctx.textAlign = "left";
  lines.forEach((line, i) => ctx.fillText(line, left, first + LINE * i));
}

const LEAST_LETTERS = 12; // pixels: nothing in a picture is smaller

/** Whether labels are numbers of which a few say where the others are. @param {string[]} labels */
export const isCounted = (labels) => labels.every((label) => /^[\d.,]+$/.test(label));

/** @typedef {(ctx: Context, text: string, x: number, y: number) => void} Write */

/** Somebody's words, exactly as they are. @type {Write} */
export const plainText = (ctx, text, x, y) => ctx.fillText(text, x, y);

const FONT = /^(?:(\d+) )?([\d.]+)px (.+)$/; // a browser leaves out a weight of 400
const SMALLER = 0.75; // letters below and above the line
const SHIFT = { line: 0, below: 0.22, above: -0.34 };

/** A text with its formulas set. @type {Write} */
export function mathText(ctx, text, x, y) {
  const parts = mathParts(text);
  const [, weight = "400", size, family] = ctx.font.match(FONT) ?? [];
  if (!family || parts.every(({ place, italic }) => place === "line" && !italic)) return ctx.fillText(text, x, y);
  const { font, textAlign } = ctx;
  const set = (/** @type {typeof parts[number]} */ { place, italic }) => {
    const small = Math.max(LEAST_LETTERS, Math.round(SMALLER * Number(size))); // SVG sets whole pixels as a canvas does
    const high = place === "line" ? size : Math.min(Number(size), small);
    ctx.font = `${italic ? "italic " : ""}${weight} ${high}px ${family}`;
  };
  const wide = parts.map((part) => {
    set(part);
    const { width, actualBoundingBoxRight } = ctx.measureText(part.text);
    return part.italic ? Math.max(width, Math.ceil(actualBoundingBoxRight)) : width; // a slanted letter leans beyond its own room
  });
  const whole = wide.reduce((sum, one) => sum + one, 0);
  let at = x - whole * ({ center: 0.5, right: 1 }[/** @type {string} */ (textAlign)] ?? 0);
  ctx.textAlign = "left";
  parts.forEach((part, i) => {
    set(part);
    ctx.fillText(part.text, at, y + SHIFT[part.place] * Number(size));
    at += wide[i];
  });
  Object.assign(ctx, { font, textAlign });
}

/** @type {(ctx: Context, text: string, x: number, y: number, align: CanvasTextAlign, degrees?: number, write?: Write) => void} */
export function slantedText(ctx, text, x, y, align, turn = 45, write = plainText) {
  if (turn === 90 && isStacked(text)) return stackedText(ctx, text, x, y, align);
  ctx.save();
  ctx.translate(x, y);
  ctx.rotate((-turn * Math.PI) / 180);
  ctx.textAlign = align;
  write(ctx, fit(ctx, text, SLANTED), 0, 0);
  ctx.restore();
}

/** @type {(ctx: Context, text: string, x: number, y: number, align: CanvasTextAlign) => void} */
function stackedText(ctx, text, x, y, align) {
  const letters = Array.from(fit(ctx, text, SLANTED));
  const first = align === "left" ? y - STACKED * (letters.length - 0.5) : y + STACKED / 2;
  ctx.textAlign = "center";
  letters.forEach((letter, i) => ctx.fillText(letter, x, first + STACKED * i));
}

// Whether a label is written where there is room for one in `every`: the lit one always, and none too near to it.
/** @param {number} i @param {number | null} lit @param {number} every */
export const isWritten = (i, lit, every) =>
  i === lit || (i % every === 0 && (lit === null || Math.abs(lit - i) >= every));

// ---- shapes ----

/** @type {(ctx: Context, x: number, y: number, w: number, h: number, r: number | number[]) => void} */
export function roundRect(ctx, x, y, w, h, r) {
  ctx.beginPath();
  ctx.roundRect(x, y, w, h, r);
}

/** @param {Context} ctx @param {number[]} points  x, y, x, y … */
export function line(ctx, ...points) {
  ctx.beginPath();
  for (let i = 0; i < points.length; i += 2) ctx.lineTo(points[i], points[i + 1]);
  ctx.stroke();
}

/** @param {Context | OffscreenCanvasRenderingContext2D} ctx @param {number} x @param {number} y @param {number} r */
export function disc(ctx, x, y, r) {
  ctx.beginPath();
  ctx.arc(x, y, r, 0, 2 * Math.PI);
  ctx.fill();
}

/** How curves are drawn that are not measured, on axes and in legends. @type {Record<SeriesSpec["stroke"], number[]>} */
export const DASHES = { solid: [], dashed: [5, 4], dotted: [1.5, 3.5], dashdot: [8, 3, 2, 3] };

/** Slanted lines over areas, which go on from one to the next: what is hidden, or no number.
 * @type {(ctx: Context, areas: [x: number, y: number, w: number, h: number][], colour: string) => void} */
export function hatch(ctx, areas, colour) {
  if (!areas.length) return;
  ctx.save();
  ctx.beginPath();
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y, w, h] of areas) {
    ctx.rect(x, y, w, h);
    [left, top] = [Math.min(left, x), Math.min(top, y)];
    [right, bottom] = [Math.max(right, x + w), Math.max(bottom, y + h)];
  }
  ctx.clip();
  ctx.strokeStyle = colour;
  ctx.globalAlpha = 0.45;
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (let at = left + top; at < right + bottom; at += 5) {
    const [up, down] = [Math.max(top, at - right), Math.min(bottom, at - left)];
    ctx.moveTo(at - up, up);
    ctx.lineTo(at - down, down);
  }
  ctx.stroke();
  ctx.restore();
}
