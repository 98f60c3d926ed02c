// Where each row went, between two matrices; and how many of their numbers are the same, beside them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { axis, block, document } from "./stubs.js";
import { Bands, room } from "#web/matrix_view/bands.js";
import { Heatmap } from "#web/matrix_view/heatmap.js";
import { THERE } from "#web/matrix_view/motion.js";
import { Numbers } from "#web/matrix_view/panel.js";
import { Tally } from "#web/matrix_view/tally.js";

const numbers = block(Array(9).fill(0));

/** A matrix of three rows: as it stands, on its way from another order, or in the order of a hand that holds a chip. */
function matrix(labels, { was = null, held = null } = {}) {
  const spec = {
    rows: axis("query", labels, "query"),
    columns: axis("key", ["x", "y", "z"], "key"),
    values: numbers.places[0],
    limits: [0, 1],
    decimals: [null],
    hidden: null,
  };
  const made = new Heatmap(spec, new Numbers(numbers.base64, 1));
  made.pose(0);
  made.shift = [held, null];
  if (was) made.from = made.begin(matrix(was).still());
  return made;
}

/** Bands of three rows, 10 pixels high, between plots that begin at 20 and 30. */
function bands(order, { now = null, lit = { row: null }, ...second } = {}) {
  const words = ["a", "b", "c"];
  const panels = [
    matrix(words),
    matrix(
      order.map((i) => words[i]),
      second,
    ),
  ].map((drawn) => ({ drawn }));
  const view = { data: { bands: order }, panels, highlight: { now, of: () => lit } };
  const made = new Bands({ view });
  made.place = { x0: 0, x1: 100, y: [20, 30], high: 10 };
  made.paths = order.map(() => {
    const path = document.createElement("path");
    return Object.assign(path, { classList: { toggle: (_, on) => (path.lit = on) } });
  });
  return made;
}

const ways = (made) => made.paths.map(({ attributes }) => attributes.d);

test("a band leads from the middle of a row to the middle of where it stands", () => {
  const made = bands([2, 0, 1]);
  made.pose(THERE);
  assert.deepEqual(ways(made), ["M0 45C50 45 50 35 100 35", "M0 25C50 25 50 45 100 45", "M0 35C50 35 50 55 100 55"]);
});

test("on its way it ends where the row is drawn", () => {
  const made = bands([2, 0, 1], { was: ["a", "b", "c"] });
  made.pose({ ...THERE, row: 0 });
  assert.deepEqual(ways(made)[0], "M0 45C50 45 50 55 100 55", "it still ends where the row came from");
  made.pose({ ...THERE, row: 0.5 });
  assert.deepEqual(ways(made)[0], "M0 45C50 45 50 45 100 45");
});

test("while a chip is held it ends where its row would stand", () => {
  const made = bands([2, 0, 1], { held: [1, 0, 2] });
  made.pose(THERE);
  assert.deepEqual(ways(made), ["M0 45C50 45 50 45 100 45", "M0 25C50 25 50 35 100 35", "M0 35C50 35 50 55 100 55"]);
});

test("the band of a row that is pointed at is lit, on either side", () => {
  const lit = (now) => {
    const made = bands([2, 0, 1], { now, lit: { row: 2 } });
    made.pose(THERE);
    return made.paths.map((path) => path.lit);
  };
  assert.deepEqual(lit({ cell: [0, 2, 1] }), [true, false, false], "in the first matrix, where it stood");
  assert.deepEqual(lit({ cell: [1, 2, 1] }), [false, false, true], "in the second, where it stands");
  assert.deepEqual(lit({ cell: null }), [false, false, true], "a chip counts as the second");
});

test("bands leave matrices most of the width, and on a phone all but what stands between any two", () => {
  assert.deepEqual([100, 390, 1000, 1130, 4000].map(room), [8, 8, 160, 176, 176]);
});

test("numbers that are the same are counted, and those of the other switch stand beside them", () => {
  const tally = new Tally();
  const front = document.createElement("div");
  const said = (data) => (tally.show(data, front), tally.box.children.map((one) => one.textContent).join(" "));
  tally.squares = () => ({ textContent: "squares" });
  assert.equal(
    said({ same: ["11", "10"], other: "with positions", other_same: 0 }),
    "3 of 4 the same squares with positions 0 of 4",
  );
  assert.equal(
    said({ same: null, other: "without positions", other_same: 36 }),
    "? this precision cannot tell how many without positions 36",
  );
  assert.equal(
    said({ same: ["1"], other: "with positions", other_same: null }),
    "1 of 1 the same squares with positions ? of 1",
  );
});

test("a square is lit for each number that is the same; of more than sixteen rows there are none", () => {
  const tally = new Tally();
  const rects = (same) => {
    tally.show({ same, other: "with positions", other_same: 0 }, document.createElement("div"));
    const picture = tally.box.children.find((one) => one.tag === "svg");
    return picture && [picture.attributes, picture.children.map(({ attributes }) => attributes)];
  };
  const [size, found] = rects(["110", "001"]);
  assert.deepEqual([size.viewBox, size.width, size.height], ["0 0 24 16", "36", "24"]);
  assert.deepEqual(
    found.map((one) => [one.x, one.y, one.width, one.class]),
    [
      ["1", "1", "6", "same"],
      ["9", "1", "6", "same"],
      ["17", "1", "6", ""],
      ["1", "9", "6", ""],
      ["9", "9", "6", ""],
      ["17", "9", "6", "same"],
    ],
  );
  assert.ok(rects(Array(16).fill("1".repeat(16))));
  assert.equal(rects(Array(17).fill("1")), undefined);
  assert.equal(tally.box.children[0].className, "all", "all are the same");
});

test("a tally has its squares where they make it no higher than the room", () => {
  const tally = new Tally();
  const data = { same: Array(6).fill("111111"), other: "with positions", other_same: 0 };
  const isLow = (height) => (tally.room(data, 800, height), tally.box.classList.contains("low"));
  assert.deepEqual([276, 275].map(isLow), [false, true], "204 pixels, and 12 for each of six rows of squares");
  assert.deepEqual(tally.room(data, 800, 100), [152, 0]);
});
