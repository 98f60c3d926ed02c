// What stands beside a picture, as elements: the claims' chart, the map, a class's strip and panel, small buttons.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { approving, document, keyed, outline, storage } from "./stubs.js";

const approved = approving("components");
const window = Object.assign(new EventTarget(), { navigation: { entries: () => [] } });
const watched = [];
class Observer {
  constructor(look) {
    watched.push(look);
  }
  observe() {}
  disconnect() {}
}
Object.assign(globalThis, {
  window,
  CSS: { escape: (text) => text },
  ResizeObserver: Observer,
  MutationObserver: Observer,
  EventSource: Object.assign(
    class extends EventTarget {
      close() {}
    },
    { CLOSED: 2 },
  ),
  Element: HTMLElement,
  HTMLTextAreaElement: class {},
  matchMedia: () => ({ matches: false }),
  location: { href: "http://school.test/scaling", pathname: "/scaling", search: "?seed=3", hash: "" },
  history: { state: null, replaceState: () => {} },
  requestAnimationFrame: () => {},
});
document.querySelector = () => null;
document.querySelectorAll = () => [];
beforeEach(() => storage());

/** A component on a page: what it has drawn, and what it has told. */
async function drawn(module, data) {
  const { default: draw } = await import(`#web/${module}.js`);
  const parentElement = Object.assign(document.createElement("div"), { host: { isConnected: true } });
  const told = [];
  const tell = (name, value) => told.push([name, value]);
  const given = (data) => ({
    data: { language: "en", ...data },
    parentElement,
    setStateValue: tell,
    setTriggerValue: tell,
  });
  draw(given(data));
  return { told, root: parentElement, again: (data) => draw(given(data)) };
}
const all = (node) => [node, ...(node.children ?? []).flatMap(all)];
const inLine = (node) =>
  all(node)
    .filter(({ children }) => !children)
    .map((one) => one.textContent ?? one)
    .join(" · ");
const links = (root) => all(root).filter(({ tag }) => tag === "a");
const press = (node) => node.onclick(keyed("click"));

test("the claims' chart: a sign for each number at its place, what it means, and a way to its claim", async () => {
  const mark = (text, at) => ({ text, at });
  const row = (id, state, held, bound, broken) => ({
    id,
    says: `${id} = q_i`,
    state,
    means: `it ${state}`,
    switch: "a bias",
    held,
    bound,
    broken,
  });
  const columns = [
    [
      {
        title: "Biases",
        rows: [
          row("one", "green", mark("1e-16", 0.1), mark("1e-12", 0.3), mark("0.5", 0.9)),
          row("two", "gray", null, null, null),
        ],
      },
    ],
    [
      {
        title: "Masks",
        rows: [
          row("three", "orange", mark("5 of 6", null), mark("5", null), mark("1 of 6", null)),
          row("four", "red", mark("2", 0.95), mark("1", 0.9), mark("1e-3", 0.6)),
        ],
      },
    ],
  ];
  const { root, told } = await drawn("claims_chart/chart", {
    columns,
    ticks: [mark("1e-16", 0.1), mark("1", 0.94)],
    rounding: 0.3,
  });
  approved("the claims' chart", outline(root));
  press(links(root)[2]);
  assert.deepEqual(told, [["go", "three"]]);
});

test("the map: its boxes in their layers, each with its sign, and what is said of it", async () => {
  const box = (number, layer, state, kind = "attention") => ({
    number,
    label: `W_Q ${number}`,
    layer,
    kind,
    state,
    says: "what it does",
    told: "3 of 4",
    page: "Biases",
    href: `biases?n=${number}`,
  });
  const parts = [
    { title: "Encoder", boxes: [box(0, 0, "unchecked", "part"), box(1, 1, "partly"), box(2, 1, "agrees")] },
    { title: "Decoder", boxes: [box(3, 2, "surprises", "cross")] },
    { title: "Inside", boxes: [box(4, 0, "agrees")] },
  ];
  const { root, told } = await drawn("map/map", { parts });
  approved("the map", outline(root));
  links(root)[2].onpointerenter();
  approved("the map, pointed at", outline(root.children[1]));
  const how = /^Point at a box/;
  links(root)[2].onpointerleave();
  assert.match(root.children[1].textContent, how);
  links(root)[1].onfocus();
  assert.doesNotMatch(root.children[1].textContent, how);
  links(root)[1].onblur();
  assert.match(root.children[1].textContent, how);
  press(links(root)[3]);
  assert.deepEqual(told, [["go", 3]]);
});

