// A lesson in a class: its course lies in the room, all of the teacher's devices and the phones are at its step, and the
// wall shows what is asked.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { document, storage } from "./stubs.js";
import { LessonCourse } from "#web/live_class/lesson_course.js";
import { RoomCourse } from "#web/live_class/room_course.js";
import { Wall } from "#web/live_class/wall.js";
import { keepSecret, rememberClass, running } from "#web/base/secret.js";

const rest = () => new Promise((done) => setImmediate(done));
beforeEach(() => {
  storage();
  globalThis.ResizeObserver = class {
    observe() {}
    disconnect() {}
  };
});

const made = [];
afterEach(() => made.splice(0).forEach(({ course }) => course.leave())); // what waits to ask again would wait forever

const OURS = { name: "ours", text: "o", wrong: "" };
const course = (step, name = "ours") => ({ name, step, steps: 3 });

/** A teacher at a step of a course, in a room. */
function teaching(data, state) {
  const teacher = {
    key: "BCDFG",
    gone: new AbortController(),
    data: { laid: OURS, at: 0, steps: 3, course: "", slide: true, ...data },
    state: { course: null, ...state },
    client: { course: async () => ({ name: "theirs", course: "t", error: "" }) },
    panel: { say: mock.fn() },
    teach: mock.fn(async () => true),
    draw: mock.fn(),
  };
  teacher.panel.data = teacher.data;
  teacher.course = new LessonCourse(teacher);
  made.push(teacher);
  const calls = (one) => one.mock.calls.map(({ arguments: [message] }) => message);
  const move = (more) => {
    const before = teacher.data;
    teacher.panel.data = teacher.data = { ...before, ...more };
    teacher.course.update(before);
  };
  const hear = (more) => {
    const before = teacher.state;
    teacher.state = { ...before, ...more };
    teacher.course.hear(before);
  };
  return { teacher, move, hear, taught: () => calls(teacher.teach), said: () => calls(teacher.panel.say) };
}

test("a class that has no course takes its teacher's, once, and is at the step of whoever moved last", () => {
  const { hear, move, taught, said } = teaching({ at: 1 });
  for (const here of [1, 2]) hear({ here });
  assert.deepEqual(taught(), [{ do: "course", course: "o", step: 1 }]);
  hear({ course: course(1) });
  move({ at: 2 }); // by a press in the strip
  assert.deepEqual(taught()[1], { do: "step", step: 2 });
  hear({ course: course(2) });
  hear({ course: course(3) }); // by the remote
  assert.deepEqual(said(), [{ do: "step", at: 3 }]);
  move({ at: 3 });
  assert.equal(taught().length, 2, "what was adopted is not sent back");
});

test("a device that has not come to the class's step asks again, until it is there or has left", (given) => {
  given.mock.timers.enable({ apis: ["setTimeout"] });
  const { teacher, hear, move, said } = teaching({}, { course: course(0) });
  const times = (ms) => {
    given.mock.timers.tick(ms);
    return said().length;
  };
  hear({ course: course(1) });
  assert.deepEqual([4000, 4000, 4000].map(times), [2, 2, 3]);
  move({ at: 1 });
  assert.equal(times(16000), 3);
  hear({ course: course(2) });
  move({ laid: { ...OURS, name: "theirs" } });
  assert.equal(times(4000), 4, "a step of another course is nobody's");
  move({ laid: OURS });
  hear({ course: course(0) });
  teacher.course.leave();
  assert.deepEqual([times(16000), said().map(({ at }) => at)], [5, [1, 1, 1, 2, 0]]);
});

test("a device that is overtaken on its way to a step goes on to the newest, and takes nobody back", () => {
  const { hear, move, taught, said } = teaching({}, { course: course(0) });
  hear({ course: course(1) });
  hear({ course: course(2) });
  move({ at: 1 });
  move({ at: 2 });
  assert.deepEqual([taught(), said().map(({ at }) => at)], [[], [1, 2, 2]]);
});

