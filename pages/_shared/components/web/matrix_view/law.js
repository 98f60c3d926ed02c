// A letter of the page's law that is pointed at: what is drawn of its role stays, all else steps back.

import { rgb } from "../base/theme.js";

/** @import { Axis, Role, Theme } from "../base/types" */
/** @import { View } from "./view.js" */

const LETTER = ".st-key-law [style*=color]"; // as KaTeX colours one
const ROLES = /** @type {Role[]} */ (["query", "key", "value", "output"]);

/** Whose colour a letter has. @param {string} colour @param {Theme} theme @returns {Role | undefined} */
export const roleOf = (colour, theme) => ROLES.find((role) => `${rgb(theme.roles[role])}` === `${rgb(colour)}`);

/** Which panels step back: where some are this role's own all others, else those without an axis of it; none where all
 * would. @param {{ role: Role | null, axes: (Axis | null | undefined)[] }[]} panels @param {Role | undefined} role */
export function faint(panels, role) {
  const own = panels.map((panel) => panel.role === role);
  const beside = panels.map(({ axes }) => axes.some((axis) => axis?.role === role));
  const stay = own.includes(true) ? own : beside;
  return panels.map((_, i) => Boolean(role) && stay.includes(true) && !stay[i]);
}

/** @param {View} view @param {AbortSignal} signal */
export function followLaw(view, signal) {
  let now = /** @type {Role | undefined} */ (undefined);
  const look = (/** @type {PointerEvent} */ { target }) => {
    const letter = target instanceof HTMLElement && target.closest(LETTER);
    const role = letter ? roleOf(getComputedStyle(letter).color, view.theme) : undefined;
    if (role === now) return;
    now = role;
    const told = view.panels.map(({ drawn: { spec, axes } }) => ({
      role: spec.kind === "matrix" ? spec.role : null,
      axes: [axes.row, axes.column],
    }));
    faint(told, role).forEach((back, i) => view.panels[i].parts.panel.classList.toggle("faint", back));
  };
  document.addEventListener("pointerover", look, { signal });
}
