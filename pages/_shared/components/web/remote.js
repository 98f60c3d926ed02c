// A presenter's remote sends PageUp and PageDown. They press the buttons of these names wherever the focus is: a slider
// would move, and a page scroll. It walks a page's presets first, and from the last of them the steps of a course. While
// a class's panel is open they are its own.

import { plain } from "./shared.js";

/** @import { Component } from "./types" */

/** @type {WeakSet<ShadowRoot>} */
const listening = new WeakSet();

/** @param {Component<null>} given */
export default function ({ parentElement }) {
  if (listening.has(parentElement)) return;
  listening.add(parentElement);
  const stop = new AbortController();
  const press = (/** @type {KeyboardEvent} */ event) => {
    if (!/^Page(Up|Down)$/.test(event.key) || !plain(event)) return;
    if (document.documentElement.dataset.remote) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const [first] = ["remote", "course"].flatMap((who) => [
      .../** @type {NodeListOf<HTMLElement>} */ (
        document.querySelectorAll(`.st-key-_${who}_${event.key} button:enabled`)
      ),
    ]);
    first?.click();
  };
  window.addEventListener("keydown", press, { capture: true, signal: stop.signal });
  return () => {
    stop.abort();
    listening.delete(parentElement);
  };
}