const QUESTION = { name: "q-1", kind: "one", text: "Which?", answers: ["no", "yes", "both"], page: "scaling" };
const STATE = {
  number: 1,
  phase: "open",
  question: QUESTION,
  round: 1,
  voted: 3,
  sums: [],
  tallies: [],
  measured: null,
  unmeasured: null,
  follow: null,
  called: 0,
  paused: false,
  here: 4,
  lost: 0,
  tests: {},
  ends_in: 9,
  ticket: "0123456789abcdef",
};
const CLASS = {
  room: "BCDFG",
  ticket: "0123456789abcdef",
  secret: "",
  typed: false,
  page: "scaling",
  teaches: false,
  question: null,
  prepared: [],
  written: null,
  at: 0,
  steps: 0,
  measured: null,
  test: { here: false, of: 10, person: "", answers: {}, arrived: {}, asked: 0 },
  followed: null,
  own: false,
  slide: false,
  course: "",
  laid: null,
  address: "http://school.test/?class=BCDFG",
  qr: "<svg/>",
  warning: "",
  kept: "Nothing is kept.",
};
const panelOf = (data) => ({
  data,
  say: mock.fn(),
  root: document.createElement("section"),
  main: document.createElement("main"),
  fit: () => {},
});
const BOTH = {
  round: 2,
  sums: [4, 4],
  tallies: [
    [1, 2, 1],
    [0, 4, 0],
  ],
};
const STATES = {
  waiting: { phase: "waiting", question: null, round: 0, voted: 0 },
  open: {},
  "open again": { round: 2 },
  closed: { phase: "closed" },
  "closed again": { phase: "closed", round: 2 },
  "not measured": { phase: "closed", unmeasured: "Not measured: no." },
  shown: { phase: "shown", sums: [4], tallies: [[1, 2, 1]] },
  revealed: { phase: "revealed", measured: 1, ...BOTH },
  "revealed otherwise": { phase: "revealed", measured: 2, ...BOTH },
  "cannot tell": { phase: "revealed", ...BOTH },
  "a teacher's own": { phase: "revealed", measured: 1, ...BOTH, question: { ...QUESTION, page: "" } },
  "a teacher's own, wrong": { phase: "revealed", measured: 0, ...BOTH, question: { ...QUESTION, page: "" } },
  dropped: { phase: "dropped" },
  paused: { phase: "closed", paused: true },
};

test("a student's strip in each phase, with an answer of one's own", async () => {
  const { Student } = await import("#web/live_class/student.js");
  const told = [];
  for (const [name, more] of Object.entries(STATES)) {
    storage();
    const state = { ...STATE, ...more };
    for (const round of [1, 2]) sessionStorage.setItem(`room_vote/BCDFG/q-1/${round}`, "1");
    const panel = panelOf(CLASS);
    const student = new Student(panel, "BCDFG");
    student.client.stop();
    student.client.state = state;
    student.show(state);
    told.push(
      `${name}: ${student.line.textContent} | ${student.sent.textContent} | ${inLine(student.answers)} | ${inLine(student.counts)}`,
    );
    told.push(
      `  note ${!student.note.hidden}, look up ${!student.look.hidden}, pressed ${student.answers.children.findIndex((one) => one.ariaPressed === "true")}`,
    );
  }
  approved("a student", told);
});

test("a phone at another step than its class says where the class is, and goes there by a press", async () => {
  const { Student } = await import("#web/live_class/student.js");
  const panel = panelOf({ ...CLASS, course: "ours", at: 0, steps: 2 });
  const student = new Student(panel, "BCDFG");
  student.client.stop();
  const { rejoin } = student;
  const at = (step, name = "ours") => {
    student.show({ ...STATE, course: { name, step, steps: 2 } });
    return rejoin.hidden ? "" : rejoin.textContent;
  };
  assert.deepEqual(
    [at(0), at(1), at(2), at(1, "theirs")],
    ["", "The class is at step 2: go there", "The class is at the end of the course: go there", ""],
  );
  at(1);
  rejoin.onclick();
  assert.deepEqual(panel.say.mock.calls.at(-1).arguments, [{ do: "step", at: 1 }]);
  panel.data = { ...panel.data, at: 1 };
  student.update();
  assert.equal(rejoin.hidden, true);
});

