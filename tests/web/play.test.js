// A slider that walks by itself: to its last step, once, and not after somebody has taken it.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { document } from "./stubs.js";
import { Play } from "#web/matrix_view/play.js";

let view, arrived, play;

const wait = (ms) => {
  for (let at = 0; at < ms; at += 10) mock.timers.tick(10);
};

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  view = { step: 0, steps: 4, seen: [] };
  arrived = [];
  play = new Play(
    view,
    (step) => view.seen.push((view.step = step)),
    () => arrived.push(view.step),
  );
});

test("a press walks from where it stands to the last step, and says so once", () => {
  view.step = 1;
  play.button.onclick();
  assert.equal(play.button.attributes["aria-label"], "Pause");
  wait(10_000);
  assert.deepEqual([view.seen, arrived], [[2, 3], [3]]);
  assert.equal(play.button.attributes["aria-label"], "Play");
});

test("from the last step it begins again, and a second press stops it where it is", () => {
  view.step = 3;
  play.button.onclick();
  wait(700);
  play.button.onclick();
  wait(10_000);
  assert.deepEqual([view.seen, arrived], [[0, 1], [1]]);
});

test("a hand on the slider ends it, and only the hand says where it stands", () => {
  play.button.onclick();
  play.end();
  wait(10_000);
  assert.deepEqual([view.seen, arrived], [[], []]);
});

test("a replay is over within two seconds, or with the next press anywhere", () => {
  view.steps = 40;
  play.replay();
  wait(2000);
  assert.deepEqual([view.step, arrived], [39, [39]]);
  play.replay();
  document.dispatchEvent(new Event("keydown"));
  assert.deepEqual([view.step, arrived], [39, [39, 39]]);
  wait(5000);
  document.dispatchEvent(new Event("pointerdown"));
  assert.equal(arrived.length, 2, "it is skipped once");
});
