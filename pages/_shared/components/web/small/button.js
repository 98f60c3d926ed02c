// A button that copies text.

import { component } from "../base/component.js";
import { copy, element } from "../base/dom.js";
import { _ } from "../base/language.js";

/** @import { ButtonData, Component } from "../base/types" */

const TOLD_MS = 1800;

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
      const done = await copy(data.text);
      button.focus();
      button.textContent = done ? _("Copied") : _("Copying is blocked here: select the text instead");
      setTimeout(() => (button.textContent = data.label), TOLD_MS);
    };
  }

  destroy() {
    this.button.remove();
  }
}

export default await component(Button, import.meta.url);
