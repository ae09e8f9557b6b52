// kill -9 before and after every git command of each act, then the act again: the end is the same as
// without the crash, and nothing was made twice. Then git itself, in the middle of a delivery.
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, it } from "vitest";
import { evenly } from "../../test/support/kill-window.ts";
import { type ActArgument, ACTS, perform } from "../../test/support/workspace-act.ts";
import {
  Files,
  ordinary,
  type Scene,
  type Scenes,
  workspaceScenes,
} from "../../test/support/workspace-scene.ts";
import type { WorkspaceOptions } from "./open-workspace.ts";

let scenes: Scenes;
let program: string;
let shim: string;
const realGit = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
const support = (name: string) =>
  fileURLToPath(new URL(`../../test/support/${name}`, import.meta.url));

beforeAll(async () => {
  scenes = workspaceScenes();
  program = join(scenes.path, "workspace-act.mjs");
  shim = join(scenes.path, "shim");
  mkdirSync(shim);
  copyFileSync(support("killing-git.sh"), join(shim, "git"));
  chmodSync(join(shim, "git"), 0o755);
  const bundle = await rolldown({
    input: support("workspace-act.ts"),
    platform: "node",
    logLevel: "silent",
  });
  await bundle.write({ file: program, format: "esm" });
});
afterAll(() => scenes.remove());

type Act = keyof typeof ACTS;
interface Place extends ActArgument {
  readonly folder: string;
}

/** A scene that can be copied: everything in one folder, and no absolute path in it that matters. */
function placeOf(scene: Scene, more: Partial<WorkspaceOptions> = {}): Place {
  return {
    folder: dirname(scene.person.root),
    checkout: scene.person.root,
    home: scene.home,
    more,
  };
}

/** The same paths are used again, so that what is recorded stays true. */
function withCopy<T>(template: Place, act: () => T): T {
  rmSync(template.folder, { recursive: true, force: true });
  cpSync(`${template.folder}.template`, template.folder, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
  });
  return act();
}

function keepTemplate(place: Place): void {
  cpSync(place.folder, `${place.folder}.template`, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
  });
}

/** How many git commands the act took, or that it was killed at one of them. */
function run(act: Act, place: Place, kill: NodeJS.ProcessEnv): number | "killed" {
  const count = join(shim, "count");
  rmSync(count, { recursive: true, force: true });
  mkdirSync(count);
  const { checkout, home, more } = place;
  const { signal, status, stderr } = spawnSync(
    process.execPath,
    [program, act, JSON.stringify({ checkout, home, more })],
    {
      env: {
        ...process.env,
        ...kill,
        PATH: `${shim}${delimiter}${process.env["PATH"]}`,
        REAL_GIT: realGit,
        KILL_COUNT: count,
        KILL_ONLY: "workspace-act",
      },
      encoding: "utf8",
    },
  );
  if (signal === "SIGKILL") return "killed";
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return readdirSync(count).length;
}

/** At every command; with `most`, at so many of them unless all are asked for. */
async function killAtEach(
  act: Act,
  place: Place,
  outcome: () => unknown,
  most = Number.POSITIVE_INFINITY,
): Promise<number> {
  keepTemplate(place);
  const commands = withCopy(place, () => run(act, place, {}));
  if (commands === "killed") throw new Error("nobody should have killed it");
  const wanted = outcome();
  for (const when of ["KILL_BEFORE", "KILL_AFTER"]) {
    for (const index of evenly(commands, Math.min(most, commands))) {
      const at = index + 1;
      const ended = withCopy(place, () => run(act, place, { [when]: `${at}` }));
      // Whether git has to look at a file again hangs on the second it was written in.
      if (ended !== "killed") expect(at).toBeGreaterThan(ended);
      // oxlint-disable-next-line no-await-in-loop
      await perform(act, place);
      expect({ when, at, outcome: outcome() }).toEqual({ when, at, outcome: wanted });
    }
  }
  return commands;
}

/** What must be the same, whenever it was killed: commits by what they hold, never by their ids. */
function stateOf({ checkout, home }: Place): unknown {
  const person = new Files(checkout);
  const own = join(home, "git");
  return {
    files: person.all(),
    status: person.status(),
    head: person.git("log", "--format=%T %s"),
    refs: person.git("for-each-ref", "--format=%(refname) %(tree) %(subject)"),
    fsck: person.git("fsck", "--no-dangling"),
    copy: existsSync(join(home, "tree")) ? new Files(join(home, "tree")).all() : null,
    kept: person.git(
      `--git-dir=${own}`,
      "for-each-ref",
      "--format=%(refname) %(tree)",
      "refs/stint",
    ),
    left: readdirSync(home).filter((name) => !["git", "tree", "record.json"].includes(name)),
    locks: readdirSync(person.path(".git")).filter(
      (name) => name.endsWith(".lock") || name.startsWith("stint"),
    ),
  };
}

