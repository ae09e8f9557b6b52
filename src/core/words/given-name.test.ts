import { expect, it } from "vitest";
import { nameTasks, splitName } from "../../manifest/task-names.ts";
import { givenName } from "./given-name.ts";

it.each([
  ["english - Write hello.txt", "english"],
  ["english: Write hello.txt", "english"],
  ["Write hello.txt", null],
  ["日本語で挨拶を書く", null],
  ["japanese - 日本語で挨拶を書く", "japanese"],
  [`Write ${"a very long title ".repeat(9)}`, null],
])("the task %j has the name %j of a person", (text, given) => {
  const titles = [text, text.replace(/^[a-z]+( -|:) /, "")].map(splitName);
  const names = nameTasks(titles);
  expect(givenName({ name: names[0] ?? "", title: titles[0]?.title ?? "" })).toBe(given);
  // Also where a second of the same title got a number behind its name.
  expect(givenName({ name: names[1] ?? "", title: titles[1]?.title ?? "" })).toBeNull();
});
