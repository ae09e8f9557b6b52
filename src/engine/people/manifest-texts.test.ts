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

  it("take the status of their step with them in a workflow, each its own", () => {
    const step = (mark: string, name: string, title: string, status: string): string =>
      `- [${mark}] ${name} - ${title}\r\n  - inputs: status: planned\r\n  - status: ${status}\r\n`;
    const workflow = (mark: string, status: string): string =>
      `---\r\nworkflow: w\r\n---\r\n# Steps\r\n\r\n${step(mark, "one", "First", status)}${step(" ", "two", "Second", "blocked")}${step(mark, "three", "Third", status)}`;
    const done = withBoxes(workflow(" ", "in_progress"), tasks, ids(t3, t1), true);
    expect(done).toBe(workflow("x", "done"));
    expect(withBoxes(done, tasks, ids(t1, t3), false)).toBe(workflow(" ", "planned"));
    const plain = workflow(" ", "planned").replace("workflow: w", "agent: claude");
    expect(withBoxes(plain, tasks, ids(t1), true)).toHaveLength(plain.length);
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
