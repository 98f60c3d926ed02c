// A course's draft that is kept in the browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./stubs.js";

globalThis.window = new EventTarget();
globalThis.localStorage = globalThis.sessionStorage;
const { default: draw } = await import("#web/small/draft.js");

test("the server is told of another tab's draft, and of nothing else that is kept", () => {
  const told = [];
  const data = { language: "en", known: true, text: "mine" };
  draw({ data, parentElement: {}, setStateValue: (name, [, text]) => told.push([name, text]) });
  assert.equal(localStorage.getItem("attention-explorer:course"), "mine");
  for (const key of ["stSidebarCollapsed", "attention-explorer:course"])
    window.dispatchEvent(Object.assign(new Event("storage"), { key }));
  assert.deepEqual(told, [["stored", "mine"]]);
});
