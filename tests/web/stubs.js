// What the browser's side is given here in place of a browser: elements that hold what they are told, a pen that writes
// down what it draws, numbers as the server sends them.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { THERE } from "#web/matrix_view/motion.js";

class Element {
  className = "";
  hidden = false;
  disabled = false;
  tabIndex = -1;
  dataset = {};
  value = "";
  onclick = null;
  clientWidth = 0;
  offsetWidth = 0;
  offsetHeight = 0;
  scrollWidth = 0;
  scrollHeight = 0;
  style = { setProperty: (name, value) => (this.style[name] = value) };
  attributes = {};
  children = [];
  parentElement = null;
  isConnected = true;

  constructor(tag) {
    this.tag = tag;
    const names = () => this.className.split(" ").filter(Boolean);
    this.classList = {
      add: (...more) => (this.className = [...new Set([...names(), ...more])].join(" ")),
      remove: (...gone) =>
        (this.className = names()
          .filter((one) => !gone.includes(one))
          .join(" ")),
      contains: (name) => names().includes(name),
      toggle: (name, on) => this.classList[on ? "add" : "remove"](name),
    };
  }

  get textContent() {
    return this.children.map((one) => one.textContent ?? one).join("");
  }

  set textContent(text) {
    this.children = text ? [text] : [];
  }

  /** Takes elements in, which stand nowhere else then, at a place among its children. */
  take(more, at = this.children.length) {
    const before = this.children.slice(0, at).filter((one) => !more.includes(one) || typeof one !== "object");
    const after = this.children.slice(at).filter((one) => !more.includes(one) || typeof one !== "object");
    for (const one of more) if (typeof one === "object") one.parentElement = this;
    this.children = [...before, ...more, ...after];
  }

  append(...more) {
    this.take(more);
  }

  prepend(...more) {
    this.take(more, 0);
  }

  replaceChildren(...children) {
    this.children = [];
    this.take(children);
  }

  get tagName() {
    return this.tag;
  }

  get lastElementChild() {
    return this.children.at(-1);
  }

  get childElementCount() {
    return this.children.length;
  }

  appendChild(one) {
    this.append(one);
    return one;
  }

  insertBefore(one, before) {
    this.take([one], this.children.indexOf(before));
  }

  before(...more) {
    this.preceded = more;
  }

  contains(other) {
    return other === this || this.children.some((one) => one.contains?.(other));
  }

  closest() {
    return null;
  }

  after(...more) {
    this.followed = more;
  }

  attachShadow() {
    return new Element("shadow");
  }

  animate() {
    return {};
  }

  getAnimations() {
    return [];
  }

  getClientRects() {
    return [];
  }

  getAttribute(name) {
    return this.attributes[name] ?? null;
  }

  remove() {
    const { parentElement: from } = this;
    if (from?.children) from.children = from.children.filter((one) => one !== this);
    this.parentElement = null;
    this.isConnected = false;
  }

  focus() {}

  addEventListener(type, handler) {
    (this.handlers ??= {})[type] = handler;
  }

  getRootNode() {
    return { activeElement: null };
  }

  setAttribute(name, value) {
    this.attributes[name] = value;
  }

  querySelector() {
    return null;
  }

  getContext() {
    return (this.pen ??= pen(this));
  }

  getBoundingClientRect() {
    return { left: 0, top: 0, width: 0, height: 0 };
  }
}

export const document = Object.assign(new EventTarget(), {
  createElement: (tag) => new Element(tag),
  createElementNS: (_, tag) => new Element(tag),
  createTextNode: (text) => ({ textContent: text }),
  baseURI: "http://127.0.0.1/",
  documentElement: {
    dataset: {},
    style: {
      setProperty(name, value) {
        this[name] = value;
      },
    },
  },
  visibilityState: "visible",
});
globalThis.document = document;
globalThis.HTMLElement = Element;

/** A storage of one tab. */
export function storage() {
  for (const store of ["sessionStorage", "localStorage"]) {
    const held = new Map();
    globalThis[store] = {
      getItem: (name) => held.get(name) ?? null,
      setItem: (name, value) => held.set(name, value),
      removeItem: (name) => held.delete(name),
    };
  }
}
storage();

