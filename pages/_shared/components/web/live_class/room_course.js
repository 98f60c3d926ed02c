// Gives the session the course that lies in the room: the browser asks the room for it, and hands it on.

/** @import { Course, RoomClient } from "./room.js" */
/** @import { Panel } from "./panel.js" */

/** Milliseconds after which a course that the session does not have is asked for again; then twice as long each time. */
const AGAIN = 4000;

export class RoomCourse {
  /** Name of the course that is on its way. */
  asked = "";
  again = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);

  /** @param {Panel} panel @param {RoomClient} client */
  constructor(panel, client) {
    this.panel = panel;
    this.client = client;
  }

  /** Whether the session has the course of the room, if there is one; else it is given it. @param {Course | null} course */
  isHere(course) {
    if (!course || this.panel.data.course === course.name) {
      this.leave();
      return true;
    }
    if (this.asked !== course.name) this.give(course);
    return false;
  }

  /** @param {Course} course @param {number} [wait] */
  async give(course, wait = AGAIN) {
    this.leave();
    const { name, step } = course;
    this.asked = name;
    this.again = setTimeout(() => this.give(course, 2 * wait), wait);
    const said = await this.client.course();
    if (said.name === name && this.asked === name) this.panel.say({ do: "course", name, course: said.course, step });
  }

  leave() {
    clearTimeout(this.again);
    this.asked = "";
  }
}
