// What is saved as a file: the panels' strokes and words as SVG, and the pixels of a PNG.

import assert from "node:assert/strict";
import { test } from "node:test";
import { lines, matrix } from "./specs.js";
import { approving, document, font, outline, scene, sketch, THEME } from "./stubs.js";

/** As much of a matrix as a picture's file needs. */
class Matrix {
  a = 1;
  b = 0;
  c = 0;
  d = 1;
  e = 0;
  f = 0;
  static fromMatrix(other) {
    return Object.assign(new Matrix(), other);
  }
  translateSelf(x, y) {
    this.e += this.a * x + this.c * y;
    this.f += this.b * x + this.d * y;
  }
  rotateSelf(degrees) {
    const [cos, sin] = [Math.cos, Math.sin].map((of) => of((degrees * Math.PI) / 180));
    const { a, b, c, d } = this;
    Object.assign(this, { a: a * cos + c * sin, b: b * cos + d * sin, c: c * cos - a * sin, d: d * cos - b * sin });
  }
}
globalThis.DOMMatrix = Matrix;
const { drawable, SvgContext } = await import("#web/matrix_view/svg.js");
const { saveViews } = await import("#web/matrix_view/export.js");
const { Bands } = await import("#web/matrix_view/bands.js");
const { Flow } = await import("#web/matrix_view/flow.js");
const approved = approving("files");

const asSvg = (panel) => {
  const root = document.createElement("svg");
  panel.paint({ ...scene({ exact: true }), ctx: new SvgContext(root) });
  return outline(root);
};

test("a matrix and curves as SVG: each stroke with its colour and dashes, each word where it stands", () => {
  const hidden = Buffer.from([0, 0, 0, 1]).toString("base64");
  approved(
    "a matrix",
    asSvg(matrix([0, 0.25, 0.5, 1], ["a", "b"], ["a long label", "another long one"], { hidden })),
  );
  const series = [
    { name: "measured", values: [1, 0.1, 0.01], role: "query" },
    { name: "bound", values: [1, 1, 1], stroke: "dashed", role: "muted" },
  ];
  approved("curves", asSvg(lines([1, 10, 100], series, { marked: 1 })));
});

test("words, circles and turns stand in a file as on a canvas", () => {
  const root = document.createElement("svg");
  const pen = new SvgContext(root);
  for (const align of ["left", "center", "right"]) {
    pen.textAlign = align;
    pen.fillText(`${align}\u0000`, 10, 20);
  }
  pen.font = "italic 650 12.5px sans";
  pen.globalAlpha = 0.4;
  pen.save();
  pen.translate(5, 6);
  pen.rotate(Math.PI / 2);
  pen.fillText("turned", 1, 2);
  pen.restore();
  pen.globalAlpha = 1;
  pen.beginPath();
  pen.arc(10, 10, 4);
  pen.rect(1, 2, 3, 4);
  pen.bezierCurveTo(1, 2, 3, 4, 5, 6);
  pen.roundRect(0, 0, 20, 10, [3, 3, 0, 0]);
  pen.clip();
  pen.fillRect(1.234, 2, 3, 4);
  approved("strokes", outline(root));
  assert.equal(drawable("a\u0000b\ufffe😀"), "a�b�😀");
});

test("the ways of a flow and the bands between matrices are painted into a file as they are seen", () => {
  const way = { x: [0, 10, 30], top: [5, 25], bottom: [9, 29], colour: THEME.roles.key, from: 0, row: 0 };
  approved("ways", sketch({ paint: ({ ctx }) => Flow.prototype.paint.call({ lines: [way] }, ctx) }));
  const panels = [0, 1].map(() => ({ drawn: matrix([0, 1, 1, 0], ["a", "b"], ["a", "b"]) }));
  const bands = Object.assign(new Bands({ view: { data: { bands: [1, 0] }, panels, theme: THEME } }), {
    place: { x0: 0, x1: 100, y: [20, 30], high: 10, band: 6 },
  });
  approved("bands", sketch({ paint: ({ ctx }) => bands.paint(ctx) }));
});

test("a PNG has two pixels for each of the screen, a margin of 16, and the panels where they stand", async () => {
  const at = (left, top, width, height) => () => ({
    left,
    top,
    width,
    height,
    right: left + width,
    bottom: top + height,
    x: left,
    y: top,
  });
  const [panel, canvas, list] = ["div", "canvas", "div"].map((tag) => document.createElement(tag));
  panel.getBoundingClientRect = at(100, 50, 300, 200);
  canvas.getBoundingClientRect = at(110, 70, 280, 170);
  list.append(panel);
  const none = () => document.createElement("div");
  const painted = [];
  const drawn = { paint: ({ ctx, ...scene }) => painted.push(scene) };
  const view = {
    box: list,
    words: none(),
    data: { sweep: null, summary: "Seen." },
    theme: THEME,
    font,
    cell: [0, 1, 1],
    family: "sans",
    panels: [{ drawn, parts: { panel, ctx: { canvas }, title: none(), legend: none(), note: none() } }],
    fit: {
      list,
      rest: none(),
      aside: { isConnected: false },
      legend: { isConnected: false },
      tally: { box: { isConnected: false } },
      flow: { lines: [] },
      bands: { place: null },
    },
  };
  const made = [];
  const create = document.createElement;
  document.createElement = (tag) => {
    const one = create(tag);
    made.push(one);
    if (tag === "canvas") {
      const pen = one.getContext("2d");
      one.getContext = () => Object.assign(pen, { scale: (...by) => pen.drawn.push(["scale", ...by]) });
      one.toBlob = (take) => take("pixels");
    }
    return Object.assign(one, { click: () => (one.clicked = true) });
  };
  Object.assign(URL, { createObjectURL: () => "blob:1", revokeObjectURL: () => {} });
  globalThis.setTimeout = () => 0;
  await saveViews([view], "png", "attention-masks");
  document.createElement = create;
  const [sheet, link] = ["canvas", "a"].map((tag) => made.find((one) => one.tag === tag));
  assert.deepEqual([sheet.width, sheet.height], [2 * (300 + 32), 2 * (200 + 32)]);
  const moves = sheet.getContext("2d").drawn.filter(([name]) => ["scale", "translate"].includes(name));
  assert.deepEqual(
    moves.map(([name, ...given]) => [name, ...given.slice(-2)]),
    [
      ["scale", 2, 2],
      ["translate", 26, 36],
    ],
  );
  assert.deepEqual([link.download, link.clicked], ["attention-masks.png", true]);
  assert.deepEqual(
    painted.map(({ lit, pointed, selected, exact }) => [lit.row, pointed, selected, exact]),
    [[null, null, [0, 1, 1], true]],
  );
});
