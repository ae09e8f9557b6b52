// `new`, `edit` and `doctor` under strace: killed, or refused by the system, at each call that touches the project, its
// state or its repository. Whatever happens, the verb says in plain words what went wrong and what to do, never a trace;
// and afterwards the work gets Done, with `doctor --repair` in between or without.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { STINT } from "../support/built-stint.ts";
import { GREETINGS, ONE_GREETING, TWO_GREETINGS } from "../support/greetings.ts";
import { evenly } from "../support/kill-window.ts";
import { RunScene } from "../support/run-scene.ts";
import { type Swept, sweep } from "../support/sweep.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import {
  callsOfVerb,
  canFail,
  ERRORS,
  struckCall,
  traced,
  unhelpful,
} from "../support/traced-verb.ts";
import { canTrace } from "../support/troubled-git.ts";

const LONG_MS = 7_200_000;
/** So many calls of each verb and kind of fault; with STINT_ALL_KILL_POINTS set, all. */
const SAMPLE = 4;
const folder = temporaryFolder();

afterAll(() => folder.remove());

interface Verb {
  readonly words: (scene: RunScene) => readonly string[];
  /** What is there before it, as verbs that go well. */
  readonly before: readonly string[];
  /** What stands in the end of what it was asked for. */
  readonly files: readonly string[];
}

const VERBS: Record<string, Verb> = {
  new: { words: () => ["new", "prompt.md"], before: [], files: ["english.txt"] },
  edit: {
    words: (scene) => ["edit", "--file", join(scene.base, "edited.md")],
    before: ["new", "prompt.md"],
    files: ["english.txt", "german.txt"],
  },
  doctor: { words: () => ["doctor"], before: ["new", "prompt.md"], files: ["english.txt"] },
  "doctor --repair": {
    words: () => ["doctor", "--repair"],
    before: ["new", "prompt.md"],
    files: ["english.txt"],
  },
};

function prepared(verb: Verb): RunScene {
  const scene = new RunScene(folder.path, { ...GREETINGS, manifest: ONE_GREETING });
  scene.write("../edited.md", TWO_GREETINGS);
  if (verb.before.length > 0) {
    const { status, stderr } = spawnSync(process.execPath, [STINT, ...verb.before], {
      cwd: scene.root,
      env: { ...process.env, ...scene.env },
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
  }
  return scene;
}

async function swept(name: string, kind: "kill" | "error"): Promise<Swept & { calls: number }> {
  const verb = VERBS[name];
  if (verb === undefined) throw new Error(`there is no verb ${name}`);
  const whole = prepared(verb);
  expect(await traced(whole, verb.words(whole))).toMatchObject({ code: 0 });
  const calls = callsOfVerb(whole).filter((call) => kind === "kill" || canFail(call));
  expect(calls.length).toBeGreaterThan(20);
  const found = await sweep({
    name: `stint ${name}, ${kind}`,
    points: evenly(calls.length, SAMPLE),
    prepare: () => prepared(verb),
    strike: async (scene, point) => {
      const call = calls[point];
      if (call === undefined) throw new Error(`there is no call ${point}`);
      const fault = kind === "kill" ? "signal=KILL" : `error=${ERRORS[point % ERRORS.length]}`;
      const inject = `${call.name}:${fault}:when=${call.number}`;
      const ended = await traced(scene, verb.words(scene), inject);
      const struck = struckCall(scene);
      return {
        what: `${fault} at ${(struck ?? call).line}`,
        hasStruck: kind === "kill" ? ended.signal === "SIGKILL" : struck !== undefined,
        wrong: kind === "kill" || struck === undefined ? [] : unhelpful(ended),
      };
    },
    judge: (scene, repairs) => brokenAfter(scene, verb, repairs),
  });
  return { ...found, calls: calls.length };
}

/** What was asked for is asked for again, and then gets Done. */
async function brokenAfter(scene: RunScene, verb: Verb, repairs: boolean): Promise<string[]> {
  if (repairs) {
    const { code, stdout, stderr } = await scene.start(["doctor", "--repair"]).ended;
    if (code !== 0) return [`doctor --repair, exit ${code}: ${stdout}${stderr}`];
  }
  if (verb.files.includes("german.txt")) {
    const { code, stderr } = await scene.start(verb.words(scene)).ended;
    if (code !== 0) return [`again, exit ${code}: ${stderr}`];
  }
  const { code, stdout, stderr } = await scene.run().ended;
  if (code !== 0) return [`run, exit ${code}: ${stdout}${stderr}`];
  const missing = verb.files.filter((name) => !existsSync(join(scene.root, name)));
  return [...missing.map((name) => `${name} is missing`), ...scene.problems()];
}

describe.skipIf(!canTrace)("every call that touches the project", () => {
  it.each(
    Object.keys(VERBS).flatMap((name) => [[name, "kill"] as const, [name, "error"] as const]),
  )(
    "of stint %s may meet a %s",
    async (name, kind) => {
      const { calls, tried, struck, disks, failures } = await swept(name, kind);
      process.stdout.write(
        `stint ${name}, ${kind}: ${calls} calls, ${tried} tried, ${struck} met it, ${disks} disks judged\n`,
      );
      expect(failures).toEqual([]);
      // Which call of its kind is the n-th differs a little from run to run: of a few, only some meet it.
      expect(struck).toBeGreaterThan(tried > 50 ? tried / 2 : 0);
    },
    LONG_MS,
  );
});
