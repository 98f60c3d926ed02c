// What is lit: one row and one column, in every panel that has them and in the other members of the group.

import { listen, tell } from "../base/hover.js";
import { identities } from "./panel.js";

/** @import { Axis, Hover, Lit, Pointed, Role } from "../base/types" */
/** @import { View } from "./view.js" */

/** @typedef {{ axis: Axis, id: string }} Mark */
/** @typedef {{ marks: Mark[], cell: Pointed | null }} Lights  the cell a pointer is on; without one, others point */

const TOLD = /** @type {Role[]} */ (["query", "key"]);

/** @param {Axis} one @param {Axis} other */
const sameAxis = (one, other) => one.role === other.role && (one.role !== null || one.title === other.title);

export class Highlight {
  now = /** @type {Lights | null} */ (null);
  telling = false;

  /** @param {View} view @param {AbortSignal} signal */
  constructor(view, signal) {
    this.view = view;
    listen((told) => this.hear(told), signal);
  }

  /** @param {Pointed | null} cell */
  on(cell) {
    const before = this.now;
    this.now = cell && { cell, marks: [] };
    const axes = cell && this.view.panels[cell[0]].drawn.axes;
    this.mark(axes?.row, cell?.[1]);
    this.mark(axes?.column, cell?.[2]);
    this.tellOthers(before, this.now);
    this.view.paint();
  }

  /** @param {Axis | undefined} axis @param {number | null | undefined} at */
  mark(axis, at) {
    if (axis && typeof at === "number") this.now?.marks.push({ axis, id: identities(axis.labels)[at] });
  }

  // Which row and column of a panel are lit: by position where somebody points, by token elsewhere.
  /** @param {number} index @returns {Lit} */
  of(index) {
    const { drawn } = this.view.panels[index];
    const out = /** @type {Lit} */ ({ row: null, column: null });
    if (this.now?.cell?.[0] === index)
      return { row: drawn.axes.row ? this.now.cell[1] : null, column: this.now.cell[2] };
    for (const { axis, id } of this.now?.marks ?? []) {
      for (const side of /** @type {const} */ (["row", "column"])) {
        const other = drawn.axes[side];
        const at = other && sameAxis(axis, other) ? identities(other.labels).indexOf(id) : -1;
        if (at >= 0) out[side] = at;
      }
    }
    return out;
  }

  // The labels whose positions the group counts: other panels may show the same tokens in another order.
  /** @param {unknown} role */
  leading(role) {
    return this.view.data.leads.find((axis) => axis.role === role);
  }

  /** @param {Lights | null} before @param {Lights | null} after */
  tellOthers(before, after) {
    const { group } = this.view.data;
    if (!group) return;
    for (const role of TOLD) {
      const [was, index] = [before, after].map((light) => {
        const found = light?.cell && light.marks.find(({ axis }) => axis.role === role);
        const at = found ? identities(this.leading(role)?.labels ?? []).indexOf(found.id) : -1;
        return at < 0 ? null : at;
      });
      if (was === index) continue;
      this.telling = true;
      tell({ group, role, index });
      this.telling = false;
    }
  }

  /** @param {Partial<Hover>} told */
  hear({ group, role, index }) {
    if (this.telling || !this.view.data.group || group !== this.view.data.group) return;
    const axis = this.leading(role);
    if (!axis) return;
    const marks = this.now && !this.now.cell ? this.now.marks.filter((mark) => mark.axis.role !== role) : [];
    const id = typeof index === "number" ? identities(axis.labels)[index] : undefined;
    if (id !== undefined) marks.push({ axis, id });
    this.now = marks.length ? { marks, cell: null } : null;
    this.view.paint();
  }
}
