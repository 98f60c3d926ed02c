// The browser's side of a class, without a page: places, the way there, a teacher's own questions, what comes next.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { storage } from "./stubs.js";
import { QuestionSteps } from "#web/live_class/question_steps.js";
import { histogram } from "#web/live_class/histogram.js";
import { isSame, placeOf } from "#web/live_class/location.js";
import { Questions } from "#web/live_class/questions.js";
import { Follow } from "#web/live_class/follow.js";
import { Teacher } from "#web/live_class/teacher.js";
import { hideSecret, ownLink, secretOf } from "#web/base/secret.js";

const at = (search) => (globalThis.location = { search });
beforeEach(() => (storage(), at("?b=2&a=1")));

test("a place is a page and its settings, and not the class, the course, the tab, the view or the language", () => {
  at("?seed=5&class=ABCDE&course=order&step=2&scaling_tab=share&present=true&lang=zh&d=%3Cb%3E");
  assert.deepEqual(placeOf("scaling"), { page: "scaling", settings: "d=%3Cb%3E&seed=5" });
  assert.ok(isSame({ page: "a", settings: "x" }, { page: "a", settings: "x", more: 1 }));
  assert.ok(!isSame({ page: "a", settings: "x" }, null));
});

/** A tab at an address, and what came before it. */
function open(href, ...before) {
  const { pathname, search, hash } = new URL(href);
  globalThis.location = { href, pathname, search, hash };
  globalThis.window = { navigation: { entries: () => [...before, href].map((url) => ({ url })) } };
  globalThis.history = { state: null, replaceState: mock.fn((_state, _title, url) => open(new URL(url, href).href)) };
}
const HOST = "http://school.test/attention/";

test("a teacher's link is understood as it was meant, and nothing of its secret stays in sight", () => {
  for (const [at, link] of Object.entries([
    "?class=XBCDF#teacher=Sec-ret_1",
    "?class=XBCDF-0123456789abcdef#teacher=Sec-ret_1.",
    "?class=XBCDF#teacher%3DSec-ret_1)",
    "?class=XBCDF#Teacher=%20Sec-ret_1",
    "?class=XBCDF##teacher=Sec-ret_1&utm_source=x",
    "?class=XBCDF#teacher%253DSec-ret_1",
  ])) {
    storage();
    const key = `XBCD${"FGHJKM"[at]}`;
    open(HOST + link.replace("XBCDF", key));
    assert.equal(secretOf(key), "Sec-ret_1", link);
    assert.equal(location.hash, "");
    assert.equal(secretOf(key), "Sec-ret_1", "the tab keeps it");
    assert.equal(secretOf("ZZZZZ"), "", "of its own class alone");
  }
  open(`${HOST}?class=NBCDF`, `${HOST}?amp;class=nbcdf&utm_source=x#teacher=Other`);
  assert.equal(secretOf("NBCDF"), "Other", "the app has written the address anew");
  storage();
  open(`${HOST}?class=PBCDF`);
  assert.equal(secretOf("PBCDF", "sent"), "sent");
  assert.equal(secretOf("PBCDF"), "sent");
  assert.equal(secretOf("PBCDF", "sent anew"), "sent anew", "not what the tab has kept");
});

test("a secret goes out of sight where there is no class either, and other fragments stay", () => {
  for (const hash of ["#teacher=secret", "#teacher%3Dsecret", "#TEACHER=secret", "#teacher"]) {
    open(`${HOST}?seed=3${hash}`);
    hideSecret();
    assert.equal(location.href, `${HOST}?seed=3`);
  }
  open(`${HOST}?seed=3#why%`);
  hideSecret();
  assert.equal(location.href, `${HOST}?seed=3#why%`);
});

test("the teacher's own link lets in wherever it is opened", () => {
  open(`${HOST}scaling?seed=3`);
  assert.equal(
    ownLink("XBCDF", "secret", "0123456789abcdef"),
    `${HOST}scaling?class=XBCDF-0123456789abcdef#teacher=secret`,
  );
});

