import { describe, expect, it } from "vitest";
import { numberedTaskId } from "../../core/ids.ts";
import type { Task } from "../../core/schema/task.ts";
import { withBoxes, writtenTasks } from "./manifest-texts.ts";

const TEXT =
  "# Goal\r\n\r\nSay `- [ ] hello`.\r\n\r\n# Steps\r\n\r\n* [ ] one - First\t\r\n  ```\r\n  - [ ] no task\r\n  ```\r\n* [X] two - Second\r\n* [ ] three - Third";

const tasks = ["First", "Second", "Third"].map((title, index): Task => ({
  id: numberedTaskId(index + 1),
  name: ["one", "two", "three"][index] ?? "",
  title,
  attempts: 0,
  status: "pending",
}));
const [t1, t2, t3] = tasks.map(({ id }) => id);

describe("the boxes of a manifest", () => {
  it("are found by the ids of the state", () => {
    const { byId } = writtenTasks(TEXT, tasks);
    expect([...byId].map(([id, { item }]) => [id, item.box.checked])).toEqual([
      [t1, false],
      [t2, true],
      [t3, false],
    ]);
  });

  it("are never those of a chunk, whatever it is called", () => {
    const chunk = { ...tasks[0], id: numberedTaskId(4), chunk_of: t1 } as Task;
    const { byId } = writtenTasks(TEXT, [chunk, ...tasks]);
    expect([...byId.keys()]).toEqual([t1, t2, t3]);
    expect(withBoxes(TEXT, [chunk, ...tasks], [chunk.id], true)).toBe(TEXT);
  });

  it("change one character each and nothing else", () => {
    const checked = withBoxes(TEXT, tasks, ids(t1, t3), true);
    expect(checked).toHaveLength(TEXT.length);
    expect(differences(TEXT, checked)).toEqual([" x", " x"]);
    expect(withBoxes(checked, tasks, ids(t1, t3), false)).toBe(TEXT);
  });

  it("stay as they are where they are so already", () => {
    expect(withBoxes(TEXT, tasks, ids(t2), true)).toBe(TEXT);
    expect(withBoxes(TEXT, tasks, ids(t1), false)).toBe(TEXT);
  });

  it("of tasks that the text does not have are left alone", () => {
    expect(withBoxes("# Goal\n\nx\n", tasks, ids(t1), true)).toBe("# Goal\n\nx\n");
  });
});

function ids(...found: (Task["id"] | undefined)[]): Task["id"][] {
  return found.filter((id) => id !== undefined);
}

function differences(a: string, b: string): string[] {
  return a.split("").flatMap((char, index) => (char === b[index] ? [] : [`${char}${b[index]}`]));
}
