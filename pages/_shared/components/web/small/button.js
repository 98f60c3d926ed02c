// A button that only the browser can serve: it copies text, or has the page's picture saved.

import { component } from "../base/component.js";
import { copy, element } from "../base/dom.js";
import { _ } from "../base/language.js";
import { askToSave } from "../base/save.js";

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
      const done = data.save ? askToSave(data.save) : await copy(data.text);
      button.focus();
      const [after, failed] = data.save
        ? [data.label, _("There is no picture yet: try again")]
        : [_("Copied"), _("Copying is blocked here: select the text instead")];
      button.textContent = done ? after : failed;
      setTimeout(() => (button.textContent = data.label), TOLD_MS);
    };
  }

  destroy() {
    this.button.remove();
  }
}

export default await component(Button, import.meta.url);
