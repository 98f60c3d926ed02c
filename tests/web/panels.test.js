// What a panel says of its numbers, where it finds what is pointed at, and what it paints.

import assert from "node:assert/strict";
import { test } from "node:test";
import { areas, bars, graph, lines, matrix, measured, scatter } from "./specs.js";
import { axis, block, font, pen, scene, THEME } from "./stubs.js";
import { Graph } from "#web/matrix_view/graph.js";
import { spread } from "#web/matrix_view/lines.js";
import { paintBeside } from "#web/matrix_view/labels.js";
import { identities, Numbers, readingTable, whereFrom } from "#web/matrix_view/panel.js";

const texts = (words) => words.map(({ text }) => text);
const base64 = (flags) => Buffer.from(flags).toString("base64");
test("a part of a block has a view of its own for each step", () => {
  const { base64 } = block([9, 1, 2, 3, 4]);
  const numbers = new Numbers(base64, 2);
  assert.deepEqual(
    [0, 1].map((step) => [...numbers.at({ start: 1, length: 4, swept: true }, step)]),
    [
      [1, 2],
      [3, 4],
    ],
  );
  assert.deepEqual([...numbers.at({ start: 0, length: 1 }, 1)], [9]);
});

test("a row is followed by its label, equal ones in their order; one that is new comes from nowhere", () => {
  const [before, after] = [
    ["the", "cat", "the"],
    ["the", "the", "cat"],
  ].map(identities);
  assert.deepEqual(whereFrom(before, after), [0, 2, 1]);
  assert.deepEqual(whereFrom(["a", "b", "c"], ["b", "c", "d"]), [1, 2, -1]);
  assert.deepEqual(whereFrom(["a", "b"], ["a", "c"]), [0, 1], "a word that is replaced stays in its place");
  const one = matrix([1, 2, 3, 4], ["a", "b"], ["a", "b"]).still();
  const two = matrix([4, 3, 2, 1], ["b", "a"], ["b", "a"]);
  assert.deepEqual([...two.begin(one).values], [4, 3, 2, 1]);
});

test("a cell is hit from its first pixel to its last, and a label means all of its row or column", () => {
  const one = matrix([0, 0.1, 0.2, 0.3, 0.4, 0.5], ["a", "b"], ["x", "y", "z"]);
  const { left, top } = one.geo;
  for (const [row, column] of [
    [0, 0],
    [1, 2],
  ])
    for (const share of [0.01, 0.5, 0.99])
      assert.deepEqual(one.hit(left + (column + share) * one.cw, top + (row + share) * one.ch), [row, column]);
  assert.deepEqual(one.hit(left - 3, top + 1.5 * one.ch), [1, null]);
  assert.deepEqual(one.hit(left + 2.5 * one.cw, top - 3), [null, 2]);
  assert.equal(one.hit(left + 3.1 * one.cw, top + 1), null);
  assert.deepEqual(texts(one.words(1, 2)), ["query", "b", "key", "z", "weight", "0.500"]);
  assert.deepEqual(texts(one.words(1, null)), ["query", "b"]);
});

test("of a grid of matrices the groups are written, and a cell is told with its own", () => {
  const labels = ["a", "b", "a", "b"];
  const grouped = {
    rows: axis("layer", labels, "query", ["1", "2"]),
    columns: axis("head", labels, "key", ["7", "8"]),
  };
  const one = matrix(Array(16).fill(0.5), labels, labels, grouped);
  assert.deepEqual(texts(one.words(3, 0)), ["layer", "2", "b", "head", "7", "a", "weight", "0.500"]);
  const { rows, columns } = one.listing();
  assert.deepEqual([rows[2], columns[1]], ["2 a", "7 b"]);
  const drawn = scene();
  one.paint(drawn);
  const written = drawn.ctx.drawn.filter(([name]) => name === "fillText").map(([, , text]) => text);
  assert.deepEqual(
    written.filter((text) => "1278ab".includes(text)),
    ["1", "2", "7", "8"],
  );
});

test("a cell has the colour of its number; hidden ones are hatched, and what is no number is grey and named", () => {
  const one = matrix([0, 0.5, 1, NaN, 0.25, 0.75], ["a", "b"], ["x", "y", "z"], {
    hidden: base64([0, 0, 0, 0, 1, 0]),
  });
  const given = scene();
  one.paint(given);
  const filled = given.ctx.drawn.filter(([name]) => name === "fill").map(([, colour]) => colour);
  assert.deepEqual(filled, [
    "rgb(255,255,255)",
    "rgb(127,127,127)",
    "rgb(0,0,0)",
    THEME.hidden,
    THEME.hidden,
    "rgb(64,64,64)",
  ]);
  assert.equal(given.ctx.drawn.filter(([name]) => name === "clip").length, 1, "one surface is hatched");
  const hatched = given.ctx.drawn.filter(([name]) => name === "rect").map(([, , x, y]) => [x, y]);
  const [x, y] = [one.geo.left + one.cw + 1, one.geo.top + one.ch + 1];
  assert.deepEqual(hatched, [[x, y]], "the hidden cell, and not what is no number");
  const written = given.ctx.drawn.filter(([name]) => name === "fillText").map(([, , text]) => text);
  assert.deepEqual(written.slice(0, 5), [".50", "1", "NaN", ".75", "a"]);
  assert.deepEqual(texts(one.words(1, 1)), ["query", "b", "key", "y", "masked"]);
});

