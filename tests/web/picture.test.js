// A picture cut into patches, and the board on which one is drawn.

import assert from "node:assert/strict";
import { test } from "node:test";
import { axis, block, font, pen, sketch, THEME } from "./stubs.js";
import { digitsOf, dotted, INK, SIZE, stroked } from "#web/drawing_board/drawing.js";
import { Numbers } from "#web/matrix_view/panel.js";
import { Pictured } from "#web/matrix_view/picture.js";

const BLANK = Array(SIZE ** 2).fill(0);

function pictured(width = 400, height = 300) {
  const { base64, places } = block([0, 0.5, 1, 0.25], [0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0]);
  const spec = {
    kind: "picture",
    title: "Where it looks",
    note: "",
    values: places[0],
    image: places[1],
    rows: axis("row", ["1", "2"]),
    columns: axis("column", ["1", "2"]),
    quantity: "weight",
    unit: "",
    scale: "sequential",
    cells: "weight",
    decimals: [null],
    role: null,
    limits: [0, 1],
    hidden: null,
    hidden_as: "",
  };
  const panel = new Pictured(spec, new Numbers(base64, 1));
  panel.pose(0);
  panel.measure(pen(), width, height, font);
  return panel;
}

test("each patch has its own pixels, then a veil as thick as its number, then the number", () => {
  const panel = pictured();
  const { left, top } = panel.geo;
  const each = panel.cw / 2;
  assert.equal(panel.cw, panel.ch);
  assert.equal(panel.cw % 2, 0, "pixels are whole");
  const told = sketch(panel);
  const at = (x, y, side) => `${left + x},${top + y},${side},${side}`;
  const fills = told.filter((line) => line.startsWith("fill"));
  assert.ok(fills.includes(`fill rgb(17,17,17) ${at(each, 0, each)}`), "the second pixel of the first row is ink");
  assert.ok(fills.includes(`fill rgb(17,17,17) ${at(0, each, each)}`), "and the first of the second");
  assert.ok(fills.includes(`fill rgb(238,238,238) ${at(0, 0, each)}`));
  const veils = fills.filter((line) => line.startsWith(`fill ${THEME.primary} `));
  assert.deepEqual(
    veils.map((line) => line.split(" ")[2]),
    ["0", "0.4", "0.8", "0.2"],
    "of its colour three quarters at most",
  );
  assert.ok(veils[2].endsWith(at(0, panel.ch, panel.cw)));
  const written = told.filter((line) => line.startsWith("write .") || line.startsWith("write 1 "));
  assert.deepEqual(written.map((line) => line.split(" ")[1]).slice(0, 3), [".50", "1", ".25"]);
});

test("patches are pointed at and read out as any cells are, and what is chosen is a query", () => {
  const panel = pictured();
  const { left, top } = panel.geo;
  assert.deepEqual(panel.hit(left + 1.5 * panel.cw, top + 0.5 * panel.ch), [0, 1]);
  assert.equal(panel.listing().cell(1, 0), "1");
  assert.deepEqual(panel.listing().rows, ["1", "2"]);
  const ring = sketch(panel, { selected: [0, 1, 1] }).filter((line) =>
    line.startsWith(`stroke ${THEME.roles.query}`),
  );
  assert.equal(ring.length, 1);
});

test("where there is little room the numbers go, and the picture stays", () => {
  const panel = pictured(70, 40);
  assert.ok(panel.cw < 34);
  assert.ok(!sketch(panel).some((line) => line.startsWith("write .50")));
});

test("the ramp goes from paper to the colour of the veil", () => {
  const ramp = pictured()
    .legend(THEME)
    .find((part) => part.classList.contains("ramp"));
  assert.equal(ramp.style.background, `linear-gradient(to right, ${THEME.paper}, ${THEME.primary})`);
});

test("greys travel as digits", () => {
  assert.equal(digitsOf([...Array(16).keys()]), "0123456789abcdef");
});

test("a stroke leaves ink where it went, fades beside it, and paper is farther away", () => {
  const greys = stroked(BLANK, [2.5, 8.5], [12.5, 8.5], false);
  const at = (row, column) => greys[row * SIZE + column];
  for (let column = 2; column <= 12; column++) assert.equal(at(8, column), INK);
  assert.ok(at(7, 6) > 0 && at(7, 6) < INK);
  assert.equal(at(7, 6), at(9, 6));
  assert.equal(at(5, 6), 0);
  assert.equal(at(8, 15), 0);
});

test("a stroke on ink takes nothing away, and erasing leaves paper alone", () => {
  const full = BLANK.map(() => INK);
  assert.deepEqual(stroked(full, [1, 1], [9, 9], false), full);
  const rubbed = stroked(full, [8.5, 8.5], [8.5, 8.5], true);
  assert.equal(rubbed[8 * SIZE + 8], 0);
  assert.equal(rubbed[0], INK);
  assert.deepEqual(stroked(BLANK, [3, 3], [9, 3], true), BLANK);
});

test("keys draw and erase one pixel", () => {
  const one = dotted(BLANK, 17, false);
  assert.deepEqual([one[17], one.filter(Boolean).length], [INK, 1]);
  assert.deepEqual(dotted(one, 17, true), BLANK);
});
