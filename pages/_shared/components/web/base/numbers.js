// Numbers as they are written: whole, in cells, as shares, and beside axes.

/** @import { MatrixSpec } from "./types" */

// Making a format takes longer than a hundred uses of it. Three digits of what is 0.001 or more have 0 to 5 decimals.
const withDecimals = [0, 1, 2, 3, 4, 5].map(
  (digits) => new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits }),
);
const sixDigits = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });

/** With a true minus sign, and none where all digits are 0. @param {string} text */
const signed = (text) => text.replace(/^-(?=[0.,]*$)/, "").replace(/^-/, "−");

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** `10⁻¹⁵`. @param {number} exponent */
const powerOfTen = (exponent) =>
  "10" +
  String(exponent)
    .replace(/\d/g, (digit) => RAISED[+digit])
    .replace("-", "⁻");

/** Its mantissa of three digits, and its power of ten. @param {number} value @returns {[string, string]} */
function scientific(value) {
  const [mantissa, exponent] = value.toExponential(2).split("e");
  return [mantissa, powerOfTen(Number(exponent))];
}

/** Three significant digits. @param {number} value */
export function formatNumber(value) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size <= 1e6) return signed(withDecimals[0].format(value));
  if (size >= 1e-3 && size < 1e6)
    return signed(withDecimals[Math.max(0, 2 - Math.floor(Math.log10(size)))].format(value));
  return signed(scientific(value).join("×"));
}

/** A number in a cell, which is a glance: empty where there is nothing to read. Python's format_cell says the same.
 * @param {number} value @param {MatrixSpec["cells"]} cells @param {number | null} decimals  of a score; null for none */
export function formatCell(value, cells, decimals) {
  if (!Number.isFinite(value)) return formatNumber(value);
  const isSeen = Math.abs(value) >= 0.005;
  switch (cells) {
    case "weight":
      return isSeen ? signed(value.toFixed(2)).replace(/\b0\./, ".").replace(/\.00$/, "") : "";
    case "percent":
      return isSeen ? signed((100 * value).toFixed(0)) + "%" : "";
    case "score":
      return decimals === null || !value ? "" : signed(value.toFixed(decimals));
    case "count":
      return formatNumber(Math.round(value));
    case "allowed":
      return "";
  }
}

/** A share in whole percent, and what is below one with one digit, as Python's percent writes it. @param {number} value */
export function formatShare(value) {
  if (!Number.isFinite(value)) return formatNumber(value);
  if (value >= 0.01 || value === 0) return `${(100 * value).toFixed(0)}%`;
  return value >= 1e-5 ? `${Number((100 * value).toPrecision(1))}%` : "<0.001%";
}

/** A round number, as beside an axis. @param {number} value @param {boolean} [log] */
export function tickText(value, log = false) {
  const power = Math.log10(value);
  if (log && Number.isInteger(power) && Math.abs(power) >= 3) return powerOfTen(power);
  const size = Math.abs(value);
  if (!size || (size >= 1e-3 && size < 1e6)) return signed(sixDigits.format(value));
  const [mantissa, of] = scientific(value);
  const short = mantissa.replace(/\.?0+$/, "");
  return signed(/^-?1$/.test(short) ? short.replace("1", of) : `${short}×${of}`);
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
