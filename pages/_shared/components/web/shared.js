// What our components have in common: how they begin and end, what they look like, what they tell each other.

/** @import { Component, Hover, Modes, Theme } from "./types" */

/** @typedef {{ destroy(): void }} Shown */
/** @template Data @typedef {Shown & { update(given: Component<Data>): void }} Kind */

/**
 * The styles beside a module, under its name; the picture is never drawn without them.
 *
 * @param {string} module
 */
export async function styles(module) {
  const answer = await fetch(module.replace(/\.js$/, ".css"));
  if (!answer.ok) throw Error(`${answer.url}: ${answer.status}`);
  return new CSSStyleSheet().replace(await answer.text());
}

const LOOK_MS = 100;

/**
 * What Streamlit calls with every description: one `Made` for each place on the page, for as long as it is there.
 *
 * @template Data
 * @param {new (given: Component<Data>) => Kind<Data>} Made
 * @param {string} module  its import.meta.url
 */
export async function component(Made, module) {
  const sheet = await styles(module);
  /** @type {WeakMap<ShadowRoot, { made: Kind<Data>, run: number }>} */
  const places = new WeakMap();
  return (/** @type {Component<Data>} */ given) => {
    const root = given.parentElement;
    root.adoptedStyleSheets = [sheet];
    const place = places.get(root) ?? { made: new Made(given), run: 0 };
    places.set(root, place);
    place.made.update(given);
    const run = ++place.run;
    // Of two runs the first is cleaned up while the second stands, or before it comes: on a slow phone long before. So
    // what is to end is seen by its place, which leaves the page with it.
    const leave = () => {
      if (place.run !== run) return;
      if (root.host.isConnected) return void setTimeout(leave, LOOK_MS);
      places.delete(root);
      place.made.destroy();
    };
    return leave;
  };
}

/**
 * An element with properties (attributes where it has no such property) and children.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} [props]
 * @param {(Node | string)[]} children
 */
export function element(tag, props = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name in made) Object.assign(made, { [name]: value });
    else made.setAttribute(name, String(value));
  }
  made.append(...children);
  return made;
}

/**
 * navigator.clipboard is there only over https and on localhost; a classroom's network is often plain http.
 *
 * @param {string} text
 */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element("textarea", { value: text });
    area.style.cssText = "position: fixed; opacity: 0";
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}

/** @param {number} value @param {number} low @param {number} high */
export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

/** @param {ArrayLike<unknown>} a @param {ArrayLike<unknown>} b */
export const same = (a, b) => a.length === b.length && Array.prototype.every.call(a, (value, at) => value === b[at]);

export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Whether no modifier makes a key or a click the browser's. @param {KeyboardEvent | MouseEvent} event */
export const plain = (event) => !event.ctrlKey && !event.metaKey && !event.altKey;

/** A key that the component has used means nothing to the page. @param {Event} event */
export function keep(event) {
  event.preventDefault();
  event.stopPropagation();
}

// ---- colours ----

/** @param {string} css  #rrggbb or rgb(…) */
export function rgb(css) {
  const parts = css.startsWith("#")
    ? (css.match(/[\da-f]{2}/gi) ?? []).map((two) => parseInt(two, 16))
    : (css.match(/[\d.]+/g) ?? []).map(Number);
  return parts.slice(0, 3);
}

/** @param {number[]} colour */
export function luminance(colour) {
  const [r, g, b] = colour.map((c) => ((c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/**
 * The colours of the page's mode, in which `root` is dressed too.
 *
 * @param {HTMLElement} root
 * @param {Modes} modes
 * @returns {Theme}
 */
export function dress(root, modes) {
  const style = getComputedStyle(root);
  const [paper, ink, primary] = ["background", "text", "primary"].map((name) =>
    style.getPropertyValue(`--st-${name}-color`).trim(),
  );
  const colours = modes[luminance(rgb(paper)) > 0.35 ? "light" : "dark"];
  for (const [name, colour] of Object.entries({ ...colours.roles, muted: colours.muted, hidden: colours.hidden })) {
    root.style.setProperty(`--${name}`, colour);
  }
  return { ...colours, paper, ink, primary };
}

// ---- what is pointed at, in whichever component ----

const HOVER = "attention:hover";

/** @param {Hover} detail */
export const tell = (detail) => document.dispatchEvent(new CustomEvent(HOVER, { detail }));

/** @param {(told: Partial<Hover>) => void} hear @param {AbortSignal} signal */
export function listen(hear, signal) {
  document.addEventListener(HOVER, (event) => hear(/** @type {CustomEvent} */ (event).detail ?? {}), { signal });
}
