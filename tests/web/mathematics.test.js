// Formulas in texts as the browser sets them: by the same table as on the server's side.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pen } from "./stubs.js";
import { mathNodes, mathParts } from "#web/base/mathematics.js";
import { mathText } from "#web/matrix_view/canvas.js";

const CASES = JSON.parse(readFileSync(new URL("../figures/formulas.json", import.meta.url), "utf-8"));
const MARKS = { line: "", below: "_", above: "^" };

for (const [text, wanted] of Object.entries(CASES))
  test(`${text} as letters that are set alike`, () => {
    const said = mathParts(text).map(
      ({ text, place, italic, role }) => MARKS[place] + (italic ? `/${text}/${role ?? ""}` : text),
    );
    assert.deepEqual(said, wanted);
  });

test("elements: subscripts, superscripts, italics, and colours where they are wanted", () => {
  const flat = (coloured) =>
    mathNodes("W_Q x of d_head^2", coloured).map(({ tag, textContent, style }) => [
      tag,
      textContent,
      style?.fontStyle,
      style?.color,
    ]);
  const [below, above] = [
    ["sub", "head", undefined, undefined],
    ["sup", "2", undefined, undefined],
  ];
  const set = (colour) => [
    ["span", "W", "italic", colour],
    ["sub", "Q", "italic", colour],
    [undefined, " ", undefined, undefined],
    ["span", "x", "italic", undefined],
    [undefined, " of ", undefined, undefined],
    ["span", "d", "italic", undefined],
    below,
    above,
  ];
  assert.deepEqual(flat(true), set("var(--query)"));
  assert.deepEqual(flat(false), set(undefined));
});

test("on a canvas letters below the line are smaller and lower, one after the other, and the pen is as it was", () => {
  const ctx = pen();
  const drawn = [];
  Object.assign(ctx, {
    font: "650 20px sans",
    textAlign: "right",
    measureText: (text) => ({ width: 10 * text.length, actualBoundingBoxRight: 10 * text.length + 0.5 }),
    fillText: (text, x, y) => drawn.push([text, x, y, ctx.font]),
  });
  mathText(ctx, "d_head", 100, 50);
  assert.deepEqual(drawn, [
    ["d", 49, 50, "italic 650 20px sans"],
    ["head", 60, 54.4, "650 15px sans"],
  ]);
  drawn.length = 0;
  ctx.font = "400 12px sans";
  mathText(ctx, "d_head", 100, 50);
  assert.equal(drawn[1][3], "400 12px sans", "none is too small to be read");
  ctx.font = "650 20px sans";
  assert.deepEqual([ctx.font, ctx.textAlign], ["650 20px sans", "right"]);
});
