// The teacher's secret: in the fragment of the teacher's own link, which no browser sends, and in the tab.

import { keep, kept } from "./room.js";

/** @param {string} key */
const name = (key) => `room_teacher/${key}`;

/** @param {string} key @param {string} secret Empty once the class is over. */
export const keepSecret = (key, secret) => keep(name(key), secret);

// The secret of this tab's class; empty for a student. What the address holds is taken out of sight: it may be on a
// wall.
/** @param {string} key */
export function secretOf(key) {
  const given = new URLSearchParams(location.hash.slice(1)).get("teacher");
  if (given) {
    keepSecret(key, given);
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  return given ?? kept(name(key)) ?? "";
}

/** The teacher's own link, for another of his devices. @param {string} key @param {string} secret */
export function ownLink(key, secret) {
  const link = new URL(location.href);
  link.search = new URLSearchParams({ class: key }).toString();
  link.hash = new URLSearchParams({ teacher: secret }).toString();
  return link.href;
}
