// What stands at the lower edge of the window while a class is on; whoever has the teacher's secret is the teacher.

import { component } from "../base/component.js";
import { element } from "../base/dom.js";
import { _ } from "../base/language.js";
import { secretOf } from "../base/secret.js";
import { MODULE } from "./histogram.js";
import { Student } from "./student.js";
import { Teacher } from "./teacher.js";

/** @import { ClassData, Component } from "../base/types" */

export class Panel {
  face = /** @type {Student | Teacher | null} */ (null);
  room = "";
  gone = new AbortController();

  /** @param {Component<ClassData>} given */
  constructor({ data, parentElement, setTriggerValue }) {
    this.data = data;
    this.say = (/** @type {object} */ message) => setTriggerValue("said", message);
    this.root = element("section", { className: "panel", "aria-label": _("Your class") });
    parentElement.append(this.root);
    // The page keeps as much room below as the panel takes, and the panel leaves the navigation alone.
    this.sizes = new ResizeObserver(() => this.fit());
    this.main = /** @type {HTMLElement} */ (document.querySelector("[data-testid=stMain]"));
    this.sizes.observe(this.root);
    this.sizes.observe(this.main);
  }

  /** @param {Component<ClassData>} given */
  update({ data, setTriggerValue }) {
    this.data = data;
    this.say = (/** @type {object} */ message) => setTriggerValue("said", message);
    if (data.room !== this.room) this.enter(data.room);
    this.face?.update(data);
  }

  /** @param {string} room */
  enter(room) {
    this.face?.leave();
    this.room = room;
    const secret = secretOf(room, this.data.secret);
    this.root.replaceChildren();
    this.root.className = `panel ${secret ? "teacher" : "student"}`;
    this.face = secret ? new Teacher(this, room, secret) : new Student(this, room);
  }

  fit() {
    const { left, width } = this.main.getBoundingClientRect();
    this.root.style.left = `${left}px`;
    this.root.style.width = `${width}px`;
    const height = `${this.root.offsetHeight}px`;
    const whole = document.documentElement.style;
    whole.setProperty("--class-panel", height);
    if (!this.face?.isFolded || whole.getPropertyValue("--class-bar") === height) return;
    whole.setProperty("--class-bar", height);
    window.dispatchEvent(new Event("resize")); // pictures fit themselves into what is left
  }

  destroy() {
    this.face?.leave();
    this.sizes.disconnect();
    for (const name of ["panel", "bar", "side"]) document.documentElement.style.removeProperty(`--class-${name}`);
    this.root.remove();
  }
}

export default await component(Panel, import.meta.url, MODULE);