test("the colour bar runs as the colours do, from its least number to its largest", () => {
  const one = matrix([0, 1], ["a"], ["x", "y"], { limits: [-4.651, 4.651], scale: "diverging" });
  const [low, ramp, high, quantity] = one.legend(THEME);
  assert.deepEqual(
    [low, high, quantity].map((part) => part.textContent),
    ["−4.65", "4.65", "weight"],
  );
  assert.equal(ramp.style.background, `linear-gradient(to right, ${THEME.scales.diverging})`);
  one.mark([0, 1]);
  assert.ok(Math.abs(parseFloat(one.marker.style.left) - (100 * (1 + 4.651)) / 9.302) < 1e-3);
  one.mark(null);
  assert.equal(one.marker.style.opacity, "0");
});

test("a chosen cell has a ring; what is not lit steps back", () => {
  const one = matrix([0, 0.5, 1, 0], ["a", "b"], ["x", "y"]);
  const rings = (more) => {
    const given = scene(more);
    one.paint(given);
    return given.ctx.drawn.filter(([name]) => name === "stroke").length;
  };
  assert.equal(rings({}), 0);
  assert.equal(rings({ selected: [0, 1, 1] }), 2); // on paper of its own
  assert.equal(rings({ selected: [0, 1, 1], pointed: [0, 1, 1] }), 2);
  assert.equal(rings({ selected: [0, 1, 1], pointed: [0, 0, 1] }), 3);
});

test("a step's picture is not the one before", () => {
  const one = matrix([0, 1], ["a"], ["x", "y"]);
  one.raster = "of the step before";
  one.pose(0);
  assert.equal(one.raster, null);
});

test("all cells are written alike at every width, or none is", () => {
  const one = matrix([0.123, 0.456, 0.001], ["a"], ["x", "y", "z"]);
  assert.deepEqual(one.cellTexts(pen(), 21, font).shown, [".12", ".46", ""]);
  assert.equal(one.cellTexts(pen(), 20, font), null);
  const scores = matrix([1.26, -12, 0], ["a"], ["x", "y", "z"], { cells: "score", decimals: [1] });
  assert.deepEqual(scores.cellTexts(pen(), 35, font).shown, ["1.3", "−12.0", ""]);
  assert.equal(scores.cellTexts(pen(), 34, font), null);
  const shares = matrix([0.126, 1], ["a"], ["x", "y"], { cells: "percent" });
  assert.deepEqual(shares.cellTexts(pen(), 99, font).shown, ["13%", "100%"]);
});

test("scores have in each step the decimals that it needs", () => {
  const one = matrix([0.031, -4], ["a"], ["x"], { cells: "score", decimals: [3, 1] });
  one.numbers.steps = 2;
  one.spec.values = { start: 0, length: 2, swept: true };
  const shown = [0, 1].map((step) => (one.pose(step), one.cellTexts(pen(), 99, font).shown));
  assert.deepEqual(shown, [["0.031"], ["−4.0"]]);
});

test("what stands in a cell grows with it, from 12 pixels to 16", () => {
  const wide = matrix(Array(4).fill(0.5), ["a", "b"], ["x", "y"]);
  for (const [side, size] of [
    [24, 12],
    [32, 12],
    [48, 14],
    [64, 16],
  ]) {
    [wide.cw, wide.ch] = [side, side];
    assert.equal(wide.cellTexts(pen(), 400, font).size, size, `${side}`);
  }
  assert.equal(wide.cellTexts(pen(), 24, font).size, 13, "no larger than there is room for");
  const large = matrix(Array(4).fill(0.5), ["a", "b"], ["x", "y"]);
  large.measure(pen(), 2000, 2000, font);
  assert.equal(large.ch, 64);
});

test("of masks what is allowed is paper with a dot, and the rest is hatched", () => {
  const one = matrix([1, 0.25, 0, 1], ["a", "b"], ["x", "y"], { cells: "allowed", hidden: base64([0, 0, 1, 0]) });
  const given = scene();
  one.paint(given);
  const filled = given.ctx.drawn.filter(([name]) => name === "fill").map(([, colour]) => colour);
  const dot = THEME.ink;
  assert.deepEqual(filled, [THEME.paper, dot, THEME.paper, dot, THEME.hidden, THEME.paper, dot]);
  const radii = given.ctx.drawn.filter(([name]) => name === "arc").map(([, , , , r]) => r);
  assert.deepEqual([radii[0] / radii[1], radii[0] / radii[2]], [2, 1], "a dot's area is the share that allows it");
  assert.equal(one.texts.shown.join(""), "");
  assert.deepEqual(
    one.legend(THEME).map((sign) => [sign.className, sign.textContent]),
    [
      ["dot", "weight"],
      ["swatch", "masked"],
    ],
  );
});

