import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyManifest } from "../../../test/support/manifest-arbitrary.ts";
import { setMarks, type Edited } from "./edit-manifest.ts";
import type { ManifestTask } from "../manifest-document.ts";
import { parseManifest } from "../parse-manifest.ts";

function done(edited: Edited): string {
  if (!edited.ok) throw new Error(edited.reason);
  return edited.text;
}

function taskOf(text: string, index: number): ManifestTask {
  const task = parseManifest(text).tasks[index];
  if (task === undefined) throw new Error(`no task ${index}`);
  return task;
}

const taskAndManifest = anyManifest
  .map((text) => ({ text, tasks: parseManifest(text).tasks }))
  .filter(({ tasks }) => tasks.length > 0)
  .chain(({ text, tasks }) =>
    fc.record({ text: fc.constant(text), task: fc.constantFrom(...tasks) }),
  );

describe("flipping a box", () => {
  test("S0-20 changes exactly one character of any manifest and one box", () => {
    fc.assert(
      fc.property(taskAndManifest, ({ text, task }) => {
        const flipped = done(setMarks(text, [task], !task.box.checked));
        expect(flipped).toHaveLength(text.length);
        const changed = Array.from({ length: text.length }, (_, at) => at).filter(
          (at) => text[at] !== flipped[at],
        );
        expect(changed).toEqual([task.box.offset + 1]);
        const before = parseManifest(text).tasks;
        const after = parseManifest(flipped).tasks;
        expect(after.map((one) => one.title)).toEqual(before.map((one) => one.title));
        expect(after.filter((one, i) => one.box.checked !== before[i]?.box.checked)).toHaveLength(
          1,
        );
      }),
      { numRuns: 500 },
    );
  });

  test("un-flips [X] to [ ] and leaves a box that is already so", () => {
    const text = "# Goal\nx\n# Steps\n- [X] a\n";
    expect(done(setMarks(text, [taskOf(text, 0)], false))).toBe("# Goal\nx\n# Steps\n- [ ] a\n");
    expect(done(setMarks(text, [taskOf(text, 0)], true))).toBe(text);
  });

  test("is refused when the text is no longer the one that was parsed", () => {
    const text = "# Goal\nx\n# Steps\n- [ ] a\n";
    const task = taskOf(text, 0);
    expect(setMarks(`new line\n${text}`, [task], true)).toEqual({
      ok: false,
      reason: 'the box of "a" is no longer on line 4',
    });
    expect(setMarks(text.replace("a\n", "b\n"), [task], true)).toEqual({
      ok: false,
      reason: 'the box of "a" is no longer on line 4',
    });
  });
});
