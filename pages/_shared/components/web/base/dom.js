// Elements, events and small numbers.

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

// An SVG element with attributes and children.
/** @param {string} name @param {Record<string, string | number>} [attributes] @param {(Node | string)[]} children */
export function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

// navigator.clipboard is there only over https and on localhost; a classroom's network is often plain http.
/** @param {string} text */
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

export const MOVE_MS = 700; // for what stays the same and goes elsewhere
export const FOLLOW_MS = 160; // for what gives way to a hand

export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Whether no modifier makes a key or a click the browser's. @param {KeyboardEvent | MouseEvent} event */
export const plain = (event) => !event.ctrlKey && !event.metaKey && !event.altKey;

/** A key that the component has used means nothing to the page. @param {Event} event */
export function keep(event) {
  event.preventDefault();
  event.stopPropagation();
}

/** Hand a file to the browser. @param {string} text @param {string} type @param {string} download Its name. */
export function saveFile(text, type, download) {
  const href = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href, download }).click();
  URL.revokeObjectURL(href);
}