test("rows of queries have a rail in their colour beside the cells, which no label touches", () => {
  const rails = (role) => {
    const one = matrix([0.5, 0.5], ["a", "b"], ["x"], { role, cells: "score", decimals: [1] });
    const given = scene();
    one.paint(given);
    const label = given.ctx.drawn.find(([name, , text]) => name === "fillText" && text === "a");
    const rail = given.ctx.drawn.find(([name, colour]) => name === "fillRect" && colour === THEME.roles.query);
    return [one, label[3], rail];
  };
  const [one, label, [, , x, y, wide, high]] = rails("query");
  assert.deepEqual([y, wide, high], [one.geo.top, 4, one.geo.plotHeight]);
  assert.ok(label <= x - 2 && x + wide < one.geo.left);
  assert.equal(rails(null)[2], undefined);
});

test("however many rows, columns and letters there are, a matrix keeps to its width", () => {
  for (const n of [1, 3, 8, 17, 96])
    for (const label of ["a", "a".repeat(80)])
      for (const width of [160, 374, 1400]) {
        const one = matrix(Array(n * n).fill(0), Array(n).fill(label), Array(n).fill(label));
        one.measure(pen(), width, 400, font);
        assert.ok(one.geo.width <= width + 1, `${n} × ${n}, ${label.length} letters, ${width}: ${one.geo.width}`);
        assert.ok(one.geo.plotHeight <= 400);
        assert.equal(one.cw, one.cw >= 8 ? Math.floor(one.cw) : one.cw, "whole pixels");
      }
});

test("bars stand on zero, to the side of their sign, and are hit all over their slot", () => {
  const one = bars([0.5, -0.25, NaN]);
  const given = scene();
  one.paint(given);
  const zero = one.geo.top + one.geo.plotHeight / 2;
  const drawn = given.ctx.drawn.filter(([name]) => name === "roundRect").map(([, , , y, , high]) => [y, high]);
  [
    [zero - one.geo.plotHeight / 4, one.geo.plotHeight / 4],
    [zero, one.geo.plotHeight / 8],
  ].forEach((box, i) => box.forEach((number, k) => assert.ok(Math.abs(number - drawn[i][k]) < 1e-6)));
  assert.equal(drawn.length, 2, "what is no number has no bar");
  assert.deepEqual(one.hit(one.geo.left + 1.99 * one.slot, one.geo.top), [0, 1]);
  assert.equal(one.hit(one.geo.left + 3.01 * one.slot, one.geo.top), null);
  assert.deepEqual(texts(one.words(0, 1)), ["key", "k1", "weight", "−0.250 nat"]);
});

test("a bar of a histogram says from where to where it counts", () => {
  const one = bars([3, 4], { edges: [0, 0.5, 1], labels: axis("score", []) });
  assert.deepEqual(texts(one.words(0, 1)), ["score", "0.500 to 1", "weight", "4 nat"]);
  assert.deepEqual(one.listing().rows, ["0 to 0.500", "0.500 to 1"]);
});

test("a curve lies on its axes, logarithmic ones too, and reads out what is there", () => {
  const xs = [1e-3, 1, 1e3, 1e6];
  const one = lines(xs, [
    { name: "float32", values: [1e-11, 1e-8, 1e-5, NaN], role: "value" },
    { name: "bound", values: [1e-10, 1e-7, 1e-4, 0.1], stroke: "dashed", listed: false },
    { name: "ends", values: [NaN, NaN, 1e-5, NaN], crosses: true },
  ]);
  const { left, top, plotWidth, plotHeight } = one.geo;
  assert.ok(Math.abs(one.y(1e-11) - (top + plotHeight)) < 1e-6);
  assert.ok(Math.abs(one.y(Math.sqrt(1e-11)) - (top + plotHeight / 2)) < 1e-6);
  assert.ok(Math.abs(one.x(1) - (left + 6 + (plotWidth - 12) / 3)) < 1e-4);
  xs.forEach((x, i) => assert.deepEqual(one.hit(one.x(x) + 3, top), [0, i]));
  assert.deepEqual(texts(one.words(0, 3)), ["size", "1,000,000", "float32", "NaN", "bound", "0.100"]);
  assert.deepEqual(texts(one.words(0, 2)), [
    "size",
    "1,000",
    "float32",
    "1.00×10⁻⁵",
    "bound",
    "1.00×10⁻⁴",
    "ends",
    "1.00×10⁻⁵",
  ]);
  assert.deepEqual(
    one.legend(THEME).map((key) => [key.textContent, key.className]),
    [
      ["float32", "line solid"],
      ["ends", "cross"],
    ],
  );
  const given = scene();
  one.paint(given);
  const strokes = given.ctx.drawn.filter(([name]) => name === "lineTo").every(([, , x, y]) => Number.isFinite(x + y));
  assert.ok(strokes, "nothing is drawn where there is no number");
});

