// What each kind of panel paints, says and lists is what was approved.

import assert from "node:assert/strict";
import { test } from "node:test";
import { arched, areas, bars, graph, lines, matrix, measured, rows } from "./specs.js";
import { approving, axis, block, font, outline, pen, scene, sketch, THEME } from "./stubs.js";
import { Graph } from "#web/matrix_view/graph.js";
import { Numbers } from "#web/matrix_view/panel.js";

const approved = approving("drawn");
const flags = (...all) => Buffer.from(all).toString("base64");

/** What is said of a place that is pointed at, where that is said, the legend, and the first rows of the table. */
function told(panel, row, column) {
  const { x, y, below, free } = panel.anchor(row, column);
  const place = [x, y, below].map(Math.round).join();
  const words = panel
    .words(row, column)
    .map(({ text, as, role, line }) => [text, as, role, line && "line"].filter(Boolean));
  const { rows, columns, cell } = panel.listing();
  return [
    `${panel.name}, ${panel.size.join("×")}, ${Object.values(panel.geo)
      .map((one) => (one === true ? "slanted" : Math.round(one) || "-"))
      .join()}`,
    `read at ${place}${free ? " free" : ""}: ${words.map((one) => one.join(" ")).join(" | ")}`,
    ...panel.legend(THEME).flatMap((one) => outline(one, 1)),
    ...hits(panel),
    ...rows.slice(0, 2).map((name, r) => `  ${name}: ${columns.map((one, c) => `${one} ${cell(r, c)}`).join(", ")}`),
  ];
}

/** What is hit by a hand at places from its left upper corner to the right lower one, and just beside. */
function hits(panel) {
  const { width } = panel.geo;
  const across = [-0.02, 0.04, 0.2, 0.45, 0.7, 0.95].map((share) => share * width);
  const down = [
    -9,
    10,
    21,
    0.5 * panel.geo.top + 12,
    panel.geo.top + 3,
    panel.height / 2,
    panel.height - 30,
    panel.height - 1,
    panel.height + 30,
  ];
  const at = (x, y) =>
    panel
      .hit(x, y)
      ?.map((one) => one ?? "·")
      .join("/") ?? "–";
  return [...new Set(down.sort((a, b) => a - b))].map(
    (y) => `  hit ${Math.round(y)}: ${across.map((x) => at(x, y)).join(" ")}`,
  );
}