// A component asks for its styles before it is drawn; here nothing is.
globalThis.fetch = async () => ({ ok: true, text: async () => "" });
globalThis.CSSStyleSheet = class {
  replace() {}
};

globalThis.Path2D = class {
  rect() {}
};

/** A pen whose letters are all 7 pixels wide; `drawn` lists what it was told, with the colour that it had then. */
export function pen(canvas = new Element("canvas")) {
  const drawn = [];
  const told =
    (name) =>
    (...given) =>
      void drawn.push([name, it.fillStyle, ...given]);
  const it = {
    canvas,
    drawn,
    font: "",
    measured: 0,
    measureText: (text) => ((it.measured += 1), { width: 7 * text.length, alphabeticBaseline: -4 }),
  };
  for (const name of [
    "beginPath",
    "roundRect",
    "rect",
    "fill",
    "fillRect",
    "fillText",
    "stroke",
    "strokeRect",
    "save",
    "restore",
    "clip",
    "moveTo",
    "lineTo",
    "bezierCurveTo",
    "arc",
    "translate",
    "rotate",
    "setLineDash",
    "clearRect",
    "setTransform",
    "scale",
    "drawImage",
  ])
    it[name] = told(name);
  return it;
}

export const font = (size, weight = 400) => `${weight} ${size}px sans`;
export const axis = (title, labels, role = null, groups = []) => ({ title, labels, role, groups, pale: [] });

export const THEME = {
  roles: {
    query: "#111111",
    key: "#222222",
    value: "#333333",
    output: "#444444",
    accent: "#ff00ff",
    ink: "#000000",
    muted: "#777777",
    pale: "#ffaaff",
  },
  scales: {
    sequential: ["#ffffff", "#000000"],
    diverging: ["#0000ff", "#ffffff", "#ff0000"],
    ink: ["#eeeeee", "#111111"],
    below: ["#111111", "#eeeeee"],
  },
  muted: "#777777",
  grid: "#dddddd",
  hidden: "#abcdef",
  paper: "#ffffff",
  ink: "#000000",
  primary: "#ff00ff",
};

// What is painted beforehand, into a canvas of its own, stands where that is drawn: here it is painted there at once.
let painting = pen();
globalThis.OffscreenCanvas = class {
  getContext() {
    return painting;
  }
};

/** What is painted with: everything still, nothing lit. */
export const scene = (more = {}) => ({
  ctx: (painting = pen()),
  theme: THEME,
  font,
  stage: THERE,
  lit: { row: null, column: null },
  pointed: null,
  selected: null,
  ...more,
});

/** Numbers in one block, as the server sends them, and their parts of it. */
export function block(...parts) {
  const all = Float32Array.from(parts.flat());
  let start = 0;
  const places = parts.map((part) => ({ start: (start += part.length) - part.length, length: part.length }));
  return { base64: Buffer.from(all.buffer).toString("base64"), places };
}

/** A key as a board and a view are told it. */
export function keyed(key, more = {}) {
  const event = { key, ctrlKey: false, metaKey: false, altKey: false, kept: 0, ...more };
  return Object.assign(event, { preventDefault: () => (event.kept += 1), stopPropagation: () => (event.kept += 1) });
}

// ---- what was approved ----

/**
 * Lines under a name are those that stand in `__approved__/FILE.txt`; `APPROVE=1 npm test` writes them anew, and their
 * diff is read as code is. One test file has one file.
 */
export function approving(file) {
  const place = new URL(`./__approved__/${file}.txt`, import.meta.url);
  const parts = existsSync(place) ? readFileSync(place, "utf8").split(/^# /m).slice(1) : [];
  const known = new Map(
    parts.map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1).trimEnd()]),
  );
  return (name, lines) => {
    const told = lines.join("\n").trimEnd();
    if (process.env.APPROVE === "1") {
      known.set(name, told);
      writeFileSync(place, [...known].map(([one, text]) => `# ${one}\n${text}\n`).join("\n"));
    }
    assert.equal(told, known.get(name), name);
  };
}

