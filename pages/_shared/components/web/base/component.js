// How our components begin and end.

import { speak } from "./language.js";

/** @import { Component } from "./types" */

/** @typedef {{ destroy(): void }} Shown */
/** @template Data @typedef {Shown & { update?(given: Component<Data>): void }} Kind */

/** The styles beside a module, under its name. @param {string} module */
async function styles(module) {
  const answer = await fetch(module.replace(/\.js$/, ".css"));
  if (!answer.ok) throw Error(`${answer.url}: ${answer.status}`);
  return new CSSStyleSheet().replace(await answer.text());
}

/** What draws nothing, and listens for as long as it is on the page. */
export class Listener {
  gone = new AbortController();

  destroy() {
    this.gone.abort();
  }
}

const LOOK_MS = 100;

/**
 * What Streamlit calls with every description: one `Made` for each mount on the page, for as long as it is there.
 *
 * @template Data
 * @param {new (given: Component<Data>) => Kind<Data>} Made
 * @param {string[]} modules  the import.meta.url of each that has styles: it is never drawn without them
 */
export async function component(Made, ...modules) {
  const sheets = await Promise.all(modules.map(styles));
  const mounted = /** @type {WeakMap<ShadowRoot, { made: Kind<Data>, language: string, run: number }>} */ (
    new WeakMap()
  );
  return (/** @type {Component<Data & { language: string }>} */ given) => {
    const root = given.parentElement;
    const { language } = given.data;
    speak(language);
    // Set again to what they are, both would have the browser look at every style of the page anew.
    if (document.documentElement.lang !== language) document.documentElement.lang = language;
    if (!mounted.has(root)) root.adoptedStyleSheets = sheets;
    const mount = mounted.get(root) ?? { made: new Made(given), language, run: 0 };
    if (mount.language !== language) {
      mount.made.destroy(); // it holds words of the other language
      Object.assign(mount, { made: new Made(given), language });
    }
    mounted.set(root, mount);
    mount.made.update?.(given);
    const run = ++mount.run;
    // Of two runs the first is cleaned up while the second stands, or before it comes: on a slow phone long before. So
    // what is to end is seen by its mount, which leaves the page with it.
    const leave = () => {
      if (mount.run !== run) return;
      if (root.host.isConnected) return void setTimeout(leave, LOOK_MS);
      mounted.delete(root);
      mount.made.destroy();
    };
    return leave;
  };
}
