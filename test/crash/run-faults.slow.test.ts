// The built `stint run` under strace, from a manifest to Done: killed before calls that change something, or refused by
// the system at a call of each kind. A refusal is told in plain words with a documented exit code, never by a trace.
// Afterwards the same command ends in Done: same files and commits, everything of the person's as it was, no task that
// was done is done again, and nothing of the run is left.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { TWO_GREETINGS } from "../support/greetings.ts";
import { evenly } from "../support/kill-window.ts";
import { type Outcome, processesOfRun, RunScene, type Story } from "../support/run-scene.ts";
import { type Swept, sweep } from "../support/sweep.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import {
  callsOfVerb,
  canFail,
  eachKind,
  ERRORS,
  struckCall,
  traced,
  unhelpful,
} from "../support/traced-verb.ts";
import { canTrace, isChanging, type SystemCall } from "../support/troubled-git.ts";

const LONG_MS = 7_200_000;
/** So many calls; with STINT_ALL_KILL_POINTS set, every one that changes something, and one of each kind. */
const SAMPLE = 3;
const folder = temporaryFolder();

afterAll(() => folder.remove());

/** The agent is a program of its own. */
const STORY: Story = { manifest: TWO_GREETINGS, words: [], script: () => ({}) };

const AGENT = `#!/bin/sh
if [ -f english.txt ]; then
  echo german >>"$LEDGER"
  echo Hallo >german.txt
else
  echo english >>"$LEDGER"
  echo Hello >english.txt
fi
`;

/** With a person who is at work on two files of their own. */
function prepared(): RunScene {
  const scene = new RunScene(folder.path, STORY);
  const agent = join(scene.base, "agent.sh");
  writeFileSync(agent, AGENT);
  chmodSync(agent, 0o755);
  scene.write("list.txt", "first\nsecond\n");
  scene.write("mine.txt", "mine\n");
  // Temporary files count too.
  scene.env["TMPDIR"] = join(scene.base, "tmp");
  mkdirSync(scene.env["TMPDIR"]);
  return scene;
}

function words(scene: RunScene): string[] {
  return ["run", "prompt.md", "--agent", `command:${join(scene.base, "agent.sh")}`];
}

type Fault = "kill" | "error";

function pointsOf(scene: RunScene, fault: Fault): SystemCall[] {
  const calls = callsOfVerb(scene);
  if (fault === "error") return eachKind(scene, calls.filter(canFail));
  return calls.filter((call) => isChanging(call) && !/<(?:pipe|socket|UNIX)/.test(call.line));
}

async function swept(fault: Fault): Promise<Swept & { calls: number }> {
  const whole = prepared();
  expect(await traced(whole, words(whole))).toMatchObject({ code: 0 });
  const wanted = whole.outcome();
  expect(wanted).toMatchObject({ status: "Done", problems: [], executed: ["english", "german"] });
  const calls = pointsOf(whole, fault);
  const found = await sweep({
    name: `stint run, ${fault}`,
    points: evenly(calls.length, SAMPLE),
    prepare: prepared,
    strike: async (scene, point) => {
      const call = calls[point];
      if (call === undefined) throw new Error(`there is no call ${point}`);
      const what = fault === "kill" ? "signal=KILL" : `error=${ERRORS[point % ERRORS.length]}`;
      const ended = await traced(scene, words(scene), `${call.name}:${what}:when=${call.number}`);
      const struck = struckCall(scene);
      return {
        what: `${what} at ${(struck ?? call).line}`,
        hasStruck: fault === "kill" ? ended.signal === "SIGKILL" : struck !== undefined,
        wrong: fault === "kill" || struck === undefined ? [] : unhelpful(ended),
      };
    },
    judge: (scene, repairs) => brokenAfter(scene, wanted, repairs),
  });
  return { ...found, calls: calls.length };
}

async function brokenAfter(scene: RunScene, wanted: Outcome, repairs: boolean): Promise<string[]> {
  const id = scene.projectId();
  const run = scene.runId();
  // A session whose end is not recorded may have to work again.
  const last = id === undefined ? undefined : scene.store.journal(id).at(-1)?.kind;
  const mostSessions = wanted.executed.length + (last === "attempt-started" ? 1 : 0);
  if (repairs) {
    const { code, stdout, stderr } = await scene.start(["doctor", "--repair"]).ended;
    if (code !== 0) return [`doctor --repair, exit ${code}: ${stdout}${stderr}`];
  }
  // What could not be removed of a workspace that is not needed any more goes with the last.
  const wrong: string[] = [];
  for (const verb of [words(scene), ["clean", "--yes"], ["verify"]]) {
    // oxlint-disable-next-line no-await-in-loop
    const { code, stdout, stderr } = await scene.start(verb).ended;
    if (code !== 0) wrong.push(`${verb[0]}, exit ${code}: ${stdout}${stderr}`);
  }
  const { executed, ...rest } = scene.outcome();
  const { executed: _, ...right } = wanted;
  if (JSON.stringify(rest) !== JSON.stringify(right)) wrong.push(JSON.stringify(rest));
  if (executed.length > mostSessions) wrong.push(`after ${last} executed ${executed.join()}`);
  if (run !== undefined && processesOfRun(run).length > 0) wrong.push("processes are left");
  return wrong;
}

describe.skipIf(!canTrace)("a run from manifest to Done", () => {
  it.each(["kill", "error"] as const)(
    "may meet a %s at any call",
    async (fault) => {
      const { calls, tried, struck, disks, failures } = await swept(fault);
      process.stdout.write(
        `stint run, ${fault}: ${calls} calls, ${tried} tried, ${struck} met it, ${disks} disks judged\n`,
      );
      expect(failures).toEqual([]);
      // Which call of its kind is the n-th differs a little from run to run: of a few, only some meet it.
      expect(struck).toBeGreaterThan(tried > 50 ? tried / 2 : 0);
    },
    LONG_MS,
  );
});
