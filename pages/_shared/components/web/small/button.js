// A button that only the browser can serve: it copies text, or saves the last Plotly figure on the page.

import { component } from "../base/component.js";
import { copy, element } from "../base/dom.js";

/** @import { ButtonData, Component, Plotly } from "../base/types" */

const TOLD_MS = 1800;

// Plotly puts itself on window; its picture is made here, so the server needs no image library.
/** @param {Record<"format" | "filename", string>} how */
function save(how) {
  const { Plotly } = /** @type {{ Plotly?: Plotly }} */ (/** @type {unknown} */ (window));
  const figure = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".js-plotly-plot"))].pop();
  if (!figure || !Plotly) return false;
  Plotly.downloadImage(figure, { ...how, scale: 2, width: figure.clientWidth, height: figure.clientHeight });
  return true;
}

class Button {
  button = element("button", { type: "button" });

  /** @param {Component<ButtonData>} given */
  constructor({ parentElement }) {
    parentElement.append(this.button);
  }

  /** @param {Component<ButtonData>} given */
  update({ data }) {
    const { button } = this;
    button.textContent = data.label;
    button.onclick = async () => {
      const done = data.save ? save(data.save) : await copy(data.text);
      button.focus();
      const [after, failed] = data.save
        ? [data.label, "The figure is not drawn yet: try again"]
        : ["Copied", "Copying is blocked here: select the text instead"];
      button.textContent = done ? after : failed;
      setTimeout(() => (button.textContent = data.label), TOLD_MS);
    };
  }

  destroy() {
    this.button.remove();
  }
}

export default await component(Button, import.meta.url);
