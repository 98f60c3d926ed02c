// Questions that are answered otherwise than by one of their answers: fields, dots, words, and who is lost.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { approving, document, outline, storage } from "./stubs.js";
import { answerFields, isRight, worded } from "#web/live_class/answers.js";
import { dots } from "#web/live_class/dots.js";
import { histogram } from "#web/live_class/histogram.js";
import { Lost } from "#web/live_class/lost.js";
import { WordChoice } from "#web/live_class/word_choice.js";

const approved = approving("kinds");
const inLine = (node) => node.textContent.replace(/\s+/g, " ").trim();
Object.assign(globalThis, {
  EventSource: Object.assign(
    class extends EventTarget {
      close() {}
    },
    { CLOSED: 2 },
  ),
  location: { href: "http://school.test/", pathname: "/", search: "", hash: "" },
});
const SEVERAL = { name: "q", kind: "several", text: "Which?", answers: ["a", "b", "c"], page: "" };
const NUMBER = { name: "q", kind: "number", text: "How many?", answers: [], page: "" };
const WORDS = { name: "q", kind: "words", text: "Why?", answers: [], page: "" };
const submit = { preventDefault() {} };

test("each kind is answered by what fits it, and what was answered stands in it", () => {
  for (const [name, question, mine] of [
    ["several", SEVERAL, null],
    ["several, answered", SEVERAL, [0, 2]],
    ["a number", NUMBER, null],
    ["a number, answered", NUMBER, 0.125],
    ["words", WORDS, "kv cache"],
  ])
    approved(
      `fields: ${name}`,
      answerFields(question, mine, () => {}).flatMap((one) => outline(one)),
    );
});

test("boxes send what is ticked, once something is; a field sends what is typed", () => {
  const sent = [];
  const [form] = answerFields(SEVERAL, null, (answer) => sent.push(answer));
  const [, boxB, boxC] = form.children.slice(0, 3).map((label) => label.children[0]);
  const button = form.children.at(-1);
  assert.equal(button.disabled, true);
  [boxB.checked, boxC.checked] = [true, true];
  form.onchange();
  assert.equal(button.disabled, false);
  form.onsubmit(submit);
  for (const question of [NUMBER, WORDS]) {
    const [typed] = answerFields(question, null, (answer) => sent.push(answer));
    typed.children[0].children[1].value = "６４,5";
    typed.onsubmit(submit);
  }
  assert.deepEqual(sent, [[1, 2], "６４,5", "６４,5"]);
});

test("an answer is worded, and right as the room says", () => {
  assert.deepEqual(
    [worded(SEVERAL, [0, 2]), worded({ ...SEVERAL, kind: "one" }, 1), worded(NUMBER, -0.5), worded(WORDS, "0")],
    ["a + c", "b", "-0.5", "0"],
  );
  for (const [answer, measured, right] of [
    [1, 1, true],
    [1, 0, false],
    [[0, 2], [0, 2], true],
    [[0], [0, 2], false],
    [0.4, [0.3, 0.1], true],
    [0.41, [0.3, 0.1], false],
    [64, [64, 0], true],
    ["a", null, false],
  ])
    assert.equal(isRight(answer, measured), right, `${answer} of ${measured}`);
});

test("several answers have their counts in shares of those who voted", () => {
  const state = { question: SEVERAL, sums: [4], tallies: [[4, 1, 2]], measured: [0, 2] };
  const body = histogram(state, [1, 2]).children[1];
  assert.deepEqual(
    body.children.map((row) => row.textContent),
    ["A a✓ right4", "B byour answer1", "C c✓ rightyour answer2"],
  );
  const widths = body.children.map((row) => row.children[1].children[0].children[0].children[0].style.width);
  assert.deepEqual(widths, ["100%", "25%", "50%"]);
});

test("words are shown as the room has chosen them, and none without", () => {
  const state = { question: WORDS, sums: [3, 2], tallies: [[], []], measured: null };
  assert.equal(histogram(state).textContent, "First vote (3) Second vote (2) ");
  state.tallies = [
    [
      ["keys", 2],
      ["values", 0],
    ],
    [
      ["keys", 1],
      ["values", 1],
    ],
  ];
  const body = histogram(state, "values").children[1];
  assert.deepEqual(
    body.children.map((row) => row.textContent),
    ["keys21", "valuesyour answer01"],
  );
});

/** Dots, what is shaded and marked, and what is told of one vote. */
function drawn(pairs, measured = null, mine = null) {
  const sum = pairs.reduce((all, [, count]) => all + count, 0);
  const state = { question: NUMBER, sums: [sum], tallies: [pairs], measured };
  const [, picture, said] = dots(state, mine).children[0].children;
  const count = (tag, kind) =>
    picture.children.filter((one) => one.tag === tag && (!kind || one.attributes.class === kind));
  const texts = count("text").map((one) => one.textContent);
  return { picture, said: said.textContent, dots: count("circle"), right: count("rect"), mine: count("path"), texts };
}