test("a second press counts from where the class is, before this device has arrived there", () => {
  const { teacher, hear, taught } = teaching({}, { course: course(0) });
  teacher.course.onward.onclick();
  hear({ course: course(1) });
  teacher.course.draw();
  assert.equal(teacher.course.where.textContent, "Step 2 of 3");
  teacher.course.onward.onclick();
  assert.deepEqual(
    taught().map(({ step }) => step),
    [1, 2],
  );
});

test("another course than the class's is said, and takes the class along by a press alone", () => {
  const { teacher, hear, move, taught } = teaching({}, {});
  hear({ course: course(1, "theirs") });
  move({ at: 2 });
  assert.deepEqual(taught(), []);
  teacher.course.draw();
  assert.deepEqual(
    [teacher.course.word, teacher.course.into.hidden],
    ["The class is in another course than this page.", false],
  );
  teacher.course.into.onclick();
  assert.deepEqual(taught(), [{ do: "course", course: "o", step: 2 }]);
});

test("a course that a room cannot hold is said, and walked without the class", () => {
  const { teacher, hear, taught, said } = teaching({ laid: { name: "large", text: "", wrong: "Too large." } }, {});
  hear({ here: 1 });
  teacher.course.go(2);
  assert.deepEqual([taught(), said(), teacher.course.word], [[], [{ do: "step", at: 2 }], "Too large."]);
});

test("a device in no course is given the class's, and leads all devices by its steps", async () => {
  const { teacher, hear, move, taught, said } = teaching({ laid: null, steps: 0 }, {});
  hear({ course: course(1, "theirs") });
  await rest();
  assert.deepEqual(said(), [{ do: "course", name: "theirs", course: "t", step: 1 }]);
  move({ laid: { name: "theirs", text: "t", wrong: "" }, course: "theirs", at: 1, steps: 3 });
  teacher.course.onward.onclick();
  assert.deepEqual(taught(), [{ do: "step", step: 2 }]);
});

test("a phone is given the course once, again where that was lost, and another one when the class has it", async (given) => {
  given.mock.timers.enable({ apis: ["setTimeout"] });
  const said = [];
  const panel = { data: { course: "" }, say: (one) => said.push(one) };
  let name = "ours";
  const room = new RoomCourse(panel, { course: async () => ({ name, course: "o", error: "" }) });
  assert.equal(room.isHere(null), true);
  for (let times = 0; times < 2; times++) assert.equal(room.isHere(course(1)), false);
  await rest();
  assert.deepEqual(said, [{ do: "course", name: "ours", course: "o", step: 1 }]);
  given.mock.timers.tick(4000);
  await rest();
  assert.equal(said.length, 2);
  panel.data = { course: "ours" };
  assert.equal(room.isHere(course(2)), true);
  given.mock.timers.tick(9000);
  name = "theirs";
  assert.equal(room.isHere(course(0, "theirs")), false);
  await rest();
  assert.deepEqual([said.length, said.at(-1).name], [3, "theirs"]);
});

const ASKED = {
  phase: "open",
  round: 1,
  voted: 1,
  here: 3,
  tallies: [],
  measured: null,
  sums: [1],
  question: { name: "q", kind: "one", text: "Which?", answers: ["no", "yes"], page: "" },
};
const SCENES = [
  [
    { question: null, phase: "waiting" },
    "join",
    "BCDFGScan the code, or open http://school.test/ and type the key.3 here",
  ],
  [{}, "open", "Vote. Which?A noB yes1 of 3 have voted."],
  [{ phase: "closed" }, "closed", "Talk it over with your neighbour.Which?A noB yes1 of 3 have voted."],
  [{ round: 2 }, "open", "Vote again. Which?A noB yes1 of 3 have voted."],
  [{ phase: "shown", tallies: [[1, 0]] }, "shown", "Counted.Which?First vote (1)A no1B yes0"],
  [{ phase: "revealed", tallies: [[1, 0]] }, "", ""],
  [{ phase: "dropped" }, "", ""],
];