test("what a phone's page asks is the teacher's to ask where the class is led, and its answer is seen on every phone there", async () => {
  const { Student } = await import("#web/live_class/student.js");
  storage();
  const panel = panelOf({ ...CLASS, course: "c", at: 1, steps: 3 });
  const student = new Student(panel, "BCDFG");
  student.client.stop();
  const led = (more) => {
    student.client.state = { ...STATE, phase: "waiting", question: null, ...more };
    student.show(student.client.state);
    return document.documentElement.dataset.voting;
  };
  const course = { name: "c", step: 1, steps: 3 };
  const [here, away] = ["scaling", "masks"].map((page) => ({ page, settings: "" }));
  assert.equal(led({ follow: { page: "", settings: "" }, course }), "yes");
  assert.equal(led({ follow: null, course }), undefined, "who may play may answer");
  assert.equal(led({ follow: here, course: { ...course, step: 2 } }), undefined, "it has strayed from there");
  assert.equal(led({ follow: here, course: { ...course, name: "d" } }), undefined, "it is in another course");
  assert.deepEqual([led({ follow: here }), led({ follow: away }), led({})], ["yes", undefined, undefined]);
  const out = { phase: "revealed", measured: 1, question: { ...QUESTION, page: "scaling" } };
  led({ ...out, follow: here });
  assert.equal(panel.say.mock.calls.at(-1).arguments[0].led, true);
  led({ ...out, round: 2 });
  assert.equal(panel.say.mock.calls.at(-1).arguments[0].led, false);
  student.leave();
});

test("a vote that did not get through says so, and is sent again by itself while its question is on", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { Student } = await import("#web/live_class/student.js");
  storage();
  const student = new Student(panelOf(CLASS), "BCDFG");
  student.client.stop();
  const votes = [];
  let status = 0;
  student.client.vote = async (answer) => (votes.push(answer), { status, error: status === 204 ? "" : "Lost." });
  student.client.state = STATE;
  student.show(STATE);
  await student.vote(1);
  assert.equal(student.sent.textContent, "Not sent yet: the class cannot be reached. It is sent once it can be.");
  context.mock.timers.tick(1999);
  assert.equal(votes.length, 1);
  context.mock.timers.tick(1);
  await null;
  await null;
  assert.deepEqual(votes, [1, 1]);
  status = 204;
  context.mock.timers.tick(2000);
  await new Promise(setImmediate);
  assert.deepEqual(votes, [1, 1, 1]);
  context.mock.timers.tick(60_000);
  assert.equal(votes.length, 3, "it has got through");
  status = 503;
  await student.vote(0);
  student.client.state = { ...STATE, phase: "closed" };
  student.show(student.client.state);
  context.mock.timers.tick(60_000);
  assert.equal(votes.length, 4, "its vote is over");
  status = 409;
  student.client.state = STATE;
  student.show(STATE);
  await student.vote(0);
  assert.equal(student.sent.textContent, "Lost.", "what was refused is said as it was refused");
  student.leave();
});

test("what the class was asked in a tab that is gone is not asked again by itself", async () => {
  const { Teacher } = await import("#web/live_class/teacher.js");
  const { RoomClient } = await import("#web/live_class/room.js");
  storage();
  const prepared = ["First?", "Second?"].map((text) => ({
    kind: "one", text, answers: ["a", "b"], right: 0, page: "", at: 0,
  })); // prettier-ignore
  const votes = mock.method(RoomClient.prototype, "votes", async () => ({
    votes: [{ question: { text: "First?" } }],
    error: "",
  }));
  const teacher = new Teacher(panelOf({ ...CLASS, teaches: true, prepared, at: 0, steps: 2 }), "BCDFG", "secret");
  teacher.client.stop();
  await new Promise(setImmediate);
  votes.mock.restore();
  assert.equal(teacher.questions.chosen.text, "Second?");
  assert.deepEqual(JSON.parse(sessionStorage.getItem("room_asked/BCDFG")), ["First?"]);
  teacher.show({
    ...STATE,
    phase: "shown",
    sums: [3],
    tallies: [[]],
    question: { ...QUESTION, kind: "words", answers: [] },
  });
  assert.match(teacher.status.textContent, /below you choose which/);
  teacher.update({ ...teacher.data, slide: true });
  assert.match(teacher.status.textContent, /on your own device/, "the wall has no list of them");
  teacher.say("Copied.");
  assert.equal(teacher.status.textContent, "Copied.");
  teacher.update({ ...teacher.data, at: 1 });
  assert.notEqual(teacher.status.textContent, "Copied.", "it was of the step that is left");
  teacher.leave();
});

