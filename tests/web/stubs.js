// What the browser's side is given here in place of a browser: elements that hold what they are told, a pen that writes
// down what it draws, numbers as the server sends them.

import { THERE } from "#web/matrix_view/motion.js";

class Element {
  className = "";
  hidden = false;
  disabled = false;
  tabIndex = -1;
  value = "";
  style = { setProperty: (name, value) => (this.style[name] = value) };
  attributes = {};
  children = [];
  isConnected = true;

  constructor(tag) {
    this.tag = tag;
    const names = () => this.className.split(" ").filter(Boolean);
    this.classList = {
      add: (name) => (this.className = [...new Set([...names(), name])].join(" ")),
      remove: (name) =>
        (this.className = names()
          .filter((one) => one !== name)
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

  append(...more) {
    this.children.push(...more);
  }

  replaceChildren(...children) {
    this.children = children;
  }

  setAttribute(name, value) {
    this.attributes[name] = value;
  }

  querySelector() {
    return null;
  }

  getContext() {
    return pen(this);
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
  documentElement: { dataset: {} },
  visibilityState: "visible",
});
globalThis.document = document;
globalThis.HTMLElement = Element;

/** A storage of one tab. */
export function storage() {
  const held = new Map();
  globalThis.sessionStorage = {
    getItem: (name) => held.get(name) ?? null,
    setItem: (name, value) => held.set(name, value),
  };
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
    measureText: (text) => ((it.measured += 1), { width: 7 * text.length }),
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

/** What is painted with: everything still, nothing lit. */
export const scene = (more = {}) => ({
  ctx: pen(),
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
