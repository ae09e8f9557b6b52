import { describe, expect, it } from "vitest";
import { sha256Of } from "../../store/digest.ts";
import {
  type Contents,
  isChanged,
  outputSubject,
  subjectAct,
  subjectPaths,
} from "./output-subject.ts";

const task = { id: "t1" as never, title: "Make it" };

/** What a task's work holds. */
function holding(files: Record<string, string>): Contents {
  const each = Object.entries(files).map(([path, text]) => [path, `file:${sha256Of(text)}`]);
  return Object.fromEntries(each) as Contents;
}

describe("the subject of an output", () => {
  it("names every file by its content, whatever its name is", () => {
    const odd = 'a\nabsent "b"';
    const files = { [odd]: "1", "c d.js": "2" };
    const subject = outputSubject(holding(files), task, { paths: [odd, "c d.js", "gone.js"] });
    expect(subjectPaths({ subject }).toSorted()).toEqual([odd, "c d.js", "gone.js"].toSorted());
    expect(isChanged(holding(files), { subject })).toBe(false);
    expect(isChanged(holding({ ...files, "gone.js": "back" }), { subject })).toBe(true);
    expect(isChanged(holding({ ...files, "c d.js": "3" }), { subject })).toBe(true);
    // A file that it does not name is another task's, or nobody's.
    expect(isChanged(holding({ ...files, "other.js": "3" }), { subject })).toBe(false);
  });

  it("names what its checks look at, also where git ignores it", () => {
    const checks = [{ kind: "file", path: "dist/app.js", expect: { is: "exists" } } as const];
    const subject = outputSubject(holding({}), { ...task, checks }, { paths: ["a.js"] });
    expect(subjectPaths({ subject })).toEqual(["a.js", "dist/app.js"]);
  });

  it.each(['absent "a.js"', "absent members: 3", `file:${"0".repeat(64)} "a.js"`])(
    "takes nothing that an act printed for a file: %s",
    (printed) => {
      const act = `act\nexit code 0\n${printed}\n`;
      const subject = outputSubject(holding({}), task, { paths: [] }, act);
      expect([subjectPaths({ subject }), subjectAct({ subject })]).toEqual([[], act]);
      expect(isChanged(holding({ "a.js": "there" }), { subject })).toBe(false);
    },
  );

  it("is read without harm where it is of another kind", () => {
    expect(subjectPaths({ subject: 'absent members: 3\nabsent "a\\q"\nabsent "a"b"' })).toEqual([]);
  });
});
