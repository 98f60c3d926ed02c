// Where somebody is: a page, and its settings as the address holds them.

/** @import { Place } from "../base/types" */

/** What of an address is no setting of a picture: class, course, open tab, presenter's view, a language that was chosen. */
const OWN = /^(class|course|step|present|lang|.*_tab)$/;

/** @param {string} page @returns {Place} */
export function placeOf(page) {
  const settings = [...new URLSearchParams(location.search)].filter(([name]) => !OWN.test(name)).sort();
  return { page, settings: new URLSearchParams(settings).toString() };
}

/** @param {Place | null} one @param {Place | null} other */
export const isSame = (one, other) => one?.page === other?.page && one?.settings === other?.settings;
