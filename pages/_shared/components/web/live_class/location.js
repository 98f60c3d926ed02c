// Where somebody is: a page, and its settings as the address holds them.

/** @import { Place } from "../base/types" */

/** What of an address is no setting of a picture: class, open tab, presenter's view, a language that was chosen. */
const OWN = /^(class|present|lang|.*_tab)$/;

/** A course, all of which an address may hold, and where one is in it. */
const COURSE = /^(course|step)$/;

/**
 * @param {string} page
 * @param {number} [longest] Characters; to have settings that are not longer, the course is left out.
 * @returns {Place}
 */
export function placeOf(page, longest = Infinity) {
  const all = [...new URLSearchParams(location.search)].filter(([name]) => !OWN.test(name)).sort();
  const settings = new URLSearchParams(all).toString();
  if (settings.length <= longest) return { page, settings };
  const bare = all.filter(([name]) => !COURSE.test(name));
  return { page, settings: new URLSearchParams(bare).toString() };
}

/** @param {Place | null} one @param {Place | null} other */
export const isSame = (one, other) => one?.page === other?.page && one?.settings === other?.settings;
