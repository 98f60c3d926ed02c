// The button that opens a class: the browser asks the room's API, so the teacher's secret never passes Streamlit.

import { component, element } from "../shared.js";
import { RoomClient } from "../room.js";
import { keepSecret } from "./secret.js";

/** @import { Component, StartData } from "../types" */

/** Milliseconds after which the app is told again of a class that it does not show: a lost connection loses a word. */
const AGAIN = 4000;

class Start {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  again = undefined;
  /** @type {Component<StartData>["setTriggerValue"] | undefined} */
  setTriggerValue = undefined;
  button = element("button", { type: "button", className: "main" });
  refused = element("p", { className: "refused", role: "alert" });

  /** @param {Component<StartData>} given */
  constructor({ parentElement }) {
    this.root = element("div", { className: "start" }, this.button, this.refused);
    parentElement.append(this.root);
  }

  /** @param {Component<StartData>} given */
  update({ data, setTriggerValue }) {
    this.setTriggerValue = setTriggerValue;
    this.button.textContent = data.label;
    this.button.onclick = async () => {
      this.button.disabled = true;
      const { key, teacher, error } = await RoomClient.open();
      this.button.disabled = false;
      this.refused.textContent = error;
      if (error) return;
      keepSecret(key, teacher);
      this.tell(key);
    };
  }

  /** @param {string} key */
  tell(key) {
    this.setTriggerValue?.("opened", key);
    this.again = setTimeout(() => this.tell(key), AGAIN);
  }

  destroy() {
    clearTimeout(this.again);
    this.root.remove();
  }
}

export default await component(Start, import.meta.url);
