// @ts-check
/**
 * One room seen from a browser, without any drawing: the newest state, votes, the teacher's steps.
 *
 * States come pushed. Where the stream is cut (a proxy that holds it back, a replica that is gone, a phone that slept)
 * the client asks every three seconds until the stream speaks again; only the console's log says so. No clock of the
 * phone's is compared with the server's.
 *
 * @typedef {{ name: string, text: string, answers: string[], page: string }} Question
 * @typedef {{
 *   number: number, phase: "waiting" | "open" | "closed" | "shown" | "revealed" | "dropped", question: Question | null,
 *   round: 0 | 1 | 2, voted: number, tallies: number[][], measured: number | null, unmeasured: string | null,
 *   follow: { page: string, settings: string } | null, called: number, paused: boolean, here: number, ends_in: number,
 *   ticket: string
 * }} RoomState
 * @typedef {{ error: string }} Said What came of a request: why it was refused, or an empty sentence.
 * @typedef {{
 *   onState: (state: RoomState) => void, onEnd: (sentence: string) => void, onRefused?: (sentence: string) => void,
 *   teacher?: string, ticket?: string, base?: string, times?: Partial<typeof TIMES>
 * }} Options
 */

import { _, language } from "../base/language.js";
import { keep, kept } from "../base/tab.js";

/** Milliseconds: for a stream's first word, for its next one (the server beats every 10 s), between two questions. */
const TIMES = { first: 5000, silence: 25000, ask: 3000 };
const STREAM_AGAIN_AFTER = 10;
const TRIES = 4;
const VOTER = "room_voter";
/** Keeps the byte-order mark of results, by which a spreadsheet knows their letters. */
const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** @param {number} ms @returns {Promise<void>} */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Where a request goes; what is refused is said in the visitor's language, and who has a ticket has not guessed the key.
 * @param {string} path
 * @param {string | URL} base
 * @param {string} [ticket]
 */
function address(path, base, ticket = "") {
  const url = new URL(path, base);
  url.searchParams.set("language", language);
  if (ticket) url.searchParams.set("ticket", ticket);
  return url;
}

/** A name of chance, of a voter or a command; `randomUUID` is missing over plain http. */
export const newName = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

export class RoomClient {
  // Open a room; asked for again under the same name, it is the same room.
  /**
   * @param {string} id
   * @param {string} [base] Where the app is.
   * @returns {Promise<{ key: string, teacher: string, ticket: string } & Said>}
   */
  static async open(id, base = document.baseURI) {
    const answer = await send(address("class/rooms", base), { id });
    return { key: "", teacher: "", ticket: "", ...answer.body, error: answer.error };
  }

