import { expect, it } from "vitest";
import { isWithin } from "./is-within.ts";

it.each([
  ["/a/b", "/a"],
  ["/a", "/a"],
  ["/a", "/a/"],
  ["/a", "/"],
  ["/", "/"],
  ["a/b/c", "a/b"],
])("%s is within %s", (path, folder) => {
  expect(isWithin(path, folder)).toBe(true);
});

it.each([
  ["/ab", "/a"],
  ["/", "/a"],
  ["a", "a/b"],
  ["../a", "a"],
])("%s is not within %s", (path, folder) => {
  expect(isWithin(path, folder)).toBe(false);
});
