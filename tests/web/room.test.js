// The client of a class beside a server that is not there: what it hears, asks and sends again, by a clock in our hands.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { document, storage } from "./stubs.js";
import { speak } from "#web/base/language.js";
import { RoomClient } from "#web/live_class/room.js";
import start from "#web/live_class/start.js";

let streams, asked, languages, tickets, answer;
globalThis.EventSource = class {
  static CLOSED = 2;
  readyState = 1;
  heard = {};
  constructor(url) {
    streams.push(Object.assign(this, { url }));
  }
  addEventListener(name, hear) {
    this.heard[name] = hear;
  }
  close() {
    this.readyState = 2;
  }
};
console.debug = () => {};
globalThis.fetch = async (url, init) => {
  languages.push(url.searchParams.get("language"));
  tickets.push(url.searchParams.get("ticket"));
  asked.push([init.method ?? "GET", url.pathname.split("/").at(-1), init.body && JSON.parse(init.body)]);
  return answer(asked.length);
};
const json = (body, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
const TICKET = "0123456789abcdef";
const state = (number, more = {}) => ({
  number,
  phase: "open",
  question: { name: "q" },
  round: 1,
  ticket: TICKET,
  ...more,
});
const rest = () => new Promise((done) => setImmediate(done)); // what was awaited has come

function join(more = {}) {
  const seen = { states: [], ends: [], refused: [] };
  const client = new RoomClient("abcde", {
    onState: ({ number }) => seen.states.push(number),
    onEnd: (why) => seen.ends.push(why),
    onRefused: (why) => seen.refused.push(why),
    ...more,
  });
  client.start();
  return { client, ...seen, stream: streams.at(-1) };
}
const say = (stream, one) => stream.onmessage({ data: JSON.stringify(one) });

beforeEach((given) => {
  given.mock?.timers?.reset();
  [streams, asked, languages, tickets, answer] = [[], [], [], [], () => json(state(1))];
  storage();
});

test("the newest state counts, whichever way it comes first", (given) => {
  given.mock.timers.enable({ apis: ["setTimeout"] });
  const { client, states, stream } = join();
  for (const number of [1, 3, 2, 3]) say(stream, state(number));
  assert.deepEqual(states, [1, 3, 3]);
  client.stop();
  say(stream, state(4));
  assert.equal(states.length, 3, "who has left hears nothing");
});

test("a stream that is cut is replaced by asking every three seconds, until it speaks again", async (given) => {
  given.mock.timers.enable({ apis: ["setTimeout"] });
  const { client, states, stream } = join();
  stream.onerror();
  given.mock.timers.tick(0);
  await rest();
  assert.deepEqual([asked.length, states], [1, [1]]);
  for (const [ms, count] of [
    [2999, 1],
    [1, 2],
    [3000, 3],
  ]) {
    given.mock.timers.tick(ms);
    await rest();
    assert.equal(asked.length, count);
  }
  stream.heard.beat();
  given.mock.timers.tick(20_000);
  await rest();
  assert.equal(asked.length, 3);
  client.stop();
});

test("a stream that says nothing is held for cut: five seconds at first, then twenty-five", async (given) => {
  given.mock.timers.enable({ apis: ["setTimeout"] });
  const { client, stream } = join();
  const after = async (ms) => {
    given.mock.timers.tick(ms);
    given.mock.timers.tick(0);
    await rest();
    return asked.length;
  };
  assert.equal(await after(4999), 0);
  say(stream, state(1));
  assert.equal(await after(24_999), 0);
  assert.equal(await after(1), 1);
  client.stop();
});

test("of ten answers one asks for the stream anew, and so does a phone that wakes up", async (given) => {
  given.mock.timers.enable({ apis: ["setTimeout"] });
  const { client, stream } = join();
  stream.onerror();
  for (let count = 0; count < 10; count++) {
    given.mock.timers.tick(count ? 3000 : 0);
    await rest();
  }
  assert.deepEqual([asked.length, streams.length, stream.readyState], [10, 2, 2]);
  document.dispatchEvent(new Event("visibilitychange"));
  assert.equal(streams.length, 3);
  client.stop();
  document.dispatchEvent(new Event("visibilitychange"));
  assert.equal(streams.length, 3);
});

test("a class that is gone ends; one that lets nobody in says so, and is asked when it says", async (given) => {
  given.mock.timers.enable({ apis: ["setTimeout"] });
  const { ends, refused, stream } = join();
  const full = new Response('{"error": "Full."}', {
    status: 503,
    headers: { "content-type": "application/json", "retry-after": "7" },
  });
  answer = (count) => (count === 1 ? full : json({ error: "Over." }, 410));
  stream.onerror();
  given.mock.timers.tick(0);
  await rest();
  assert.deepEqual([refused, ends], [["Full."], []]);
  for (const [ms, said] of [
    [6999, []],
    [1, ["Over."]],
  ]) {
    given.mock.timers.tick(ms);
    await rest();
    assert.deepEqual(ends, said);
  }
  given.mock.timers.tick(60_000);
  await rest();
  assert.equal(asked.length, 2);
});

test("a vote that a server did not take is sent four times, and only one that was taken is kept", async (given) => {
  given.mock.timers.enable({ apis: ["setTimeout"] });
  const { client, stream } = join();
  say(stream, state(1));
  answer = () => json({ error: "Busy." }, 503);
  const said = client.vote(2);
  for (let tries = 0; tries < 4; tries++) {
    await rest();
    given.mock.timers.tick(2000);
  }
  assert.deepEqual(await said, { status: 503, error: "Busy." });
  assert.equal(asked.length, 4);
  assert.deepEqual(asked[3], ["POST", "votes", { voter: client.voter, question: "q", round: 1, answer: 2 }]);
  assert.equal(client.mine, null);
  answer = () => json({ error: "Closed." }, 409);
  assert.deepEqual([await client.vote(1), asked.length, client.mine], [{ status: 409, error: "Closed." }, 5, null]);
  answer = () => json({ answer: 0 });
  await client.vote(0);
  assert.equal(client.mine, 0);
  answer = () => json({ answer: [0, 2] });
  await client.vote([2, 0]);
  assert.deepEqual(client.mine, [0, 2], "as it counts");
  say(stream, state(2, { round: 2 }));
  assert.equal(client.mine, null, "of this round");
  client.stop();
});

test("a step of the teacher's has one id however often it is sent, and another has another", async (given) => {
  given.mock.timers.enable({ apis: ["setTimeout"] });
  const client = new RoomClient("abcde", { teacher: "secret" });
  answer = (count) => (count < 3 ? Promise.reject(Error("lost")) : json({}));
  const said = client.teach({ do: "close" });
  for (let tries = 0; tries < 4; tries++) {
    await rest();
    given.mock.timers.tick(2000);
  }
  assert.deepEqual(await said, { error: "" });
  await client.teach({ do: "close" });
  const ids = asked.map(([, , message]) => message.id);
  assert.equal(ids.length, 4);
  assert.equal(new Set(ids.slice(0, 3)).size, 1);
  assert.notEqual(ids[3], ids[0]);
  for (const id of ids) assert.match(id, /^[0-9a-f]{32}$/);
  await RoomClient.open("open-00000001");
  assert.deepEqual(asked.at(-1), ["POST", "rooms", { id: "open-00000001" }]);
});

test("a class is opened by one command until that is answered, and the app is told its way in", async (given) => {
  given.mock.timers.enable({ apis: ["setTimeout"] });
  globalThis.location = { href: "http://127.0.0.1/", pathname: "/", search: "", hash: "" };
  globalThis.window = {};
  const roots = [];
  const told = [];
  const parentElement = {
    append: (root) => roots.push(Object.assign(root, { remove() {} })),
    host: { isConnected: false },
  };
  const setTriggerValue = (...one) => told.push(one);
  const leave = start({ parentElement, setTriggerValue, data: { label: "Start a class", language: "en" } });
  const press = async () => {
    const pressed = roots[0].children[1].onclick();
    for (let tries = 0; tries < 4; tries++) {
      await rest();
      given.mock.timers.tick(2000);
    }
    await pressed;
  };
  answer = () => Promise.reject(Error("lost"));
  await press();
  answer = () => json({ key: "BCDFG", teacher: "secret", ticket: TICKET }, 201);
  await press();
  await press();
  const ids = asked.map(([, , message]) => message.id);
  assert.deepEqual([ids.length, new Set(ids.slice(0, 5)).size, new Set(ids).size], [6, 1, 2]);
  assert.deepEqual(told[0], ["opened", `BCDFG-${TICKET}`]);
  leave();
});

test("who has a ticket shows it, and who has none learns it from the class and keeps it for this tab", async () => {
  const { client, stream } = join();
  say(stream, state(1));
  await client.vote(1);
  client.stop();
  const again = join();
  again.client.stop();
  const other = join({ ticket: "fedcba9876543210", teacher: "secret" });
  await other.client.teach({ do: "close" });
  await other.client.results();
  other.client.stop();
  assert.deepEqual(
    streams.map(({ url }) => url.searchParams.get("ticket")),
    [null, TICKET, "fedcba9876543210"],
  );
  assert.deepEqual(tickets, [TICKET, "fedcba9876543210", "fedcba9876543210"]);
});

test("a tab is one voter, after a reload too; the teacher is none", () => {
  const [one, two, teacher] = [join(), join(), join({ teacher: "secret" })];
  assert.equal(one.client.voter, two.client.voter);
  assert.match(one.client.voter, /^[0-9a-f]{32}$/);
  assert.deepEqual(
    streams.map(({ url }) => url.searchParams.has("voter")),
    [true, true, false],
  );
  storage();
  const other = join();
  assert.notEqual(other.client.voter, one.client.voter);
  for (const { client } of [one, two, teacher, other]) client.stop();
});

test("every request names the language that is spoken, and what is lost is said in it", async () => {
  const lost = async () => {
    answer = () => Promise.reject(Error("nobody"));
    return (await new RoomClient("abcde", {}).results()).error;
  };
  const english = await lost();
  speak("zh");
  assert.notEqual(await lost(), english);
  answer = () => json(state(1));
  await RoomClient.open("open-00000001");
  const { client, stream } = join({ teacher: "secret" });
  say(stream, state(1));
  await client.vote(1);
  await client.teach({ do: "close" });
  client.stop();
  speak("en");
  assert.deepEqual(languages, ["en", "zh", "zh", "zh", "zh"]);
  assert.equal(streams[0].url.searchParams.get("language"), "zh");
});

test("answers of a test are handed in under the voter's name, again where no server answers, and told as they count", async (given) => {
  given.mock.timers.enable({ apis: ["setTimeout"] });
  const { client } = join();
  client.stop();
  [asked, answer] = [[], (count) => (count === 1 ? json({}, 503) : json({ counted: 1 }))];
  const said = client.handIn("before", "a".repeat(16), { sink: "A" });
  await rest();
  await rest();
  given.mock.timers.tick(500);
  assert.deepEqual(await said, { counted: 1, status: 200, error: "" });
  const message = { voter: client.voter, time: "before", person: "a".repeat(16), answers: { sink: "A" } };
  assert.deepEqual(asked, [
    ["POST", "test", message],
    ["POST", "test", message],
  ]);
  answer = () => json({ error: "Only the teacher." }, 403);
  assert.deepEqual(await client.testAnswers(), { csv: "", error: "Only the teacher." });
});
