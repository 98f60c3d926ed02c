// What the panels paint, as SVG: a context that adds an element where a canvas sets pixels.

import { svg } from "../base/dom.js";

const ANCHORS = /** @type {Record<string, string>} */ ({ center: "middle", right: "end" });
/** What a canvas saves and restores, of what the panels use; the matrix too. */
const SAVED = /** @type {const} */ ([
  "fillStyle",
  "strokeStyle",
  "lineWidth",
  "lineJoin",
  "globalAlpha",
  "font",
  "textAlign",
  "textBaseline",
  "imageSmoothingEnabled",
  "dashes",
  "clipped",
]);
const UNDRAWABLE = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu; // what XML cannot hold

/** @param {string} text */
export const drawable = (text) => text.replace(UNDRAWABLE, "�");

const short = (/** @type {number} */ value) => String(+value.toFixed(2));

/** As much of CanvasRenderingContext2D as the panels use. */
export class SvgContext {
  fillStyle = "#000";
  strokeStyle = "#000";
  lineWidth = 1;
  lineJoin = "miter";
  globalAlpha = 1;
  font = "400 12px sans-serif";
  textAlign = "left";
  textBaseline = "alphabetic";
  imageSmoothingEnabled = true;
  dashes = /** @type {number[]} */ ([]);
  matrix = new DOMMatrix();
  clipped = "";
  path = "";
  kept = /** @type {Record<string, unknown>[]} */ ([]);
  clips = 0;
  ruler = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));

  /** @param {SVGElement} root */
  constructor(root) {
    this.root = root;
  }

  save() {
    const state = Object.fromEntries(SAVED.map((name) => [name, this[name]]));
    this.kept.push({ ...state, matrix: DOMMatrix.fromMatrix(this.matrix) });
  }

  restore() {
    Object.assign(this, this.kept.pop());
  }

  /** @param {number} x @param {number} y */
  translate(x, y) {
    this.matrix.translateSelf(x, y);
  }

  /** @param {number} angle */
  rotate(angle) {
    this.matrix.rotateSelf((angle * 180) / Math.PI);
  }

  // ---- paths ----

  beginPath() {
    this.path = "";
  }

  /** @param {number} x @param {number} y */
  moveTo(x, y) {
    this.path += `M${short(x)} ${short(y)}`;
  }

  /** @param {number} x @param {number} y */
  lineTo(x, y) {
    this.path += `${this.path ? "L" : "M"}${short(x)} ${short(y)}`;
  }

  /** @param {number[]} points  two that the curve bends towards, and its end */
  bezierCurveTo(...points) {
    this.path += `C${points.map(short).join(" ")}`;
  }

  /** @param {number} x @param {number} y @param {number} w @param {number} h */
  rect(x, y, w, h) {
    this.path += `M${short(x)} ${short(y)}h${short(w)}v${short(h)}h${short(-w)}z`;
  }

  /** @param {number} x @param {number} y @param {number} w @param {number} h @param {number | number[]} radii */
  roundRect(x, y, w, h, radii) {
    const [a, b, c, d] = Array.isArray(radii) ? radii : [radii, radii, radii, radii];
    const corner = (/** @type {number} */ r, /** @type {number} */ dx, /** @type {number} */ dy) =>
      r ? `a${short(r)} ${short(r)} 0 0 1 ${short(r * dx)} ${short(r * dy)}` : "";
    this.path +=
      `M${short(x + a)} ${short(y)}h${short(w - a - b)}${corner(b, 1, 1)}v${short(h - b - c)}${corner(c, -1, 1)}` +
      `h${short(c + d - w)}${corner(d, -1, -1)}v${short(d + a - h)}${corner(a, 1, -1)}z`;
  }

  /** A whole circle: the panels draw no other arc. @param {number} x @param {number} y @param {number} r */
  arc(x, y, r) {
    const half = `a${short(r)} ${short(r)} 0 1 1`;
    this.path += `M${short(x - r)} ${short(y)}${half} ${short(2 * r)} 0${half} ${short(-2 * r)} 0z`;
  }

  clip() {
    const id = `clip${++this.clips}`;
    const made = svg("clipPath", { id });
    this.place(made.appendChild(svg("path", { d: this.path })));
    if (this.clipped) made.setAttribute("clip-path", this.clipped);
    this.root.append(made);
    this.clipped = `url(#${id})`;
  }

  fill() {
    this.add(svg("path", { d: this.path, fill: this.fillStyle }));
  }

  stroke() {
    this.add(svg("path", { d: this.path, fill: "none" }), true);
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  fillRect(x, y, width, height) {
    const [left, top, wide, high] = [x, y, width, height].map(short);
    this.add(svg("rect", { x: left, y: top, width: wide, height: high, fill: this.fillStyle }));
  }

  /** @param {number[]} dashes */
  setLineDash(dashes) {
    this.dashes = dashes;
  }

  // ---- text and images ----

  /** @param {string} text */
  measureText(text) {
    this.ruler.font = this.font;
    this.ruler.textBaseline = /** @type {CanvasTextBaseline} */ (this.textBaseline);
    return this.ruler.measureText(text);
  }

  /** @param {string} text @param {number} x @param {number} y */
  fillText(text, x, y) {
    const [, italic, weight, size] = this.font.match(/^(italic )?(\d+) ([\d.]+)px/) ?? ["", "", "400", "12"];
    const made = svg("text", {
      x: short(x),
      y: short(y - this.measureText(text).alphabeticBaseline),
      fill: this.fillStyle,
      "font-size": size,
      "font-weight": weight,
      "text-anchor": ANCHORS[this.textAlign] ?? "start",
    });
    if (italic) made.setAttribute("font-style", "italic");
    made.textContent = drawable(text);
    this.add(made);
  }

  /** @param {CanvasImageSource & { width: number, height: number }} image
   * @param {number} x @param {number} y @param {number} width @param {number} height */
  drawImage(image, x, y, width, height) {
    const copy = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    copy.getContext("2d")?.drawImage(image, 0, 0);
    const made = svg("image", { x, y, width, height, preserveAspectRatio: "none", href: copy.toDataURL() });
    if (!this.imageSmoothingEnabled) made.setAttribute("style", "image-rendering: pixelated");
    this.add(made);
  }

  // ---- elements ----

  /** @param {SVGElement} made @param {boolean} [stroked] */
  add(made, stroked = false) {
    if (stroked) {
      made.setAttribute("stroke", this.strokeStyle);
      made.setAttribute("stroke-width", short(this.lineWidth));
      made.setAttribute("stroke-linejoin", this.lineJoin);
      if (this.dashes.length) made.setAttribute("stroke-dasharray", this.dashes.join(" "));
    }
    if (this.globalAlpha < 1) made.setAttribute("opacity", String(this.globalAlpha));
    this.place(made);
    if (!this.clipped) return void this.root.append(made);
    const last = this.root.lastElementChild;
    const group =
      last?.tagName === "g" && last.getAttribute("clip-path") === this.clipped
        ? last
        : this.root.appendChild(svg("g", { "clip-path": this.clipped }));
    group.append(made);
  }

  /** @param {SVGElement} made */
  place(made) {
    const { a, b, c, d, e, f } = this.matrix;
    const moved = [a, b, c, d].map((one) => +one.toFixed(6)).concat([e, f].map((one) => +one.toFixed(2)));
    if (String(moved) !== "1,0,0,1,0,0") made.setAttribute("transform", `matrix(${moved})`);
  }
}