test("a student who has not answered, one whose class has ended, and one who is taken along", async () => {
  const { Student } = await import("#web/live_class/student.js");
  const panel = panelOf(CLASS);
  const student = new Student(panel, "BCDFG");
  student.client.stop();
  approved("a student, coming", outline(panel.root));
  const said = (more) => {
    student.client.state = { ...STATE, ...more };
    student.show(student.client.state);
    return student.sent.textContent;
  };
  assert.deepEqual(
    [said({}), said({ phase: "closed" }), said({ phase: "revealed", measured: 1 })],
    ["", "The vote is closed.", ""],
  );
  student.open(false);
  assert.deepEqual(
    [student.isFolded, student.fold.ariaExpanded, student.fold.ariaLabel],
    [true, "false", "Show the class"],
  );
  student.back.onclick();
  student.quit.onclick();
  assert.deepEqual(
    panel.say.mock.calls.map(({ arguments: [one] }) => one.do),
    ["revealed", "back", "leave"],
    "its page shows the picture that measured it",
  );
  student.end("This class has ended.");
  approved("a student, ended", outline(panel.root));
});

test("the teacher's panel in each phase", async () => {
  const { Teacher } = await import("#web/live_class/teacher.js");
  const told = [];
  for (const [name, more] of Object.entries({
    ...STATES,
    "on a slide": {},
    "its page was left": { ...STATES.revealed, question: { ...QUESTION, page: "masks" } },
  })) {
    storage();
    const data = {
      ...CLASS,
      teaches: true,
      question: { kind: "one", text: "Which?", answers: QUESTION.answers },
      slide: name === "on a slide",
      at: 1,
      steps: 3,
    };
    const panel = panelOf(data);
    const teacher = new Teacher(panel, "BCDFG", "secret");
    teacher.client.stop();
    teacher.update(data);
    teacher.show({ ...STATE, ...more });
    const { status, here, loop, votes, pause, free, results, isFolded } = teacher;
    told.push(
      `${name}: ${inLine(votes)}`,
      `  ${status.textContent} | ${here.textContent} | ${loop.next.textContent} | ${pause.textContent}`,
      `  can: ${loop.buttons
        .filter((one) => !one.disabled)
        .map((one) => one.textContent)
        .join(", ")}; lit: ${loop.buttons.findIndex((one) => one.className === "main")}`,
      `  free ${!free.disabled}, results ${!results.disabled}, folded ${isFolded}, questions ${!teacher.questions.root.hidden}, ${teacher.inside.className}`,
    );
    teacher.leave();
  }
  approved("a teacher", told);
});

test("the teacher's panel: all of it as it begins, and what its buttons send", async () => {
  const { Teacher } = await import("#web/live_class/teacher.js");
  const prepared = [
    { kind: "one", text: "First?", answers: ["a", "b"], right: 0, page: "", at: 0 },
    { kind: "one", text: "Which?", answers: ["a", "b"], right: null, page: "scaling", at: 1 },
  ];
  const data = {
    ...CLASS,
    teaches: true,
    question: { kind: "one", text: "Which?", answers: QUESTION.answers },
    prepared,
    at: 1,
    steps: 3,
    warning: "Nobody else can open it.",
  };
  const panel = panelOf(data);
  const teacher = new Teacher(panel, "BCDFG", "secret");
  teacher.client.stop();
  teacher.update(data);
  teacher.show({ ...STATE, ...STATES.waiting });
  approved("a teacher's panel", outline(panel.root));
  const sent = [];
  teacher.client.teach = async (message) => (sent.push(message), { error: "" });
  for (const one of [teacher.follow, teacher.free, teacher.pause, teacher.over]) await one.onclick();
  const [, first, end, not] = teacher.ending.children;
  assert.deepEqual([teacher.ending.hidden, first.hidden], [false, true], "nothing was asked: there are no results");
  not.onclick();
  assert.deepEqual(
    [teacher.ending.hidden, teacher.over.hidden],
    [true, false],
    "who does not mean it has not ended it",
  );
  await end.onclick();
  teacher.show({ ...STATE, ...STATES.revealed });
  assert.equal(first.hidden, false);
  teacher.state = { ...STATE, paused: true };
  await teacher.pause.onclick();
  assert.deepEqual(sent, [
    { do: "follow", page: "scaling", settings: "seed=3" },
    { do: "free" },
    { do: "pause" },
    { do: "end" },
    { do: "resume" },
  ]);
  teacher.end("This class has ended.");
  approved("a teacher's panel, ended", outline(panel.root));
});

