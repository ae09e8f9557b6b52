// `new`, `edit` and `doctor` under strace: killed, or refused by the system, at each call that touches the project, its
// state or its repository. Whatever happens, the verb says in plain words what went wrong and what to do, never a trace;
// and afterwards the work gets Done, with `doctor --repair` in between or without.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { STINT } from "../support/built-stint.ts";
import { Child, type Ending, inParallel } from "../support/child.ts";
import { LANES } from "../support/kill-each.ts";
import { evenly } from "../support/kill-window.ts";
import { RunScene, type Story } from "../support/run-scene.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { canTrace } from "../support/troubled-git.ts";

const LONG_MS = 7_200_000;
/** So many calls of each verb and kind of fault; with STINT_ALL_KILL_POINTS set, all. */
const SAMPLE = 6;
const ERRORS = ["EIO", "ENOSPC", "EROFS", "EACCES", "EMFILE"];
const folder = temporaryFolder();

afterAll(() => folder.remove());

const MANIFEST =
  "# Goal\n\nGreet.\n\n# Steps\n\n- [ ] english - Write the English greeting\n  - check: `grep -q Hello english.txt`\n";
const EDITED = `${MANIFEST}- [ ] german - Write the German greeting\n  - check: \`grep -q Hallo german.txt\`\n`;

const GREETING: Story = {
  manifest: MANIFEST,
  words: ["--isolation", "off"],
  script: () => ({
    english: [{ act: "write", path: "english.txt", text: "Hello\n" }],
    german: [{ act: "write", path: "german.txt", text: "Hallo\n" }],
  }),
};

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

interface Call {
  readonly name: string;
  readonly number: number;
  readonly line: string;
}

function prepared(verb: Verb): RunScene {
  const scene = new RunScene(folder.path, GREETING);
  scene.write("../edited.md", EDITED);
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

/** Only the main thread: the store waits for every call of its own. */
async function traced(scene: RunScene, verb: Verb, ...inject: string[]): Promise<Ending> {
  const log = join(scene.base, "calls");
  const words = ["-qq", "-y", "-o", log, ...inject, process.execPath, STINT, ...verb.words(scene)];
  return await new Child("strace", words, scene.env, scene.root).ended;
}

function callsIn(scene: RunScene): Call[] {
  const seen = new Map<string, number>();
  return readFileSync(join(scene.base, "calls"), "utf8")
    .split("\n")
    .flatMap((line) => {
      const name = /^(\w+)\(/.exec(line)?.[1];
      if (name === undefined) return [];
      const number = (seen.get(name) ?? 0) + 1;
      seen.set(name, number);
      return isOfScene(scene, line) && name !== "execve" ? [{ name, number, line }] : [];
    });
}

/** Relative paths are git's, which is traced elsewhere; the folder that one stands in says nothing. */
function isOfScene(scene: RunScene, line: string): boolean {
  return line.replaceAll(/AT_FDCWD<[^>]*>/g, "").includes(scene.base);
}

/** A call that the system never refuses so is no fault of the world. */
function canFail({ name }: Call): boolean {
  return !/^(?:close|lseek|fcntl|getcwd|chdir|wait4|vfork|clone3?|kill|dup\d?|ioctl)$/.test(name);
}

interface Counts {
  readonly calls: number;
  tried: number;
  struck: number;
}

async function sweep(name: string, kind: "kill" | "error"): Promise<Counts> {
  const verb = VERBS[name];
  if (verb === undefined) throw new Error(`there is no verb ${name}`);
  const whole = prepared(verb);
  expect(await traced(whole, verb)).toMatchObject({ code: 0 });
  const calls = callsIn(whole).filter((call) => kind === "kill" || canFail(call));
  expect(calls.length).toBeGreaterThan(20);
  const counts: Counts = { calls: calls.length, tried: 0, struck: 0 };
  const failures: string[] = [];
  await inParallel(evenly(calls.length, SAMPLE), LANES, async (index) => {
    const call = calls[index];
    if (call === undefined) return;
    const scene = prepared(verb);
    const error = ERRORS[index % ERRORS.length] ?? "";
    const fault = kind === "kill" ? "signal=KILL" : `error=${error}`;
    try {
      const inject = `inject=${call.name}:${fault}:when=${call.number}`;
      const ended = await traced(scene, verb, "-e", inject);
      counts.tried += 1;
      if (kind === "kill" ? ended.signal === "SIGKILL" : hasStruck(scene)) counts.struck += 1;
      const wrong = [
        ...(kind === "kill" ? [] : unhelpful(ended)),
        ...(await brokenAfter(scene, verb, index % 2 === 0)),
      ];
      if (wrong.length > 0) failures.push(`${fault} at ${call.line}: ${wrong.join("; ")}`);
    } finally {
      scene.remove();
    }
  });
  expect(failures).toEqual([]);
  return counts;
}

function hasStruck(scene: RunScene): boolean {
  const log = readFileSync(join(scene.base, "calls"), "utf8").split("\n");
  return log.some((line) => line.includes("(INJECTED)") && isOfScene(scene, line));
}

/** What happened and what to do, or findings; never a trace, and no code that is not documented. */
function unhelpful({ code, signal, stdout, stderr }: Ending): string[] {
  const said = `${stdout}${stderr}`;
  if (signal !== null || code === null || code > 6) return [`exit ${code ?? signal}: ${said}`];
  if (code === 0 || said.includes("✗ ")) return [];
  const [first = "", second = ""] = stderr.split("\n");
  return first.startsWith("stint: ") && second.startsWith("  ") ? [] : [`says: ${said}`];
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
      const { calls, tried, struck } = await sweep(name, kind);
      process.stdout.write(
        `stint ${name}, ${kind}: ${calls} calls, ${tried} tried, ${struck} met it\n`,
      );
      expect(struck).toBeGreaterThan(tried / 2);
    },
    LONG_MS,
  );
});
