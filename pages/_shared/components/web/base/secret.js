// The teacher's secret: in the fragment of the teacher's own link, which no browser sends, in the tab, and in the browser
// for as long as the class may last: so a tab that was closed loses no class.

import { keep, kept, remember, remembered } from "./tab.js";

const SECRET = /teacher\W*=\s*([\w-]{1,32})/i;

/** @param {string} key */
const name = (key) => `room_teacher/${key}`;

/** What a link's fragment was, before programs on its way have encoded it. @param {string} hash */
function decoded(hash) {
  for (let depth = 0; depth < 4; depth++) {
    try {
      hash = decodeURIComponent(hash);
    } catch {
      break; // a percent sign of its own
    }
  }
  return hash;
}

/** What teachers' links have led here since the page was loaded: of each what names its class, and its secret. */
const links = /** @type {[search: string, secret: string][]} */ ([]);

/** Take out of sight what a link's fragment holds of a secret, whatever becomes of its class: it may be on a wall. */
export function hideSecret() {
  // Where the app writes the address anew the fragment is lost; the step of the history before has it still.
  const { navigation } = /** @type {{ navigation?: { entries(): { url: string }[] } }} */ (window);
  for (const url of [...(navigation?.entries() ?? []).map((entry) => entry.url), location.href]) {
    const { search, hash } = new URL(url);
    const secret = SECRET.exec(decoded(hash))?.[1];
    if (secret) links.unshift([decoded(search).toUpperCase(), secret]);
  }
  if (/teacher/i.test(decoded(location.hash)))
    history.replaceState(history.state, "", location.pathname + location.search);
}

const RUNNING = "class_running";
const LIFE_MS = 12 * 3600 * 1000;

/** @typedef {{ key: string, secret: string, ticket: string, until: number }} Running */

/** @param {string} key @param {string} secret Empty once the class is over. */
export const keepSecret = (key, secret) => {
  keep(name(key), secret);
  if (!secret && running()?.key === key) remember(RUNNING, "");
};

/** The class that this browser has led last, if it may still be on. @returns {Running | null} */
export function running() {
  try {
    const { key, secret, ticket, until } = JSON.parse(remembered(RUNNING) ?? "");
    const isWhole = [key, secret, ticket].every((one) => typeof one === "string");
    return isWhole && until > Date.now() ? { key, secret, ticket, until } : null;
  } catch {
    return null; // nothing, or not ours
  }
}

/** Remember the class that this browser leads. @param {string} key @param {string} secret @param {string} ticket */
export function rememberClass(key, secret, ticket) {
  if (running()?.key === key) return;
  remember(RUNNING, JSON.stringify({ key, secret, ticket, until: Date.now() + LIFE_MS }));
}

/** The secret of this tab's class; empty for a student. @param {string} key @param {string} [sent] by the server */
export function secretOf(key, sent = "") {
  hideSecret();
  const given = links.find(([search]) => search.includes(key))?.[1] ?? sent;
  if (given) keepSecret(key, given);
  return given || (kept(name(key)) ?? "");
}

/** The teacher's own link, for another of his devices. @param {string} key @param {string} secret @param {string} ticket */
export function ownLink(key, secret, ticket) {
  const link = new URL(location.href);
  link.search = new URLSearchParams({ class: `${key}-${ticket}` }).toString();
  link.hash = new URLSearchParams({ teacher: secret }).toString();
  return link.href;
}
