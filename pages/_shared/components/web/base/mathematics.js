// Formulas within texts: a letter, "_" and what stands below it, "^" and what stands above. What stands between quotation
// marks is somebody else's words, and stays as it is.

import { element } from "./dom.js";

/** @import { Role } from "./types" */
/** @typedef {{ text: string, place: "line" | "below" | "above", italic: boolean, role: Role | null }} MathPart */

// The same in attention_core/figures/mathematics.py, where it says why.
const LOW = /(?:(?<![A-Za-z0-9_\\])([A-Za-zα-ω∇Σ])|([‖)]))[_]([A-Za-zα-ω0-9]+)(?![A-Za-z0-9_])/;
const HIGH = /\^(?:\(([^()]*)\)|\{([^{}]*)\}|([−+-]?(?:\d+(?:\.\d+)?|[A-Za-zα-ω\u4e00-\u9fff]+)))/;
const ALONE = /(?<![A-Za-z0-9_'’.\\-])(?<!\d )([b-zB-HJ-Zα-ω])(?![A-Za-z0-9_'’-]|\.[A-Za-z])/;
const PIECE = new RegExp(`“[^”]*”|${LOW.source}|${HIGH.source}|${ALONE.source}`, "g");
const ROLES = /** @type {Record<string, Role>} */ ({ q: "query", k: "key", v: "value", o: "output" });

/** A text as letters that are set alike; a text without a formula is one part. @param {string} text */
export function mathParts(text) {
  const found = /** @type {MathPart[]} */ ([]);
  /** @type {(text: string, place?: MathPart["place"], italic?: boolean, role?: Role) => unknown} */
  const add = (text, place = "line", italic = false, role) =>
    text && found.push({ text, place, italic, role: role ?? null });
  let end = 0;
  for (const piece of text.matchAll(PIECE)) {
    const [all, letter, bar, low, ...more] = piece;
    const [alone, above] = [more[3], more.slice(0, 3).join("")];
    add(text.slice(end, piece.index));
    end = piece.index + all.length;
    if (alone) add(alone, "line", true, ROLES[alone.toLowerCase()]);
    else if (low) {
      const role = ROLES[/^[Wb]$/.test(letter) ? low.toLowerCase() : letter];
      add(letter ?? bar, "line", /[^∇Σ]/.test(letter ?? "Σ"), role);
      add(low, "below", /^[A-Za-zα-ω]$/.test(low), role);
    } else if (above) for (const one of mathParts(above)) add(one.text, "above", one.italic);
    else add(all);
  }
  add(text.slice(end));
  // A lone q, k or v that stands beside no other role may be any number.
  const sure = found.some(({ role }, i) => role && found[i + 1]?.place === "below");
  if (!sure && new Set(found.map(({ role }) => role).filter(Boolean)).size < 2)
    for (const one of found) one.role = null;
  return joined(found);
}

/** @param {MathPart[]} found */
function joined(found) {
  const parts = /** @type {MathPart[]} */ ([]);
  for (const one of found) {
    const last = parts.at(-1);
    if (last && last.place === one.place && last.italic === one.italic && last.role === one.role)
      last.text += one.text;
    else parts.push(one);
  }
  return parts;
}

const TAGS = /** @type {const} */ ({ line: "span", below: "sub", above: "sup" });

/** A text as elements, its letters in the colours of their roles where `coloured`. @param {string} text */
export function mathNodes(text, coloured = false) {
  return mathParts(text).map(({ text, place, italic, role }) => {
    if (place === "line" && !italic) return document.createTextNode(text);
    const made = element(TAGS[place], {}, text);
    if (italic) made.style.fontStyle = "italic";
    if (coloured && role) made.style.color = `var(--${role})`;
    return made;
  });
}
