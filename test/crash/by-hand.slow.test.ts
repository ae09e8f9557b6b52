// The verbs of an agent without a run, killed with SIGKILL before their calls that change files: whoever says brief and
// done again comes to the same commits, and `stint verify` finds nothing missing.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { inParallel, type Ending } from "../support/child.ts";
import { DONE } from "../support/kill-each.ts";
import { evenly } from "../support/kill-window.ts";
import { type Kill, RunScene, type Story } from "../support/run-scene.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const LONG_MS = 1_800_000;
const PRELOAD = new URL("../support/kill-points.mjs", import.meta.url).href;
const folder = temporaryFolder();

afterAll(() => folder.remove());

const STORY: Story = {
  manifest: `# Goal

Greet.

# Steps

- [ ] english - Write the English greeting
  - check: \`grep -q Hello english.js\`
- [ ] german - Write the German greeting
  - check: \`grep -q Hallo german.js\`
`,
  words: [],
  script: () => ({}),
};

const WORK: Readonly<Record<string, readonly [file: string, text: string]>> = {
  t1: ["english.js", "Hello\n"],
  t2: ["german.js", "Hallo\n"],
};

/** The verbs of one agent, in their order; one of them may be killed. */
class Agent {
  readonly scene = new RunScene(folder.path, STORY);
  verbs = 0;
  kills = 0;

  constructor() {
    writeFileSync(this.scene.ledger, "");
  }

  async begin(): Promise<void> {
    await this.scene.start(["new", "prompt.md"]).ended;
    await this.scene.start(["approve", "plan"]).ended;
  }

  async follow(killed = -1, kill: Kill = {}): Promise<void> {
    for (let turn = 0; turn < 8 && this.scene.state().status !== "Done"; turn += 1) {
      // oxlint-disable-next-line no-await-in-loop
      const brief = await this.#say("brief", killed, kill);
      const [file, text] =
        WORK[/^# Session \d+ of project \S+: (t\d)/.exec(brief.stdout)?.[1] ?? ""] ?? [];
      if (file === undefined || text === undefined) continue;
      this.scene.write(file, text);
      // oxlint-disable-next-line no-await-in-loop
      await this.#say("done", killed, kill);
    }
  }

  async #say(verb: string, killed: number, kill: Kill): Promise<Ending> {
    const own = this.verbs === killed ? kill : {};
    this.verbs += 1;
    const ended = await this.scene.start([verb], own).ended;
    if (ended.signal === "SIGKILL") this.kills += 1;
    return ended;
  }
}

function killing({ base }: RunScene, at?: number): Kill {
  return {
    node: ["--import", PRELOAD],
    env: {
      KILL_UNDER: base,
      KILL_COUNT: join(base, "count"),
      ...(at !== undefined && { KILL_AT: String(at) }),
    },
  };
}

it.each([
  ["the first brief", 0],
  ["the first done", 1],
  ["the last done", 3],
])(
  "%s, killed before calls that change files: the same comes of it",
  async (_, verb) => {
    const whole = new Agent();
    await whole.begin();
    await whole.follow(verb, killing(whole.scene));
    const wanted = whole.scene.outcome();
    expect(wanted).toMatchObject(DONE);
    const calls = readFileSync(join(whole.scene.base, "count"), "utf8").split("\n").slice(0, -1);
    expect(calls.length).toBeGreaterThan(20);
    const failures: string[] = [];
    await inParallel(evenly(calls.length, 4), 2, async (at) => {
      const agent = new Agent();
      await agent.begin();
      await agent.follow(verb, killing(agent.scene, at + 1));
      if (agent.kills !== 1) failures.push(`call ${at + 1} (${calls[at]}) killed nothing`);
      const { code } = await agent.scene.start(["verify"]).ended;
      if (code !== 0) failures.push(`call ${at + 1} (${calls[at]}): verify says ${code}`);
      expect.soft(agent.scene.outcome(), calls[at]).toEqual(wanted);
      agent.scene.remove();
    });
    expect(failures).toEqual([]);
  },
  LONG_MS,
);
