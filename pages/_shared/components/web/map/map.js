// The transformer as a list of links that is laid out as its drawing: what comes first in it stands at the bottom.

import { component } from "../base/component.js";
import { element, plain, svg } from "../base/dom.js";
import { _ } from "../base/language.js";
import { mathNodes } from "../base/mathematics.js";

/** @import { BoxData, Component, MapData } from "../base/types" */

const SIGNS = { unchecked: "○", partly: "◐", agrees: "●", surprises: "!" };
const FINGER = matchMedia("(pointer: coarse)").matches;
const how = () =>
  FINGER
    ? _(
        "Each box opens the page that measures it. ○ not checked yet, ● as theory says; the violet ones are attention.",
      )
    : _(
        "Point at a box: it says what is measured there. ○ not checked yet, ● as theory says; the violet ones are " +
          "attention.",
      );

class Transformer {
  nav = element("nav", { className: "map", ariaLabel: _("Map of the transformer") });
  says = element("p", { className: "says", ariaHidden: "true" });
  path = svg("path");
  memory = svg("svg", { class: "memory", "aria-hidden": "true" }, this.path);
  resized = new ResizeObserver(() => this.connect());
  shown = "";

  /** @param {Component<MapData>} given */
  constructor({ parentElement }) {
    this.resized.observe(this.nav);
    parentElement.append(this.nav, this.says);
  }

  /** @param {Component<MapData>} given */
  update({ data, setTriggerValue }) {
    const now = JSON.stringify(data);
    if (now === this.shown) return; // a run of the page must not take the focus away
    this.shown = now;
    this.say();
    this.nav.replaceChildren(
      this.memory,
      ...data.parts.map(({ title, boxes }, at) => {
        const name = ["encoder", "decoder", "inside"][at];
        const list = element("ol", {}, ...grouped(boxes).map((group) => this.group(group, setTriggerValue)));
        return element("section", { className: name, ariaLabel: title }, element("h3", {}, title), list);
      }),
    );
    this.connect();
  }

  /** From the top of the encoder over to the decoder's cross-attention. */
  connect() {
    const whole = this.nav.getBoundingClientRect();
    const from = this.nav.querySelector(".encoder > ol > li:last-child > a")?.getBoundingClientRect();
    const to = this.nav.querySelector(".cross")?.getBoundingClientRect();
    if (!from || !to) return;
    const [x, y] = [(from.left + from.right) / 2 - whole.left, from.top - whole.top];
    const end = (to.top + to.bottom) / 2 - whole.top;
    const between = (from.right + to.left) / 2 - whole.left - 5;
    this.path.setAttribute("d", `M${x} ${y}V${y - 9}H${between}V${end}H${to.left - whole.left}m-5 -4l5 4l-5 4`);
  }

  /** @param {BoxData[]} boxes @param {Component<MapData>["setTriggerValue"]} send */
  group(boxes, send) {
    const links = boxes.map((box) => this.link(box, send));
    if (!boxes[0].layer) return element("li", {}, ...links);
    const parts = element("ol", {}, ...links.map((link) => element("li", {}, link)));
    return element("li", { className: "layer" }, parts);
  }

  /** @param {BoxData} box @param {Component<MapData>["setTriggerValue"]} send */
  link(box, send) {
    const { page, says, told } = box;
    const said = element("span", { className: "unseen" }, _(". {page}: {says} {told}.", { page, says, told }));
    const sign = element("span", { className: "sign", ariaHidden: "true" }, SIGNS[box.state]);
    const link = element(
      "a",
      { href: box.href, className: `${box.kind} ${box.state}` },
      sign,
      ...mathNodes(box.label),
      said,
    );
    link.onclick = (event) => {
      if (!plain(event) || event.shiftKey) return; // a new tab or window
      event.preventDefault();
      send("go", box.number);
    };
    link.onpointerenter = link.onfocus = () => this.say(box);
    link.onpointerleave = link.onblur = () => this.say();
    return link;
  }

  /** @param {BoxData} [box] */
  say(box) {
    if (!box) return this.says.replaceChildren(how());
    const { page, says, told } = box;
    const measured = element("em", {}, _("{told}.", { told }));
    const sentence = _(" {says} ", { says });
    this.says.replaceChildren(element("strong", {}, page), ...mathNodes(sentence), measured);
  }

  destroy() {
    this.resized.disconnect();
    this.nav.remove();
    this.says.remove();
  }
}

/** Boxes of one sublayer together. @param {BoxData[]} boxes */
function grouped(boxes) {
  const groups = /** @type {BoxData[][]} */ ([]);
  for (const box of boxes) {
    const last = groups.at(-1);
    if (last && box.layer && last[0].layer === box.layer) last.push(box);
    else groups.push([box]);
  }
  return groups;
}

export default await component(Transformer, import.meta.url);
