// The button that opens a class: the browser asks the room's API, so the teacher's secret never passes Streamlit.

import { component } from "../base/component.js";
import { element } from "../base/dom.js";
import { _ } from "../base/language.js";
import { RoomClient, newName } from "./room.js";
import { keepSecret, running, secretOf } from "../base/secret.js";

/** @import { Component, StartData } from "../base/types" */

/** Milliseconds after which the app is told again of a class that it does not show: a lost connection loses a word. */
const AGAIN = 4000;

/** Key of the class that was opened last, and the button in sight: a page may be drawn anew between one and the other. */
let opened = "";
/** What leads into it, and the command that opens one: the same until it is answered. */
let way = "";
let command = newName();
let shown = /** @type {Start | null} */ (null);

class Start {
  again = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  setTriggerValue = /** @type {Component<StartData>["setTriggerValue"] | undefined} */ (undefined);
  button = element("button", { type: "button", className: "main" });
  /** Leads back into the class that this browser leads: its tab was closed, or this is another one. */
  resume = element("button", { type: "button", className: "main", hidden: true });
  refused = element("p", { className: "refused", role: "alert" });

  /** @param {Component<StartData>} given */
  constructor({ parentElement }) {
    this.root = element("div", { className: "start" }, this.resume, this.button, this.refused);
    parentElement.append(this.root);
    this.offer();
  }

  /** @param {Component<StartData>} given */
  update({ data, setTriggerValue }) {
    this.setTriggerValue = setTriggerValue;
    shown = this;
    if (this.again === undefined) this.tell();
    this.button.textContent = data.label;
    this.button.onclick = async () => {
      this.button.disabled = true;
      const { key, teacher, ticket, error } = await RoomClient.open(command);
      this.button.disabled = false;
      this.refused.textContent = error;
      if (error) return;
      keepSecret(key, teacher);
      [opened, way, command] = [key, `${key}-${ticket}`, newName()];
      shown?.tell();
    };
  }

  async offer() {
    const now = running();
    if (!now) return;
    const { key, secret, ticket } = now;
    const isOn = await RoomClient.isOn(key, ticket);
    if (isOn === false) return keepSecret(key, "");
    this.resume.textContent = _("Go on with class {key}", { key });
    this.resume.hidden = !isOn;
    this.button.className = isOn ? "" : "main";
    this.resume.onclick = () => {
      keepSecret(key, secret);
      [opened, way] = [key, `${key}-${ticket}`];
      shown?.tell();
    };
  }

  /** Tell the app of a class that it does not show, unless that has ended. */
  tell() {
    clearTimeout(this.again);
    if (!opened || !secretOf(opened)) return;
    this.setTriggerValue?.("opened", way);
    this.again = setTimeout(() => this.tell(), AGAIN);
  }

  destroy() {
    clearTimeout(this.again);
    if (shown === this) shown = null;
    this.root.remove();
  }
}

export default await component(Start, import.meta.url);