const rounded = (one) => (typeof one === "number" ? Math.round(10 * one) / 10 : one);
const SET = ["fillStyle", "strokeStyle", "lineWidth", "globalAlpha", "font", "textAlign", "dash"];
const MOST_POINTS = 6;

/** What a panel paints, a line for each fill, stroke and word: its colour, how strong, and where. */
export function sketch(panel, more = {}) {
  const at = scene(more);
  const { ctx } = at;
  const told = [];
  const kept = [];
  let path = [];
  Object.assign(ctx, { globalAlpha: 1, lineWidth: 1, dash: "", textAlign: "left", strokeStyle: "" });
  const alpha = () => (ctx.globalAlpha === 1 ? "" : ` ${rounded(ctx.globalAlpha)}`);
  const points = () => {
    const shown =
      path.length > MOST_POINTS ? [...path.slice(0, MOST_POINTS - 1), `${path.length}`, path.at(-1)] : path;
    return shown.join(" ");
  };
  const point =
    (letter) =>
    (...given) =>
      void path.push(`${letter}${given.map(rounded).join()}`);
  const pens = {
    beginPath: () => (path = []),
    moveTo: point("M"),
    lineTo: point("L"),
    bezierCurveTo: point("C"),
    arc: (x, y, r) => point("O")(x, y, r),
    rect: point("R"),
    roundRect: point("r"),
    clip: () => told.push(`within ${points()}`),
    fill: (shape) => told.push(`fill ${ctx.fillStyle}${alpha()} ${shape ? "around" : points()}`),
    stroke: () => told.push(`stroke ${ctx.strokeStyle}${alpha()} ${rounded(ctx.lineWidth)}${ctx.dash} ${points()}`),
    fillRect: (...where) => told.push(`fill ${ctx.fillStyle}${alpha()} ${where.map(rounded).join()}`),
    strokeRect: (...where) => told.push(`stroke ${ctx.strokeStyle} ${ctx.lineWidth} ${where.map(rounded).join()}`),
    fillText: (text, ...where) =>
      told.push(`write ${text} ${ctx.fillStyle} ${ctx.font} ${ctx.textAlign} ${where.map(rounded).join()}`),
    setLineDash: (dash) => (ctx.dash = dash.length ? ` ${dash.join("-")}` : ""),
    translate: (...to) => told.push(`to ${to.map(rounded).join()}`),
    rotate: (by) => told.push(`turn ${rounded((180 * by) / Math.PI)}`),
    save: () => kept.push(SET.map((name) => ctx[name])),
    restore: () => kept.pop()?.forEach((value, i) => (ctx[SET[i]] = value)),
  };
  Object.assign(ctx, pens);
  panel.paint(at);
  return told;
}

/** Elements as lines: tag, class, what they are told and say, one below the other. */
export function outline(node, depth = 0) {
  const lead = "  ".repeat(depth);
  if (!node.children) return [`${lead}${node.textContent ?? node}`];
  const { tag, className, attributes, children, style } = node;
  const own = [
    "hidden",
    "disabled",
    "href",
    "title",
    "id",
    "ariaLabel",
    "ariaHidden",
    "ariaExpanded",
    "ariaPressed",
    "type",
    "src",
  ];
  const told = [
    ...own.filter((name) => node[name] && typeof node[name] !== "function").map((name) => `${name}=${node[name]}`),
    ...Object.entries({ ...attributes }).map(([name, value]) => `${name}=${value}`),
    ...Object.entries(style).flatMap(([name, value]) => (typeof value === "string" ? [`${name}: ${value}`] : [])),
  ];
  const names = className ? `.${className.split(" ").join(".")}` : "";
  const [text] = children.length === 1 && !children[0].children ? [children[0].textContent ?? children[0]] : [""];
  const line = [`${lead}${tag}${names}`, ...told, text && `“${text}”`].filter(Boolean).join(" ");
  return text ? [line] : [line, ...children.flatMap((one) => outline(one, depth + 1))];
}
