// How views and the shelf find each other, whichever comes first.

const SHELF = "attention:shelf";

/** Tells views where the shelf is, or, without one, asks for it. @param {HTMLElement | null} shelf */
export const tellShelf = (shelf) => document.dispatchEvent(new CustomEvent(SHELF, { detail: shelf }));

/** @param {(shelf: HTMLElement | null) => void} hear @param {AbortSignal} signal */
export const hearShelf = (hear, signal) =>
  document.addEventListener(SHELF, (event) => hear(/** @type {CustomEvent} */ (event).detail), { signal });
