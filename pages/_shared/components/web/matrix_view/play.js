// A slider that walks by itself, from step to step, once it is told to.

import { clamp, element } from "../base/dom.js";
import { _ } from "../base/language.js";

const WALK_MS = 4000; // from the first step to the last
const REPLAY_MS = 1800;
const [FASTEST_MS, SLOWEST_MS] = [30, 700]; // for one step

export class Play {
  button = element("button", { className: "play", type: "button" });
  timer = 0;
  stopSkipping = new AbortController();

  /**
   * @param {{ step: number, steps: number }} view
   * @param {(step: number) => void} go
   * @param {() => void} arrive  called where it stops
   */
  constructor(view, go, arrive) {
    this.view = view;
    this.go = go;
    this.arrive = arrive;
    this.button.onclick = () => (this.timer ? this.stop() : this.start(WALK_MS));
    this.show();
  }

  /** @param {number} duration */
  start(duration) {
    const last = this.view.steps - 1;
    if (this.view.step >= last) this.go(0);
    const each = clamp(duration / last, FASTEST_MS, SLOWEST_MS);
    const walk = () => {
      this.go(this.view.step + 1);
      if (this.view.step < last) this.timer = setTimeout(walk, each);
      else this.stop();
    };
    this.timer = setTimeout(walk, each);
    this.show();
  }

  /** Walks to the last step as if it came about now; who presses anything is there at once. */
  replay() {
    this.go(0);
    this.start(REPLAY_MS);
    const { signal } = this.stopSkipping;
    const skip = () => this.timer && (this.go(this.view.steps - 1), this.stop());
    for (const name of ["pointerdown", "keydown"])
      document.addEventListener(name, skip, { signal, once: true, capture: true });
  }

  stop() {
    if (!this.timer) return;
    this.end();
    this.arrive();
  }

  /** Stops where it is, and tells nobody. */
  end() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.stopSkipping.abort();
    this.stopSkipping = new AbortController();
    this.show();
  }

  show() {
    this.button.textContent = this.timer ? "❚❚" : "▶";
    this.button.setAttribute("aria-label", this.timer ? _("Pause") : _("Play"));
  }
}
