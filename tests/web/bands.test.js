// Where each row went, between two matrices; and how many of their numbers are the same, beside them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { document } from "./stubs.js";
import { Bands, room } from "#web/matrix_view/bands.js";
import { Tally } from "#web/matrix_view/tally.js";

/** Bands of three rows, 10 pixels high, between plots that begin at 20 and 30. */
function bands(order, { from = null, now = null, lit = { row: null } } = {}) {
  const view = { data: { bands: order }, panels: [{}, { drawn: { from } }], highlight: { now, of: () => lit } };
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
  made.pose(1);
  assert.deepEqual(ways(made), ["M0 45C50 45 50 35 100 35", "M0 25C50 25 50 45 100 45", "M0 35C50 35 50 55 100 55"]);
});

test("on its way it ends where the row is drawn", () => {
  const made = bands([2, 0, 1], { from: { row: [2, 0, 1] } });
  made.pose(0);
  assert.deepEqual(ways(made)[0], "M0 45C50 45 50 55 100 55", "it still ends where the row came from");
  made.pose(0.5);
  assert.deepEqual(ways(made)[0], "M0 45C50 45 50 45 100 45");
});

test("the band of a row that is pointed at is lit, on either side", () => {
  const lit = (now) => {
    const made = bands([2, 0, 1], { now, lit: { row: 2 } });
    made.pose(1);
    return made.paths.map((path) => path.lit);
  };
  assert.deepEqual(lit({ cell: [0, 2, 1] }), [true, false, false], "in the first matrix, where it stood");
  assert.deepEqual(lit({ cell: [1, 2, 1] }), [false, false, true], "in the second, where it stands");
  assert.deepEqual(lit({ cell: null }), [false, false, true], "a chip counts as the second");
});

test("bands leave matrices most of the width", () => {
  assert.deepEqual([100, 390, 1130, 4000].map(room), [36, 62.4, 176, 176]);
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
