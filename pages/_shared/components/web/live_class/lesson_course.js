// The course of a class, and the teacher's devices: it lies in the room, and all of them are at its step.

import { element } from "../base/dom.js";
import { _ } from "../base/language.js";
import { RoomCourse } from "./room_course.js";

/** @import { ClassData } from "../base/types" */
/** @import { RoomState } from "./room.js" */
/** @import { Teacher } from "./teacher.js" */

/** Milliseconds after which a step that the session has not come to is asked for again; then twice as long each time. */
const AGAIN = 4000;

export class LessonCourse {
  /** Name of the course that was laid into the room last, or could not be. */
  laid = "";
  /** The step that this device is on its way to, because the class is there; null for none. */
  adopted = /** @type {number | null} */ (null);
  again = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  /** On a phone, which is a remote: where the class is, and the way to the steps around. */
  back = element("button", { type: "button" }, _("Previous step"));
  where = element("span", {});
  onward = element("button", { type: "button" }, _("Next step"));
  into = element("button", { type: "button", hidden: true }, _("Take the class into this course"));

  /** @param {Teacher} teacher */
  constructor(teacher) {
    this.teacher = teacher;
    this.room = new RoomCourse(teacher.panel, teacher.client);
    this.into.onclick = () => this.lay();
    this.back.onclick = () => this.go(this.at - 1);
    this.onward.onclick = () => this.go(this.at + 1);
    this.walk = element("div", { className: "walk" }, this.back, this.where, this.onward);
  }

  leave() {
    this.arrive();
    this.room.leave();
  }

  /** Whether this device walks the course that lies in the room. */
  get isShared() {
    const { state, data } = this.teacher;
    return Boolean(state?.course && data.laid?.name === state.course.name);
  }

  /** The step that the class is at, which this device may be on its way to. */
  get at() {
    const { state, data } = this.teacher;
    return this.isShared && state?.course ? state.course.step : data.at;
  }

  /** Whether it walks another one. */
  get isOther() {
    const { state, data } = this.teacher;
    return Boolean(state?.course && data.laid && data.laid.name !== state.course.name);
  }

  /** What there is to say of it. */
  get word() {
    if (this.isOther) return _("The class is in another course than this page.");
    return this.teacher.state?.course ? "" : (this.teacher.data.laid?.wrong ?? "");
  }

  draw() {
    const { at } = this;
    const { steps, laid } = this.teacher.data;
    this.into.hidden = !this.isOther || Boolean(laid?.wrong);
    this.walk.hidden = !steps;
    this.where.textContent =
      at < steps ? _("Step {number} of {count}", { number: at + 1, count: steps }) : _("The end");
    this.back.disabled = at === 0;
    this.onward.disabled = at >= steps;
  }

  /** The session has moved, or another one has begun. @param {ClassData} before */
  update(before) {
    const { state, data } = this.teacher;
    if (!state) return;
    if (!state.course) return this.layOnce();
    if (!data.laid) return void this.room.isHere(state.course);
    this.room.leave();
    if (!this.isShared || !before.laid || before.at === data.at) return;
    if (this.adopted === data.at) this.arrive();
    else if (this.adopted !== null) this.adopt(this.adopted);
    else if (state.course.step !== data.at) this.step(data.at);
  }

  /** The room has moved: by this device, or another of the teacher's. @param {RoomState | null} before */
  hear(before) {
    const { state, data } = this.teacher;
    const isNew = before?.course?.name !== state?.course?.name || before?.course?.step !== state?.course?.step;
    if (isNew && this.isShared && state?.course && state.course.step !== data.at) this.adopt(state.course.step);
    else this.update(data);
  }

  /** Have the session go to the class's step, and again until it is there, or walks another course.
   * @param {number} step @param {number} [wait] */
  adopt(step, wait = AGAIN) {
    this.arrive();
    if (!this.isShared) return;
    this.adopted = step;
    this.teacher.panel.say({ do: "step", at: step });
    this.again = setTimeout(() => this.adopt(step, 2 * wait), wait);
  }

  arrive() {
    clearTimeout(this.again);
    this.adopted = null;
  }

  /** A class that has no course takes that of its teacher by itself; another one takes a press. */
  layOnce() {
    const { laid } = this.teacher.data;
    if (laid?.text && this.laid !== laid.name) this.lay();
  }

  lay() {
    const { laid, at } = this.teacher.data;
    if (!laid) return;
    this.laid = laid.name;
    this.teacher.teach({ do: "course", course: laid.text, step: at });
  }

  /** Go to a step: with the class, where it is in the same course. @param {number} at */
  go(at) {
    const { data, panel } = this.teacher;
    if (!data.steps || at === this.at) return;
    if (this.isShared) this.step(at);
    else panel.say({ do: "step", at });
  }

  /** @param {number} step */
  step(step) {
    return this.teacher.teach({ do: "step", step });
  }
}