test("a student is taken to a place once for each call, and back to where they were", (given) => {
  given.mock.timers.enable({ apis: ["setTimeout"] });
  const said = [];
  const panel = { data: { page: "masks", followed: null, own: false }, say: (one) => said.push(one) };
  const way = new Follow(panel, "ABCDE");
  const there = { page: "scaling", settings: "s=1" };
  assert.equal(way.follow(there, 1), false);
  given.mock.timers.tick(4000);
  assert.equal(said.length, 2, "a move that was not made is asked for again");
  assert.deepEqual(said[0], { do: "move", ...there, own: true, call: 1, step: null });
  panel.data = { page: "scaling", followed: 1, own: true };
  at("?s=1");
  assert.equal(way.follow(there, 1), true);
  at("?s=9");
  assert.equal(way.follow(there, 1), false);
  given.mock.timers.tick(9000);
  assert.equal(said.length, 2, "who strays is not fetched back");
  way.follow(there, 2);
  assert.deepEqual([said[2].call, said[2].own], [2, false], "what was moved on the way is no place of one's own");
  assert.ok(way.leadsBack);
  const again = new Follow(panel, "ABCDE"); // after a reload
  again.back();
  assert.deepEqual(said[3], { do: "back", page: "masks", settings: "a=1&b=2" });
  for (const one of [way, again]) one.leave();
});

const question = (text, more = {}) => ({ text, answers: ["a", "b"], right: null, page: "", ...more });

test("next is what is prepared from here on, then one's own; what was asked is asked once", () => {
  const data = {
    prepared: [question("early", { at: 0 }), question("now", { at: 1 }), question("later", { at: 3 })],
    question: question("page"),
    page: "scaling",
    at: 1,
    steps: 4,
  };
  const asked = new Questions("ABCDE", data, () => {});
  assert.deepEqual(
    asked.choices.map(({ text }) => text),
    ["early", "now", "later", "page"],
  );
  assert.deepEqual([asked.chosen.text, asked.isDue], ["now", true]);
  asked.hear("now");
  assert.deepEqual([asked.chosen.text, asked.isDue], ["later", false], "first comes the course's next step");
  asked.update({ ...data, at: 2 });
  assert.equal(asked.isDue, true);
  asked.hear("later");
  assert.equal(asked.chosen.text, "later", "nothing is left: the last one again");
  assert.deepEqual(new Questions("ABCDE", data, () => {}).asked, ["now", "later"], "the tab remembers");
  const written = { questions: [{ text: "Mine?", answers: ["no", "yes"], right: 1 }], wrong: "" };
  asked.update({ ...data, at: 2, written });
  assert.deepEqual([asked.chosen.text, asked.rightOf({ text: "Mine?" })], ["Mine?", 1]);
});

test("a page without a lesson asks its own question", () => {
  const asked = new Questions(
    "ABCDE",
    { prepared: [], question: question("page"), page: "scaling", at: 0, steps: 0 },
    () => {},
  );
  assert.deepEqual([asked.chosen.text, asked.chosen.page, asked.isDue], ["page", "scaling", true]);
  asked.update({ prepared: [], question: null, page: "claims", at: 0, steps: 0 });
  assert.equal(asked.chosen, null);
});

const READ = { isRead: true, isWrong: false, read: async () => true };
const teaching = (more = {}) => ({
  data: { at: 0, steps: 0 },
  questions: { chosen: question("q"), isFresh: () => true, isDue: true, rightOf: () => 1, ...READ },
  state: { question: { name: "q-1", page: "" } },
  say: () => {},
  panel: { say: mock.fn() },
  teach: mock.fn(async () => true),
  course: { go: mock.fn() },
  ...more,
});