function personState({ checkout }: Place) {
  const person = new Files(checkout);
  const locks = readdirSync(person.path(".git")).filter((name) => name.endsWith(".lock"));
  return { files: person.all(), status: person.status(), locks };
}

function scene(): Place {
  return placeOf(scenes.make(ordinary));
}

async function worked(): Promise<Place> {
  const place = scene();
  await perform("open", place);
  const files = new Files(join(place.home, "tree"));
  files.write("a.txt", "a1\n");
  files.write("new.txt", "new\n");
  files.remove("dir/y.txt");
  return place;
}

it("opening", async () => {
  const place = scene();
  expect(await killAtEach("open", place, () => stateOf(place))).toBeGreaterThan(3);
});

it("laying a tree over what a session left", async () => {
  const place = await worked();
  expect(await killAtEach("lay", place, () => stateOf(place))).toBeGreaterThan(3);
});

it("capturing and keeping", async () => {
  const place = await worked();
  expect(await killAtEach("capture", place, () => stateOf(place))).toBeGreaterThan(3);
});

it("committing", async () => {
  const place = await worked();
  expect(await killAtEach("commit", place, () => stateOf(place))).toBeGreaterThan(3);
});

it("committing in place", async () => {
  const place = placeOf(scenes.make(ordinary), { kind: "in-place" });
  await perform("open", place);
  const files = new Files(place.checkout);
  files.write("a.txt", "a1\n");
  files.write("new.txt", "new\n");
  files.remove("dir/y.txt");
  files.write("PROMPT.md", "- [x] one\n");
  expect(await killAtEach("commit", place, () => stateOf(place))).toBeGreaterThan(3);
  expect(files.status()).toEqual([]);
});

it.each([
  ["replaying on a branch that moved", false],
  ["merging with a branch that moved", true],
])("%s", async (_, isPushed) => {
  const place = await worked();
  await perform("commit", place);
  const person = new Files(place.checkout);
  if (isPushed) person.git("update-ref", "refs/remotes/origin/stint/work", "stint/work");
  person.write("theirs.txt", "theirs\n");
  person.commitAll("theirs");
  expect(await killAtEach("follow", place, () => stateOf(place), 8)).toBeGreaterThan(20);
  expect(person.git("log", "-1", "--format=%s", "stint/work").trim()).toBe(
    isPushed ? "Merge branch 'stint/work' into main" : "Do t1",
  );
});

it("delivering, with a file that is ahead", async () => {
  const place = await worked();
  await perform("commit", place);
  new Files(place.checkout).write("PROMPT.md", "- [x] one\n- [ ] by the person\n");
  new Files(place.checkout).write("mine.txt", "mine\n");
  expect(await killAtEach("deliver", place, () => stateOf(place))).toBeGreaterThan(3);
});

it("delivering, with a person who goes on before the next command", async () => {
  const place = await worked();
  await perform("commit", place);
  const person = new Files(place.checkout);
  person.write("PROMPT.md", "- [x] one\n- [ ] by the person\n");
  keepTemplate(place);
  const commands = withCopy(place, () => run("deliver", place, {}));
  for (let at = 1; at <= Number(commands); at++) {
    withCopy(place, () => expect(run("deliver", place, { KILL_AFTER: `${at}` })).toBe("killed"));
    person.write("a.txt", "mine\n");
    // oxlint-disable-next-line no-await-in-loop
    await perform("deliver", place);
    expect({ at, staged: person.git("diff", "--cached", "--name-only") }).toEqual({
      at,
      staged: "",
    });
    expect(person.read("a.txt")).toBe("mine\n");
    expect(person.read("PROMPT.md")).toBe("- [x] one\n- [ ] by the person\n");
  }
});

it("delivering, killed with its git while that writes the new files", async () => {
  const FILES = 12;
  const name = (at: number): string => `many/f${String(at).padStart(2, "0")}.txt`;
  const place = placeOf(
    scenes.make((person) => {
      ordinary(person);
      for (let at = 0; at < FILES; at += 2) person.write(name(at), `old ${at}\n`);
      person.write(".gitattributes", "many/* filter=killing\n");
      person.git("config", "filter.killing.clean", "cat");
      person.git("config", "filter.killing.smudge", `sh '${join(scenes.path, "smudge.sh")}'`);
      person.commitAll("many");
    }),
  );
  // Kills git and the run that started it when the file of this number is written.
  writeFileSync(
    join(scenes.path, "smudge.sh"),
    `cat >"$0.in.$$"
if [ -n "$KILL_FILE" ] && grep -q "new $KILL_FILE\\b" "$0.in.$$"; then
  pid=$$
  until grep -q '^Name:.git' "/proc/$pid/status"; do pid=$(sed -n 's/^PPid:.//p' "/proc/$pid/status"); done
  parent=$(sed -n 's/^PPid:.//p' "/proc/$pid/status")
  kill -9 "$parent" "$pid"
  sleep 0.05
fi
cat "$0.in.$$"
rm -f "$0.in.$$"
`,
  );
  await perform("open", place);
  const files = new Files(join(place.home, "tree"));
  for (let at = 0; at < FILES; at++) files.write(name(at), `new ${at}\n${"x".repeat(5000)}\n`);
  await perform("commit", place);
  keepTemplate(place);
  const deliver = (env: NodeJS.ProcessEnv): string | null =>
    spawnSync(process.execPath, [program, "deliver", JSON.stringify(place)], {
      env: { ...process.env, ...env },
    }).signal;
  const { files: before, status } = personState(place);
  withCopy(place, () => expect(deliver({})).toBe(null));
  const wanted = stateOf(place);
  for (let at = 0; at < FILES; at++) {
    withCopy(place, () => expect(deliver({ KILL_FILE: `${at}` })).toBe("SIGKILL"));
    expect({ at, ...personState(place) }).toEqual({ at, files: before, status, locks: [] });
    // oxlint-disable-next-line no-await-in-loop
    await perform("deliver", place);
    expect({ at, state: stateOf(place) }).toEqual({ at, state: wanted });
  }
});

