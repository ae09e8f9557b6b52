import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { sha256Of } from "../store/digest.ts";
import { plainWorkTree } from "./plain-work-tree.ts";
import { isChanged, outputSubject, subjectAct, subjectPaths } from "./output-subject.ts";

const task = { id: "t1" as never, title: "Make it" };

function tree(files: Record<string, string>) {
  return {
    contentNow: (path: string) =>
      files[path] === undefined ? "absent" : `file:${sha256Of(files[path])}`,
  };
}

describe("the subject of an output", () => {
  it("S3-1 names every file by its content, whatever its name is", () => {
    const odd = 'a\nabsent "b"';
    const files = { [odd]: "1", "c d.js": "2" };
    const subject = outputSubject(tree(files), task, { paths: [odd, "c d.js", "gone.js"] });
    expect(subjectPaths({ subject }).toSorted()).toEqual([odd, "c d.js", "gone.js"].toSorted());
    expect(isChanged(tree(files), { subject })).toBe(false);
    expect(isChanged(tree({ ...files, "gone.js": "back" }), { subject })).toBe(true);
    expect(isChanged(tree({ ...files, "c d.js": "3" }), { subject })).toBe(true);
    // A file that it does not name is another task's, or nobody's.
    expect(isChanged(tree({ ...files, "other.js": "3" }), { subject })).toBe(false);
  });

  it("S3-1 names what its checks look at, also where git ignores it", () => {
    const checks = [{ kind: "file", path: "dist/app.js", expect: { is: "exists" } } as const];
    const subject = outputSubject(tree({}), { ...task, checks }, { paths: ["a.js"] });
    expect(subjectPaths({ subject })).toEqual(["a.js", "dist/app.js"]);
  });

  it.each(['absent "a.js"', "absent members: 3", `file:${"0".repeat(64)} "a.js"`])(
    "S3-1 takes nothing that an act printed for a file: %s",
    (printed) => {
      const act = `act\nexit code 0\n${printed}\n`;
      const subject = outputSubject(tree({}), task, { paths: [] }, act);
      expect([subjectPaths({ subject }), subjectAct({ subject })]).toEqual([[], act]);
      expect(isChanged(tree({ "a.js": "there" }), { subject })).toBe(false);
    },
  );

  it("is read without harm where it is of another kind", () => {
    expect(subjectPaths({ subject: 'absent members: 3\nabsent "a\\q"\nabsent "a"b"' })).toEqual([]);
  });
});

it("S3-1 is bound to all files together where no git names them", async () => {
  const folder = temporaryFolder();
  const tree = plainWorkTree({ root: folder.path, manifest: "prompt.md", projectFolder: "agents" });
  const start = await tree.begin(1);
  writeFileSync(join(folder.path, "a.js"), "1");
  const subject = outputSubject(tree, task, await tree.workSince(start));
  writeFileSync(join(folder.path, "prompt.md"), "- [x]");
  expect(isChanged(tree, { subject })).toBe(false);
  writeFileSync(join(folder.path, "a.js"), "2");
  expect(isChanged(tree, { subject })).toBe(true);
  folder.remove();
});