test("while the class votes on the page's own question the page does not ask it, and an answer is past at the next step", async () => {
  const { Student } = await import("#web/live_class/student.js");
  storage();
  const student = new Student(panelOf({ ...CLASS, page: "scaling", course: "c" }), "BCDFG");
  student.client.stop();
  const voting = (more) => {
    student.client.state = { ...STATE, ...more };
    student.show(student.client.state);
    return document.documentElement.dataset.voting;
  };
  const here = { ...QUESTION, page: "scaling" };
  const course = { name: "c", step: 1, steps: 3 };
  for (const phase of ["open", "closed", "shown"])
    assert.equal(voting({ phase, question: here, course }), "yes", phase);
  for (const phase of ["waiting", "revealed", "dropped"])
    assert.equal(voting({ phase, question: here, course }), undefined);
  assert.equal(voting({ question: { ...here, page: "masks" }, course }), undefined);
  assert.equal(voting({ question: { ...here, page: "" }, course }), undefined);
  voting({ phase: "revealed", measured: 1, question: here, course });
  assert.match(student.line.textContent, /^Measured/);
  voting({ phase: "revealed", measured: 1, question: here, course: { ...course, step: 2 } });
  assert.match(student.line.textContent, /^You are in class/);
  voting({ question: here, course });
  student.leave();
  assert.equal(document.documentElement.dataset.voting, undefined);
  voting({ question: here, course });
  student.end("This class has ended.");
  assert.equal(document.documentElement.dataset.voting, undefined);
});

test("of words that are not chosen yet a phone says who chooses, and no empty counts", async () => {
  const { Student } = await import("#web/live_class/student.js");
  storage();
  const student = new Student(panelOf(CLASS), "BCDFG");
  student.client.stop();
  const counts = (more) => {
    student.client.state = { ...STATE, question: { ...QUESTION, kind: "words", answers: [] }, sums: [3], ...more };
    student.show(student.client.state);
    return student.counts.textContent;
  };
  const sentence = "Your teacher chooses which words everybody sees.";
  assert.equal(counts({ phase: "shown", tallies: [[]] }), sentence);
  assert.doesNotMatch(counts({ phase: "revealed", tallies: [[["warm", 2]]] }), /chooses/);
  assert.match(student.counts.textContent, /warm/);
});

test("a student who is let go, or taken along, is told so, and the way back is there for who has one", async () => {
  const { Student } = await import("#web/live_class/student.js");
  const line = (more, follows, data = {}) => {
    storage();
    const student = new Student(panelOf({ ...CLASS, ...data }), "BCDFG");
    student.client.stop();
    student.way.kept.follows = follows;
    student.client.state = { ...STATE, ...more };
    student.show(student.client.state);
    student.way.leave();
    return [student.line.textContent.slice(0, 11), student.isFolded, student.back.hidden];
  };
  const waiting = { phase: "waiting", question: null };
  assert.deepEqual(line(waiting, true), ["Look around", false, true]);
  assert.deepEqual(line({ phase: "dropped" }, true), ["Look around", false, true]);
  assert.deepEqual(line({ phase: "revealed", measured: 1 }, true), ["Look around", false, true]);
  assert.deepEqual(line({}, true), ["Vote. Which", false, true]);
  assert.deepEqual(line(waiting, false), ["You are in ", false, true]);
  const there = { follow: { page: "masks", settings: "" }, called: 3 };
  assert.deepEqual(line({ ...waiting, ...there }, false, { followed: 3, own: true }), ["You are in ", true, false]);
  assert.deepEqual(
    line(there, false, { followed: 3, own: true }),
    ["Vote. Which", false, false],
    "a vote stays in sight",
  );
});