const KINDS = {
  matrix: () => [
    matrix([0, 0.25, 0.5, 1, NaN, 0.75], ["sat", "the"], ["the", "cat", "sat"], {
      role: "query",
      hidden: flags(0, 0, 0, 0, 0, 1),
    }),
    { lit: { row: 1, column: 0 }, pointed: [0, 1, 0], selected: [0, 0, 2] },
  ],
  "a matrix of groups": () => [
    matrix([-2, 1, 0, 2], ["a", "b"], ["a long label", "another long one"], {
      cells: "score",
      decimals: [1],
      limits: [-2, 2],
      scale: "diverging",
      unit: "bit",
      rows: axis("query", ["a", "b"], null, ["head 1", "head 2"]),
    }),
    {},
  ],
  "allowed cells": () => [matrix([1, 0.25, 0, 1], ["a", "b"], ["a", "b"], { cells: "allowed" }), {}],
  arcs: () => [arched(), { lit: { row: 1, column: 0 } }],
  "arcs of a head that is off": () => [
    arched({ arcs: { row: 0, column: 1, label: "head 1.1 is off", off: true }, hidden: flags(1, 1, 1, 0, 0, 0) }),
    {},
  ],
  bars: () => [
    bars([0.5, -0.25, NaN, 1], { role: ["query", "key", null, "accent"] }),
    { lit: { row: null, column: 1 } },
  ],
  "a histogram": () => {
    const panel = bars([0.5, 1, 0.25], { edges: [0, 1, 2, 4], limits: [0, 1] });
    panel.spec.overlay_name = "normal";
    panel.spec.overlay = [];
    panel.overlay = [Float32Array.of(0, 2, 4), Float32Array.of(0.1, 0.9, 0.1)];
    return [panel, {}];
  },
  "slanted bars": () => [
    bars([0.5, 1, 0.25, 0.75, 1, 0.5], {
      labels: axis(
        "",
        Array.from("abcdef", (one) => one.repeat(24)),
        "query",
      ),
      limits: [0, 1],
    }),
    {},
  ],
  rows: () => [
    rows([0.4, 0.1, NaN], ["mat", "cat", "sat"], {
      before: [0.2, 0.3, 0.1],
      whole: {
        names: ["plural", "singular", "else"],
        values: [0.7, 0.28, 0.02],
        before: [0.5, 0.4, 0.1],
        role: ["accent", "muted", null],
      },
      role: ["accent", "muted", null],
      labels: axis("word", ["mat", "cat", "sat"], "key"),
    }),
    { lit: { row: 0, column: null } },
  ],
  lines: () => [
    lines(
      [1, 10, 100],
      [
        { name: "measured", values: [1e-3, 1e-5, 1e-9], role: "query" },
        { name: "bound", values: [1e-2, 1e-4, 1e-8], stroke: "dashed", role: "muted" },
      ],
      { marked: 1 },
    ),
    {},
  ],
  "lines with a legend": () => [
    lines(
      [0, 1, 2, 3],
      [
        ...["solid", "dashed", "dotted", "dashdot"].map((stroke, i) => ({
          name: stroke,
          values: [i, 1, 2, 3],
          stroke,
          role: ["query", "key", "value", "output"][i],
        })),
        { name: "single", values: [NaN, 2, NaN, 1], crosses: true },
      ],
      { log_x: false, log_y: false, limits: [0, 4], marked: null },
    ),
    { lit: { row: 0, column: 2 } },
  ],
  "a curve that unfolds": () => [
    lines(
      [1, 10, 100],
      [
        { name: "typical", values: [1, 0.1, 0.01], pointed: true, listed: false },
        { name: "bound", values: [1, 1, 1], stroke: "dashed", role: "muted", pointed: true, listed: false },
      ],
      { unfolds: true, marked: 1 },
    ),
    {},
  ],
  areas: () => [areas(), { lit: { row: 0, column: 3 } }],
  columns: () => [areas({ labels: axis("key", ["1st", "2nd"]), smooth: false }), { lit: { row: 0, column: 1 } }],
  "a graph that unfolds": () => {
    const { base64, places } = block(
      [...Array(12).keys()],
      [4 * 4 + 0, 5 * 4 + 1, 8 * 4 + 2],
      [6 * 4 + 3],
      [1, 5, 9],
    );
    const each = { role: null, step: null };
    const spec = {
      kind: "graph",
      title: "Reach",
      note: "",
      values: places[0],
      layers: axis("layer", ["inputs", "1", "2"]),
      tokens: axis("token", ["a", "b", "c", "d"], "key"),
      quantity: "inputs",
      window: [0, 3],
      unfolds: 2,
      counts: ["27", "9", "3"],
      gauge: null,
      edges: [
        { ...each, name: "looks at", ends: places[1], lit: true, role: "key" },
        { ...each, name: "other edges", ends: places[2], lit: false },
        { ...each, name: "", ends: places[2], lit: true, step: 1 },
      ],
      nodes: [
        { ...each, name: "chosen", at: places[3], large: true, boxes: [], role: "query" },
        { ...each, name: "others", at: places[3], large: false, boxes: [] },
      ],
    };
    const panel = new Graph(spec, new Numbers(base64, 3));
    panel.pose(1);
    panel.measure(pen(), 500, 300, font);
    return [panel, { pointed: [0, 1, 2], lit: { row: 0, column: 3 } }];
  },
  "a graph": () => [graph(3, 4), { pointed: [0, 1, 2], selected: [0, 2, 3], lit: { row: 1, column: 2 } }],
  "wired heads": () => {
    const wires = [0, 1, 2, 3].map((head) => (4 + head) * 4 + (head >> 1));
    const { base64, places } = block([...Array(8).keys()], wires, [0, 1], [8]);
    const each = { name: "", role: null, step: null };
    const spec = {
      kind: "graph",
      title: "Grouped",
      note: "",
      values: places[0],
      layers: axis("", ["keys", "queries"]),
      tokens: axis("head", ["1", "2", "3", "4"]),
      quantity: "head",
      window: [0, 3],
      unfolds: null,
      counts: ["8", "4"],
      edges: [{ ...each, name: "reads", ends: places[1], lit: true, role: "query" }],
      nodes: [{ ...each, at: places[2], large: false, boxes: ["key", "value"] }],
      gauge: { values: places[3], most: 16, says: ["8 bytes of 16"] },
    };
    return [measured(new Graph(spec, new Numbers(base64, 1)), 400, 300), {}];
  },
};

for (const [kind, made] of Object.entries(KINDS))
  test(`${kind}: drawn and said as approved`, () => {
    const [panel, more] = made();
    const [row, column] = panel.size.map((count) => Math.min(1, count - 1));
    approved(kind, [...told(panel, row, column), ...sketch(panel, more)]);
  });

// Radii below 0 are refused by a browser, and the view with them; a page may be laid out anew at any width.
for (const [kind, made] of Object.entries(KINDS))
  test(`${kind}: where there is no room it paints nothing that a browser refuses`, () => {
    for (const width of [1, 20, 60, 100, 200]) {
      const [panel, more] = made();
      panel.measure(pen(), width, 200, font);
      const given = scene({ ...more });
      panel.paint(given);
      const refused = given.ctx.drawn.filter(
        ([name, , ...at]) =>
          (name === "roundRect" && [at[4]].flat().some((r) => r < 0)) || (name === "arc" && at[2] < 0),
      );
      assert.deepEqual(refused, [], `${width} pixels`);
    }
  });