test("after each step the next one is marked, and what cannot be done cannot be pressed", () => {
  const loop = new QuestionSteps(teaching());
  const next = (phase, round) => {
    loop.draw({ phase, round, question: phase === "waiting" ? null : {} });
    return [loop.next.textContent, loop.buttons.filter((one) => !one.disabled).length];
  };
  assert.deepEqual(next("waiting", 0), ["Ask", 1]);
  assert.deepEqual(next("open", 1), ["Close the vote", 1]);
  assert.deepEqual(next("closed", 1), ["Ask again", 4]);
  assert.deepEqual(next("open", 2), ["Close the vote", 1]);
  assert.deepEqual(next("closed", 2), ["Show the counts", 3]);
  assert.deepEqual(next("shown", 2), ["Reveal the answer", 2]);
  assert.deepEqual(next("revealed", 2), ["Next question", 1]);
  assert.deepEqual(next("dropped", 1), ["Next question", 1]);
});

test("the last step of a course is finished, as its strip says", () => {
  const last = (at, steps) => {
    const teacher = teaching({ data: { at, steps } });
    teacher.questions.isDue = false;
    const loop = new QuestionSteps(teacher);
    loop.draw({ phase: "revealed", round: 2, question: {} });
    return [loop.next.textContent, loop.buttons.at(-1).textContent];
  };
  assert.deepEqual(last(1, 3), ["Next step", "Next step"]);
  assert.deepEqual(last(2, 3), ["Finish", "Finish"]);
});

test("after its last question a course's step leads to the next", () => {
  const teacher = teaching({ data: { at: 1, steps: 3 } });
  teacher.questions.isDue = false;
  const loop = new QuestionSteps(teacher);
  loop.draw({ phase: "revealed", round: 2, question: {} });
  loop.advance();
  assert.deepEqual(teacher.course.go.mock.calls[0].arguments, [2]);
});

test("what was just revealed, or put away, is asked again by its button alone", () => {
  const questions = { chosen: {}, isFresh: () => false };
  for (const [phase, asksAgain] of [
    ["revealed", true],
    ["dropped", true],
    ["waiting", false],
    ["shown", false],
  ]) {
    const state = { phase, round: 2, question: {} };
    const loop = new QuestionSteps(teaching({ questions, state }));
    loop.draw(state);
    assert.equal(loop.asksAgain, asksAgain, phase);
  }
  const fresh = { phase: "revealed", round: 2, question: {} };
  const loop = new QuestionSteps(teaching({ questions: { ...questions, isFresh: () => true }, state: fresh }));
  loop.draw(fresh);
  assert.ok(!loop.asksAgain);
});

test("a folded panel keeps the remote until the page's own question is revealed", () => {
  const asks = (chosen, { phase = "waiting", fresh = true, at = 0 } = {}) => {
    const state = { phase, round: 2, question: phase === "waiting" ? null : {} };
    const questions = { chosen, isFresh: () => fresh, isDue: true };
    const data = { at, steps: 3, question: question("page") };
    const loop = new QuestionSteps(teaching({ questions, state, data }));
    loop.draw(state);
    return loop.isOn;
  };
  assert.ok(asks(question("page")), "it was not asked yet");
  for (const phase of ["open", "closed", "shown"]) assert.ok(asks(question("page"), { phase, fresh: false }), phase);
  assert.ok(!asks(question("page"), { phase: "revealed", fresh: false }), "now the presets have it");
  assert.ok(!asks(question("own"), { phase: "revealed" }), "what is written asks itself by its button");
  assert.ok(asks(question("page", { at: 1 }), { phase: "revealed", at: 1 }));
  assert.ok(!asks(question("page", { at: 2 }), { phase: "revealed", at: 1 }), "presets come before the next step");
  assert.ok(!asks(null));
});

test("two presses are one step", async () => {
  const teacher = teaching();
  const loop = new QuestionSteps(teacher);
  loop.draw({ phase: "open", round: 1, question: {} });
  await Promise.all([loop.take(loop.step), loop.take(loop.step)]);
  assert.equal(teacher.teach.mock.callCount(), 1);
});

