// `stint run --parallel`, the built program with real processes: what sessions beside each other come to, and that a
// person who says something about one of them reaches that one alone.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { until } from "../support/children.ts";
import { processesOfRun, RunScene, type Script, type Story } from "../support/run-scene.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const LONG_MS = 300_000;
const folder = temporaryFolder();

afterAll(() => folder.remove());

interface Planned {
  readonly name: string;
  readonly keys?: readonly string[];
}

function story(
  tasks: readonly Planned[],
  script: (ledger: string) => Script,
  { front = "", words = [] as readonly string[] } = {},
): Story {
  const lines = tasks.map(({ name, keys = ["after: none"] }) => {
    const more = keys.map((key) => `  - ${key}\n`).join("");
    return `- [ ] ${name} - Write ${name}\n${more}  - check: \`grep -q ${name} ${name}.txt\`\n`;
  });
  const text = `${front}# Goal\n\nWrite.\n\n# Steps\n\n${lines.join("")}`;
  return { manifest: text, words: words.includes("--parallel") ? words : ["--parallel", "6", ...words], script };
}

const writes = (name: string) => ({ act: "write", path: `${name}.txt`, text: `${name}\n` });
const noted = (ledger: string, text: string) => ({
  act: "append",
  path: ledger,
  text: `${text}\n`,
  hostile: true,
});
const waitsFor = (path: string) => ({
  act: "run",
  command: `while [ ! -e ${path} ]; do sleep 0.05; done`,
});

function tasksOf(scene: RunScene) {
  return scene.state().tasks.map(({ name, status }) => `${name} ${status}`);
}

