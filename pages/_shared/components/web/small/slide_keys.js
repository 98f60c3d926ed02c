// A presenter's remote sends PageUp and PageDown. They press the buttons of these names wherever the focus is: a slider
// would move, and a page scroll. It walks a page's presets first, and from the last of them the steps of a course. While
// a class's panel is open they are its own.

import { component, Listener } from "../base/component.js";
import { plain } from "../base/dom.js";

class SlideKeys extends Listener {
  constructor() {
    super();
    window.addEventListener("keydown", (event) => this.press(event), { capture: true, signal: this.gone.signal });
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (!/^Page(Up|Down)$/.test(event.key) || !plain(event)) return;
    if (document.documentElement.dataset.remote) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const buttons = (/** @type {string} */ who) =>
      /** @type {HTMLElement | null} */ (document.querySelector(`.st-key-_${who}_${event.key} button:enabled`));
    (buttons("remote") ?? buttons("course"))?.click();
  }
}

export default await component(SlideKeys);