test("a cross is pressed where it stands, and arrows go from one to the next", () => {
  const points = ["", "b to a", "c to a", "", "c to b"];
  const crosses = { name: "an edge", values: [NaN, 2, -1, NaN, 0.5], crosses: true };
  const cut = { name: "cut", values: [NaN, NaN, -1, NaN, NaN], crosses: true };
  const lead = { name: "lead", values: [1, 1, 1, 1, 1], stroke: "dashed" };
  const more = { points, log_x: false, log_y: false, limits: [-2, 3] };
  const one = scatter([0, 0.4, 0.41, 0.5, 1], [crosses, cut, lead], more);
  const at = (i) => [one.x(one.xs[i]), one.y(crosses.values[i])];
  for (const i of [1, 2, 4]) assert.deepEqual(one.hit(...at(i)), [0, i], "by its height, where weights are alike");
  assert.equal(one.hit(one.x(0), one.y(-1)), null, "a press far from all crosses is none");
  assert.deepEqual(
    [one.span, one.home],
    [
      [1, 4],
      [0, 1],
    ],
  );
  assert.deepEqual([one.beside(1, 1), one.beside(2, 1), one.beside(4, 1), one.beside(4, -1)], [2, 4, 4, 2]);
  assert.deepEqual(texts(one.words(0, 2)), ["c to a", "size", "0.410", "change", "−1"]);
  const { rows, columns, cell } = one.listing();
  assert.deepEqual([rows, columns, cell(2, 1)], [["b to a", "c to a", "c to b"], ["size", "change"], "0.500"]);
  const given = scene({ selected: [0, 0, 4] });
  one.paint(given);
  const rings = given.ctx.drawn.filter(([name, , , , r]) => name === "arc" && r === 9);
  assert.deepEqual(
    rings.map(([, , x, y]) => [x, y]),
    [at(4)],
  );
});

test("numbers below an axis stand apart, however narrow it is", () => {
  const values = Array.from({ length: 41 }, (_, i) => i);
  const curve = lines(
    values.map((i) => 50 * i),
    [{ name: "accuracy", values }],
    { log_x: false, log_y: false, limits: [0, 40] },
  );
  const histogram = bars(values.slice(1), { edges: values.map((i) => 50 * i), labels: axis("score", []) });
  for (const [one, width] of [curve, histogram].flatMap((panel) => [90, 160, 500].map((w) => [panel, w]))) {
    const given = scene();
    one.measure(given.ctx, width, 200, given.font);
    one.paint(given);
    const below = one.geo.top + one.geo.plotHeight;
    const numbers = given.ctx.drawn.filter(
      ([name, , text, , y]) => name === "fillText" && y > below && /^[\d,]+$/.test(text),
    );
    assert.ok(numbers.length > 1);
    numbers.slice(1).forEach(([, , text, x], i) => {
      const [, , before, at] = numbers[i];
      assert.ok(x - at > 3.5 * (text.length + before.length), `${before} and ${text} at ${width}`);
    });
  }
});

test("a node is hit where it stands, however many there are", () => {
  const one = graph(3, 9);
  for (const [layer, token] of [
    [0, 0],
    [1, 4],
    [2, 8],
  ])
    assert.deepEqual(one.hit(one.x(token) + 3, one.y(layer) - 3), [layer, token]);
  assert.ok(one.y(2) < one.y(0), "from below upwards");
  assert.deepEqual(texts(one.words(1, 4)), ["token", "4", "layer", "1", "inputs it sees", "13"]);
  assert.deepEqual(one.home, [2, 8]);
  assert.deepEqual(
    one.legend(THEME).map((key) => [key.textContent, key.style["--line"]]),
    [["looks at", THEME.roles.key]],
  );
});

test("what stands out of a graph grows from its top, a layer with each step", () => {
  const one = graph(2, 9);
  const drawn = (step) => {
    const given = scene();
    one.pose(step);
    one.paint(given);
    return given.ctx.drawn.filter(([name]) => name === "lineTo").length;
  };
  assert.deepEqual([0, 1].map(drawn), [0, 1]);
});

test("all numbers can be read, or how many cannot", () => {
  const flat = (one) => (one.children ? [one.tag, ...one.children.map(flat)] : one);
  const short = readingTable(matrix([0, NaN, 0.5, Infinity, -0.25, 1e-9], ["a", "b"], ["x", "y", "z"]));
  assert.deepEqual(flat(short.children[0]), ["caption", "Weights"]);
  assert.equal(short.children[2].textContent, "a0NaN0.500b∞−0.2501.00×10⁻⁹");
  const long = readingTable(matrix(Array(96 * 96).fill(0), Array(96).fill("r"), Array(96).fill("c")));
  assert.match(long.children[0].textContent, /first 10 of 96 rows and 96 of 96 columns/);
  assert.equal(long.children[2].children.length, 10);
});

