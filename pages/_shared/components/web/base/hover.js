// What is pointed at, in whichever component.

/** @import { Hover } from "./types" */

const HOVER = "attention:hover";

/** @param {Hover} detail */
export const tell = (detail) => document.dispatchEvent(new CustomEvent(HOVER, { detail }));

/** @param {(told: Partial<Hover>) => void} hear @param {AbortSignal} signal */
export function listen(hear, signal) {
  document.addEventListener(HOVER, (event) => hear(/** @type {CustomEvent} */ (event).detail ?? {}), { signal });
}