test("where half of a class agree, one who is far off does not take the line from the others", () => {
  const all = drawn([
    [60, 2],
    [66, 20],
    [70, 2],
    [1000, 1],
  ]);
  assert.deepEqual([all.dots.length, all.texts.at(-1)], [24, "1 ▸"]);
  assert.equal(all.said, "Half of them or more: 66.");
  assert.equal(drawn([[7, 3]]).dots.length, 3, "nobody differs");
});

test("numbers are dots on a line, one for each answer, and what is right is shaded", () => {
  const pairs = [
    [60, 1],
    [64, 3],
    [66, 2],
  ];
  const all = drawn(pairs, [64, 2], 66);
  assert.equal(all.dots.length, 6);
  assert.equal(all.said, "5 of 6 from 64 to 66, the middle one 64. 5 within 64 ± 2.");
  assert.equal(all.picture.attributes["aria-label"], all.said);
  const band = Object.fromEntries(
    Object.entries(all.right[0].attributes).map(([name, value]) => [name, Number(value)]),
  );
  const inside = all.dots.filter(
    ({ attributes: { cx } }) => Number(cx) >= band.x - 1e-9 && Number(cx) <= band.x + band.width + 1e-9,
  );
  assert.equal(inside.length, 5);
  assert.equal(all.mine.length, 1);
  assert.equal(drawn(pairs).right.length, 0);
  assert.equal(drawn([]).said, "Nobody answered.");
});

test("the lines of both votes are of one height, and no stack stands out of its line", () => {
  const tallies = [[[7, 1], [8, 1]], [[7, 5]]]; // prettier-ignore
  const pictures = dots({ question: NUMBER, sums: [2, 5], tallies, measured: null }, null).children.map(
    (figure) => figure.children[1],
  );
  const heights = pictures.map((one) => Number(one.attributes.viewBox.split(" ")[3]));
  assert.equal(heights[0], heights[1]);
  const tops = pictures.map((one) =>
    one.children.filter(({ tag }) => tag === "circle").map(({ attributes }) => attributes.cy - attributes.r),
  );
  assert.deepEqual(
    tops.map((one) => one.length),
    [2, 5],
  );
  assert.ok(Math.min(...tops.flat()) >= 0, tops);
  assert.ok(Math.min(...tops.flat()) < 4, "and none is higher than it needs to be");
});

test("a number far off does not press the others together, and it is told how many there are", () => {
  const near = [10, 11, 12, 13, 14].map((value) => [value, 4]);
  const all = drawn([[-1000, 1], ...near, [5000, 2]]);
  assert.equal(all.dots.length, 20);
  assert.ok(all.texts.includes("◂ 1") && all.texts.includes("2 ▸"), all.texts);
  const xs = new Set(all.dots.map(({ attributes }) => attributes.cx));
  assert.equal(xs.size, 5);
  assert.equal(drawn([[7, 3]]).dots.length, 3, "one number alone");
  assert.equal(drawn([...near, [5000, 2]], null, 5000).mine.length, 1);
  const many = drawn([[7, 500]]);
  assert.equal(many.dots.length, 500);
  assert.ok(Number(many.picture.attributes.viewBox.split(" ")[3]) < 120, "a stack has its height");
});

test("the teacher chooses which words everybody sees, one press each", async () => {
  const sent = [];
  const teacher = {
    state: null,
    client: {
      words: async () => ({
        words: [
          ["keys", 3],
          ["rude", 1],
          ["values", 1],
        ],
        error: "",
      }),
    },
    teach: (message) => sent.push(message),
    say: mock.fn(),
  };
  const choice = new WordChoice(teacher);
  const update = (more) =>
    choice.update((teacher.state = { question: WORDS, round: 1, voted: 5, tallies: [], ...more }));
  update({ phase: "open" });
  assert.equal(choice.root.hidden, true);
  update({ phase: "closed" });
  await new Promise((done) => setImmediate(done));
  assert.equal(choice.root.hidden, false);
  assert.equal(choice.summary.textContent, "Choose which of 5 answers everybody sees");
  assert.equal(choice.list.children.length, 0, "nothing is seen before it is unfolded");
  choice.root.open = true;
  choice.root.ontoggle();
  assert.equal(inLine(choice.list), "keys 3rude 1values 1");
  choice.list.children[2].onclick();
  update({ phase: "shown", tallies: [[["values", 1]]] });
  assert.deepEqual(
    choice.list.children.map((one) => one.ariaPressed),
    ["false", "false", "true"],
  );
  choice.list.children[0].onclick();
  choice.list.children[2].onclick();
  assert.deepEqual(sent, [
    { do: "show", words: [2] },
    { do: "show", words: [2, 0] },
    { do: "show", words: [] },
  ]);
  teacher.client.words = async () => ({ words: [], error: "Not now." });
  update({ phase: "closed", round: 2 });
  await new Promise((done) => setImmediate(done));
  assert.equal(choice.root.open, false, "another vote's words are chosen anew");
  assert.deepEqual(teacher.say.mock.calls[0].arguments, ["Not now."]);
  update({ phase: "closed", question: NUMBER });
  assert.equal(choice.root.hidden, true);
});

