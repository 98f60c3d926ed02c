// Questions that a teacher has written: blocks of lines, the question first, then an answer a line.

/** @typedef {{ text: string, answers: string[], right: number | null }} Note */

export const EXAMPLE = `What does a head look at, if all keys are equal?
The first key
* All keys alike
Nothing

An empty line begins the next question.
True
False`;

/**
 * @param {string} written
 * @returns {{ notes: Note[], wrong: string }} What can be asked, and a sentence about the first block that cannot be.
 */
export function read(written) {
  const notes = [];
  let wrong = "";
  for (const block of written.split(/\n\s*\n/)) {
    const [text, ...lines] = block
      .split("\n")
      .map((line) => line.trim().replace(/\s+/g, " "))
      .filter(Boolean);
    if (!text) continue;
    const right = lines.findIndex((line) => line.startsWith("*"));
    const answers = lines.map((line) => line.replace(/^\*\s*/, ""));
    if (answers.length < 2 || answers.length > 6)
      wrong ||= `“${text}” has ${answers.length || "no"} answer${answers.length === 1 ? "" : "s"}; two to six are needed.`;
    else notes.push({ text, answers, right: right < 0 ? null : right });
  }
  return { notes, wrong };
}
