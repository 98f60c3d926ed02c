// What is pointed at and what is held, in whichever component.

/** @import { Held, Hover } from "./types" */

const HOVER = "attention:hover";
const HELD = "attention:held";

/** @param {Hover} detail */
export const tell = (detail) => document.dispatchEvent(new CustomEvent(HOVER, { detail }));

/** @param {(told: Partial<Hover>) => void} hear @param {AbortSignal} signal */
export function listen(hear, signal) {
  document.addEventListener(HOVER, (event) => hear(/** @type {CustomEvent} */ (event).detail ?? {}), { signal });
}

/** @param {Held} detail */
export const tellHeld = (detail) => document.dispatchEvent(new CustomEvent(HELD, { detail }));

/** @param {(told: Held) => void} hear @param {AbortSignal} signal */
export function listenHeld(hear, signal) {
  document.addEventListener(HELD, (event) => hear(/** @type {CustomEvent<Held>} */ (event).detail), { signal });
}
