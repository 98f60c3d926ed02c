// A whole view without a browser: where its panels stand on a page, in a figure of so much room, in a line of signs and
// in a flow; and what of it is painted anew.

import assert from "node:assert/strict";
import { test } from "node:test";
import { lines, matrix } from "./specs.js";
import { approving, block, document, outline, THEME } from "./stubs.js";

const frames = [];
const sights = [];
Object.assign(globalThis, {
  window: new EventTarget(),
  devicePixelRatio: 2,
  ResizeObserver: class {
    observe() {}
    disconnect() {}
  },
  IntersectionObserver: class {
    constructor(tell) {
      sights.push(tell);
    }
    observe() {}
    disconnect() {}
  },
  SVGElement: HTMLElement,
  requestAnimationFrame: (act) => frames.push(act),
  cancelAnimationFrame: () => {},
  matchMedia: () => ({ matches: false, addEventListener: () => {} }),
  getComputedStyle: (one) => ({
    fontFamily: "sans",
    getPropertyValue: (name) => one.told?.[name] ?? (name.includes("background") ? "#ffffff" : "#000000"),
  }),
  DOMMatrix: class {},
});
document.fonts = new EventTarget();
document.querySelector = () => null;
const { View } = await import("#web/matrix_view/view.js");
const approved = approving("figure");

const words = ["the", "cat", "sat"];
/** A view of panels, each with numbers of its own in one block. */
function described(panels, more = {}) {
  const parts = panels.map(({ numbers }) => numbers);
  const { base64, places } = block(...parts);
  return {
    id: `view ${Math.random()}`,
    summary: "Seen.",
    block: base64,
    front: null,
    second: 0,
    flow: null,
    bands: [],
    tally: null,
    signs: [],
    sweep: null,
    replay: false,
    at: { order: 0, step: 0, cell: null },
    height: 300,
    group: null,
    leads: [],
    follows: { panel: 0, roles: [] },
    colours: { light: THEME, dark: THEME },
    panels: panels.map(({ spec }, i) => ({ ...spec, values: places[i] })),
    ...more,
  };
}
const cells = (title, more = {}) => {
  const { spec } = matrix([0, 0.25, 0.5, 1, 0.5, 0, 0, 0, 1], words, words, { title, ...more });
  return { spec, numbers: [0, 0.25, 0.5, 1, 0.5, 0, 0, 0, 1] };
};
const sum = () => [cells("A"), cells("B"), cells("C")];
const three = () => [
  cells("Q"),
  cells("K", { note: "A note." }),
  cells("V", { quantity: "score", cells: "score", decimals: [1] }),
];

/** It, as wide as told, in a figure of some room or on a page that scrolls. */
function shown(data, { width = 800, room = 0, phone = 0, zoom = 1 } = {}) {
  const figure = Object.assign(document.createElement("div"), {
    told: { "--figure-most": room ? `${room}px` : "", "--figure-limit": phone ? `${phone}px` : "" },
    querySelectorAll: () => [],
  });
  const host = {
    closest: (name) => (room && name === ".st-key-figure" ? figure : null),
    shadowRoot: null,
    setAttribute: (name) => (host.drawn = name),
  };
  const root = Object.assign(document.createElement("div"), { host });
  const told = [];
  const given = (data) => ({ data, parentElement: root, setStateValue: (...one) => told.push(one) });
  const view = new View(given(data));
  Object.assign(view.box, { clientWidth: width, currentCSSZoom: zoom });
  view.update(given(data));
  return { view, host, told, again: (data) => view.update(given(data)) };
}

/** Where its panels stand, and how large they are. */
function placed({ fit, panels }) {
  const { gridTemplateColumns: columns, columnGap: gap } = fit.list.style;
  return [
    `columns ${columns ?? "-"}, gap ${gap ?? "-"}, ${fit.list.children.length} in sight, ${fit.rest.children.length} below`,
    ...outline(fit.legend, 1).slice(1),
    ...panels.map(({ drawn, parts }) => {
      const { canvas } = parts.ctx;
      const { panel, plot, legend, note } = parts;
      return [
        `${parts.title.textContent} ${canvas.style.width}×${canvas.style.height} (${canvas.width}×${canvas.height})`,
        `panel ${panel.style.width} ${panel.dataset.sign ?? ""} middle ${panel.style["--middle"]}`,
        `cell ${plot.dataset.cell} across ${plot.dataset.across}`,
        legend.hidden ? "" : `legend “${legend.textContent}” at ${legend.style.paddingLeft}`,
        note.hidden ? "" : `“${note.textContent}”`,
        drawn.bare && `bare ${drawn.bare}`,
      ]
        .filter(Boolean)
        .join("; ");
    }),
  ];
}

const VIEWS = {
  "on a page": () => [described(three()), {}],
  "on a phone": () => [described(three()), { width: 360 }],
  "in a figure": () => [described(three(), { front: 1 }), { room: 300 }],
  "in a figure, with a second look": () => [described(three(), { second: 1 }), { room: 300 }],
  "in a figure on a phone": () => [described(three(), { front: 2 }), { width: 360, room: 250, phone: 400 }],
  "one legend": () => [described([cells("Before"), cells("After")]), { room: 300 }],
  "a line of signs": () => [described(sum(), { signs: ["+", "="] }), { room: 260 }],
  "a line of signs on a slide": () => [
    described(sum(), { signs: ["+", "="], front: 2 }),
    { width: 500, room: 200, zoom: 1.5 },
  ],
  "a line of signs without the room for all of it": () => [
    described(sum(), { signs: ["+", "="], front: 2 }),
    { width: 220, room: 120 },
  ],
};
for (const [name, made] of Object.entries(VIEWS))
  test(`panels ${name} stand as approved`, () => {
    const { view } = shown(...made());
    approved(name, placed(view));
    view.destroy();
  });

