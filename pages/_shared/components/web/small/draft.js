// Keeps the draft of a course in this browser, so that neither a reload nor a look elsewhere loses it. A server that does
// not know the draft yet is told it; from then on it says what is kept. Another tab's changes are told as well.

import { component, Listener } from "../base/component.js";

/** @import { Component, DraftData } from "../base/types" */

const KEY = "attention-explorer:course";

/** A browser may refuse to keep anything. @returns {string} */
function read() {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

/** @param {string} text */
function write(text) {
  try {
    if (text !== read()) localStorage.setItem(KEY, text);
  } catch {
    return; // the draft then lives as long as its session
  }
}

class Draft extends Listener {
  setStateValue = /** @type {Component<DraftData>["setStateValue"]} */ (() => {});

  constructor() {
    super();
    const { signal } = this.gone;
    window.addEventListener("storage", (event) => event.key === KEY && this.tell(), { signal });
  }

  /** @param {Component<DraftData>} given */
  update({ data, setStateValue }) {
    this.setStateValue = setStateValue;
    if (data.known) write(data.text);
    else this.tell();
  }

  tell() {
    this.setStateValue("stored", [Date.now(), read()]);
  }
}

export default await component(Draft);
