// What a sheet of paper has beside the picture: the question, the link, and the QR code of it.

import { component, element } from "./shared.js";

/** @import { Component, HandoutData } from "./types" */

const QUIET_MS = 300; // a link that changes at every move is asked for once

export class Handout {
  shown = "";
  later = 0;
  question = element("p", { className: "question" });
  answers = element("ul");
  link = element("a");
  code = element("img", { alt: "QR code of the link" });
  box = element(
    "div",
    { className: "handout" },
    element("div", {}, this.question, this.answers, this.link),
    this.code,
  );
  app = document.querySelector("[data-testid=stApp]");
  watch = new MutationObserver(() => this.follow());

  /** @param {Component<HandoutData>} given */
  constructor({ parentElement }) {
    parentElement.append(this.box);
    if (this.app) this.watch.observe(this.app, { attributeFilter: ["data-test-script-state"] });
  }

  /** @param {Component<HandoutData>} given */
  update({ data: { question, options } }) {
    this.question.textContent = question;
    this.answers.replaceChildren(...options.map((option) => element("li", {}, option)));
    this.follow();
  }

  follow() {
    if (location.href === this.shown) return;
    clearTimeout(this.later);
    this.later = setTimeout(() => {
      this.shown = this.link.href = this.link.textContent = location.href;
      this.code.src = String(new URL(`handout/qr.svg?link=${encodeURIComponent(location.href)}`, document.baseURI));
    }, QUIET_MS);
  }

  destroy() {
    clearTimeout(this.later);
    this.watch.disconnect();
    this.box.remove();
  }
}

export default await component(Handout, import.meta.url);
