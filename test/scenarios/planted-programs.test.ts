// A session that plants programs which git starts: they lie in a repository that is thrown away, and
// nothing of it is read by the git that Stint or the person starts.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { type Act, german, KEPT, Scenario } from "../support/scenario.ts";

const scene = new Scenario();
afterAll(() => scene.close());

/** Leaves a file outside the repository when it is started. */
function trap(name: string, then: string): string {
  return `touch "${join(scene.path, name)}"; ${then}`;
}

it("S2-23 a planted hook, monitor or filter is never started, and the person's repository knows none", async () => {
  const plant: Act = {
    act: "run",
    command: [
      "echo Hello > hello.txt",
      `printf '%s' '#!/bin/sh\n${trap("hook", "exit 0")}' > .git/hooks/pre-commit`,
      "chmod +x .git/hooks/pre-commit",
      `git config core.fsmonitor '${trap("monitor", "exit 1")}'`,
      `git config filter.planted.clean '${trap("filter", "echo other")}'`,
      `git config filter.planted.smudge '${trap("filter", "echo other")}'`,
      "git config core.worktree /elsewhere",
      "echo '* filter=planted' > .git/info/attributes",
      "echo '* filter=planted' > .gitattributes",
    ].join("; "),
  };
  const config = scene.read(".git/config");
  const result = await scene.play({ english: [plant], german: [german] });
  expect(["hook", "monitor", "filter"].filter((name) => existsSync(join(scene.path, name)))).toEqual(
    [],
  );
  expect(scene.judge(result)).toEqual({
    ...KEPT,
    code: 0,
    status: "Done",
    done: ["english", "german"],
  });
  expect(scene.git("show", "HEAD:hello.txt")).toBe("Hello\n");
  expect(scene.read(".git/config")).toBe(config);
  expect(scene.exists(".git/hooks/pre-commit")).toBe(false);
  expect(scene.exists(".git/info/attributes")).toBe(false);
});
