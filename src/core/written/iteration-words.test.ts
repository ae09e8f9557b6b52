import { expect, test } from "vitest";
import { ITERATION_WORDS } from "./iteration-words.ts";

test.each([
  ["repo_id", ["shop", "shop.js", "my shop"], ["", ".", "..", "a/b", "a\\b", "~", "a\nb"]],
  ["task_id", ["big-change", "DOC-002"], ["../x", "a/b", "..", ""]],
  [
    "workflow_dir",
    ["/flows", "~/flows/shop", "flows", "a/b/", "/a.b/c"],
    ["", "/", "~", "~ada/x", "../x", "/a/../b", "a/..", "a//b", ".git/x", "/a\0b"],
  ],
  [
    "review_log",
    ["docs/_feedback.md", "FEEDBACK.md", ".github/log.md"],
    ["/etc/passwd", "~/x", "../x", "a/../../x", ".git/config", "a/./b", "", "a//b"],
  ],
  ["subtask_log", ["tasks/<task-id>/feedback.md"], ["../<task-id>", "/<task-id>"]],
] as const)("%s is held to its words", (key, right, wrong) => {
  const { pattern } = ITERATION_WORDS[key];
  expect(right.filter((each) => !pattern.test(each))).toEqual([]);
  expect(wrong.filter((each) => pattern.test(each))).toEqual([]);
});
