// Where the second look stands: panels of the picture, and notes, that its stage has no room for.

import { component, dress, element } from "../shared.js";
import { hearShelf, tellShelf } from "./told.js";

/** @import { Component, ShelfData } from "../types" */

export class Shelf {
  stop = new AbortController();
  box = element("div", { className: "shelf" });
  title = element("div", { className: "heading" });
  view = element("section", { className: "view second" }, this.title, this.box);

  /** @param {Component<ShelfData>} given */
  constructor({ parentElement }) {
    parentElement.append(this.view);
    hearShelf((shelf) => shelf || tellShelf(this.box), this.stop.signal);
    tellShelf(this.box);
  }

  /** @param {Component<ShelfData>} given */
  update({ data }) {
    this.title.textContent = data.title;
    this.view.setAttribute("aria-label", data.title);
    dress(this.view, data.colours);
  }

  destroy() {
    this.stop.abort();
    this.view.remove();
  }
}

export default await component(Shelf, import.meta.resolve("./matrix_view.js"));
