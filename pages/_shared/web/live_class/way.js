// The way a student goes: to where the teacher takes everybody, once each time, and back to the student's own place.

import { keep, kept } from "../room.js";
import { isSame, placeOf } from "./place.js";

/** @import { Place } from "../types" */
/** @import { Dock } from "./dock.js" */

/** Milliseconds after which a move that the app has not made is asked for again. */
const AGAIN = 4000;

export class Way {
  /** Where this tab has followed to and is still to be; where it followed to last; where it was before; how often. */
  kept = {
    followed: /** @type {Place | null} */ (null),
    last: /** @type {Place | null} */ (null),
    own: /** @type {Place | null} */ (null),
    turn: 0,
  };
  /** @type {{ do: "move", page: string, settings: string, own: boolean, turn: number } | null} */
  asked = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  again = undefined;

  /** @param {Dock} dock @param {string} key */
  constructor(dock, key) {
    this.dock = dock;
    this.name = `room_way/${key}`;
    Object.assign(this.kept, JSON.parse(kept(this.name) ?? "{}"));
  }

  /** Whether there is a place to go back to. */
  get leadsBack() {
    return this.kept.own !== null || this.dock.data.own;
  }

  /**
   * @param {Place | null} place Where the teacher takes everybody; null while they play freely.
   * @returns {boolean} Whether this student has just arrived there.
   */
  follow(place) {
    clearTimeout(this.again);
    const { kept: now, dock } = this;
    if (!place) {
      this.asked = null;
      if (now.followed) this.remember({ last: now.followed, followed: null });
      return false;
    }
    if (isSame(place, now.followed)) return false;
    if (!this.asked || !isSame(place, this.asked)) {
      const here = placeOf(dock.data.page);
      // What was moved while following is not the student's own place, nor is what the teacher left behind.
      const own = now.own === null || (now.followed === null && !isSame(here, now.last));
      this.remember({ turn: now.turn + 1, own: own ? here : now.own });
      this.asked = { do: "move", ...place, own, turn: this.kept.turn };
    } else if (dock.data.followed === this.asked.turn) {
      this.asked = null;
      this.remember({ followed: place });
      return true;
    }
    dock.say(this.asked);
    this.again = setTimeout(() => this.follow(place), AGAIN);
    return false;
  }

  back() {
    this.dock.say({ do: "back", ...(this.kept.own ?? placeOf(this.dock.data.page)) });
    this.remember({ own: null });
  }

  leave() {
    clearTimeout(this.again);
  }

  /** @param {Partial<typeof this.kept>} news */
  remember(news) {
    Object.assign(this.kept, news);
    keep(this.name, JSON.stringify(this.kept));
  }
}
