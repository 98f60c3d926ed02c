// Colours, and the mode they are of.

import { element } from "./dom.js";

/** @import { Modes, Theme } from "./types" */

/** @param {string} css  #rrggbb or rgb(…) */
export function rgb(css) {
  const parts = css.startsWith("#")
    ? (css.match(/[\da-f]{2}/gi) ?? []).map((two) => parseInt(two, 16))
    : (css.match(/[\d.]+/g) ?? []).map(Number);
  return parts.slice(0, 3);
}

/** @param {number[]} colour */
export function luminance(colour) {
  const [r, g, b] = colour.map((c) => ((c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** A colour of the system's, as a contrast theme has it: `Canvas`. @param {HTMLElement} root @param {string} name */
function systemColour(root, name) {
  const probe = element("span");
  probe.style.cssText = `forced-color-adjust: none; color: ${name}`;
  root.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** What a root was dressed in last, and from what. */
const dressed = /** @type {WeakMap<HTMLElement, { of: string, theme: Theme }>} */ (new WeakMap());

// The colours of the page's mode, in which `root` is dressed too. Where the system has a contrast theme of its own, the
// page has its paper and its ink, so what is drawn on it has them too.
/** @param {HTMLElement} root @param {Modes} modes @returns {Theme} */
export function dress(root, modes) {
  const style = getComputedStyle(root);
  const [paper, ink, primary] = globalThis.matchMedia?.("(forced-colors: active)").matches
    ? ["Canvas", "CanvasText", "Highlight"].map((name) => systemColour(root, name))
    : ["background", "text", "primary"].map((name) => style.getPropertyValue(`--st-${name}-color`).trim());
  const last = dressed.get(root);
  const of = JSON.stringify([paper, ink, primary, modes]);
  if (last?.of === of) return last.theme; // nothing is set again, which would ask the browser for all styles anew
  const colours = modes[luminance(rgb(paper)) > 0.35 ? "light" : "dark"];
  const roles = { ...colours.roles, accent: primary, ink };
  for (const [name, colour] of Object.entries({ ...roles, hidden: colours.hidden })) {
    root.style.setProperty(`--${name}`, colour);
  }
  const theme = { ...colours, roles, paper, ink, primary };
  dressed.set(root, { of, theme });
  return theme;
}
