// From page to page: a phone's sidebar, held either way, folds once a page was chosen in it, or loaded, and the browser's
// history holds one step for each thing a person did. No address shows a teacher's secret.

import { component, Listener } from "../base/component.js";
import { hideSecret } from "../base/secret.js";

/** @import { NavigateEvent } from "../base/types" */

class Navigation extends Listener {
  constructor() {
    super();
    foldSidebar(this.gone.signal);
    keepSteps(this.gone.signal);
    hideSecret();
    window.addEventListener("popstate", hideSecret, { signal: this.gone.signal });
  }
}

/** It lies over the page, which is what was chosen to be seen. @param {AbortSignal} signal */
function foldSidebar(signal) {
  const fold = () => {
    if (!matchMedia("(max-width: 767.98px), (max-height: 480px)").matches) return;
    /** @type {HTMLElement | null} */ (
      document.querySelector("[data-testid=stSidebarCollapseButton] button")
    )?.click();
  };
  const sidebar = document.querySelector("[data-testid=stSidebar]");
  if (sidebar && sidebar.getBoundingClientRect().right > 0) fold(); // Streamlit keeps it open over a reload
  document.addEventListener(
    "click",
    ({ target }) => target instanceof Element && target.closest("[data-testid=stSidebarNavLink]") && fold(),
    { signal },
  );
}

// Streamlit makes a step for what a page writes to its address and another for the page itself. What follows a step
// that was already made for what was pressed, or what nobody pressed, takes the place of the last step, and at once:
// Streamlit compares the next page with the address. A browser without the Navigation API keeps them all.
/** @param {AbortSignal} signal */
function keepSteps(signal) {
  let made = true;
  const press = () => (made = false);
  for (const event of ["pointerdown", "keydown", "click"])
    window.addEventListener(event, press, { capture: true, signal });
  /** @param {NavigateEvent} event */
  const step = (event) => {
    const { navigationType, destination, hashChange } = event;
    const again = made && navigationType === "push" && destination.sameDocument && !hashChange;
    made = true;
    if (!again) return;
    event.preventDefault();
    history.replaceState(history.state, "", destination.url);
  };
  /** @type {{ navigation?: EventTarget }} */ (window).navigation?.addEventListener(
    "navigate",
    (event) => step(/** @type {NavigateEvent} */ (event)),
    { signal },
  );
}

export default await component(Navigation);
