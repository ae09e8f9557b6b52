import { expect, it } from "vitest";
import type { Check } from "../core/schema/check.ts";
import { checksAgain } from "./checks-again.ts";

const RUN: Check[] = [
  { kind: "command", command: "npm test" },
  { kind: "file", path: "a.js", expect: { is: "exists" } },
  { kind: "file", path: "a.js", expect: { is: "matches", pattern: "x", flags: "" } },
  { kind: "http", method: "GET", url: "http://localhost/", status: 200 },
];
const ASKED = [
  { kind: "review" },
  { kind: "agent-review", agent: "codex", question: "Good?" },
] as Check[];
const CHANGED: Check = { kind: "file", path: "a.js", expect: { is: "changed" } };

it("runs again whatever can be looked at, and asks nobody again", () => {
  expect(checksAgain([...RUN, ...ASKED], {})).toEqual(RUN);
});

it("compares a file only where its state from before is known, also where it was not there", () => {
  expect(checksAgain([CHANGED], {})).toEqual([]);
  expect(checksAgain([CHANGED], { "a.js": null })).toEqual([CHANGED]);
});
