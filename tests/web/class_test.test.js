// Answers of a class's test on a phone: handed in until they have arrived, kept over a reload; its teacher's counts.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { document, storage } from "./stubs.js";
import { TestAnswers } from "#web/live_class/test_answers.js";
import { TestCount } from "#web/live_class/test_count.js";

const PERSON = "a".repeat(16);
const NOTHING = { here: true, of: 2, person: "", answers: {}, arrived: {}, asked: 0 };
const rest = () => new Promise((done) => setImmediate(done)); // what was awaited has come
const ok = (counted) => ({ counted, error: "", status: 200 });

beforeEach((given) => {
  given.mock?.timers?.reset();
  storage();
  assert.ok(document);
});

/** A phone, what it has said to the session, and what it has handed in, answered one after the other. */
function phone(test, ...said) {
  const panel = { data: { test: { ...NOTHING, ...test } }, say: mock.fn() };
  const sent = [];
  const client = {
    key: "BCDFG",
    handIn: async (time, person, letters) => (sent.push([time, person, { ...letters }]), said.shift() ?? ok(9)),
  };
  const answers = new TestAnswers(panel, client);
  return {
    answers,
    panel,
    sent,
    told: () => panel.say.mock.calls.map((call) => call.arguments[0]),
    set(more) {
      panel.data = { test: { ...panel.data.test, ...more } };
      answers.update();
    },
  };
}

test("nothing is handed in before a word is chosen, and then all that there is, once", async () => {
  const one = phone({}, ok(1), ok(2));
  one.answers.update();
  assert.deepEqual([one.sent, one.told()], [[], []]);
  one.set({ person: PERSON, answers: { before: { sink: "A" } } });
  await rest();
  one.set({});
  one.set({});
  await rest();
  assert.deepEqual(one.sent, [["before", PERSON, { sink: "A" }]]);
  assert.equal(one.answers.root.textContent, "1 of 2 answers have arrived.");
  one.set({ answers: { before: { sink: "A", rank: "C" } } });
  await rest();
  assert.deepEqual(one.sent.at(-1), ["before", PERSON, { sink: "A", rank: "C" }]);
  assert.deepEqual(one.told(), [{ do: "arrived", time: "before", count: 2 }], "once it is all");
  one.answers.leave();
});

test("what comes while something is on its way is handed in after it", async () => {
  const one = phone({ person: PERSON, answers: { before: { sink: "A" } } });
  one.answers.update();
  one.set({ answers: { before: { sink: "A", rank: "C" } } });
  assert.equal(one.sent.length, 1, "one message at a time");
  await rest();
  await rest();
  assert.deepEqual(one.sent.at(-1)[2], { sink: "A", rank: "C" });
  one.answers.leave();
});

test("a network that is lost is told, and the same is handed in again, less and less often", async (given) => {
  given.mock.timers.enable({ apis: ["setTimeout"] });
  const lost = { counted: 0, error: "The class cannot be reached. Try again.", status: 0 };
  const one = phone({ person: PERSON, answers: { before: { sink: "A" } } }, lost, { ...lost, status: 429 }, ok(1));
  one.answers.update();
  await rest();
  assert.match(
    one.answers.root.textContent,
    /^The class cannot be reached.*Your answers are kept here and sent again.$/,
  );
  for (const [ms, count] of [
    [1999, 1],
    [1, 2],
    [3999, 2],
    [1, 3],
  ]) {
    given.mock.timers.tick(ms);
    await rest();
    assert.equal(one.sent.length, count);
  }
  assert.deepEqual(one.sent[2], one.sent[0]);
  assert.equal(one.answers.root.textContent, "1 of 2 answers have arrived.");
  one.answers.leave();
});

test("what is refused for good is not sent again by itself", async (given) => {
  given.mock.timers.enable({ apis: ["setTimeout"] });
  const over = { counted: 0, error: "This class has ended; nothing of it is left on the server.", status: 410 };
  const one = phone({ person: PERSON, answers: { before: { sink: "A" } } }, over);
  one.answers.update();
  await rest();
  given.mock.timers.tick(100_000);
  await rest();
  assert.equal(one.sent.length, 1);
  assert.match(one.answers.root.textContent, /^This class has ended.*Your answers did not arrive.$/);
  one.answers.leave();
  assert.equal(one.answers.root.textContent, "");
});

test("another phone's earlier answers under this word are told", async () => {
  const one = phone({ person: PERSON, answers: { before: { sink: "A", rank: "C" } } }, ok(1));
  one.answers.update();
  await rest();
  assert.match(one.answers.root.textContent, /^2 of 2 answers have arrived. With this word 1 /);
  one.answers.leave();
});

test("a page that is loaded again gives the session what the tab has kept, and the word is not in it", async (given) => {
  given.mock.timers.enable({ apis: ["setTimeout"] });
  const first = phone({ person: PERSON, answers: { before: { sink: "A" } } });
  first.answers.update();
  first.answers.leave();
  const again = phone({});
  again.answers.update();
  again.answers.update();
  const kept = { do: "tested", person: PERSON, answers: { before: { sink: "A" } } };
  assert.deepEqual(again.told(), [kept]);
  given.mock.timers.tick(7500);
  assert.deepEqual(again.told(), [kept, kept], "a lost word is said again");
  again.set({ person: PERSON, answers: { before: { sink: "A" } } });
  await rest();
  assert.equal(again.sent.length, 1);
  again.answers.leave();
});

test("that all has arrived is said until the session knows", async (given) => {
  given.mock.timers.enable({ apis: ["setTimeout"] });
  const one = phone({ person: PERSON, answers: { before: { sink: "A", rank: "C" } } }, ok(2));
  one.answers.update();
  await rest();
  assert.equal(one.told().length, 1);
  given.mock.timers.tick(7500);
  assert.equal(one.told().length, 2);
  one.set({ arrived: { before: 2 } });
  given.mock.timers.tick(7500);
  given.mock.timers.tick(7500);
  assert.equal(one.told().length, 2);
  one.answers.leave();
});

test("a teacher sees how many began and are done, at the test's page alone", () => {
  const teacher = { data: { test: { ...NOTHING, of: 10 } } };
  const count = new TestCount(teacher);
  count.draw({ tests: {} });
  assert.equal(count.root.textContent, "Test: nobody yet");
  count.draw({
    tests: {
      before: [
        [1, 2],
        [9, 1],
        [10, 28],
      ],
      after: [[3, 4]],
    },
  });
  assert.equal(count.root.textContent, "Test before: 28 of 31 done · Test after: 0 of 4 done");
  assert.equal(count.root.hidden, false);
  teacher.data.test.here = false;
  count.draw({ tests: {} });
  assert.equal(count.root.hidden, true);
});

test("the page is given the class's answers once for each time that it asks", async () => {
  const said = [];
  const fetched = [
    { csv: "person,time", error: "" },
    { csv: "", error: "This class has ended." },
  ];
  const teacher = {
    data: { test: NOTHING },
    client: { testAnswers: async () => fetched.shift() },
    panel: { say: (one) => said.push(one) },
  };
  const count = new TestCount(teacher);
  await count.update();
  assert.deepEqual(said, []);
  for (const asked of [1, 1, 2]) {
    teacher.data = { test: { ...NOTHING, asked } };
    await count.update();
  }
  assert.deepEqual(said, [
    { do: "answers", table: "person,time", error: "" },
    { do: "answers", table: "", error: "This class has ended." },
  ]);
});
