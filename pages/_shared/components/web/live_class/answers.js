// What a student's phone takes an answer with, for each kind of question, and how an answer is worded.

import { element } from "../base/dom.js";
import { _ } from "../base/language.js";

/** @import { Answer, Question, RoomState } from "./room.js" */

/** Of the answers, as on a presenter's slide. */
export const LETTERS = "ABCDEF";
/** Characters of a number or a few words. */
const LONGEST = 40;
/** Digits in which a phone's arithmetic is exact where it was typed. */
const DIGITS = 12;

/** What a round is called. @param {number} round  counted from 0 @param {number} sum */
export const voteTitle = (round, sum) =>
  round ? _("Second vote ({sum})", { sum }) : _("First vote ({sum})", { sum });

/** An answer as one reads it. @param {Question} question @param {Answer} answer */
export function worded({ answers }, answer) {
  if (Array.isArray(answer)) return answer.map((at) => answers[at]).join(" + ");
  return answers.length ? answers[Number(answer)] : String(answer);
}

/** Whether an answer is the right one. @param {Answer} answer @param {RoomState["measured"]} measured */
export function isRight(answer, measured) {
  if (!Array.isArray(measured)) return answer === measured;
  if (Array.isArray(answer)) return String(answer) === String(measured);
  const [value, within] = measured;
  return Number(Math.abs(Number(answer) - value).toPrecision(DIGITS)) <= within;
}

/**
 * The buttons, boxes or field to answer with.
 * @param {Question} question
 * @param {Answer | null} mine  the answer that was given already
 * @param {(answer: Answer) => Promise<void>} send
 */
export function answerFields(question, mine, send) {
  if (question.kind === "one") return question.answers.map((text, at) => choice(text, at, send));
  if (question.kind === "several") return [boxes(question.answers, mine, send)];
  return [field(question, mine, send)];
}

/** Mark the answer that was given. @param {Element} answers @param {Answer | null} mine */
export function mark(answers, mine) {
  [...answers.children].forEach((one, at) => {
    if (one.classList.contains("answer")) one.ariaPressed = String(at === mine);
  });
}

/** @param {string} text @param {number} at @param {(answer: Answer) => Promise<void>} send */
function choice(text, at, send) {
  const onclick = () => send(at);
  return element(
    "button",
    { type: "button", className: "answer", onclick },
    element("b", {}, LETTERS[at]),
    ` ${text}`,
  );
}

/** @param {string[]} answers @param {Answer | null} mine @param {(answer: Answer) => Promise<void>} send */
function boxes(answers, mine, send) {
  const given = Array.isArray(mine) ? mine : [];
  const all = answers.map((_text, at) => element("input", { type: "checkbox", checked: given.includes(at) }));
  const button = element("button", { type: "submit", className: "main" }, _("Send"));
  const chosen = () => [...all.keys()].filter((at) => all[at].checked);
  const form = element("form", { className: "several" });
  const labels = answers.map((text, at) =>
    element("label", { className: "answer" }, all[at], element("b", {}, LETTERS[at]), element("span", {}, text)),
  );
  form.append(...labels, button);
  form.onchange = () => (button.disabled = !chosen().length);
  form.onsubmit = (event) => (event.preventDefault(), send(chosen()));
  button.disabled = !given.length;
  return form;
}

/** @param {Question} question @param {Answer | null} mine @param {(answer: Answer) => Promise<void>} send */
function field({ kind }, mine, send) {
  const isNumber = kind === "number";
  const input = element("input", {
    type: "text", // a number, too: the keyboards for numbers have no minus on some phones
    maxLength: LONGEST,
    autocomplete: "off",
    enterKeyHint: "send",
    required: true,
    value: mine === null ? "" : String(mine),
  });
  const name = isNumber ? _("Your number") : _("Your answer, in a few words");
  const button = element("button", { type: "submit", className: "main" }, _("Send"));
  const form = element("form", { className: "typed" });
  form.append(element("label", {}, element("span", {}, name), input), button);
  form.onsubmit = (event) => (event.preventDefault(), send(input.value));
  return form;
}
