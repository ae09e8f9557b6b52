// Layer (e): the built `stint run` killed by SIGKILL on its way from a manifest to Done, and resumed.
// However often and wherever it dies, the same files, commits, boxes and evidence come out, and
// nothing whose effect exists is done twice.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { inParallel } from "../support/child.ts";
import { type Kill, RunScene, type Story } from "../support/run-scene.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PRELOAD = new URL("../support/kill-points.mjs", import.meta.url).href;
const LANES = 2;
const folder = temporaryFolder();

afterAll(() => folder.remove());

const note = (ledger: string, text: string) => ({
  act: "append",
  path: ledger,
  text: `${text}\n`,
  hostile: true,
});

const THREE_TASKS = `# Goal

Greet in two languages and publish it.

# Steps

- [ ] english - Write the English greeting
  - check: \`grep -q Hello english.txt\`
- [ ] german - Write the German greeting
  - check: \`grep -q Hallo german.txt\`
- [ ] publish - Publish both
  - run: \`echo publish >>"$LEDGER"; cat english.txt german.txt >published.txt\`
  - check: \`grep -q Hallo published.txt\`
`;

/** The agent commits and flips its box; then Stint must do both; then Stint acts by itself. */
const oneTask: Story = {
  manifest: THREE_TASKS,
  words: [],
  script: (ledger) => ({
    english: [
      note(ledger, "english"),
      { act: "write", path: "english.txt", text: "Hello\n" },
      { act: "flip-box", which: "own" },
      { act: "commit", message: "Say hello" },
      { act: "marker", keys: { remaining_steps: true } },
    ],
    german: [
      note(ledger, "german"),
      { act: "write", path: "german.txt", text: "Hallo\n" },
      { act: "append", path: "list.txt", text: "german\n" },
      { act: "marker", text: "done" },
    ],
  }),
};

/** What every later act may be built on: each of these leaves something new behind. */
const EFFECTS = [
  String.raw`linkSync .*/state/\d+\.json$`,
  String.raw`renameSync .*/kept/`,
  String.raw`renameSync .*/prompt\.md$`,
  String.raw`linkSync .*/lease/\d+\.json$`,
  String.raw`rmSync .*/\.agent_iteration_done$`,
].join("|");

function effects(base: string, at?: number): Kill {
  return {
    node: ["--import", PRELOAD],
    env: {
      KILL_UNDER: base,
      KILL_ONLY: EFFECTS,
      KILL_COUNT: join(base, "count"),
      KILL_WHEN: "after",
      ...(at === undefined ? {} : { KILL_AT: String(at) }),
    },
  };
}

/** Resumes as a person would: again after a pause, and once more where it says that it needs them. */
async function toTheEnd(scene: RunScene): Promise<void> {
  const said: string[] = [];
  for (let round = 0; round < 4; round++) {
    const { code, stdout, stderr } = await scene.resume();
    if (code === 0) return;
    said.push(`exit ${code}: ${stdout}${stderr}`);
    if (code !== 4) break;
    const retried = await scene.run({}, "--retry").ended;
    if (retried.code === 0) return;
    said.push(`retried, exit ${retried.code}: ${retried.stdout}${retried.stderr}`);
  }
  throw new Error(said.join("\n"));
}

describe.each([["one task in a session", oneTask]] as const)("S3 %s", (_, story) => {
  it("killed after every effect of the store and the manifest, it comes out the same", async () => {
    const whole = new RunScene(folder.path, story);
    const ending = await whole.run(effects(whole.base)).ended;
    expect(ending).toMatchObject({ code: 0, signal: null });
    const wanted = whole.outcome();
    expect(wanted).toMatchObject({ status: "Done", uncommitted: "", problems: [] });
    const calls = readFileSync(join(whole.base, "count"), "utf8").split("\n").slice(0, -1);
    const failures: string[] = [];
    await inParallel([...calls.keys()], LANES, async (index) => {
      const scene = new RunScene(folder.path, story);
      try {
        const killed = await scene.run(effects(scene.base, index + 1)).ended;
        expect(killed.signal).toBe("SIGKILL");
        await toTheEnd(scene);
        expect(scene.outcome()).toEqual(wanted);
      } catch (error) {
        failures.push(`killed after call ${index + 1}, ${calls[index]}: ${error instanceof Error ? error.message : error}`);
      }
    });
    expect(failures).toEqual([]);
  });

  it("killed before every git command, it comes out the same", async () => {
    const whole = new RunScene(folder.path, story);
    const kill = whole.killingGit({});
    expect(await whole.run(kill).ended).toMatchObject({ code: 0, signal: null });
    const wanted = whole.outcome();
    const count = readdirSync(kill.counted).length;
    expect(count).toBeGreaterThan(20);
    const failures: string[] = [];
    await inParallel([...Array(count).keys()], LANES, async (index) => {
      const scene = new RunScene(folder.path, story);
      const mine = scene.killingGit({ before: index + 1 });
      try {
        const killed = await scene.run(mine).ended;
        expect(killed.signal).toBe("SIGKILL");
        await toTheEnd(scene);
        expect(scene.outcome()).toEqual(wanted);
      } catch (error) {
        const path = join(mine.counted, String(index + 1));
        const command = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
        failures.push(`killed before git command ${index + 1}, ${command}: ${error instanceof Error ? error.message : error}`);
      }
    });
    expect(failures).toEqual([]);
  });
});
