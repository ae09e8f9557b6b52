import { describe, expect, it } from "vitest";
import { failureLine } from "./failure-line.ts";

describe("a failure in one line", () => {
  it.each([
    ["it exited with code 1\ncompiling\n2 red\n\n", "2 red"],
    ["it exited with code 1", "it exited with code 1"],
    ["it exited with code 139 (SIGSEGV)\n12 tests passed", "it exited with code 139 (SIGSEGV)"],
    ["it did not end within 2 s\n12 tests passed", "it did not end within 2 s"],
    ["it was ended by a signal\n12 tests passed", "it was ended by a signal"],
    ["codex answers fail: no test\nIs it fine?\n\nfail\n- no test", "codex answers fail: no test"],
    ["", ""],
    ["it exited with code 2\nE: no calc\nmake: *** [Makefile:2: test] Error 1", "E: no calc"],
    [
      "it exited with code 2\n1 red\nmake[1]: *** [x] Error 1\nmake[1]: Leaving directory '/a'\nmake: *** [a] Error 2",
      "1 red",
    ],
    [
      "it exited with code 1\nTests 1 failed\nnpm error Lifecycle script `test` failed with error:\nnpm error code 1",
      "Tests 1 failed",
    ],
    ["it exited with code 1\n1 red\n\u2009ELIFECYCLE\u2009 Test failed. See above.", "1 red"],
    [
      "it exited with code 1\n1 red\nerror Command failed with exit code 1.\ninfo Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.",
      "1 red",
    ],
    [
      "it exited with code 1\n1 red\nerror: Recipe `test` failed on line 2 with exit code 1",
      "1 red",
    ],
    ["it exited with code 101\n1 red\nerror: test failed, to rerun pass `--lib`", "1 red"],
    ['it exited with code 201\n1 red\ntask: Failed to run task "test": exit status 1', "1 red"],
    [
      "it exited with code 2\nmake: *** No rule to make target 'tset'.  Stop.",
      "make: *** No rule to make target 'tset'.  Stop.",
    ],
    [
      'it exited with code 1\nnpm error Missing script: "tset"\nnpm error\nnpm error To see a list of scripts, run:\nnpm error   npm run\nnpm error A complete log of this run can be found in: /x.log',
      'npm error Missing script: "tset"',
    ],
    [
      "it exited with code 2\nmake: *** [Makefile:2: test] Error 2",
      "make: *** [Makefile:2: test] Error 2",
    ],
  ])("of %j is %j", (excerpt, line) => {
    expect(failureLine(excerpt)).toBe(line);
  });
});