test("a picture that stands tells the page, which has kept its room until then", () => {
  assert.equal(shown(described(three())).host.drawn, "data-drawn");
});

test("a view is one figure with a name; its slider goes through its steps", () => {
  const data = described([cells("Weights")], { sweep: { label: "Size", values: ["1", "2"] } });
  data.panels[0].values = { ...data.panels[0].values, length: 9 };
  const { view, told } = shown(data);
  approved("elements", outline(view.box));
  view.range.value = "1";
  view.range.oninput();
  assert.equal(view.sweepValue.textContent, "2");
  view.range.onchange();
  assert.deepEqual(told, [["step", [0, 1]]]);
  view.destroy();
});

test("new numbers of the same panels grow from the old ones, and others stand at once", () => {
  frames.length = 0;
  const data = described([cells("Weights")]);
  const { view, again } = shown(data);
  assert.equal(view.panels[0].drawn.from, null, "nothing was there before");
  const [parts] = view.panels.map(({ parts }) => parts);
  const other = { ...data, block: block([1, 0, 0, 0, 1, 0, 0, 0, 1]).base64 };
  again(other);
  assert.ok(view.panels[0].drawn.from);
  assert.equal(view.panels[0].parts, parts, "in the place of the old one");
  assert.ok(frames.length > 0);
  again({ ...described([cells("Weights"), cells("Scores")]), id: data.id });
  again({ ...described([cells("Weights")]), id: data.id });
  assert.equal(view.panels[0].drawn.from, null, "of two panels one is left: another picture");
  again({ ...other, summary: "Anew." });
  const curve = lines([1, 10], [{ name: "measured", values: [1, 0.1] }]);
  again({ ...described([{ spec: curve.spec, numbers: [1, 10, 1, 0.1] }]), id: data.id });
  assert.equal(view.panels[0].drawn.from, null);
  assert.notEqual(view.panels[0].parts, parts);
  view.destroy();
});

test("a panel that the window does not show moves for nobody, and is there when it does", () => {
  const data = described([cells("Weights"), cells("Scores")]);
  const { view, again } = shown(data);
  const [seen, below] = view.panels.map(({ parts }) => parts.panel);
  const other = { ...data, block: block([1, 0, 0, 0, 1, 0, 0, 0, 1], [1, 0, 0, 0, 1, 0, 0, 0, 1]).base64 };
  sights.at(-1)([
    { target: seen, isIntersecting: true },
    { target: below, isIntersecting: false },
  ]);
  again(other);
  assert.deepEqual(
    view.panels.map(({ drawn }) => !!drawn.from),
    [true, false],
  );
  sights.at(-1)([{ target: below, isIntersecting: true }]);
  again(data);
  assert.deepEqual(
    view.panels.map(({ drawn }) => !!drawn.from),
    [true, true],
  );
  view.destroy();
});

test("a place is kept while the page asks for no other, also where the view was taken down meanwhile", () => {
  const data = described([cells("Weights")], { sweep: { label: "Size", values: ["1", "2"] } });
  const first = shown(data).view;
  first.stepTo(1);
  first.destroy();
  assert.equal(shown(data).view.step, 1);
  assert.equal(shown({ ...data, at: { order: 1, step: 0, cell: null } }).view.step, 0);
});

test("a flow has its panels in columns, of one height where two share a column, and a way for each row", () => {
  const flow = {
    columns: [0, 1, 1, 2],
    ribbons: [
      [0, 1, "query"],
      [0, 2, null],
      [1, 3, "key"],
    ],
  };
  const data = described([cells("Tokens, 3"), cells("Q, head 1"), cells("K, head 1"), cells("Scores")], { flow });
  const { view } = shown(data, { room: 320 });
  const { ways, gap } = view.fit.flow;
  approved("a flow", [
    ...placed(view),
    ...view.panels.map(
      ({ parts }) =>
        `${parts.title.textContent}: column ${parts.panel.style.gridColumn}, row ${parts.panel.style.gridRow}`,
    ),
    `gap ${gap}, ${ways.children.length} ways, ${view.fit.list.className}`,
    ...ways.children
      .slice(0, 4)
      .map(({ attributes: { d, fill } }) => `${d.replace(/\d+\.\d+/g, (one) => Math.round(one))} ${fill}`),
  ]);
  view.fit.flow.light(1);
  assert.deepEqual(
    ways.children.map((way) => way.className === "lit"),
    Array(3).fill([false, true, false]).flat(),
  );
  view.fit.flow.end(view.fit, view.panels);
  assert.deepEqual([view.fit.list.className, view.panels[1].parts.panel.style.gridColumn], ["panels", ""]);
  view.destroy();
});

test("bars that share one rise where the picture before had other panels, and other panels stand there at once", () => {
  const parts = [1, 0.25, 0.25, 0.5, 0.25, 0.25];
  const { base64, places } = block(parts.slice(0, 3), parts.slice(3));
  const labels = { title: "key", labels: words, role: "key", groups: [], formulas: false, pale: [] };
  const whole = { names: words, values: places[1], before: null, role: [null, null, null], of_bars: true };
  const bars = {
    kind: "rows",
    title: "“the”",
    note: "",
    warning: "",
    values: places[0],
    labels,
    unit: "",
    role: null,
  };
  const spec = { ...bars, limits: [0, 1], y_title: "eˢ", percent: false, before: null };
  const of = (shared) => shown({ ...described([]), block: base64, panels: [{ ...spec, whole: shared }] }).view;
  const risen = [whole, { ...whole, of_bars: false }].map((shared) => of(shared).panels[0].drawn.from !== null);
  assert.deepEqual(risen, [true, false]);
});