// What is written of a label that has no room beside the next: each text and where, and whether anything was turned.
const written = (panel, ...wanted) => {
  const given = scene();
  panel.paint(given);
  const texts = given.ctx.drawn.filter(([name, , text]) => name === "fillText" && wanted.includes(text));
  return [texts.map(([, , text, x, y]) => [text, x, y]), given.ctx.drawn.some(([name]) => name === "rotate")];
};

test("labels in ideographs stand upright where others are slanted, above a matrix and below bars", () => {
  const many = (label) => Array.from({ length: 40 }, (_, i) => `${label}${i}`);
  const narrow = (label) => matrix(Array(1600).fill(0.5), many("r"), many(label));
  const [latin, turned] = written(narrow("letters"), "l");
  assert.ok(turned);
  assert.deepEqual(latin, []);
  const above = narrow("垫子");
  const [upright, rotated] = written(above, "垫", "子");
  assert.equal(rotated, false);
  const [[first, x, y], [second, sameX, below]] = upright;
  assert.deepEqual([first, second, sameX], ["垫", "子", x]);
  assert.ok(y > 0 && below > y && below < above.geo.top);

  const under = bars(Array(32).fill(0.5), { labels: axis("word", many("词典里的词").slice(0, 32)) });
  const [down, slant] = written(under, "词", "典");
  assert.equal(slant, false);
  const base = under.geo.top + under.geo.plotHeight;
  assert.ok(down.length >= 2 && down[0][2] > base && down[1][2] > down[0][2]);
  assert.ok(down.at(-1)[2] < base + under.geo.bottom);
});

test("a tick stands at or above every bar, and at or below those that hang", () => {
  const scales = [
    [0, 0.115],
    [0, 0.37],
    [0, 7],
    [0, 1],
    [-0.13, 2.6],
    [-3, -0.5],
    [-1e-7, 3e-8],
  ];
  for (const limits of scales) {
    const values = [limits[0], 0, limits[1]];
    const one = bars(values, { limits });
    assert.ok(one.ticks.at(-1) >= limits[1] - 1e-12, `${limits}: ${one.ticks}`);
    assert.ok(one.ticks[0] <= limits[0] + 1e-12, `${limits}: ${one.ticks}`);
    const steps = one.ticks.slice(1).map((tick, i) => (tick - one.ticks[i]) / (one.ticks[1] - one.ticks[0]));
    for (const step of steps) assert.ok(Math.abs(step - 1) < 1e-6, `${one.ticks} are evenly apart`);
    for (const tick of one.ticks) {
      const y = one.y(tick);
      assert.ok(y >= one.geo.top - 1e-6 && y <= one.geo.top + one.geo.plotHeight + 1e-6, "inside the frame");
    }
  }
  const log = bars([2e-3, 0.5, 370], { limits: [1e-3, 370], log_y: true });
  assert.ok(log.ticks.at(-1) >= 370 && log.ticks.at(-1) <= 1e5);
});

// What is written in a panel, with the font of that moment.
function writes(panel, more) {
  const given = scene(more);
  const fonts = [];
  const { fillText } = given.ctx;
  given.ctx.fillText = (...one) => (fonts.push(given.ctx.font), fillText(...one));
  panel.paint(given);
  return given.ctx.drawn
    .filter(([name]) => name === "fillText")
    .map(([, , text, x, y], i) => ({ text, x, y, size: Number(fonts[i].match(/([\d.]+)px/)[1]) }));
}

test("no word is left out below bars, beside rows and above columns as long as it has a line of twelve pixels", () => {
  const words = (count) =>
    Array.from({ length: count }, (_, i) => String.fromCharCode(97 + (i % 26)) + "xyz".repeat(i % 3));
  for (const count of [3, 12, 20, 33, 40]) {
    const under = bars(Array(count).fill(0.5), { labels: axis("word", words(count)) });
    under.measure(pen(), 12.5 * count + 60, 200, font);
    const below = writes(under).filter(({ text }) => words(count).some((word) => word.startsWith(text[0])));
    for (const word of words(count))
      assert.ok(
        below.some(({ text }) => word.startsWith(text.replace("…", ""))),
        word,
      );
    assert.ok(below.length >= count, `${count} words, ${below.length} written`);
  }
  const n = 30;
  const dense = matrix(Array(n * n).fill(0.5), words(n), words(n));
  dense.measure(pen(), 13 * n + 120, 13 * n, font);
  assert.equal(dense.ch, 13);
  assert.ok(writes(dense).filter(({ text }) => words(n).includes(text)).length >= 2 * n);
  assert.ok(writes(dense).every(({ size }) => size >= 12));
});

