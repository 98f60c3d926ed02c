// The way a student goes: to where the teacher takes everybody, once each time, and back to the student's own place.

import { keep, kept } from "../base/tab.js";
import { isSame, placeOf } from "./location.js";

/** @import { Place } from "../base/types" */
/** @import { Panel } from "./panel.js" */

/** Milliseconds after which a move that the app has not made is asked for again. */
const AGAIN = 4000;

export class Follow {
  /** The call that this tab has followed last, and to where; whether it is still to be there; where it was before. */
  kept = {
    call: 0,
    last: /** @type {Place | null} */ (null),
    follows: false,
    own: /** @type {Place | null} */ (null),
  };
  asked =
    /** @type {{ do: "move", page: string, settings: string, own: boolean, call: number, step: number | null } | null} */ (
      null
    );
  again = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);

  /** @param {Panel} panel @param {string} key */
  constructor(panel, key) {
    this.panel = panel;
    this.name = `room_way/${key}`;
    Object.assign(this.kept, JSON.parse(kept(this.name) ?? "{}"));
  }

  /** Whether there is a place to go back to. */
  get leadsBack() {
    return this.kept.own !== null || this.panel.data.own;
  }

  /**
   * @param {Place | null} place Where the teacher takes everybody; null while they play freely.
   * @param {number} call How often the teacher has taken everybody somewhere.
   * @param {number | null} [step] Of the class's course, at which that is.
   * @returns {boolean} Whether this student has just arrived there.
   */
  follow(place, call, step = null) {
    clearTimeout(this.again);
    const { kept: now, panel } = this;
    if (!place) {
      if (now.follows) this.remember({ follows: false });
      return false;
    }
    if (call === now.call) return false;
    if (panel.data.followed === call) {
      this.remember({ call, last: place, follows: true });
      return true;
    }
    if (this.asked?.call !== call) {
      const here = placeOf(panel.data.page);
      // What was moved while following is not the student's own place, nor is what the teacher left behind.
      const own = now.own === null || (!now.follows && !isSame(here, now.last));
      if (own) this.remember({ own: here });
      this.asked = { do: "move", ...place, own, call, step };
    }
    panel.say(this.asked);
    this.again = setTimeout(() => this.follow(place, call, step), AGAIN);
    return false;
  }

  back() {
    this.panel.say({ do: "back", ...(this.kept.own ?? placeOf(this.panel.data.page)) });
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
