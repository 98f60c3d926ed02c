// How a button has the page's pictures saved as a file.

/** @import { SaveRequest } from "./types" */

const SAVE = "attention:save";

/** Says whether there are any. @param {SaveRequest} detail */
export const askToSave = (detail) => !document.dispatchEvent(new CustomEvent(SAVE, { detail, cancelable: true }));

/** @param {(request: SaveRequest) => boolean} save  says whether it can */
export function onSave(save) {
  document.addEventListener(SAVE, (event) => {
    if (save(/** @type {CustomEvent} */ (event).detail)) event.preventDefault();
  });
}
