// A picture as PNG: the server is asked for it once it is pressed, and what it sends is drawn and saved once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { document } from "./stubs.js";

const ANSWER = { label: "PNG", filename: "attention-masks", svg: '<svg width="30" height="20"/>' };
const [drawn, saved] = [[], []];
let draws = true;
globalThis.Image = class {
  naturalWidth = 30;
  naturalHeight = 20;
  decode = async () => assert.ok(draws);
};
Object.assign(URL, { createObjectURL: () => "blob:1", revokeObjectURL: () => {} });
const create = document.createElement;
document.createElement = (tag) => {
  const one = Object.assign(create(tag), { width: 0, height: 0, download: "" });
  const drawImage = (_, ...at) => drawn.push([one.width, one.height, ...at]);
  const toBlob = (take, type) => take(new Blob(["pixels"], { type }));
  const click = () => saved.push(one.download);
  return Object.assign(one, { getContext: () => ({ drawImage }), toBlob, click });
};
const { default: draw } = await import("#web/small/png.js");

/** A button as it is before it is pressed. */
function mounted() {
  const [parentElement, asked] = [document.createElement("div"), []];
  const setTriggerValue = (...what) => asked.push(what);
  const take = async (data) => {
    draw({ data: { language: "en", ...data }, parentElement, setTriggerValue });
    for (let turn = 0; turn < 9; turn++) await null;
  };
  take({ ...ANSWER, svg: "", pressed: null });
  drawn.length = saved.length = 0;
  return { button: parentElement.children[0], asked, take };
}

test("a press asks the server, and the answer to it is saved once, at two pixels for each of the picture", async (given) => {
  given.mock.timers.enable({ apis: ["setTimeout", "Date"], now: 7 });
  const { button, asked, take } = mounted();
  assert.deepEqual([button.textContent, asked], ["PNG", []]);
  button.onclick();
  assert.deepEqual(asked, [["pressed", 7]]);
  await take({ ...ANSWER, pressed: 7 });
  assert.deepEqual([drawn, saved], [[[60, 40, 0, 0, 60, 40]], ["attention-masks.png"]]);
  await take({ ...ANSWER, pressed: 7 });
  await take({ ...ANSWER, svg: "", pressed: null });
  assert.equal(saved.length, 1, "what comes again was saved");
});

test("the answer to another press is not saved: it was another tab's, or one from before a reload", async (given) => {
  given.mock.timers.enable({ apis: ["setTimeout", "Date"], now: 7 });
  const { button, take } = mounted();
  await take({ ...ANSWER, pressed: 6 });
  button.onclick();
  await take({ ...ANSWER, pressed: 6 });
  assert.deepEqual(saved, []);
});

test("a browser that cannot draw it says so, and then its label again", async (given) => {
  given.mock.timers.enable({ apis: ["setTimeout", "Date"], now: 7 });
  const { button, take } = mounted();
  draws = false;
  button.onclick();
  await take({ ...ANSWER, pressed: 7 });
  draws = true;
  assert.deepEqual([saved, button.textContent], [[], "This browser cannot draw it: take the SVG"]);
  given.mock.timers.tick(4000);
  assert.equal(button.textContent, "PNG");
});
