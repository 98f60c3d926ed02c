// Keeps the draft of a course in this browser, so that neither a reload nor a look elsewhere loses it. A server that does
// not know the draft yet is told it; from then on it says what is kept. Another tab's changes are told as well.

/** @import { Component, DraftData } from "./types" */

const KEY = "attention-explorer:course";

/** @type {WeakMap<ShadowRoot, AbortController>} */
const listening = new WeakMap();

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

/** @param {Component<DraftData>} given */
export default function ({ data, parentElement, setStateValue }) {
  listening.get(parentElement)?.abort();
  const stop = new AbortController();
  listening.set(parentElement, stop);
  const tell = () => setStateValue("stored", [Date.now(), read()]);
  window.addEventListener("storage", (event) => event.key === KEY && tell(), { signal: stop.signal });
  if (data.known) write(data.text);
  else tell();
  return () => stop.abort();
}
