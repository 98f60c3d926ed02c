// Tells the server when the page has lost it and found one again.

/** @import { Component } from "./types" */

/** @type {WeakMap<ShadowRoot, MutationObserver>} */
const watching = new WeakMap();

/** @param {Component<null>} given */
export default function ({ parentElement, setTriggerValue }) {
  const app = /** @type {HTMLElement} */ (document.querySelector("[data-testid=stApp]"));
  let lost = false;
  watching.get(parentElement)?.disconnect();
  const watch = new MutationObserver(() => {
    const connected = app.dataset.testConnectionState === "CONNECTED";
    if (connected && lost) setTriggerValue("back", true);
    lost = !connected;
  });
  watching.set(parentElement, watch);
  watch.observe(app, { attributeFilter: ["data-test-connection-state"] });
  return () => watching.get(parentElement)?.disconnect();
}