test("a press on the next step counts, though the answer to the one before is still on its way", async () => {
  const answers = [];
  const teacher = teaching({ teach: mock.fn(() => new Promise((done) => answers.push(done))) });
  const loop = new QuestionSteps(teacher);
  const show = (phase, round) => {
    teacher.state = { phase, round, question: { name: "q-1", page: "" } };
    loop.draw(teacher.state);
  };
  const taken = () => teacher.teach.mock.calls.map(({ arguments: [message] }) => message.do);
  show("open", 1);
  loop.advance();
  loop.advance();
  assert.deepEqual(taken(), ["close"]);
  show("closed", 1);
  loop.advance();
  show("open", 2);
  loop.advance();
  loop.advance();
  assert.deepEqual(taken(), ["close", "ask", "close"]);
  answers.forEach((done) => done(true));
});

test("what a page has measured is revealed, for the question that waits for it", async () => {
  const teacher = teaching({ state: { question: { name: "q-1", page: "scaling" } } });
  const loop = new QuestionSteps(teacher);
  loop.draw({ phase: "shown", round: 2, question: {} });
  await loop.take(loop.step);
  assert.deepEqual(teacher.panel.say.mock.calls[0].arguments, [{ do: "measure", page: "scaling", question: "q-1" }]);
  for (const question of ["q-0", "q-1", "q-1"]) await loop.measured({ question, answer: 2 });
  assert.deepEqual(
    teacher.teach.mock.calls.map((call) => call.arguments[0]),
    [{ do: "reveal", answer: 2 }],
  );
});

test("what cannot be measured is said, reveals nothing, and may be asked for once more", async () => {
  const said = [];
  const teacher = teaching({ state: { question: { name: "q-1", page: "scaling" } }, say: (one) => said.push(one) });
  const loop = new QuestionSteps(teacher);
  loop.draw({ phase: "shown", round: 2, question: {} });
  await loop.take(loop.step);
  const why = { en: "Not measured: no." };
  await loop.measured({ question: "q-1", refused: "Not measured: no. Change that.", why });
  assert.deepEqual(said, ["Measuring…", "Not measured: no. Change that."]);
  const told = () => teacher.teach.mock.calls.map((call) => call.arguments[0]);
  assert.deepEqual(told(), [{ do: "unmeasured", question: "q-1", why }], "the class reads it, too");
  await loop.take(loop.step);
  assert.deepEqual([said.at(-1), teacher.panel.say.mock.callCount()], ["Measuring…", 2]);
  await loop.measured({ question: "q-1", answer: 1 });
  assert.deepEqual(told().slice(1), [{ do: "reveal", answer: 1 }]);
});

test("a histogram has both rounds' counts, each in its share", () => {
  const state = {
    question: { kind: "one", answers: ["no", "yes"], page: "scaling" },
    sums: [4, 10, 0],
    tallies: [
      [1, 3],
      [8, 2],
      [0, 0],
    ],
    measured: 1,
  };
  const [head, body] = histogram(state, 0).children;
  assert.equal(head.textContent, "First vote (4)Second vote (10)Second vote (0)");
  assert.deepEqual(
    body.children.map((row) => row.textContent),
    ["A noyour answer180", "B yes✓ measured320"],
  );
  const widths = body.children.map((row) =>
    row.children.slice(1).map((cell) => cell.children[0].children[0].children[0].style.width),
  );
  assert.deepEqual(widths, [
    ["25%", "80%", "0%"],
    ["75%", "20%", "0%"],
  ]);
});

/** A panel's questions, and a server that reads what is written: each line is a question, unless it is wrong. */
function writing(data, { wrong = "" } = {}) {
  const said = [];
  const asked = new Questions(
    "ABCDE",
    data,
    () => {},
    (one) => said.push(one),
  );
  const type = (text) => {
    asked.area.value = text;
    asked.write();
  };
  const answer = () => {
    const { lines } = said.at(-1);
    const questions = lines.split("\n").filter((text) => text && text !== wrong);
    const told = lines.includes(wrong) ? wrong : "";
    const written = { lines, wrong: told, questions: questions.map((text) => question(text)) };
    asked.update({ ...asked.data, written });
  };
  return { asked, said, type, answer };
}
const COURSE = { prepared: [question("prepared", { at: 0 })], page: "scaling", at: 0, steps: 2, teaches: true };

