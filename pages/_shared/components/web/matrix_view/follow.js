// While a chip is in a hand, the rows and columns of its token stand where they will once it is let go.

import { listenHeld } from "../base/hover.js";
import { Heatmap } from "./heatmap.js";

/** @import { Held } from "../base/types" */
/** @import { View } from "./view.js" */

export class Follow {
  held = false;

  /** @param {View} view @param {AbortSignal} signal */
  constructor(view, signal) {
    this.view = view;
    listenHeld((told) => this.hear(told), signal);
  }

  get panel() {
    const shown = this.view.panels[this.view.data.follows?.panel ?? -1];
    return shown?.drawn instanceof Heatmap ? shown.drawn : null;
  }

  /** @param {Held} told */
  hear({ group, roles, order, held }) {
    const { panel } = this;
    if (group !== this.view.data.group || !panel) return;
    this.held = held;
    const follows = this.view.data.follows.roles.filter((role) => roles.includes(role));
    const place = order.map((_, i) => order.indexOf(i));
    this.put(
      [panel.axes.row, panel.axes.column].map(({ role, labels }, side) =>
        role && follows.includes(role) && labels.length === order.length ? place : panel.shift[side],
      ),
    );
  }

  /** The server has answered, and its picture is the one that is shown. */
  settle() {
    if (!this.held && this.panel?.shift.some(Boolean)) this.put([null, null]);
  }

  /** @param {(number[] | null)[]} shift */
  put(shift) {
    const { panel, view } = this;
    if (!panel || String(shift) === String(panel.shift)) return;
    const old = view.panels.map(({ drawn }) => (drawn === panel ? drawn.still(view.stage) : null));
    panel.shift = shift;
    view.move(old, true);
  }
}
