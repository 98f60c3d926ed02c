// Numbers, colour scales and text as every panel draws them.

import { luminance, rgb } from "../base/theme.js";

/** @import { Context, SeriesSpec } from "../base/types" */

export const LUT_SIZE = 512;
const ALIKE = Math.sqrt(1.05 * 0.05) - 0.05; // luminance on which black and white read alike: 4.58 : 1

// Making a format takes longer than a hundred uses of it. Three digits of what is 0.001 or more have 0 to 5 decimals.
const withDecimals = [0, 1, 2, 3, 4, 5].map(
  (digits) => new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits }),
);
const sixDigits = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });

/** With a true minus sign, and none where all digits are 0. @param {string} text */
const signed = (text) => text.replace(/^-(?=[0.,]*$)/, "").replace(/^-/, "−");

/** Three significant digits. @param {number} value */
export function formatNumber(value) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size <= 1e6) return signed(withDecimals[0].format(value));
  if (size >= 1e-3 && size < 1e6)
    return signed(withDecimals[Math.max(0, 2 - Math.floor(Math.log10(size)))].format(value));
  return signed(value.toExponential(2).replace("e+", "e"));
}

/** A share in whole percent, and what is below one with one digit, as Python's percent writes it. @param {number} value */
export function formatShare(value) {
  if (!Number.isFinite(value)) return formatNumber(value);
  if (value >= 0.01 || value === 0) return `${(100 * value).toFixed(0)}%`;
  return value >= 1e-5 ? `${Number((100 * value).toPrecision(1))}%` : "<0.001%";
}

/** So many decimals. @param {number} value @param {number} digits */
export const formatDecimals = (value, digits) => signed(value.toFixed(digits));

/** As sentences write numbers: raised digits are too small to be told apart. @param {number} value @param {boolean} [log] */
export function tickText(value, log = false) {
  const power = Math.log10(value);
  if (log && Number.isInteger(power) && Math.abs(power) >= 3) return `1e${power}`;
  const size = Math.abs(value);
  const tiny = size && (size < 1e-3 || size >= 1e6);
  return signed(tiny ? value.toExponential(2).replace(/\.?0+e\+?/, "e") : sixDigits.format(value));
}

/** @param {number} low @param {number} high @param {number} count @param {boolean} [log] */
export function ticks(low, high, count, log = false) {
  if (log) return logTicks(low, high, count);
  // The smallest round step that makes no more ticks than one above `count`: two at least, for one alone tells no scale.
  const power = 10 ** Math.floor(Math.log10((high - low) / (count + 2)));
  const inside = (/** @type {number} */ step) => Math.floor(high / step + 1e-6) - Math.ceil(low / step - 1e-6);
  const step = power * ([1, 2, 2.5, 5, 10].find((m) => inside(m * power) <= count) ?? 20);
  const made = [];
  for (let i = Math.ceil(low / step - 1e-6); i * step <= high + step * 1e-6; i++)
    made.push(+(i * step).toPrecision(12));
  return made;
}

const TICK_ROOM = 56; // pixels that a number below an axis takes, with the air beside it

/** How many numbers find room below an axis, up to `most`. @param {number} width @param {number} most */
export const ticksThatFit = (width, most) => Math.max(1, Math.min(most, Math.floor(width / TICK_ROOM)));

/** @param {number} low @param {number} high @param {number} count */
function logTicks(low, high, count) {
  const first = Math.ceil(Math.log10(low) - 1e-6);
  const last = Math.floor(Math.log10(high) + 1e-6);
  const every = Math.max(1, Math.ceil((last - first + 1) / count));
  const made = [];
  for (let p = first; p <= last; p += every) made.push(10 ** p);
  return made.length ? made : [low, high];
}

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

export const SLANTED = 84; // most pixels of a slanted label
const STACKED = 13; // pixels from one character of a label that stands upright to the next
const IDEOGRAPH = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\u{20000}-\u{3ffff}]/u;

/** Whether characters of a label stand one below the other, where it has no room beside the next: Chinese is read so.
 * @param {string} label */
export const isStacked = (label) => IDEOGRAPH.test(label);

/** @type {(ctx: Context, text: string, x: number, y: number, align: CanvasTextAlign, degrees?: number) => void} */
export function slantedText(ctx, text, x, y, align, turn = 45) {
  if (turn === 90 && isStacked(text)) return stackedText(ctx, text, x, y, align);
  ctx.save();
  ctx.translate(x, y);
  ctx.rotate((-turn * Math.PI) / 180);
  ctx.textAlign = align;
  ctx.fillText(fit(ctx, text, SLANTED), 0, 0);
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

// What no colour stands for.
/** @type {(ctx: Context, x: number, y: number, w: number, h: number, colour: string) => void} */
export function hatch(ctx, x, y, w, h, colour) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(x, y, w, h);
  ctx.clip();
  ctx.strokeStyle = colour;
  ctx.globalAlpha = 0.45;
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (let d = -h; d < w; d += 5) {
    ctx.moveTo(x + d, y + h);
    ctx.lineTo(x + d + h, y);
  }
  ctx.stroke();
  ctx.restore();
}
