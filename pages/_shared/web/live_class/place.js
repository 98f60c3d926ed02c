// Where somebody is: a page, and its settings as the address holds them.

/** @import { Place } from "../types" */

/** What of an address is no setting of a picture: the class, the open tab, whether this is a presenter's view. */
const OWN = /^(class|present|.*_tab)$/;

/** @param {string} page @returns {Place} */
export function placeOf(page) {
  const settings = [...new URLSearchParams(location.search)].filter(([name]) => !OWN.test(name)).sort();
  return { page, settings: new URLSearchParams(settings).toString() };
}

/** @param {Place | null} one @param {Place | null} other */
export const isSame = (one, other) => one?.page === other?.page && one?.settings === other?.settings;
