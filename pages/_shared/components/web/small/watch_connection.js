// Tells the server when the page has lost it and found one again.

import { component } from "../base/component.js";

/** @import { Component } from "../base/types" */

class Connection {
  lost = false;
  app = /** @type {HTMLElement} */ (document.querySelector("[data-testid=stApp]"));
  watch = new MutationObserver(() => this.look());
  setTriggerValue = /** @type {Component<unknown>["setTriggerValue"]} */ (() => {});

  constructor() {
    this.watch.observe(this.app, { attributeFilter: ["data-test-connection-state"] });
  }

  /** @param {Component<unknown>} given */
  update({ setTriggerValue }) {
    this.setTriggerValue = setTriggerValue;
  }

  look() {
    const connected = this.app.dataset.testConnectionState === "CONNECTED";
    if (connected && this.lost) this.setTriggerValue("back", true);
    this.lost = !connected;
  }

  destroy() {
    this.watch.disconnect();
  }
}

export default await component(Connection);
