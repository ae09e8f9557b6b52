import { expect, test } from "vitest";
import { pathProblem } from "./relative-path.ts";

test.each(["a", "a/b.txt", "./a", "a/../b", "a//b", "..a", "a..b/c", "~a"])(
  "%j stays inside",
  (path) => {
    expect(pathProblem(path)).toBeUndefined();
  },
);

test.each([
  ["", "the path is empty"],
  ["/etc/passwd", "the path is absolute"],
  ["\\\\host\\share", "the path is absolute"],
  ["C:\\x", "the path is absolute"],
  ["~/x", "the path leads to a home folder"],
  ["..", "the path leaves the repository"],
  ["a/../../b", "the path leaves the repository"],
  ["a\\..\\..\\b", "the path leaves the repository"],
  ["../a/..", "the path leaves the repository"],
  ["a\0b", "the path holds a NUL character"],
])("%j is refused: %s", (path, reason) => {
  expect(pathProblem(path)).toBe(reason);
});