test("the wall shows the way in until the teacher goes on, then what is asked and counted, and the page with the answer", () => {
  const { teacher } = teaching({ qr: "<svg/>", address: "http://school.test/?class=BCDFG", warning: "" });
  const wall = new Wall(teacher);
  for (const [more, scene, text] of SCENES) {
    wall.draw({ ...ASKED, ...more });
    assert.deepEqual([wall.root.className.trim(), wall.root.hidden], [`wall ${scene}`.trim(), !scene]);
    assert.equal(wall.root.textContent, text);
    wall.isJoining = false;
  }
  wall.draw({ ...ASKED, question: { ...ASKED.question, kind: "words", answers: [] } });
  assert.equal(wall.root.textContent, "Vote. A few words.Which?1 of 3 have voted.");
  wall.join(true);
  wall.draw(ASKED);
  assert.match(wall.root.className, /join/, "the key is there again for who comes late");
  assert.equal(new Wall(teacher).isJoining, false, "after a reload it is not");
  teacher.data.slide = false;
  assert.equal(wall.sceneOf(ASKED), "", "a desk is no wall");
});

test("a countdown goes on where votes come in, and ends with the vote", (given) => {
  given.mock.timers.enable({ apis: ["setInterval"] });
  let now = 0;
  given.mock.method(performance, "now", () => now);
  const { teacher } = teaching({ qr: "", address: "", warning: "" });
  const wall = new Wall(teacher);
  wall.isJoining = false;
  wall.draw(ASKED);
  wall.countdown.onclick();
  const later = (ms) => ((now += ms), given.mock.timers.tick(200), wall.clock.textContent);
  assert.deepEqual([wall.clock.textContent, later(20_500)], ["1:00", "0:40"]);
  wall.draw({ ...ASKED, voted: 2 });
  assert.deepEqual([later(30_000), later(10_000)], ["0:10", "Time is up"]);
  wall.draw({ ...ASKED, phase: "closed" });
  assert.deepEqual([wall.clock.hidden, wall.ends, wall.countdown.hidden], [true, 0, true]);
});

test("at the end of a course stand the questions whose answer is out, with one's own, and one that comes out there", async () => {
  const { answers } = await import("#web/live_class/room.js");
  const { default: draw } = await import("#web/live_class/votes.js");
  const outcome = { ...ASKED, step: 2, tallies: [[1, 2]], sums: [3], measured: 1 };
  let body = { votes: [] };
  const asked = [];
  mock.method(globalThis, "fetch", async (url) => {
    asked.push(`${url.pathname.split("/").at(-1)} ${url.searchParams.get("ticket")}`);
    return new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });
  });
  sessionStorage.setItem("room_vote/BCDFG/q/1", "1");
  const host = document.createElement("div");
  host.host = host;
  draw({ parentElement: host, data: { room: "BCDFG", ticket: "t", language: "en" } });
  await rest();
  assert.match(host.textContent, /No question of this class has its answer yet\.$/);
  body = { votes: [outcome, { ...outcome, step: 0 }] };
  answers.dispatchEvent(new Event("out"));
  await rest();
  const counted = "First vote (3)A no1B yes✓ rightyour answer2";
  assert.equal(host.textContent, `What the class votedStep 2. Which?${counted}Which?${counted}`);
  assert.deepEqual(asked, ["votes t", "votes t"]);
  mock.restoreAll();
});

test("a browser remembers the class it leads until that ends, and for no longer than it may last", (given) => {
  rememberClass("BCDFG", "secret", "0123456789abcdef");
  const { key, secret, ticket } = running();
  assert.deepEqual([key, secret, ticket], ["BCDFG", "secret", "0123456789abcdef"]);
  keepSecret("GHJKM", "");
  assert.ok(running(), "another class has ended");
  given.mock.method(Date, "now", () => performance.timeOrigin + performance.now() + 12 * 3600 * 1000 + 1);
  assert.equal(running(), null);
  given.mock.restoreAll();
  keepSecret("BCDFG", "");
  assert.equal(running(), null);
  for (const odd of ["", "{", "null", "{}", '{"key":3,"until":1e99}']) {
    localStorage.setItem("class_running", odd);
    assert.equal(running(), null, odd);
  }
});