describe("S4-12 sessions beside each other", () => {
  it(
    "six of them, of which two change the same lines: the later one puts both together, and lost no attempt",
    async () => {
      const names = ["a", "b", "c", "d", "e", "f"];
      const scene = new RunScene(
        folder.path,
        story(
          names.map((name) => ({ name })),
          (ledger) =>
            Object.fromEntries(
              names.map((name) => {
                const isBoth = name === "b" || name === "e";
                const signs = [{ act: "append", path: "list.txt", text: `${name}\n` }];
                const gate = waitsFor(`${ledger}-gate`);
                return [name, [noted(ledger, name), gate, ...(isBoth ? signs : []), writes(name)]];
              }),
            ),
        ),
      );
      const run = scene.run();
      await until("all are at work", () => scene.executed().length === names.length);
      writeFileSync(`${scene.ledger}-gate`, "");
      expect(await run.ended).toMatchObject({ code: 0 });
      expect(scene.problems()).toEqual([]);
      expect(scene.read("list.txt").split("\n").toSorted().join(" ").trim()).toBe("b e first");
      const signed = scene.state().tasks.filter(({ name }) => name === "b" || name === "e");
      expect(signed.map(({ attempts }) => attempts).toSorted((a, b) => a - b)).toEqual([1, 2]);
      expect(signed.find(({ attempts }) => attempts === 2)).toMatchObject({ extra_attempts: 1 });
      const brief = readFileSync(
        join(scene.root, `agents/stint/projects/prompt/logs/sessions/7/brief.md`),
        "utf8",
      );
      expect(brief).toMatch(/A parallel session changed the same lines of list\.txt/u);
      expect(brief).toMatch(/^\+[be]$/mu);
    },
    LONG_MS,
  );

  it(
    "leave a task alone that says exclusive",
    async () => {
      const scene = new RunScene(
        folder.path,
        story(
          [{ name: "a" }, { name: "b", keys: ["after: none", "exclusive"] }, { name: "c" }],
          (ledger) =>
            Object.fromEntries(
              ["a", "b", "c"].map((name) => [
                name,
                [noted(ledger, `${name} begins`), writes(name), noted(ledger, `${name} ends`)],
              ]),
            ),
        ),
      );
      expect(await scene.run().ended).toMatchObject({ code: 0 });
      const lines = scene.executed();
      expect(lines[lines.indexOf("b begins") + 1]).toBe("b ends");
      expect(tasksOf(scene)).toEqual(["a done", "b done", "c done"]);
    },
    LONG_MS,
  );

  it(
    "are let go one by one: a task that is skipped ends its own session and no other",
    async () => {
      const scene = new RunScene(
        folder.path,
        story([{ name: "a" }, { name: "b" }], (ledger) => ({
          a: [noted(ledger, "a"), { act: "hang" }],
          b: [noted(ledger, "b"), waitsFor(`${ledger}-gate`), writes("b")],
        })),
      );
      const run = scene.run();
      await until("both are at work", () => scene.executed().length === 2);
      const id = scene.projectId() ?? "";
      const skip = ["skip", "t1", id, "--reason", "not wanted"];
      expect(await scene.start(skip).ended).toMatchObject({ code: 0 });
      expect(tasksOf(scene)[0]).toBe("a skipped");
      expect(scene.state().dispatches).toMatchObject([{ status: "returned" }, { status: "sent" }]);
      writeFileSync(`${scene.ledger}-gate`, "");
      await run.ended;
      expect(tasksOf(scene)).toEqual(["a skipped", "b done"]);
    },
    LONG_MS,
  );

  it(
    "are all let go where a person abandons the project, and nothing new begins",
    async () => {
      const scene = new RunScene(
        folder.path,
        story(
          [{ name: "a" }, { name: "b" }, { name: "c" }],
          (ledger) =>
            Object.fromEntries(
              ["a", "b", "c"].map((name) => [name, [noted(ledger, name), { act: "hang" }]]),
            ),
          { words: ["--parallel", "2"] },
        ),
      );
      const run = scene.run();
      await until("two are at work", () => scene.executed().length === 2);
      const words = ["abandon", scene.projectId() ?? "", "--reason", "enough"];
      expect(await scene.start(words).ended).toMatchObject({ code: 0 });
      await run.ended;
      expect(scene.state().status).toBe("Abandoned");
      expect(scene.executed()).toHaveLength(2);
      expect(processesOfRun(scene.runId() ?? "")).toEqual([]);
    },
    LONG_MS,
  );

  it(
    "end together where a person stops the run, and go on from what each had made",
    async () => {
      const scene = new RunScene(
        folder.path,
        story([{ name: "a" }, { name: "b" }], (ledger) => ({
          a: [
            noted(ledger, "a"),
            { act: "write", path: "half-a.txt", text: "half\n" },
            waitsFor(`${ledger}-gate`),
            writes("a"),
          ],
          b: [noted(ledger, "b"), waitsFor(`${ledger}-gate`), writes("b")],
        })),
      );
      const run = scene.run();
      await until("both are at work", () => scene.executed().length === 2);
      await until("half of it is there", () => {
        const home = join(scene.base, "state/stint/workspaces", scene.projectId() ?? "", "1");
        return ["1", "2"].some((lane) => existsSync(join(home, "lanes", lane, "tree/half-a.txt")));
      });
      run.process.kill("SIGINT");
      await run.ended;
      expect(scene.state()).toMatchObject({ status: "Paused", pause: { kind: "signal" } });
      expect(scene.state().dispatches.map(({ status }) => status)).toEqual([
        "returned",
        "returned",
      ]);
      expect(processesOfRun(scene.runId() ?? "")).toEqual([]);
      writeFileSync(`${scene.ledger}-gate`, "");
      expect(await scene.resume()).toMatchObject({ code: 0 });
      expect(tasksOf(scene)).toEqual(["a done", "b done"]);
      expect(scene.read("half-a.txt")).toBe("half\n");
    },
    LONG_MS,
  );

  it(
    "are ended where the run cannot go on, and the next run goes on from what each had made",
    async () => {
      const scene = new RunScene(
        folder.path,
        story([{ name: "a" }, { name: "b" }], (ledger) => ({
          a: [noted(ledger, "a"), waitsFor(`${ledger}-gate`), writes("a")],
          b: [
            noted(ledger, "b"),
            { act: "write", path: "half-b.txt", text: "half\n" },
            waitsFor(`${ledger}-gate-b`),
            writes("b"),
          ],
        })),
      );
      const run = scene.run();
      await until("both are at work", () => scene.executed().length === 2);
      // The repository is gone while they work: there is nowhere to bring what `a` made.
      const git = join(scene.root, ".git");
      renameSync(git, `${git}-away`);
      writeFileSync(`${scene.ledger}-gate`, "");
      expect(await run.ended).toMatchObject({ code: 5 });
      expect(processesOfRun(scene.runId() ?? "")).toEqual([]);
      renameSync(`${git}-away`, git);
      writeFileSync(`${scene.ledger}-gate-b`, "");
      expect(await scene.resume()).toMatchObject({ code: 0 });
      expect(tasksOf(scene)).toEqual(["a done", "b done"]);
      expect(scene.read("half-b.txt")).toBe("half\n");
      expect(scene.problems()).toEqual([]);
    },
    LONG_MS,
  );

  it(
    "lose the one whose task leaves the manifest, and nothing else",
    async () => {
      const scene = new RunScene(
        folder.path,
        story([{ name: "a" }, { name: "b" }, { name: "c" }], (ledger) => ({
          a: [noted(ledger, "a"), { act: "hang" }],
          b: [noted(ledger, "b"), waitsFor(`${ledger}-gate`), writes("b")],
          c: [noted(ledger, "c"), waitsFor(`${ledger}-gate`), writes("c")],
        })),
      );
      const run = scene.run();
      await until("all are at work", () => scene.executed().length === 3);
      const text = scene.read("prompt.md").replace(/- \[ \] a -[^]*?(?=- \[ \] b)/u, "");
      scene.write("prompt.md", text);
      writeFileSync(`${scene.ledger}-gate`, "");
      expect(await run.ended).toMatchObject({ code: 0 });
      expect(tasksOf(scene)).toEqual(["b done", "c done", "a superseded"]);
    },
    LONG_MS,
  );

  it.each([
    ["at the path of the checkout", [] as string[]],
    ["at a path of its own", ["--workspace", "own-path"]],
    ["without namespaces", ["--isolation", "off"]],
  ])(
    "each have a workspace that is set up, with what was brought and a server of its own, %s",
    async (_, words) => {
      const front =
        '---\nsetup: echo set >> made-by-setup.log\nserve: { run: "python3 -m http.server $STINT_PORT --bind 127.0.0.1", ready: "http://127.0.0.1:$STINT_PORT/" }\n---\n\n';
      const answers =
        "import os,urllib.request as u; u.urlopen('http://127.0.0.1:'+os.environ['STINT_PORT']+'/local.env').read()";
      const scene = new RunScene(
        folder.path,
        story(
          [{ name: "a" }, { name: "b" }],
          (ledger) =>
            Object.fromEntries(
              ["a", "b"].map((name) => [
                name,
                [
                  { act: "run", command: `test "$(cat made-by-setup.log)" = set` },
                  { act: "run", command: "test \"$(cat .env.local)\" = brought" },
                  { act: "run", command: `python3 -c "${answers.replace("local.env", ".env.local")}"` },
                  { act: "run", command: `echo "$STINT_PORT" >> ${ledger}` },
                  waitsFor(`${ledger}-gate`),
                  writes(name),
                ],
              ]),
            ),
          { front, words },
        ),
      );
      scene.write(".gitignore", "made-by-setup.log\n.env.local\n");
      scene.git("add", ".gitignore");
      scene.git("commit", "-q", "-m", "Ignore");
      scene.write(".env.local", "brought\n");
      const run = scene.run();
      await until("both serve", () => scene.executed().length === 2);
      expect(new Set(scene.executed()).size).toBe(2);
      writeFileSync(`${scene.ledger}-gate`, "");
      expect(await run.ended).toMatchObject({ code: 0 });
      expect(tasksOf(scene)).toEqual(["a done", "b done"]);
    },
    LONG_MS,
  );

  it(
    "are refused with a batch, and in the person's own folder, with what to do",
    async () => {
      const scene = new RunScene(
        folder.path,
        story([{ name: "a" }], () => ({ a: [writes("a")] })),
      );
      const batch = await scene.run({}, "--session", "batch:3").ended;
      expect(batch).toMatchObject({ code: 2 });
      expect(batch.stderr).toBe(
        "stint: parallel sessions have one task each, and a batch puts several into one session\n  Choose one: --parallel 1, or --session one-task\n",
      );
      const inPlace = await scene.run({}, "--in-place").ended;
      expect(inPlace).toMatchObject({ code: 2 });
      expect(inPlace.stderr).toContain("each need their own workspace");
    },
    LONG_MS,
  );
});