test("what is written live is what is asked next, until something was asked or chosen", () => {
  const { asked, type, answer } = writing({ ...COURSE, question: null, written: null });
  const chosen = () => asked.chosen.text;
  assert.equal(chosen(), "prepared");
  for (const [text, next] of [
    ["mine", "mine"],
    ["mine\nother", "other"],
    ["changed\nother", "changed"],
  ]) {
    type(text);
    asked.tell();
    answer();
    assert.equal(chosen(), next);
  }
  asked.hear("changed");
  assert.equal(chosen(), "prepared", "what was prepared is in line again");
  asked.update({ ...asked.data, at: 1 });
  assert.equal(chosen(), "other");
});

test("a press that comes before the server has read what is written waits for it, and asks that", async (given) => {
  given.mock.timers.enable({ apis: ["setTimeout"] });
  const { asked, said, type, answer } = writing({ ...COURSE, question: null, written: null });
  const teacher = teaching({ questions: asked, data: COURSE });
  const loop = new QuestionSteps(teacher);
  loop.draw({ phase: "waiting", round: 0, question: null });
  type("mine");
  const pressed = loop.take(loop.step);
  assert.deepEqual(said, [{ do: "write", lines: "mine" }]);
  assert.equal(teacher.teach.mock.callCount(), 0);
  answer();
  await pressed;
  assert.deepEqual(
    teacher.teach.mock.calls.map((call) => call.arguments[0].text),
    ["mine"],
  );
});

test("where what is written cannot be asked, or not be read, nothing is asked in its place", async (given) => {
  given.mock.timers.enable({ apis: ["setTimeout"] });
  const { asked, said, type, answer } = writing({ ...COURSE, question: null, written: null }, { wrong: "lonely" });
  const heard = [];
  const teacher = teaching({ questions: asked, data: COURSE, say: (word) => heard.push(word) });
  const loop = new QuestionSteps(teacher);
  loop.draw({ phase: "waiting", round: 0, question: null });
  type("lonely");
  asked.tell();
  answer();
  await loop.take(loop.step);
  assert.deepEqual(heard, ["lonely"]);
  type("never read");
  const pressed = loop.take(loop.step);
  for (let tries = 0; tries < 9; tries++) {
    given.mock.timers.tick(10_000);
    await new Promise((done) => setImmediate(done));
  }
  await pressed;
  assert.equal(heard.at(-1), "What you wrote could not be read. Try again.");
  assert.ok(said.length < 9);
  assert.equal(teacher.teach.mock.callCount(), 0);
});

const leave = (state, before, now, askedAt) => {
  const teach = mock.fn();
  const steps = before.steps ?? 3;
  Teacher.prototype.leaveStep.call({ state, askedAt, teach }, { steps, ...before }, { steps, ...now });
  return teach.mock.calls.map((call) => call.arguments[0]);
};

test("a question that was left unfinished is put away once its step is left", () => {
  const on = (phase) => ({ phase, round: 1, question: { name: "q-1", text: "Which?" } });
  for (const phase of ["open", "closed", "shown"])
    assert.deepEqual(leave(on(phase), { at: 0 }, { at: 1 }, 0), [{ do: "drop", question: "q-1" }], phase);
  assert.deepEqual(leave(on("revealed"), { at: 0 }, { at: 1 }, 0), [], "its counts may be looked at");
  assert.deepEqual(leave(on("dropped"), { at: 0 }, { at: 1 }, 0), []);
  assert.deepEqual(leave(on("closed"), { at: 0 }, { at: 0 }, 0), []);
  assert.deepEqual(leave(on("open"), { at: 0 }, { at: 2 }, 2), [], "it leads to its own step");
  assert.deepEqual(leave({ phase: "waiting", question: null }, { at: 0 }, { at: 1 }, 0), []);
  assert.deepEqual(leave(null, { at: 0 }, { at: 1 }, 0), []);
  assert.deepEqual(leave(on("closed"), { at: 0, steps: 0 }, { at: 0, steps: 0 }, 0), [], "there is no course");
  assert.deepEqual(leave(on("open"), { at: 0, steps: 0 }, { at: 2, steps: 3 }, 0), [], "a device that has just come");
  const course = { name: "c", step: 2, steps: 3 };
  assert.deepEqual(leave({ ...on("open"), course }, { at: 0 }, { at: 2 }, 0), [], "the room puts it away itself");
});

