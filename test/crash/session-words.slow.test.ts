// What a session says by the verbs in its shell, and a run that is killed anywhere from the session's start until its
// words are removed: each is heard once, whatever the kill left of them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { inParallel } from "../support/child.ts";
import { between, evenly, revisionOf } from "../support/kill-window.ts";
import { RunScene, type Story } from "../support/run-scene.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const LONG_MS = 1_800_000;
const folder = temporaryFolder();

afterAll(() => folder.remove());

const STORY: Story = {
  manifest: `# Goal

Greet.

# Steps

- [ ] english - Write the English greeting
  - check: \`grep -q Hello english.txt\`
`,
  words: ["--isolation", "off", "--no-wait"],
  script: () => ({
    english: [{ act: "run", command: 'stint note "red is taken"; stint ask "Which colour?"' }],
  }),
};

function outcome(scene: RunScene) {
  const { questions, project_id, manifest } = scene.state();
  const known = scene.store.manifestText(project_id, manifest.digest);
  const kinds = scene.store.journal(project_id).map(({ kind }) => kind);
  const session = questions[0]?.session;
  return {
    questions: questions.map(({ text }) => text),
    asked: kinds.filter((kind) => kind === "question-asked").length,
    noted: known.split(`Session ${session}: red is taken`).length - 1,
    ignored: kinds.filter((kind) => kind === "words-ignored").length,
    inbox: readdirSync(join(scene.root, "agents/stint/projects/prompt/inbox")),
  };
}

const WHOLE = { questions: ["Which colour?"], asked: 1, noted: 1, ignored: 0, inbox: [] };

it(
  "a kill of the run loses no word of a session and repeats none",
  async () => {
    const first = new RunScene(folder.path, STORY);
    expect(await first.run().ended).toMatchObject({ code: 3 });
    expect(outcome(first)).toEqual(WHOLE);
    const [from, to] = [
      revisionOf(first, "attempt-started"),
      revisionOf(first, "question-asked") + 3,
    ];
    const counted = new RunScene(folder.path, STORY);
    await counted.run(between(counted, from, to)).ended;
    const names = readFileSync(join(counted.base, "count"), "utf8").split("\n").slice(0, -1);
    expect(names.some((name) => /rmSync .*inbox\/s1-/.test(name))).toBe(true);
    const failures: string[] = [];
    await inParallel(evenly(names.length, 3), 2, async (at) => {
      const scene = new RunScene(folder.path, STORY);
      const killed = await scene.run(between(scene, from, to, at + 1)).ended;
      if (killed.signal !== "SIGKILL") failures.push(`call ${at + 1} killed nothing`);
      const id = scene.projectId();
      const words = id === undefined ? ["run", "prompt.md"] : ["resume", id];
      const ended = await scene.start([...words, "--no-wait"]).ended;
      if (ended.code !== 3) failures.push(`call ${at + 1}: ${ended.stdout}${ended.stderr}`);
      expect.soft(outcome(scene), names[at]).toEqual(WHOLE);
      scene.remove();
    });
    expect(failures).toEqual([]);
  },
  LONG_MS,
);