test("a student who is taken along again is no longer told to look around freely", async () => {
  const { Student } = await import("#web/live_class/student.js");
  storage();
  const student = new Student(panelOf({ ...CLASS, followed: 3, own: true }), "BCDFG");
  student.client.stop();
  student.way.kept.follows = true;
  const revealed = { ...STATE, phase: "revealed", measured: 1 };
  const lines = [revealed, { ...revealed, follow: { page: "masks", settings: "" }, called: 3 }].map((state) => {
    student.show((student.client.state = state));
    student.way.leave();
    return student.line.textContent.slice(0, 11);
  });
  assert.deepEqual(lines, ["Look around", "Measured. W"]);
});

test("the end of a class that was never seen is said where its key was typed, of any other in the strip", async () => {
  const { Student } = await import("#web/live_class/student.js");
  for (const [typed, state, said, line] of [
    [true, null, [{ do: "leave", why: "It is gone." }], "Coming into class BCDFG…"],
    [true, STATE, [], "It is gone."],
    [false, null, [], "It is gone."],
  ]) {
    const panel = panelOf({ ...CLASS, typed });
    const student = new Student(panel, "BCDFG");
    student.client.stop();
    student.state = state;
    student.end("It is gone.");
    assert.deepEqual(
      [panel.say.mock.calls.map(({ arguments: [one] }) => one), student.line.textContent],
      [said, line],
    );
  }
});

test("a student's press sends a vote, says that it is on its way and then what came of it", async () => {
  const { Student } = await import("#web/live_class/student.js");
  const student = new Student(panelOf(CLASS), "BCDFG");
  student.client.stop();
  student.client.state = STATE;
  student.show(STATE);
  const asked = [];
  for (const [error, said] of [
    ["", "Sent. You may change it until the vote is closed."],
    ["Too late.", "Too late."],
  ]) {
    student.client.vote = async (answer) => (asked.push([answer, student.sent.textContent]), { error });
    await student.answers.children[2].onclick();
    assert.equal(student.sent.textContent, said);
  }
  assert.deepEqual(asked, [
    [2, "Sending…"],
    [2, "Sending…"],
  ]);
});

test("the remote in a class: PageDown takes the next step, PageUp the course's last one; a text keeps its keys", async () => {
  const { Teacher } = await import("#web/live_class/teacher.js");
  const data = {
    ...CLASS,
    teaches: true,
    question: { kind: "one", text: "Which?", answers: QUESTION.answers },
    at: 1,
    steps: 3,
  };
  const panel = panelOf(data);
  const teacher = new Teacher(panel, "BCDFG", "secret");
  teacher.client.stop();
  teacher.update(data);
  const sent = [];
  teacher.client.teach = async ({ do: what }) => (sent.push(what), { error: "" });
  const press = async (state, key, more = {}) => {
    teacher.show({ ...STATE, ...state });
    [sent.length, panel.say.mock.calls.length] = [0, 0];
    panel.say.mock.resetCalls();
    const event = Object.assign(new Event("keydown", { cancelable: true }), {
      key,
      repeat: false,
      ctrlKey: false,
      metaKey: false,
      altKey: false,
      ...more,
    });
    window.dispatchEvent(event);
    await new Promise((done) => setImmediate(done));
    return [
      event.defaultPrevented,
      ...sent,
      ...panel.say.mock.calls.map(({ arguments: [one] }) => `${one.do} ${one.at ?? one.page ?? ""}`),
    ];
  };
  assert.deepEqual(await press({}, "PageDown"), [true, "close"]);
  assert.deepEqual(await press({ phase: "closed", round: 2 }, "PageDown"), [true, "show"]);
  assert.deepEqual(await press({ phase: "shown", round: 2, ...BOTH }, "PageDown"), [true, "measure scaling"]);
  assert.deepEqual(await press({ phase: "revealed", ...BOTH }, "PageDown"), [true, "step 2"]);
  assert.deepEqual(await press({ phase: "closed" }, "PageUp"), [true, "step 0"]);
  assert.deepEqual(
    await press({ phase: "closed" }, "PageDown", { repeat: true }),
    [true],
    "a key that is held is one press",
  );
  assert.deepEqual(await press({ phase: "closed" }, "PageDown", { ctrlKey: true }), [false]);
  assert.deepEqual(await press({ phase: "closed" }, "ArrowDown"), [false]);
  assert.deepEqual(
    await press({ phase: "closed" }, "PageDown", { composedPath: () => [new HTMLTextAreaElement()] }),
    [false],
  );
  assert.equal(document.documentElement.dataset.remote, "class");
  teacher.leave();
  assert.equal(document.documentElement.dataset.remote, undefined);
});

