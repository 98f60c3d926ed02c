// On a phone the sidebar lies over the page: whoever has chosen a page there wants to see it.

/** @import { Component } from "./types" */

/** @type {WeakSet<ShadowRoot>} */
const listening = new WeakSet();

/** @param {Component<null>} given */
export default function ({ parentElement }) {
  if (listening.has(parentElement)) return;
  listening.add(parentElement);
  const stop = new AbortController();
  const fold = (/** @type {MouseEvent} */ { target }) => {
    if (!(target instanceof Element && target.closest("[data-testid=stSidebarNavLink]"))) return;
    if (!matchMedia("(max-width: 767.98px)").matches) return;
    /** @type {HTMLElement | null} */ (
      document.querySelector("[data-testid=stSidebarCollapseButton] button")
    )?.click();
  };
  document.addEventListener("click", fold, { signal: stop.signal });
  return () => {
    stop.abort();
    listening.delete(parentElement);
  };
}
