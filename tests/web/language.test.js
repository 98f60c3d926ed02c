// Words in the visitor's language, and what is made anew when that changes.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { document } from "./stubs.js";
import { component } from "#web/base/component.js";
import { _, speak } from "#web/base/language.js";
import words from "#web/base/words_zh.js";

afterEach(() => speak("en"));

test("a text is worded in the language that is spoken, and stays English where it has no words", () => {
  assert.equal(_("Ask"), "Ask");
  speak("zh");
  assert.equal(_("Ask"), words["Ask"]);
  assert.notEqual(_("Ask"), "Ask");
  assert.equal(_("Nobody has translated this."), "Nobody has translated this.");
  speak("xx");
  assert.equal(_("Ask"), "Ask");
});

test("values stand in their places, as the text that they are", () => {
  assert.equal(_("{name}, {position} of {count}", { name: "{count}$&", position: 1, count: 2 }), "{count}$&, 1 of 2");
  assert.equal(_("{braces} stay", {}), "{braces} stay");
  speak("zh");
  const said = _("{name}, {position} of {count}", { name: "cat", position: 1, count: 3 });
  assert.match(said, /cat.*1.*3/);
});

const places = (text) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort();

test("every translation has the places of its text", () => {
  for (const [text, other] of Object.entries(words)) assert.deepEqual(places(other), places(text), text);
});

test("a component is made anew in another language, and only then", async () => {
  const calls = [];
  class Made {
    word = _("Ask");
    constructor({ data }) {
      calls.push(["made", this.word, data.step]);
    }
    update({ data }) {
      calls.push(["updated", this.word, data.step]);
    }
    destroy() {
      calls.push(["destroyed", this.word]);
    }
  }
  const draw = await component(Made);
  const set = { lang: 0, styles: 0 };
  let spoken = "";
  Object.defineProperty(document.documentElement, "lang", {
    configurable: true,
    get: () => spoken,
    set: (language) => ((spoken = language), (set.lang += 1)),
  });
  const parentElement = {
    host: { isConnected: true },
    set adoptedStyleSheets(_sheets) {
      set.styles += 1;
    },
  };
  const given = (language, step) => ({ data: { language, step }, parentElement });
  const leave = draw(given("en", 1));
  draw(given("en", 2));
  assert.equal(document.documentElement.lang, "en");
  const end = draw(given("zh", 3));
  assert.equal(document.documentElement.lang, "zh");
  assert.deepEqual(set, { lang: 2, styles: 1 }, "what is set again is looked at anew, all over the page");
  delete document.documentElement.lang;
  leave(); // of a run that is over
  const chinese = words["Ask"];
  assert.deepEqual(calls, [
    ["made", "Ask", 1],
    ["updated", "Ask", 1],
    ["updated", "Ask", 2],
    ["destroyed", "Ask"],
    ["made", chinese, 3],
    ["updated", chinese, 3],
  ]);
  parentElement.host.isConnected = false;
  end();
  assert.deepEqual(calls.at(-1), ["destroyed", chinese]);
});
