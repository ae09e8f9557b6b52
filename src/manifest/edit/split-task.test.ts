import { describe, expect, test } from "vitest";
import { parseManifest } from "../parse-manifest.ts";
import { splitTask } from "./split-task.ts";

function split(text: string, pieces: readonly string[], index = 0) {
  const task = parseManifest(text).tasks[index];
  if (task === undefined) throw new Error("no such task");
  return splitTask(text, task, pieces);
}

describe("S3-17 a task with more than one verb becomes", () => {
  test.each([
    [
      "as many tasks, the last with what stood below",
      "# Goal\n\nG\n\n# Steps\n\n- [ ] Add a and test b\n  - check: `t`\n- [ ] Other\n",
      "# Goal\n\nG\n\n# Steps\n\n- [ ] Add a\n- [ ] Test b\n  - check: `t`\n- [ ] Other\n",
    ],
    [
      "tasks with the same bullet and indentation",
      "# Steps\n\n  * [ ] Add a\n    and test b\n\n    more\n",
      "# Steps\n\n  * [ ] Add a\n  * [ ] Test b\n\n    more\n",
    ],
    [
      "tasks of which the last keeps the name",
      "# Steps\n1. [ ] both - Add a and test b",
      "# Steps\n1. [ ] Add a\n1. [ ] both - Test b",
    ],
  ])("%s", (_name, before, after) => {
    for (const newline of ["\n", "\r\n", "\r"]) {
      const edited = split(before.replaceAll("\n", newline), ["Add a", "Test b"]);
      expect(edited).toEqual({ ok: true, text: after.replaceAll("\n", newline) });
    }
  });

  test("nothing else where it names one thing, or is done", () => {
    expect(split("# Steps\n- [ ] Add a\n", ["Add a"])).toEqual({
      ok: false,
      reason: '"Add a" names one piece of work',
    });
    expect(split("# Steps\n- [x] Add a and test b\n", ["Add a", "Test b"])).toEqual({
      ok: false,
      reason: '"Add a and test b" is checked already',
    });
  });
});
