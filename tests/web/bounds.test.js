// Each size and each time of the browser's side is what was decided: most stand in prose beside them alone.

import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { approving } from "./stubs.js";

const WEB = new URL("../../pages/_shared/components/web/", import.meta.url);
const CONSTANT = /^(?:export )?const (\[?[A-Z][A-Z_, ]+\]?) = (\[?[-\d._, ]+\]?|"[^"]*"|\{ [\w: \d.,"]+ \});/gm;

test("each size and each time is what was decided", () => {
  const files = readdirSync(WEB, { recursive: true }).filter((name) => /\.js$/.test(name) && !/words_/.test(name));
  approving("bounds")(
    "bounds",
    files.sort().flatMap((name) => {
      const found = [...readFileSync(new URL(name, WEB), "utf8").matchAll(CONSTANT)];
      return found.length ? [`${name}: ${found.map(([, what, value]) => `${what} ${value}`).join("; ")}`] : [];
    }),
  );
});