test("below bars that stand closer than a line words are left out at one distance, and the one that is lit is whole", () => {
  const words = Array.from({ length: 60 }, (_, i) => `word${i}`);
  const under = bars(Array(60).fill(0.5), { labels: axis("word", words) });
  under.measure(pen(), 300, 200, font);
  const written = (/** @type {object} */ more) =>
    writes(under, more).flatMap(({ text }) => (words.includes(text) ? [words.indexOf(text)] : []));
  const at = written({});
  assert.ok(at.length > 5 && at.length < 40, `${at.length} of 60 are written`);
  assert.equal(new Set(at.slice(1).map((place, i) => place - at[i])).size, 1, "at one distance");
  const lit = at[1] + 1;
  assert.ok(written({ lit: { row: null, column: lit } }).includes(lit));
});

test("few cells are a fifth higher than wide where there is room, and no others", () => {
  const words = (count) => Array.from({ length: count }, (_, i) => String(i + 1));
  const cell = (rows, columns, width, height) => {
    const { cw, ch } = measured(matrix(Array(rows * columns).fill(0.5), words(rows), words(columns)), width, height);
    return [cw, ch];
  };
  assert.deepEqual(cell(5, 6, 324, 600), [50, 60], "22 pixels beside the rows and 2 at the end are no cells");
  assert.deepEqual(cell(5, 6, 324, 275), [50, 55], "as the room is");
  assert.deepEqual(cell(5, 6, 384, 600), [60, 64], "none is higher than 64");
  assert.deepEqual(cell(5, 6, 204, 600), [30, 30], "small ones");
  assert.deepEqual(cell(9, 9, 474, 900), [50, 50], "many");
});

test("a label that is pointed at is whole, and lies on paper inside the picture", () => {
  const long = ["an-endless-word-that-has-no-room", "b", "c", "d", "e", "f", "g", "h"];
  const whole = (panel, lit) => {
    const given = scene({ lit: { row: null, column: null, ...lit } });
    panel.paint(given);
    const [at] = given.ctx.drawn.flatMap(([name, , text], i) => (name === "fillText" && text === long[0] ? [i] : []));
    assert.notEqual(at, undefined, "it is written, and not cut");
    const [, , , x] = given.ctx.drawn[at];
    assert.ok(x >= 0 && x + 7 * long[0].length <= panel.geo.width, "inside");
    assert.ok(given.ctx.drawn.slice(0, at).some(([name, colour]) => name === "fillRect" && colour === THEME.paper));
  };
  const square = matrix(Array(64).fill(0.5), long, long);
  square.measure(pen(), 420, 300, font);
  assert.ok(!writes(square).some(({ text }) => text === long[0]), "it is cut while nobody points");
  whole(square, { row: 0 });
  whole(square, { column: 0 });
  const under = bars(Array(8).fill(0.5), { labels: axis("word", long) });
  under.measure(pen(), 420, 200, font);
  whole(under, { column: 0 });
  const narrow = matrix([1], ["w".repeat(200)], ["x"]);
  narrow.measure(pen(), 160, 100, font);
  const lines = writes(narrow, { lit: { row: 0, column: null } }).filter(({ text }) => /^w+$/.test(text));
  assert.equal(lines.map(({ text }) => text).join("").length, 200, "in as many lines as it takes");
});

test("two or three curves are named where they end, apart from each other, and have no legend", () => {
  const flat = { log_x: false, log_y: false, limits: [0, 1] };
  const two = (more = {}) =>
    lines(
      [0, 1, 2],
      [
        { name: "with the cache", values: [0, 0.5, 0.9], role: "output" },
        { name: "the whole pass again", values: [0, 0.4, 0.91], role: "query" },
        { name: "a bound", values: [1, 1, 1], stroke: "dashed", listed: false },
      ],
      { ...flat, ...more },
    );
  const one = two();
  assert.deepEqual(one.legend(THEME), []);
  const given = scene();
  one.paint(given);
  const names = given.ctx.drawn.filter(([name, , text]) => name === "fillText" && /cache|pass/.test(text));
  assert.deepEqual(
    names.map(([, colour, text]) => [text, colour]),
    [
      ["with the cache", THEME.roles.output],
      ["the whole pass again", THEME.roles.query],
    ],
  );
  const right = one.geo.left + one.geo.plotWidth;
  for (const [, , text, x] of names) {
    assert.ok(x > one.x(2), "beside the end");
    assert.ok(x >= right && x + 7 * text.length <= one.geo.width, "inside the picture");
  }
  const [cache, pass] = names.map(([, , , , y]) => y);
  assert.ok(cache - pass >= 14, "the higher curve's name is above, a line apart");
  one.pose(0);
  one.paint(scene());
  const many = lines(
    [0, 1],
    ["a", "b", "c", "d"].map((name) => ({ name, values: [0, 1] })),
    flat,
  );
  assert.equal(many.legend(THEME).length, 4);
  const narrow = two();
  narrow.measure(pen(), 170, 200, font);
  assert.equal(narrow.legend(THEME).length, 2, "where they have no room a legend says it");
});

