// A button that saves a picture as pixels: the server sends it as SVG once it is pressed, and the browser draws that.

import { component } from "../base/component.js";
import { element } from "../base/dom.js";
import { _ } from "../base/language.js";

/** @import { Component, PngData } from "../base/types" */

const DENSITY = 2; // pixels of the file for one of the picture
const TOLD_MS = 4000;

/** @param {string} svg @returns {Promise<Blob | null>} */
async function drawn(svg) {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    await image.decode();
    const [width, height] = [image.naturalWidth, image.naturalHeight].map((side) => DENSITY * side);
    const canvas = element("canvas", { width, height });
    canvas.getContext("2d")?.drawImage(image, 0, 0, width, height);
    return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  } catch {
    return null;
  } finally {
    URL.revokeObjectURL(image.src);
  }
}

class Png {
  button = element("button", { type: "button" });
  pressed = 0;

  /** @param {Component<PngData>} given */
  constructor({ parentElement }) {
    parentElement.append(this.button);
  }

  /** @param {Component<PngData>} given */
  update({ data, setTriggerValue }) {
    const { button } = this;
    button.textContent = data.label;
    button.onclick = () => {
      this.pressed = Date.now();
      setTriggerValue("pressed", this.pressed);
    };
    if (!data.svg || data.pressed !== this.pressed) return; // another one's, or one that was saved already
    this.pressed = 0;
    this.save(data);
  }

  /** @param {PngData} data */
  async save({ label, svg, filename }) {
    const { button } = this;
    const made = await drawn(svg);
    if (!made) {
      button.textContent = _("This browser cannot draw it: take the SVG");
      setTimeout(() => (button.textContent = label), TOLD_MS);
      return;
    }
    const link = element("a", { href: URL.createObjectURL(made), download: `${filename}.png` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  destroy() {
    this.button.remove();
  }
}

export default await component(Png, new URL("button.js", import.meta.url).href);