test("a teacher's own link and the results are taken along, or it is said why they cannot be", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { Teacher } = await import("#web/live_class/teacher.js");
  const panel = panelOf({ ...CLASS, teaches: true });
  const teacher = new Teacher(panel, "BCDFG", "secret");
  teacher.client.stop();
  teacher.show(STATE);
  let copies = true;
  const heard = [];
  document.execCommand = () => false;
  document.body = document.createElement("body");
  document.createElement("textarea").constructor.prototype.select = () => {};
  const clipboard = { writeText: async (text) => (copies ? heard.push(text) : Promise.reject(Error())) };
  Object.defineProperty(globalThis, "navigator", { value: { clipboard }, configurable: true });
  await teacher.own.onclick();
  assert.deepEqual(
    [heard, teacher.status.textContent],
    [
      ["http://school.test/scaling?class=BCDFG-0123456789abcdef#teacher=secret"],
      "Copied. Keep it to yourself: who has it leads this class.",
    ],
  );
  context.mock.timers.tick(5999);
  assert.match(teacher.status.textContent, /^Copied/);
  context.mock.timers.tick(1);
  assert.doesNotMatch(teacher.status.textContent, /^Copied/, "it was read");
  copies = false;
  await teacher.own.onclick();
  assert.equal(teacher.status.textContent, "Copying is blocked here.");
  context.mock.timers.tick(6000);
  const clicked = [];
  const create = document.createElement;
  document.createElement = (tag) =>
    Object.assign(create(tag), {
      click() {
        clicked.push([this.href ?? this.attributes.href, this.download ?? this.attributes.download]);
      },
    });
  Object.assign(URL, { createObjectURL: () => "blob:1", revokeObjectURL: () => {} });
  teacher.client.results = async () => ({ csv: "a,b", error: "" });
  await teacher.save();
  teacher.client.results = async () => ({ csv: "", error: "Not now." });
  await teacher.save();
  document.createElement = create;
  assert.deepEqual([clicked, teacher.status.textContent], [[["blob:1", "class-BCDFG.csv"]], "Not now."]);
  teacher.leave();
});

test("what a remote's keys do: a page's presets first, then the course; in a class its panel, with a modifier nothing", async () => {
  await drawn("small/slide_keys", {});
  const pressed = [];
  const there = (...names) => {
    document.querySelector = (selector) => {
      const name = names.find((one) => selector === `.st-key-_${one} button:enabled`);
      return name ? { click: () => pressed.push(name) } : null;
    };
  };
  const send = (key, more = {}) =>
    window.dispatchEvent(
      Object.assign(new Event("keydown", { cancelable: true }), {
        key,
        ctrlKey: false,
        metaKey: false,
        altKey: false,
        ...more,
      }),
    );
  there("remote_PageDown", "course_PageDown", "course_PageUp");
  send("PageDown");
  send("PageUp");
  send("ArrowDown");
  send("PageDown", { ctrlKey: true });
  document.documentElement.dataset.remote = "class";
  send("PageDown");
  delete document.documentElement.dataset.remote;
  there("course_PageDown");
  send("PageDown");
  assert.deepEqual(pressed, ["remote_PageDown", "course_PageUp", "course_PageDown"]);
});

test("a page that has lost its server and found one says so once", async () => {
  const app = { dataset: { testConnectionState: "CONNECTED" } };
  document.querySelector = () => app;
  const { told } = await drawn("small/watch_connection", {});
  for (const state of ["CONNECTED", "PINGING_SERVER", "CONNECTED", "CONNECTED"]) {
    app.dataset.testConnectionState = state;
    watched.at(-1)();
  }
  assert.deepEqual(told, [["back", true]]);
});

