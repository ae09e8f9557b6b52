import { expect, it } from "vitest";
import { hindranceOf } from "./verify-task.ts";

const NESTED = {
  path: "lib",
  why: "is a nested git repository, so its files are in no commit",
  hint: "remove its .git folder",
};
const TRAP = { path: "pipe", why: "is a pipe", hint: "remove it: rm pipe" };

it("what cannot be committed is said once, with what to do about it", () => {
  expect(hindranceOf([NESTED], { conflicts: [] })).toMatchObject({
    check: `lib cannot be committed: it ${NESTED.why}`,
    excerpt: "To fix it: remove its .git folder.",
  });
  expect(hindranceOf([NESTED, TRAP], { conflicts: [] })?.excerpt).toBe(
    `These cannot be committed as they are:\nlib: ${NESTED.why}. remove its .git folder\npipe: is a pipe. remove it: rm pipe`,
  );
  expect(hindranceOf(undefined, { conflicts: [] })).toBeNull();
});
