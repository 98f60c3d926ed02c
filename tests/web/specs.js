// Panels of each kind, as the server describes them.

import { axis, block, font, pen } from "./stubs.js";
import { Arched } from "#web/matrix_view/arcs.js";
import { Areas } from "#web/matrix_view/areas.js";
import { Bars } from "#web/matrix_view/bars.js";
import { Graph } from "#web/matrix_view/graph.js";
import { Heatmap } from "#web/matrix_view/heatmap.js";
import { Lines } from "#web/matrix_view/lines.js";
import { Scatter } from "#web/matrix_view/scatter.js";
import { Numbers } from "#web/matrix_view/panel.js";
import { Rows } from "#web/matrix_view/rows.js";

export const measured = (panel, width = 700, height = 400) => (
  panel.pose(0),
  panel.measure(pen(), width, height, font),
  panel
);

export function matrix(values, rows, columns, more = {}) {
  const { base64, places } = block(values);
  const spec = {
    kind: "matrix",
    title: "Weights",
    note: "",
    values: places[0],
    rows: axis("query", rows, "query"),
    columns: axis("key", columns, "key"),
    quantity: "weight",
    unit: "",
    scale: "sequential",
    cells: "weight",
    decimals: [null],
    role: null,
    limits: [0, 1],
    hidden: null,
    hidden_as: "masked",
    ...more,
  };
  return measured(new Heatmap(spec, new Numbers(base64, 1)));
}

export function bars(values, more = {}) {
  const { base64, places } = block(values, ...(more.edges ? [more.edges] : []));
  const spec = {
    kind: "bars",
    title: "Bars",
    note: "",
    values: places[0],
    labels: axis(
      "key",
      values.map((_, i) => `k${i}`),
      "key",
    ),
    unit: "nat",
    overlay: null,
    overlay_name: "",
    role: null,
    limits: [-1, 1],
    log_y: false,
    y_title: "weight",
    ...more,
    edges: more.edges ? places[1] : null,
  };
  return measured(new Bars(spec, new Numbers(base64, 1)));
}

export const scatter = (x, series, more) => lines(x, series, { kind: "scatter", ...more });

export function lines(x, series, more = {}) {
  const { base64, places } = block(x, ...series.map(({ values }) => values));
  const all = series.map((one, i) => ({
    band: null,
    role: "accent",
    stroke: "solid",
    crosses: false,
    listed: true,
    pointed: false,
    ...one,
    values: places[i + 1],
  }));
  const spec = {
    kind: "lines",
    title: "Residual",
    note: "",
    x: places[0],
    x_title: "size",
    log_x: true,
    marked: null,
    unfolds: false,
    awaits: "",
    points: [],
    series: all,
    limits: [1e-11, 1],
    log_y: true,
    y_title: "change",
    ...more,
  };
  return measured(new (spec.kind === "scatter" ? Scatter : Lines)(spec, new Numbers(base64, 1)));
}

export function graph(layers, tokens) {
  const { base64, places } = block([...Array(layers * tokens).keys()], [tokens * tokens + tokens], [tokens + 1]);
  const spec = {
    kind: "graph",
    title: "Graph",
    note: "",
    values: places[0],
    layers: axis("layer", ["inputs", "1", "2"].slice(0, layers)),
    tokens: axis("token", [...Array(tokens).keys()].map(String)),
    quantity: "inputs it sees",
    window: [0, tokens - 1],
    unfolds: 1,
    counts: [],
    edges: [{ name: "looks at", ends: places[1], role: "key", lit: true, step: null }],
    nodes: [{ name: "", at: places[2], role: "query", large: true, boxes: [], step: null }],
    gauge: null,
  };
  return measured(new Graph(spec, new Numbers(base64, 1)));
}

/** Two steps of two distributions: the first with a bracket, both of two heights. */
export function areas(more = {}) {
  const { base64, places } = block([1, 2, 4, 0], [0, 2, 4, 0, 2, 4], [1, 3, 1, 3], [3, 1, 1, 1]);
  const swept = places.map((part) => ({ ...part, swept: true }));
  const edges = swept[1];
  const spec = {
    kind: "areas",
    title: "Scores",
    note: "",
    labels: axis("score", []),
    span: [0, 4],
    smooth: true,
    limits: [0, 4],
    log_y: false,
    y_title: "count",
    areas: [
      { name: "unscaled", values: swept[0], edges, bracket: swept[2], role: "muted", said: ["σ = 1", "σ = 2"] },
      { name: "scaled", values: swept[3], edges, bracket: null, role: "accent", said: ["one for both"] },
    ],
    ...more,
  };
  return measured(new Areas(spec, new Numbers(base64, 2)));
}

export function rows(values, labels, { before, whole, ...more } = {}) {
  const parts = [values, before ?? [], whole?.values ?? [], whole?.before ?? []];
  const { base64, places } = block(...parts);
  const spec = {
    kind: "rows",
    title: "Next word",
    note: "",
    values: places[0],
    labels: axis("word", labels),
    unit: "",
    role: null,
    limits: [0, 0.5],
    y_title: "probability",
    percent: true,
    ...more,
    before: before ? places[1] : null,
    whole: whole ? { ...whole, values: places[2], before: whole.before ? places[3] : null } : null,
  };
  const panel = new Rows(spec, new Numbers(base64, 1));
  panel.pose(0);
  panel.measure(pen(), 400, 300, font);
  return panel;
}

export function arched(more = {}) {
  const { base64, places } = block([0.1, 0.2, 0.7, 0.96, 0.003, 0.037]);
  const spec = {
    kind: "arcs",
    title: "Where “c” looks",
    note: "",
    values: places[0],
    rows: axis("layer.head", ["1.1", "1.2"]),
    columns: axis("key", ["a", "b", "c"], "key"),
    quantity: "weight",
    unit: "",
    scale: "sequential",
    limits: [0, 1],
    hidden: null,
    hidden_as: "off",
    cells: "percent",
    decimals: [null],
    role: null,
    arcs: { row: 1, column: 2, label: "head 1.2: 96% on “a”", off: false },
    switches: [false, true],
    ...more,
  };
  const panel = new Arched(spec, new Numbers(base64, 1));
  panel.pose(0);
  panel.measure(pen(), 500, 400, font);
  return panel;
}