test("a button says that it has copied, or why it could not, and then its label again", async (given) => {
  given.mock.timers.enable({ apis: ["setTimeout"] });
  const heard = [];
  document.execCommand = () => false;
  document.body = document.createElement("body");
  document.createElement("textarea").constructor.prototype.select = () => {};
  Object.defineProperty(globalThis, "navigator", {
    value: {
      clipboard: {
        writeText: async (text) => {
          if (text === "no") throw Error();
          heard.push(text);
        },
      },
    },
    configurable: true,
  });
  for (const [data, said] of [
    [{ label: "Copy", text: "code" }, "Copied"],
    [{ label: "Copy", text: "no" }, "Copying is blocked here: select the text instead"],
  ]) {
    const { root } = await drawn("small/button", data);
    const [button] = root.children;
    await button.onclick();
    assert.equal(button.textContent, said);
    given.mock.timers.tick(1800);
    assert.equal(button.textContent, data.label);
  }
  assert.deepEqual(heard, ["code"]);
});

test("a class's panel is the teacher's for who has its secret, and keeps as much room below as it takes", async () => {
  const { Panel } = await import("#web/live_class/panel.js");
  const styles = {};
  document.documentElement.style = {
    setProperty: (name, value) => (styles[name] = value),
    getPropertyValue: (name) => styles[name] ?? "",
    removeProperty: (name) => delete styles[name],
  };
  const main = Object.assign(document.createElement("main"), {
    getBoundingClientRect: () => ({ left: 240, width: 800 }),
  });
  document.querySelector = () => main;
  const host = document.createElement("div");
  const told = [];
  const given = (data) => ({
    data: { ...CLASS, ...data },
    parentElement: host,
    setTriggerValue: (...one) => told.push(one),
  });
  const panel = new Panel(given({ room: "CDFGH" }));
  panel.update(given({ room: "CDFGH" }));
  panel.face.client.stop();
  assert.equal(panel.root.className, "panel student");
  panel.root.offsetHeight = 56;
  panel.fit();
  assert.deepEqual(
    [panel.root.style.left, panel.root.style.width, styles],
    ["240px", "800px", { "--class-panel": "56px" }],
  );
  panel.face.open(false);
  let resized = 0;
  window.addEventListener("resize", () => (resized += 1));
  panel.fit();
  panel.fit();
  assert.deepEqual([styles["--class-bar"], resized], ["56px", 1], "pictures fit themselves once into what is left");
  panel.update(given({ room: "DFGHJ", secret: "Sec-ret" }));
  panel.face.client.stop();
  assert.equal(panel.root.className, "panel teacher");
  panel.say({ do: "leave" });
  assert.deepEqual(told.at(-1), ["said", { do: "leave" }]);
  panel.destroy();
  assert.deepEqual(styles, {});
});

test("the history has one step for each thing that was pressed; a phone's sidebar folds once a page is chosen", async () => {
  const folded = [];
  const replaced = [];
  const sidebar = { getBoundingClientRect: () => ({ right: 0 }) };
  document.querySelector = (name) =>
    name.includes("Collapse") ? { click: () => folded.push(name) } : name.includes("stSidebar]") ? sidebar : null;
  globalThis.matchMedia = (query) => ({ matches: /max-width: 767.98px/.test(query) });
  globalThis.history.replaceState = (_state, _title, url) => replaced.push(url);
  window.navigation = Object.assign(new EventTarget(), { entries: () => [] });
  await drawn("small/navigation", {});
  const go = (url, more = {}) => {
    const event = Object.assign(new Event("navigate", { cancelable: true }), {
      navigationType: "push",
      hashChange: false,
      destination: { url, sameDocument: true },
      ...more,
    });
    window.navigation.dispatchEvent(event);
    return event.defaultPrevented;
  };
  const press = () => window.dispatchEvent(new Event("pointerdown"));
  assert.equal(go("?a=1"), true, "nobody has pressed anything");
  press();
  assert.deepEqual([go("?a=2"), go("?a=3"), go("?a=4", { navigationType: "traverse" })], [false, true, false]);
  press();
  assert.equal(go("?b"), false);
  assert.deepEqual(
    [go("#c", { hashChange: true }), go("/other", { destination: { url: "/other", sameDocument: false } })],
    [false, false],
  );
  assert.deepEqual(replaced, ["?a=1", "?a=3"], "before anything else looks at the address");
  const click = (link) => {
    const target = Object.assign(document.createElement("a"), {
      closest: (name) => (link && name.includes("NavLink") ? {} : null),
    });
    document.dispatchEvent(Object.defineProperty(new Event("click"), "target", { value: target }));
  };
  click(false);
  assert.equal(folded.length, 0);
  click(true);
  assert.equal(folded.length, 1);
});