/** What the person has in the checkout, and what comes: every kind of change that is put in place. */
async function manyChanges(): Promise<Place> {
  const place = placeOf(
    scenes.make((person) => {
      ordinary(person);
      person.write("file-to-folder", "a file\n");
      person.write("folder-to-file/x.txt", "x\n");
      person.write("gone/far/z.txt", "z\n");
      symlinkSync("a.txt", person.path("link"));
      person.commitAll("shapes");
    }),
  );
  await perform("open", place);
  const files = new Files(join(place.home, "tree"));
  files.write("a.txt", "a1\n");
  files.write("deep/er/new.txt", "new\n");
  files.remove("dir/y.txt");
  files.remove("gone");
  files.remove("file-to-folder");
  files.write("file-to-folder/inside.txt", "inside\n");
  files.remove("folder-to-file");
  files.write("folder-to-file", "a file\n");
  files.remove("link");
  symlinkSync("dir/x.txt", files.path("link"));
  await perform("commit", place);
  new Files(place.checkout).write("PROMPT.md", "- [x] one\n- [ ] by the person\n");
  new Files(place.checkout).write("mine.txt", "mine\n");
  return place;
}

/** Runs an act that is killed before a call of the file system or the start of a process. */
function runUntil(act: Act, place: Place, at?: number): { signal: string | null; calls: string[] } {
  const count = join(scenes.path, "calls");
  rmSync(count, { force: true });
  const { signal, status, stderr } = spawnSync(
    process.execPath,
    [
      "--import",
      pathToFileURL(support("kill-points.mjs")).href,
      program,
      act,
      JSON.stringify(place),
    ],
    {
      env: {
        ...process.env,
        KILL_UNDER: place.folder,
        KILL_WIDE: "1",
        // What comes before is the opening, which has a test of its own.
        KILL_FROM: "stint-delivery-",
        KILL_COUNT: count,
        ...(at === undefined ? {} : { KILL_AT: `${at}` }),
      },
      encoding: "utf8",
    },
  );
  if (signal === null) expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const calls = existsSync(count) ? readFileSync(count, "utf8").split("\n").slice(0, -1) : [];
  return { signal, calls };
}

/** All points take longer than other tests. */
const LONG_MS = 1_800_000;

it(
  "delivering, killed before each call of the file system",
  async () => {
    const place = await manyChanges();
    keepTemplate(place);
    const { calls } = withCopy(place, () => runUntil("deliver", place));
    const wanted = stateOf(place);
    expect(calls.length).toBeGreaterThan(100);
    for (const at of evenly(calls.length, 5)) {
      withCopy(place, () => expect(runUntil("deliver", place, at + 1).signal).toBe("SIGKILL"));
      // oxlint-disable-next-line no-await-in-loop
      await perform("deliver", place);
      const call = calls[at];
      expect({ at, call, outcome: stateOf(place) }).toEqual({ at, call, outcome: wanted });
    }
  },
  LONG_MS,
);

it(
  "delivering, killed before each call, and undone by a command that does not deliver",
  async () => {
    const place = await manyChanges();
    keepTemplate(place);
    const before = personState(place);
    const { calls } = withCopy(place, () => runUntil("deliver", place));
    const after = personState(place);
    for (const at of evenly(calls.length, 5)) {
      withCopy(place, () => expect(runUntil("deliver", place, at + 1).signal).toBe("SIGKILL"));
      // oxlint-disable-next-line no-await-in-loop
      await perform("open", place);
      const isDelivered =
        new Files(place.checkout).id("main") === new Files(place.checkout).id("stint/work");
      const wanted = isDelivered ? after : before;
      expect({ at, call: calls[at], ...personState(place) }).toEqual({
        at,
        call: calls[at],
        ...wanted,
      });
    }
  },
  LONG_MS,
);