test("blocks are moved apart as little as needed, and stay inside", () => {
  assert.deepEqual(spread([10, 50], [14, 14], 0, 100), [10, 50]);
  assert.deepEqual(spread([50, 50], [14, 14], 0, 100), [50, 64]);
  assert.deepEqual(spread([98, 99, 10], [14, 28, 14], 0, 100), [65, 86, 10]);
  assert.deepEqual(spread([0, 0], [14, 14], 0, 100), [7, 21]);
});

// ---- areas ----

const textsOf = (panel, more) => {
  const at = scene(more);
  panel.paint(at);
  return at.ctx.drawn.filter(([name]) => name === "fillText").map(([, colour, text]) => [text, colour]);
};

test("each area is read at the place that is pointed at, at its step", () => {
  const panel = areas();
  const [, quarter] = panel.hit(panel.x(1), panel.geo.top + 5);
  assert.deepEqual(texts(panel.words(0, quarter)).slice(2), ["unscaled", "1", "scaled", "3"]);
  panel.pose(1);
  assert.deepEqual(texts(panel.words(0, quarter)).slice(2), ["unscaled", "4", "scaled", "1"]);
  assert.equal(panel.hit(panel.geo.left - 3, panel.geo.top + 5), null);
  const named = areas({ labels: axis("key", ["1st", "2nd"]), smooth: false });
  assert.deepEqual(named.size, [1, 2]);
  const { rows, columns, cell } = named.listing();
  assert.deepEqual([rows, columns, cell(1, 0), cell(0, 1)], [["1st", "2nd"], ["unscaled", "scaled"], "2", "3"]);
});

test("what is said of an area stands in its colour, at every step its own", () => {
  const panel = areas();
  const said = () => textsOf(panel).filter(([text]) => /σ|both/.test(text));
  assert.deepEqual(said(), [
    ["σ = 1", THEME.roles.muted],
    ["one for both", THEME.roles.accent],
  ]);
  panel.pose(1);
  assert.equal(said()[0][0], "σ = 2");
});

test("the text of a bracket begins right of all that is as high", () => {
  const panel = areas();
  panel.pose(1); // its first half is as high as can be
  const { x, y } = panel.place(panel.areas[0], 0);
  assert.equal(x, panel.x(4), "the other is a quarter of the axis high to its end");
  assert.equal(y, panel.y(1));
});

// ---- curves that unfold, and what is awaited ----

test("a curve that unfolds is named at the cursor with its number, and what it is compared with at its end", () => {
  const series = [
    { name: "typical", values: [1, 0.1, 0.01], pointed: true, listed: false },
    { name: "bound", values: [1, 1, 1], stroke: "dashed", role: "muted", pointed: true, listed: false },
  ];
  const panel = lines([1, 10, 100], series, { unfolds: true, marked: 1 });
  const said = textsOf(panel).map(([text]) => text);
  assert.ok(said.includes("typical: 0.100") && said.includes("bound"), String(said));
  assert.deepEqual(panel.legend(THEME), []);
  const clips = (one) => {
    const at = scene();
    one.paint(at);
    return at.ctx.drawn.filter(([name]) => name === "rect").map(([, , x, , width]) => x + width);
  };
  assert.ok(clips(panel).includes(panel.x(10)), "drawn in full up to the cursor");
  assert.ok(!clips(lines([1, 10, 100], series, { marked: 1 })).includes(panel.x(10)));
});

test("what is awaited shows axes and a text, and no cursor", () => {
  const panel = lines([1, 10, 100], [], { awaits: "your guess?", marked: 1 });
  assert.ok(textsOf(panel).some(([text]) => text === "your guess?"));
  assert.deepEqual(texts(panel.words(0, 1)), ["size", "10"]);
  const at = scene();
  panel.paint(at);
  const x = Math.round(panel.x(10)) + 0.5;
  assert.ok(!at.ctx.drawn.some(([name, , from]) => name === "lineTo" && from === x));
});

test("a name at a curve's point keeps off the line that marks an x", () => {
  const named = (/** @type {number | null} */ marked) => {
    const series = [{ name: "three heads", values: [0, 0.2, 0.5, 0.7, 0.9, NaN, NaN, NaN, NaN], pointed: true }];
    const one = lines([0, 1, 2, 3, 4, 5, 6, 7, 8], series, { log_x: false, log_y: false, limits: [0, 1], marked });
    const given = scene();
    one.paint(given);
    const [[, , text, left]] = given.ctx.drawn.filter(([name, , text]) => name === "fillText" && /heads/.test(text));
    return { left, right: left + 7 * text.length, line: one.x(3) };
  };
  const [free, marked] = [named(null), named(3)];
  assert.ok(free.left < free.line && free.line < free.right, "it would stand there");
  assert.ok(marked.line < marked.left || marked.right < marked.line);
});

