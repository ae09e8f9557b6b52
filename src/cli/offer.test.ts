import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CommandLineBench } from "../../test/support/command-line.ts";

let bench: CommandLineBench;
let id: string;

const MANIFEST = `## Goal
Say hello.

## Steps
- [ ] english - Write hello.txt
  - after: none
  - check: file hello.txt
- [ ] german - Write hallo.txt
  - after: none
  - check: file hallo.txt
- [ ] french - Write salut.txt
  - after: none
`;

const SCRIPT = {
  tasks: {
    english: [{ act: "write", path: "hello.txt", text: "Hello\n" }],
    german: [{ act: "marker", keys: { question: "Which\tcolour?" } }],
    "*": [{ act: "edit-manifest", replace: "Say hello", with: "Say more" }],
  },
};

/** One run that leaves a done task, a question and a proposal; nothing below changes anything. */
beforeAll(async () => {
  bench = new CommandLineBench();
  bench.write("prompt.md", MANIFEST);
  bench.write("script.json", JSON.stringify(SCRIPT));
  id = await bench.create();
  await bench.run("run", id, "--agent", "scripted:script.json");
});
afterAll(() => bench.close());

async function offered(...words: string[]): Promise<string[]> {
  const { out, err, code } = await bench.run("completion", "offer", "--", ...words);
  expect([err, code]).toEqual(["", 0]);
  return out === "" ? [] : out.split("\n").map((line) => line.split("\t")[0] ?? "");
}

describe("what a shell may offer", () => {
  it("is what is open, to those who answer", async () => {
    expect(await offered("answer", "")).toEqual(["q1"]);
    expect(await offered("approve", "")).toEqual(["a1"]);
    expect(await offered("deny", "")).toEqual(["a1"]);
    expect(await offered("diff", "a")).toEqual(["a1"]);
    expect(await offered("accept", "")).toEqual(["a1"]);
    expect(await offered("approve", "q")).toEqual([]);
  });

  it("are tasks that the verb has a use for; names once somebody types", async () => {
    expect(await offered("reopen", "")).toEqual(["t1"]);
    expect(await offered("skip", "")).toEqual(["t2", "t3"]);
    expect(await offered("retry", "")).toEqual(["t3"]);
    expect(await offered("shell", "g")).toEqual(["german"]);
    expect(await offered("edit", "--split", "t")).toEqual(["t2", "t3"]);
    expect(await offered("dispatch", "send", "")).toEqual(["t2", "t3"]);
    expect(await offered("dispatch", "cancel", "")).toEqual([]);
  });

  it("are tasks and sessions to show, the last session first", async () => {
    const all = await offered("show", "");
    expect(all.slice(0, 3)).toEqual(["t1", "t2", "t3"]);
    expect(all.slice(3)).toContain("s1");
    expect(all.slice(3)).toEqual(all.slice(3).toSorted().toReversed());
    expect(await offered("show", "e")).toEqual(["english"]);
  });

  it("are the numbers of sessions after the word, then projects", async () => {
    const numbers = await offered("show", "session", "");
    expect(numbers).toContain("1");
    expect(numbers.every((word) => /^\d+$/.test(word))).toBe(true);
    expect(await offered("show", "session", "1", "")).toEqual([id]);
  });

  it("are projects where one is meant, also after options and from any folder", async () => {
    expect(await offered("status", "")).toEqual([id]);
    expect(await offered("retry", "t2", "")).toEqual([id]);
    expect(await offered("show", "t1", "")).toEqual([id]);
    expect(await offered("skip", "--reason", "because", "t2", "p-")).toEqual([id]);
    expect(await offered("run", "pr")).toEqual(["prompt"]);
    expect(await offered("clean", "--force", "")).toEqual([id]);
    expect(await offered("note", "--project", "")).toEqual([id]);
    const elsewhere = join(bench.path, "elsewhere");
    mkdirSync(elsewhere);
    const asked = ["completion", "offer", "--"];
    expect((await bench.runWith({ cwd: elsewhere }, ...asked, "log", "")).out).toContain(id);
    expect((await bench.runWith({ cwd: elsewhere }, ...asked, "approve", "")).out).toBe("");
  });

  it("is told with what it means, in one line", async () => {
    const { out } = await bench.run("completion", "offer", "--", "answer", "");
    expect(out).toBe("q1\tWhich colour?");
  });

  it("is nothing for words that no verb knows, and where the state cannot be found", async () => {
    expect(await offered()).toEqual([]);
    expect(await offered("nope", "")).toEqual([]);
    expect(await offered("demo", "")).toEqual([]);
    expect(await offered("shell", "t1", "--", "")).toEqual([]);
    expect(await offered("shell", "--", "npm", "")).toEqual([]);
    expect(await offered("answer", "q1", "")).toEqual([]);
    const env = { XDG_STATE_HOME: join(bench.path, "none") };
    const asked = ["completion", "offer", "--", "approve", ""];
    expect(await bench.runWith({ env }, ...asked)).toEqual({ code: 0, out: "", err: "" });
  });
});
