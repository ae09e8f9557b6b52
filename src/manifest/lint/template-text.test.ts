import { expect, test } from "vitest";
import { manifestTemplate } from "../manifest-template.ts";
import { isError } from "../problem.ts";
import { lintManifest } from "./lint-manifest.ts";

const TEMPLATE = manifestTemplate({
  goal: null,
  setup: [],
  checks: ["npm test"],
  dir: "",
  lookedFor: "",
  leftOut: [{ what: "setup", where: "setup.py", why: "no lock file says how" }],
});
const CHECK = '  - check: `grep -q "a text that only the finished work has" path/to/file`\n';

function errors(text: string): string[] {
  return lintManifest(text)
    .problems.filter(isError)
    .map(({ rule, line, message }) => `${line} ${rule}: ${message}`);
}

function lineOf(words: string, text = TEMPLATE): number {
  return text.split("\n").findIndex((line) => line.includes(words)) + 1;
}

test("a manifest that is still the template is an error at each text to be replaced", () => {
  expect(errors(TEMPLATE)).toEqual([
    `${lineOf("Say here")} template-text: this is still the goal of the template; say what your work should achieve`,
    `${lineOf("first piece")} template-text: this is still a task of the template; write your own there, or delete it`,
    `${lineOf("next piece")} template-text: this is still a task of the template; write your own there, or delete it`,
  ]);
});

test("a task whose title was replaced, and its check was not, is an error at the check", () => {
  const text = TEMPLATE.replace("Say here", "Log in: say here")
    .replace("Replace this line with the first piece of work", "Add a login form")
    .replace("- [ ] second - Replace this line with the next piece of work", "- [ ] Log out");
  const [first, ...others] = errors(text);
  const told =
    "template-text: this is still the check of the template and never passes; write one that fails today and passes when the work is done, or delete it";
  expect(first).toBe(`${lineOf("login form", text) + 1} ${told}`);
  expect(others).toEqual([`${lineOf("Log out", text) + 1} ${told}`]);
});

test("a template that was filled in, commented out or checked is none", () => {
  const filled = TEMPLATE.replace(/Say here.*/, "Log in.")
    .replace("Replace this line with the first piece of work", "Add a login form")
    .replaceAll(CHECK, "");
  expect(errors(filled.replace("[ ] second", "[x] second"))).toEqual([]);
  const comment = "<!--\n- [ ] second - Replace this line with the next piece of work\n-->\n";
  expect(errors(`${filled.slice(0, filled.indexOf("- [ ] second"))}\n${comment}`)).toEqual([]);
  expect(errors("# Goal\nx\n# Steps\n- [ ] a\n  - Replace this line with b\n")).toEqual([]);
});