test("what was answered is past once its step of the course, or its page, is left", () => {
  const isPast = (question, data, askedAt) =>
    Teacher.prototype.isPast.call({ data, askedAt }, { phase: "revealed", question });
  const own = { name: "q-1", text: "Which?", page: "" };
  for (const [at, past] of [
    [0, true],
    [1, false],
    [2, true],
    [3, true],
  ])
    assert.equal(isPast(own, { page: "masks", at, steps: 3 }, 1), past, String(at));
  assert.equal(isPast(own, { page: "masks", at: 0, steps: 0 }, 0), false, "there is no course");
  const itsPage = { ...own, page: "scaling" };
  assert.equal(isPast(itsPage, { page: "masks", at: 0, steps: 0 }, 0), true);
  assert.equal(isPast(itsPage, { page: "scaling", at: 0, steps: 0 }, 0), false);
});

test("what a teacher writes the server reads, once the keys are still; a new session is told again", (given) => {
  given.mock.timers.enable({ apis: ["setTimeout"] });
  const said = [];
  const data = { prepared: [], question: null, page: "scaling", at: 0, steps: 0, teaches: true, written: null };
  const asked = new Questions(
    "ABCDE",
    data,
    () => {},
    (one) => said.push(one),
  );
  for (const text of ["Q", "Q\na"]) {
    asked.area.value = text;
    asked.write();
  }
  given.mock.timers.tick(300);
  assert.deepEqual(said, [{ do: "write", lines: "Q\na" }]);
  asked.update({ ...data, written: { lines: "Q\na", questions: [], wrong: "“Q” has 1 answer." } });
  assert.deepEqual([asked.wrong.textContent, said.length], ["“Q” has 1 answer.", 1]);
  asked.update(data);
  assert.equal(said.length, 2);
});

test("another of the teacher's devices is taken along, and the one that leads stays where it is", () => {
  const HERE = { page: "masks", settings: "seed=5" };
  globalThis.location = { href: "http://school.test/masks?seed=5", search: "?seed=5" };
  const past = { called: 1, follow: null, question: null, course: null };
  const along = (now, more = {}) => {
    const said = [];
    const panel = { say: (one) => said.push(one) };
    const teacher = { data: { page: "masks", laid: null }, panel, brought: null, ...more };
    Teacher.prototype.goAlong.call(teacher, past, { ...past, ...now });
    return said;
  };
  const there = { page: "scaling", settings: "seed=3" };
  assert.deepEqual(along({ called: 2, follow: there }), [{ do: "go", ...there, step: null }]);
  const inCourse = { called: 2, follow: there, course: { name: "ours", step: 2, steps: 3 } };
  assert.deepEqual(along(inCourse, { data: { page: "masks", laid: {} } }), [{ do: "go", ...there, step: 2 }]);
  const own = { name: "q-2", page: "scaling" };
  assert.deepEqual(along({ question: own }), [{ do: "go", page: "scaling", settings: "", step: null }]);
  for (const [now, more] of [
    [{ follow: there }], // the class was there before
    [{ called: 2, follow: HERE }],
    [{ called: 2, follow: there }, { brought: there }], // by this device, which has been moved since
    [{ called: 2, follow: { page: "", settings: "" } }], // to the step, to which the course leads
    [{ question: { name: "q-2", page: "masks" } }],
    [{ question: { name: "q-2", page: "" } }],
  ])
    assert.deepEqual(along(now, more), [], JSON.stringify(now));
});
