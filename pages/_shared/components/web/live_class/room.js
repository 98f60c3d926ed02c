// @ts-check
/**
 * One room seen from a browser, without any drawing: the newest state, votes, the teacher's steps.
 *
 * States come pushed. Where the stream is cut (a proxy that holds it back, a replica that is gone, a phone that slept)
 * the client asks every three seconds until the stream speaks again; only the console's log says so. No clock of the
 * phone's is compared with the server's.
 *
 * @typedef {"one" | "several" | "number" | "words"} Kind
 * @typedef {number | number[] | string} Answer  a place, places, a number or a few words, by the kind of question
 * @typedef {{ name: string, kind: Kind, text: string, answers: string[], page: string, step?: number }} Question
 * @typedef {{
 *   number: number, phase: "waiting" | "open" | "closed" | "shown" | "revealed" | "dropped", question: Question | null,
 *   round: 0 | 1 | 2, voted: number, sums: number[], tallies: (number | [number | string, number])[][],
 *   measured: number | number[] | null, unmeasured: string | null, lost: number,
 *   follow: { page: string, settings: string } | null, called: number, course: Course | null, paused: boolean,
 *   here: number, tests: Record<string, [number, number][]>, ends_in: number, ticket: string
 * }} RoomState
 * @typedef {{ step: number, question: Question } & Pick<RoomState, "sums" | "tallies" | "measured">} Outcome What came of
 *   a question, and its step in the course, counted from 1; 0 outside of one.
 * @typedef {{ name: string, step: number, steps: number }} Course The course that lies in the room: what tells it from
 *   another, and the teacher's step, counted from 0; as many as there are at its end.
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

/** Says to other parts of the page that the answer of a question has come out. */
export const answers = new EventTarget();

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

  /** Whether a class is still on; null where nobody answers. @param {string} key @param {string} ticket */
  static async isOn(key, ticket) {
    const url = address(`class/rooms/${encodeURIComponent(key)}/events`, document.baseURI, ticket);
    const { status } = await ask(url, { Accept: "application/json" });
    return status === 200 ? true : status === 404 || status === 410 ? false : null;
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

  /** This voter's answer in the current round, as it counts; null if there is none. @returns {Answer | null} */
  get mine() {
    const { question, round } = this.state ?? {};
    return this.answerTo(question?.name, round);
  }

  /** This voter's answer to a question in a round, as this tab knows it; null if there is none.
   * @param {string} [name] @param {number} [round] @returns {Answer | null} */
  answerTo(name, round) {
    return JSON.parse(kept(this.#ballot(name, round)) ?? "null");
  }

  // Vote in the round that is open; the last vote counts.
  /** @param {Answer} answer @returns {Promise<{ status: number } & Said>} */
  async vote(answer) {
    const { question, round } = this.state ?? {};
    const ballot = this.#ballot(question?.name, round);
    const message = { voter: this.voter, question: question?.name, round, answer };
    const said = await send(this.#address("votes"), message);
    if (!said.error) keep(ballot, JSON.stringify(said.body.answer));
    return { status: said.status, error: said.error };
  }

  // Say that one is lost, or is not any more.
  /** @param {boolean} lost @returns {Promise<Said>} */
  async lose(lost) {
    const said = await send(this.#address("lost"), { voter: this.voter, lost });
    return { error: said.error };
  }

  // Hand in answers of a test, by the item; of each the first counts, and it is said how many of these do.
  /** @param {string} time @param {string} person @param {Record<string, string>} answers
   * @returns {Promise<{ counted: number, status: number } & Said>} */
  async handIn(time, person, answers) {
    const { body, status, error } = await send(this.#address("test"), { voter: this.voter, time, person, answers });
    return { counted: body.counted ?? 0, status, error };
  }

  // Take a step as the teacher, once, however often it has to be sent.
  /** @param {{ do: string } & Record<string, unknown>} message @returns {Promise<Said>} */
  async teach(message) {
    const said = await send(this.#address("teacher"), { ...message, id: newName() }, this.teacher);
    return { error: said.error };
  }

  /** The course that lies in the room, as a link holds it. @returns {Promise<{ name: string, course: string } & Said>} */
  async course() {
    const said = await ask(this.#named("course"), this.#authorization());
    return { name: "", course: "", ...said.body, error: said.error };
  }

  /** What was voted on the questions whose answer is out. @returns {Promise<{ votes: Outcome[] } & Said>} */
  async votes() {
    const said = await ask(this.#named("votes"), {});
    return { votes: said.body.votes ?? [], error: said.error };
  }

  /** Counts of all closed rounds, for the teacher to keep. @returns {Promise<{ csv: string } & Said>} */
  async results() {
    return this.#table("results.csv");
  }

  /** All answers of tests, for the teacher to look at. @returns {Promise<{ csv: string } & Said>} */
  async testAnswers() {
    return this.#table("test.csv");
  }

  /** @param {string} path */
  async #table(path) {
    const said = await ask(this.#address(path), this.#authorization());
    return { csv: said.error ? "" : said.text, error: said.error };
  }

  /** All words that answer the current question, for the teacher to choose from. @returns {Promise<{ words: [string, number][] } & Said>} */
  async words() {
    const said = await ask(this.#address("words"), { Authorization: `Bearer ${this.teacher}` });
    return { words: said.body.words ?? [], error: said.error };
  }

  /** What the second votes gained, drawn. @returns {Promise<{ svg: string } & Said>} */
  async gains() {
    const said = await ask(this.#address("gains.svg"), { Authorization: `Bearer ${this.teacher}` });
    return { svg: said.error ? "" : said.text, error: said.error };
  }

  /** @param {string} path */
  #address(path) {
    return address(path, this.room, this.ticket);
  }

  #authorization() {
    return /** @type {Record<string, string>} */ (this.teacher ? { Authorization: `Bearer ${this.teacher}` } : {});
  }

  /** Where this tab keeps something of the room. @param {string} what */
  #name(what) {
    return `room_${what}/${this.key}`;
  }

  /** @param {string} [name] @param {number} [round] */
  #ballot(name, round) {
    return `room_vote/${this.key}/${name}/${round}`;
  }

  /** The teacher looks on without a name and is not counted. */
  #events() {
    return this.#named("events");
  }

  /** @param {string} path */
  #named(path) {
    const url = this.#address(path);
    if (!this.teacher) url.searchParams.set("voter", this.voter);
    return url;
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
    const isOut = state.phase === "revealed" && this.state?.phase !== "revealed";
    this.state = state;
    if (isOut) answers.dispatchEvent(new Event("out"));
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
