// Colours, and the mode they are of.

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

// The colours of the page's mode, in which `root` is dressed too.
/** @param {HTMLElement} root @param {Modes} modes @returns {Theme} */
export function dress(root, modes) {
  const style = getComputedStyle(root);
  const [paper, ink, primary] = ["background", "text", "primary"].map((name) =>
    style.getPropertyValue(`--st-${name}-color`).trim(),
  );
  const colours = modes[luminance(rgb(paper)) > 0.35 ? "light" : "dark"];
  for (const [name, colour] of Object.entries({ ...colours.roles, muted: colours.muted, hidden: colours.hidden })) {
    root.style.setProperty(`--${name}`, colour);
  }
  return { ...colours, paper, ink, primary };
}
