// A session that plants programs which git starts outside of it: they must not see Stint's state.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { chooseIsolation, showsViews } from "../../src/process/isolation.ts";
import { type Act, german, KEPT, Scenario } from "../support/scenario.ts";

const scene = new Scenario();
afterAll(() => scene.close());

const canHide = showsViews(chooseIsolation("auto"));

/** Tells what it sees of the state folder, in a file outside the repository. */
function spy(name: string, then: string): string {
  return `ls "${join(scene.path, "state", "stint")}" > "${join(scene.path, name)}" 2>&1; ${then}`;
}

it.skipIf(!canHide)(
  "a planted hook, monitor or filter runs where the state is hidden, and it is said",
  async () => {
    const plant: Act = {
      act: "run",
      command: [
        "echo Hello > hello.txt",
        `printf '%s' '#!/bin/sh\n${spy("hook", "exit 0")}' > .git/hooks/pre-commit`,
        "chmod +x .git/hooks/pre-commit",
        `git config core.fsmonitor '${spy("monitor", "exit 1")}'`,
        `git config filter.planted.clean '${spy("filter", "cat")}'`,
        "echo '* filter=planted' > .git/info/attributes",
      ].join("; "),
    };
    const result = await scene.play({ english: [plant], german: [german] });
    // Before anything else asks git here: that would start them once more, in the open.
    const seen = ["hook", "monitor", "filter"].map((name) => {
      const path = join(scene.path, name);
      return existsSync(path) ? readFileSync(path, "utf8") : "never started";
    });
    expect(seen).toEqual(["", expect.stringMatching(/^(?:|never started)$/), ""]);
    expect(scene.judge(result)).toEqual({
      ...KEPT,
      code: 0,
      status: "Done",
      done: ["english", "german"],
    });
    expect(result.out).toContain("what git starts here (hooks, configuration) changed");
  },
);
