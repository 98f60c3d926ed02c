// Words in the visitor's language. A text is written in English where it is used, and words_zh.js translates it, which
// `python -m tools.languages` writes from what stands in `_("…")` in these modules.

import zh from "./words_zh.js";

const WORDS = /** @type {Record<string, Record<string, string>>} */ ({ zh });

/** The language that all is worded in. */
export let language = "en";

/** Words all that is drawn from now on in a language. @param {string} next */
export function speak(next) {
  language = next;
}

/**
 * A text in the visitor's language; one that is not translated stays English.
 *
 * @param {string} text  in English, with a place `{name}` for each value
 * @param {Record<string, string | number>} [values]  what stands in its places
 */
export const _ = (text, values = {}) =>
  (WORDS[language]?.[text] ?? text).replace(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place));