  /**
   * @param {string} key The room's key.
   * @param {Options} options What to call with each new state, when the room is gone, and while it lets nobody in; the
   *   teacher's secret, the ticket.
   */
  constructor(key, options) {
    const {
      onState,
      onEnd,
      onRefused = () => {},
      teacher = "",
      ticket,
      base = document.baseURI,
      times = {},
    } = options;
    this.key = key.trim().toUpperCase();
    this.ticket = ticket || (kept(this.#name("ticket")) ?? "");
    this.onState = onState;
    this.onEnd = onEnd;
    this.onRefused = onRefused;
    this.teacher = teacher;
    this.times = { ...TIMES, ...times };
    this.room = new URL(`class/rooms/${encodeURIComponent(this.key)}/`, base);
    this.voter = kept(VOTER) ?? newName();
    keep(VOTER, this.voter);
    /** @type {RoomState | null} */
    this.state = null;
    /** @type {EventSource | null} */
    this.source = null;
    this.running = false;
    this.asked = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.silence = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.asking = undefined;
    this.awake = () => document.visibilityState === "visible" && this.listen();
  }

  /** Begin to listen. */
  start() {
    this.running = true;
    document.addEventListener("visibilitychange", this.awake);
    this.listen();
  }

  /** Listen no more. */
  stop() {
    this.running = false;
    document.removeEventListener("visibilitychange", this.awake);
    this.source?.close();
    clearTimeout(this.silence);
    clearTimeout(this.asking);
  }

  /** This voter's answer in the current round; null if there is none. */
  get mine() {
    const answer = kept(this.#ballot());
    return answer === null ? null : Number(answer);
  }

  // Vote in the round that is open; the last vote counts.
  /** @param {number} answer The answer's place. @returns {Promise<Said>} */
  async vote(answer) {
    const ballot = this.#ballot();
    const { question, round } = this.state ?? {};
    const message = { voter: this.voter, question: question?.name, round, answer };
    const said = await send(this.#address("votes"), message);
    if (!said.error) keep(ballot, String(answer));
    return { error: said.error };
  }

  // Take a step as the teacher, once, however often it has to be sent.
  /** @param {{ do: string } & Record<string, unknown>} message @returns {Promise<Said>} */
  async teach(message) {
    const said = await send(this.#address("teacher"), { ...message, id: newName() }, this.teacher);
    return { error: said.error };
  }

  /** Counts of all closed rounds, for the teacher to keep. @returns {Promise<{ csv: string } & Said>} */
  async results() {
    const said = await ask(this.#address("results.csv"), { Authorization: `Bearer ${this.teacher}` });
    return { csv: said.error ? "" : said.text, error: said.error };
  }

  /** @param {string} path */
  #address(path) {
    return address(path, this.room, this.ticket);
  }

  /** Where this tab keeps something of the room. @param {string} what */
  #name(what) {
    return `room_${what}/${this.key}`;
  }

  #ballot() {
    return `room_vote/${this.key}/${this.state?.question?.name}/${this.state?.round}`;
  }

  /** The teacher looks on without a name and is not counted. */
  #events() {
    const events = this.#address("events");
    if (!this.teacher) events.searchParams.set("voter", this.voter);
    return events;
  }

  listen() {
    if (!this.running) return;
    this.source?.close();
    this.source = new EventSource(this.#events());
    this.source.onmessage = ({ data }) => {
      this.#heard();
      this.#take(JSON.parse(data));
    };
    this.source.addEventListener("beat", () => this.#heard());
    this.source.addEventListener("end", ({ data }) => this.#finish(JSON.parse(data).error));
    this.source.onerror = () => this.#cut("broken");
    this.#expect(this.times.first);
  }

  /** @param {number} ms Time that the stream has to say something. */
  #expect(ms) {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.#cut("silent"), ms);
  }

  #heard() {
    clearTimeout(this.asking);
    this.asking = undefined;
    this.asked = 0;
    this.#expect(this.times.silence);
  }

  /** @param {string} how */
  #cut(how) {
    if (!this.running || this.asking !== undefined) return;
    console.debug(`The stream of class ${this.key} is ${how}; asking until it speaks again.`);
    this.asking = setTimeout(() => this.#ask(), 0);
  }

  async #ask() {
    const said = await ask(this.#events(), { Accept: "application/json" });
    if (!this.running || this.asking === undefined) return;
    if (said.status === 404 || said.status === 410) return this.#finish(said.error);
    if (!said.error) this.#take(said.body);
    else if (!this.state) this.onRefused(said.error);
    this.asked += 1;
    if (this.asked % STREAM_AGAIN_AFTER === 0 || this.source?.readyState === EventSource.CLOSED) this.listen();
    this.asking = setTimeout(() => this.#ask(), Math.max(this.times.ask, said.wait));
  }

  /** @param {RoomState} state */
  #take(state) {
    // An answer may be overtaken by an event.
    if (!this.running || (this.state && state.number < this.state.number)) return;
    this.state = state;
    if (state.ticket !== this.ticket) keep(this.#name("ticket"), (this.ticket = state.ticket));
    this.onState(state);
  }

  /** @param {string} sentence */
  #finish(sentence) {
    this.stop();
    this.onEnd(sentence);
  }
}

/**
 * One request.
 * @param {URL} url
 * @param {Record<string, string>} headers
 * @param {RequestInit} [init]
 * @returns {Promise<{ status: number, text: string, body: any, error: string, wait: number }>} With status 0 where no
 *   server answered; what it wants waited for, in milliseconds.
 */
async function ask(url, headers, init = {}) {
  const lost = _("The class cannot be reached. Try again.");
  try {
    const answer = await fetch(url, { ...init, headers, cache: "no-store" });
    const text = UTF8.decode(await answer.arrayBuffer());
    const isJson = answer.headers.get("content-type")?.startsWith("application/json");
    const body = isJson ? JSON.parse(text) : {};
    const wait = 1000 * Number(answer.headers.get("retry-after") ?? 0);
    return { status: answer.status, text, body, error: answer.ok ? "" : (body.error ?? lost), wait };
  } catch {
    return { status: 0, text: "", body: {}, error: lost, wait: 0 };
  }
}

// Post a message; what a server that is lost or busy did not take is sent again. A vote sent twice is one vote.
/** @param {URL} url @param {object} message @param {string} [teacher] */
async function send(url, message, teacher = "") {
  const headers = /** @type {Record<string, string>} */ ({ "Content-Type": "application/json" });
  if (teacher) headers.Authorization = `Bearer ${teacher}`;
  const init = { method: "POST", body: JSON.stringify(message) };
  let said = await ask(url, headers, init);
  for (let tries = 1; tries < TRIES && (said.status === 0 || said.status >= 500); tries++) {
    await pause(Math.max(500 * tries, said.wait));
    said = await ask(url, headers, init);
  }
  return said;
}