test("who is lost is a share over time that the tab keeps", (given) => {
  given.mock.timers.enable({ apis: ["Date"], now: 1_000_000_000 });
  storage();
  const lost = new Lost("BCDFG");
  lost.hear({ lost: 0, here: 4 });
  assert.equal(lost.root.hidden, true);
  given.mock.timers.tick(20_000);
  lost.hear({ lost: 2, here: 4 });
  lost.hear({ lost: 1, here: 4 });
  assert.equal(lost.root.hidden, false);
  assert.equal(lost.count.textContent, "1 of 4 lost");
  assert.equal(
    lost.picture.attributes["aria-label"],
    "Share of the class that is lost, over 5 minutes; at most 50 %",
  );
  const again = new Lost("BCDFG");
  assert.deepEqual(
    again.points.map(([, share]) => share),
    [0, 0.5],
    "the most of each ten seconds",
  );
  for (let at = 0; at < 500; at++) {
    given.mock.timers.tick(10_000);
    again.hear({ lost: 0, here: 0 });
  }
  assert.equal(again.points.length, 360, "an hour");
  assert.equal(new Lost("ZZZZZ").points.length, 0);
});

test("a student who is lost says so by one press, and by another that it is over; it is over by itself, too", async (given) => {
  given.mock.timers.enable({ apis: ["setTimeout"] });
  storage();
  const { Student } = await import("#web/live_class/student.js");
  const root = document.createElement("section");
  const student = new Student(
    { data: { kept: "", ticket: "" }, say: mock.fn(), root, main: root, fit() {} },
    "BCDFG",
  );
  student.client.stop();
  const sent = [];
  student.client.lose = async (lost) => (sent.push(lost), { error: "" });
  await student.lost.onclick();
  assert.equal(student.lost.ariaPressed, "true");
  await student.lost.onclick();
  assert.equal(student.lost.ariaPressed, "false");
  await student.lost.onclick();
  given.mock.timers.tick(180_000);
  assert.equal(student.lost.ariaPressed, "false");
  student.client.lose = async () => ({ error: "Not now." });
  await student.lost.onclick();
  assert.deepEqual([student.lost.ariaPressed, student.sent.textContent], ["false", "Not now."]);
  assert.deepEqual(sent, [true, false, true]);
});

test("an answer that did not get through is sent again once the class is heard again, and one that was refused is not", async () => {
  storage();
  const { Student } = await import("#web/live_class/student.js");
  const root = document.createElement("section");
  const panel = {
    data: { kept: "", ticket: "", test: { person: "", answers: {} } },
    say: mock.fn(),
    root,
    main: root,
    fit() {},
  };
  const student = new Student(panel, "BCDFG");
  student.client.stop();
  const open = {
    phase: "open",
    round: 1,
    question: SEVERAL,
    sums: [],
    tallies: [],
    measured: null,
    course: null,
    follow: null,
  };
  const sent = [];
  let said = { status: 0, error: "The class cannot be reached." };
  student.client.vote = async (answer) => (sent.push(answer), said);
  student.show(open);
  await student.vote([1]);
  assert.match(student.sent.textContent, /^Not sent yet/);
  said = { status: 409, error: "Closed." };
  student.show(open);
  await Promise.resolve();
  assert.deepEqual(sent, [[1], [1]]);
  student.show(open);
  assert.equal(sent.length, 2, "refused");
  said = { status: 503, error: "Busy." };
  await student.vote([2]);
  student.show({ ...open, round: 2 });
  assert.equal(sent.length, 3, "another round is not what was answered");
  student.leave();
});

test("whoever comes later knows at which step a question was asked: of a step that was left its counts are not shown", async () => {
  storage();
  const { Student } = await import("#web/live_class/student.js");
  const root = document.createElement("section");
  const data = { kept: "", ticket: "", test: { person: "", answers: {} } };
  const revealed = { phase: "revealed", round: 1, sums: [2], tallies: [[1, 1, 0]], measured: [0], follow: null };
  for (const [step, course, isPast] of [
    [2, { name: "c", step: 2, steps: 3 }, true],
    [2, { name: "c", step: 1, steps: 3 }, false],
    [2, null, false],
    [0, { name: "c", step: 1, steps: 3 }, false],
  ]) {
    const student = new Student({ data, say: mock.fn(), root, main: root, fit() {} }, "BCDFG");
    student.client.stop();
    student.show({ ...revealed, course, question: { ...SEVERAL, step } });
    student.course.leave();
    assert.equal(student.counts.children.length === 0, isPast, JSON.stringify([step, course]));
  }
});