test("names meet neither each other nor a curve, stay within their box, and none is left out", () => {
  const within = { left: 0, right: 300, top: 0, bottom: 200 };
  const curve = Array.from({ length: 60 }, (_, i) => [5 * i, 100]);
  for (const count of [1, 2, 5]) {
    for (const x of [0, 150, 299]) {
      const at = pen();
      const labels = Array.from({ length: count }, (_, i) => ({ text: `curve ${i}`, x, y: 100, colour: "#123456" }));
      paintBeside(at, labels, within, curve);
      const placed = at.drawn.filter(([name]) => name === "fillText").map(([, , text, left, y]) => [text, left, y]);
      assert.deepEqual(
        placed.map(([text]) => text),
        labels.map(({ text }) => text),
      );
      placed.forEach(([text, left, y], i) => {
        assert.ok(left >= 0 && left + 7 * text.length <= 300 && y - 7 >= 0 && y + 7 <= 200);
        assert.ok(Math.abs(y - 100) >= 7, "not on the curve");
        for (const [, other, below] of placed.slice(i + 1))
          assert.ok(Math.abs(y - below) >= 14 || Math.abs(left - other) >= 7 * text.length);
      });
    }
  }
});

test("the name of a level line keeps to it, further along where its end has no room", () => {
  const within = { left: 0, right: 300, top: 0, bottom: 200 };
  const at = pen();
  const along = [290, 200, 100];
  const label = (text, y, more) => ({ text, x: 290, y, colour: "#123456", ...more });
  const lines = [100, 118].flatMap((y) => Array.from({ length: 100 }, (_, i) => [3 * i, y]));
  paintBeside(
    at,
    [label("model: 0.8", 121), label("pairs", 100, { along }), label("triples", 118, { along })],
    within,
    lines,
  );
  const placed = at.drawn.filter(([name]) => name === "fillText");
  const middles = Object.fromEntries(placed.map(([, , text, , y]) => [text, y]));
  const heights = { "model: 0.8": 121, pairs: 100, triples: 118 };
  for (const name of ["pairs", "triples"]) {
    const away = Object.values(heights).map((y) => Math.abs(middles[name] - y));
    assert.ok(Math.abs(middles[name] - heights[name]) <= 16);
    assert.equal(Math.min(...away), Math.abs(middles[name] - heights[name]), "no other line is nearer");
  }
  const [model, , triples] = placed.map(([, , text, left]) => ({ left, right: left + 7 * text.length }));
  const isAbove = Math.abs(middles.triples - middles["model: 0.8"]) >= 14;
  assert.ok(isAbove || triples.right + 8 < model.left, "apart from what stands beside it");
});

test("a name stands nearer to its own point than to the height of another's", () => {
  const at = pen();
  const label = (text, x, y) => ({ text, x, y, colour: "#123456" });
  paintBeside(at, [label("far", 20, 86), label("near", 290, 100)], { left: 0, right: 300, top: 0, bottom: 200 });
  const [, , near, , y] = at.drawn.findLast(([name]) => name === "fillText");
  assert.equal(near, "near");
  assert.ok(Math.abs(y - 100) < Math.abs(y - 86), String(y));
});

// ---- the graph's quiet edges and counts ----

test("edges that are not lit are seen around the node that is pointed at alone", () => {
  const { base64, places } = block([...Array(9).keys()], [3 * 3 + 0, 4 * 3 + 2, 7 * 3 + 1]);
  const spec = {
    kind: "graph",
    title: "Graph",
    note: "",
    values: places[0],
    layers: axis("layer", ["inputs", "1", "2"]),
    tokens: axis("token", ["a", "b", "c"]),
    quantity: "inputs it sees",
    window: [0, 2],
    unfolds: 2,
    counts: ["40", "20", "10"],
    edges: [{ name: "", ends: places[1], role: null, lit: false }],
    nodes: [],
  };
  const panel = measured(new Graph(spec, new Numbers(base64, 3)));
  const ends = (pointed) => {
    const at = scene({ pointed });
    panel.paint(at);
    const found = at.ctx.drawn.filter(([name]) => name === "lineTo").map(([, , x, y]) => [x, y]);
    return found.map(([x, y]) =>
      [0, 1, 2]
        .flatMap((layer) => [0, 1, 2].map((token) => [layer, token]))
        .find(([layer, token]) => panel.x(token) === x && panel.y(layer) === y),
    );
  };
  assert.deepEqual(ends(null), []);
  assert.deepEqual(ends([0, 1, 0]), [[0, 0]]);
  assert.deepEqual(
    ends([0, 1, 1]),
    [
      [0, 2],
      [1, 1],
    ],
    "those below it and those above it",
  );
  const counts = () =>
    textsOf(panel)
      .map(([text]) => text)
      .filter((text) => text.endsWith("0"));
  panel.pose(0);
  assert.deepEqual(counts(), ["10"], "as far as the sweep has come");
  panel.pose(2);
  assert.deepEqual(counts(), ["40", "20", "10"]);
});
