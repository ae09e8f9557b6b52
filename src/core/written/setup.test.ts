import { expect, it } from "vitest";
import { readSetup } from "./setup.ts";

it.each([
  ["npm ci", ["npm ci"]],
  ["`npm ci`", ["npm ci"]],
  ["npm ci\n", ["npm ci"]],
  ["echo `date` > `hostname`", ["echo `date` > `hostname`"]],
  [
    ["npm ci", "npm run generate"],
    ["npm ci", "npm run generate"],
  ],
])("setup reads %j", (written, value) => {
  expect(readSetup(written)).toEqual({ ok: true, value });
});

it.each([
  [[], "expected a command, or a list of them"],
  [3, "expected a command, or a list of them"],
  [null, "expected a command, or a list of them"],
  [["npm ci", {}], "expected a command, or a list of them"],
  ["", "the command is empty"],
  [["npm ci", " "], "the command is empty"],
  ["a\nb", "a command is one line; put more into a script, and name that"],
])("setup refuses %j", (written, reason) => {
  expect(readSetup(written)).toEqual({ ok: false, reason });
});
