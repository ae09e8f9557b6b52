// What children see in each kind of namespace, and that they cannot see more by trying.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { buildRunner } from "../../../test/support/build-runner.ts";
import { NEVER_MS, PATH, processesWith, until } from "../../../test/support/children.ts";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { newRunId } from "../../core/ids.ts";
import type { ChildCommand } from "../find-program.ts";
import { type IsolationKind, isolationOf, showsViews, terminalWords } from "./isolation.ts";
import { availableKinds } from "../../../test/support/available-kinds.ts";
import { type NamespaceKind, tryNamespace } from "./namespace.ts";
import { runCommand } from "../run-command.ts";
import type { View } from "./view.ts";

const NAMESPACES = availableKinds().filter((kind) => kind !== "group");

let folder: TemporaryFolder;
let build: TemporaryFolder;
let started: ChildProcess | undefined;
beforeAll(() => {
  build = temporaryFolder();
});
afterAll(() => build.remove());
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  started?.kill("SIGKILL");
  folder.remove();
});

/** A checkout with a project folder, and a state folder with a tree and a key. */
interface Places {
  readonly checkout: string;
  readonly project: string;
  readonly inbox: string;
  readonly state: string;
  readonly tree: string;
  readonly objects: string;
}

function makePlaces(base: string): Places {
  // No shell may take this name apart.
  const home = join(base, 'it\'s "a" $(touch pwned)\n; home');
  const checkout = join(home, "check out");
  const project = join(checkout, "agents", "x");
  const inbox = join(project, "inbox");
  const state = join(home, "state");
  const tree = join(state, "workspaces", "1", "tree");
  const objects = join(state, "objects");
  for (const path of [inbox, tree, join(checkout, ".git", "objects")]) {
    mkdirSync(path, { recursive: true });
  }
  writeFileSync(join(checkout, "f"), "person\n");
  writeFileSync(join(tree, "f"), "session\n");
  writeFileSync(join(project, "state.json"), "project\n");
  writeFileSync(join(checkout, ".git", "objects", "ab"), "object\n");
  writeFileSync(join(state, "approver.key"), "secret\n");
  return { checkout, project, inbox, state, tree, objects };
}

function viewOf({ checkout, project, inbox, state, tree, objects }: Places): View {
  return {
    hide: [state, join(state, "never-made")],
    mounts: [
      { from: tree, at: checkout, mode: "read-write" },
      { from: project, at: project, mode: "read-only" },
      { from: inbox, at: inbox, mode: "read-write" },
      { from: join(checkout, ".git", "objects"), at: objects, mode: "read-only" },
    ],
  };
}

function commandIn(places: Places, line: string, cwd = places.checkout): ChildCommand {
  const { checkout, project, inbox, state, objects } = places;
  const env = {
    PATH,
    OLDPWD: checkout,
    CHECKOUT: checkout,
    PROJECT: project,
    INBOX: inbox,
    STATE: state,
    OBJECTS: objects,
    PARENT: join(checkout, ".."),
  };
  return { program: "sh", args: ["-c", line], cwd, env };
}

function limitsOf(kind: IsolationKind, view: View) {
  return {
    timeoutMs: NEVER_MS,
    maxOutputBytes: 100_000,
    runId: newRunId(randomBytes),
    isolation: isolationOf(kind),
    redact: (line: string) => line,
    view,
  };
}

function mountsHere(): string {
  return readFileSync("/proc/self/mountinfo", "utf8");
}

it("a child in a group sees what is there", async () => {
  const places = makePlaces(folder.path);
  const { output } = await runCommand(
    commandIn(places, "cat f"),
    limitsOf("group", viewOf(places)),
  );
  expect(output).toBe("person\n");
  expect(showsViews(isolationOf("group"))).toBe(false);
});

/** The least that each kind needs; then a view must work too. */
const NEEDED = {
  bwrap: ["bwrap --dev-bind / / --unshare-pid --proc /proc"],
  unshare: [
    "unshare --user --map-current-user --mount --pid --fork --mount-proc",
    "unshare --mount --pid --fork --mount-proc",
  ],
};

function worksHere(line: string): boolean {
  const [program, ...args] = [...line.split(" "), "true"];
  return spawnSync(program, args, { stdio: "ignore" }).status === 0;
}

/** Root that is denied a user namespace cannot be kept from undoing anything. */
function isLocked(kind: NamespaceKind): boolean {
  const result = tryNamespace(kind);
  return "namespace" in result && result.namespace.isLocked;
}

it.each(["bwrap", "unshare"] as const)("%s is used wherever it works", (kind) => {
  expect(availableKinds().includes(kind)).toBe(NEEDED[kind].some(worksHere));
});

describe.each(NAMESPACES)("a child in %s", (kind) => {
  async function run(places: Places, line: string, view = viewOf(places)): Promise<string> {
    const { output, exitCode } = await runCommand(commandIn(places, line), limitsOf(kind, view));
    return exitCode === 0 ? output : `${output}exit code ${exitCode}\n`;
  }

  it("works in the tree, at the path of the checkout", async () => {
    expect(showsViews(isolationOf(kind))).toBe(true);
    const places = makePlaces(folder.path);
    const look = `cat f; cat "$CHECKOUT/f"; cat /proc/self/cwd/f; cat "$OLDPWD/f" 2>/dev/null; test "$(pwd -P)" = "$CHECKOUT"`;
    expect(await run(places, look)).toMatch(/^(?:session\n){3,4}$/);
    const write = `echo new > f; echo new > "$CHECKOUT/g"; rm -rf .git`;
    expect(await run(places, write)).toBe("");
    expect(readFileSync(join(places.checkout, "f"), "utf8")).toBe("person\n");
    expect(readdirSync(places.checkout).toSorted()).toEqual([".git", "agents", "f"]);
    expect(readFileSync(join(places.tree, "f"), "utf8")).toBe("new\n");
    expect(existsSync(join(places.tree, "g"))).toBe(true);
    expect(mountsHere()).not.toContain("check\\040out");
  });

  it("finds no process and no descriptor that leads behind the view", async () => {
    const places = makePlaces(folder.path);
    const look = `for at in /proc/[0-9]*/cwd /proc/[0-9]*/root$CHECKOUT /proc/[0-9]*/fd/*; do cat "$at/f" 2>/dev/null; done | sort -u`;
    expect(await run(places, `IFS=; ${look}`)).toBe("session\n");
  });

  it("does not see the state folder, and sees what is mounted in its place", async () => {
    const places = makePlaces(folder.path);
    const line = `ls -A "$STATE"; cat "$STATE/approver.key" || cat "$OBJECTS/ab"; touch "$OBJECTS/c" || ls "$OBJECTS"`;
    expect(await run(places, line)).toMatch(
      /^objects\n.*No such file[^\n]*\nobject\n.*Read-only file system\nab\n$/s,
    );
    expect(existsSync(join(places.state, "objects"))).toBe(false);
    expect(existsSync(join(places.state, "never-made"))).toBe(false);
    expect(readFileSync(join(places.state, "approver.key"), "utf8")).toBe("secret\n");
  });

  it("reads the project folder and writes to its inbox alone", async () => {
    const places = makePlaces(folder.path);
    const line = `cat agents/x/state.json; echo x > agents/x/state.json; touch agents/x/new; echo letter > agents/x/inbox/1`;
    expect(await run(places, line)).toMatch(
      /^project\n.*Read-only file system\n.*Read-only file system\n$/s,
    );
    expect(readFileSync(join(places.project, "state.json"), "utf8")).toBe("project\n");
    expect(readFileSync(join(places.inbox, "1"), "utf8")).toBe("letter\n");
  });

  it("may get single files, also where nothing else is", async () => {
    const places = makePlaces(folder.path);
    const from = join(places.checkout, "f");
    const view = viewOf(places);
    const mounts = [
      ...view.mounts,
      { from, at: join(places.state, "deep", "f"), mode: "read-only" } as const,
      { from, at: join(places.checkout, "f"), mode: "read-only" } as const,
    ];
    const line = `cat f "$STATE/deep/f"; echo x > f`;
    const output = await run(places, line, { ...view, mounts });
    expect(output).toMatch(/^person\nperson\n.*Read-only file system\nexit code \d\n$/s);
  });

  it("starts in a folder and with a program that only the tree has", async () => {
    const places = makePlaces(folder.path);
    mkdirSync(join(places.tree, "part", "bin"), { recursive: true });
    writeFileSync(join(places.tree, "part", "tool"), "#!/bin/sh\npwd; cat ../f\n", { mode: 0o755 });
    symlinkSync(join(places.checkout, "part", "tool"), join(places.tree, "part", "bin", "tool"));
    const cwd = join(places.checkout, "part");
    const limits = limitsOf(kind, viewOf(places));
    for (const program of ["./tool", "bin/tool", join(cwd, "tool")]) {
      // oxlint-disable-next-line no-await-in-loop
      const { output } = await runCommand(
        { ...commandIn(places, "", cwd), args: [], program },
        limits,
      );
      expect(output).toBe(`${cwd}\nsession\n`);
    }
    await expect(
      runCommand(commandIn(places, "", join(places.state, "workspaces")), limits),
    ).rejects.toThrow("the working folder");
  });

  it("whose mount point became a link is refused, and nothing is mounted elsewhere", async () => {
    const places = makePlaces(folder.path);
    const elsewhere = join(folder.path, "elsewhere");
    mkdirSync(join(elsewhere, "x"), { recursive: true });
    symlinkSync(elsewhere, join(places.tree, "agents"));
    await expect(run(places, "touch agents/x/inbox/1")).rejects.toMatchObject({
      code: "bad-input",
      message: expect.stringContaining("is or goes through a symbolic link"),
    });
    expect(readdirSync(join(elsewhere, "x"))).toEqual([]);
  });

  it("sees the view also behind words that are put before a command", () => {
    const places = makePlaces(folder.path);
    const { env, cwd } = commandIn(places, "");
    const words = terminalWords(isolationOf(kind), viewOf(places), cwd);
    const [program, ...args] = [...words, "sh", "-c", `cat f; ls "$STATE"; exit 7`];
    const { status, stdout } = spawnSync(program, args, { env, cwd, encoding: "utf8" });
    expect([status, stdout]).toEqual([7, "session\nobjects\n"]);
  });

  // Whatever it makes of itself first: nothing, a mount namespace, a user namespace, a sandbox.
  it
    .runIf(isLocked(kind))
    .each([
      "",
      "unshare --mount",
      "unshare --user --map-root-user --mount",
      "bwrap --dev-bind / / --unshare-user --uid 0 --cap-add ALL",
    ])("cannot undo the view: %s", async (disguise) => {
    const places = makePlaces(folder.path);
    const tries = `
      for at in "$INBOX" "$PROJECT" "$OBJECTS" "$CHECKOUT" "$STATE" /proc; do
        umount "$at"; umount -l "$at"; umount -R "$at"
        mount -o remount,rw "$at"; mount -o remount,bind,rw "$at"; mount --make-shared "$at"
      done
      nsenter --target 1 --mount --user cat "$STATE/approver.key"
      mkdir "$INBOX/at"
      mount --bind "$PARENT" "$INBOX/at" && cat "$INBOX/at/state/approver.key" "$INBOX/at/check out/f"
      mount --rbind "$PARENT" "$INBOX/at" && cat "$INBOX/at/state/approver.key" "$INBOX/at/check out/f"
      mount -t overlay -o "lowerdir=$PARENT" none "$INBOX/at" && cat "$INBOX/at/state/approver.key"
      mv "$PARENT" "$PARENT.moved" && cat "$PARENT.moved/state/approver.key"; mv "$PARENT.moved" "$PARENT"
      cat "$STATE/approver.key" "$CHECKOUT/f"; touch "$PROJECT/new" "$OBJECTS/new"`;
    const line = `${disguise} sh -c '${tries}' 2>/dev/null; echo over`;
    const output = await run(places, line);
    expect(output).toMatch(/^(?:session\n)*over\n$/);
    expect(existsSync(join(places.project, "new"))).toBe(false);
    expect(existsSync(join(places.checkout, ".git", "objects", "new"))).toBe(false);
    expect(readFileSync(join(places.checkout, "f"), "utf8")).toBe("person\n");
  });

  it.each([
    "unshare --user --map-current-user --mount --pid --fork --mount-proc",
    "unshare --user --map-root-user",
    "unshare --mount",
    "bwrap --dev-bind / / --unshare-pid --proc /proc",
    // Temporary folders may be in the shared memory below /dev.
    "bwrap --ro-bind / / --dev /dev --bind-try /dev/shm /dev/shm --proc /proc --unshare-all",
  ])("may have a sandbox of its own where it could have one before: %s", async (sandbox) => {
    const places = makePlaces(folder.path);
    const output = await run(places, `${sandbox} cat f`);
    if (worksHere(sandbox)) expect(output).toBe("session\n");
    else expect(output).toContain("exit code");
  });

  it.runIf(worksHere("setpriv --reuid 12 --regid 34 --clear-groups"))(
    "that is root may give files to others",
    async () => {
      const places = makePlaces(folder.path);
      const line =
        "chown 12:34 f && setpriv --reuid 12 --regid 34 --clear-groups sh -c 'id -u; echo mine > f'";
      expect(await run(places, `chmod 755 "$PARENT/.." .; ${line}`)).toBe("12\n");
      expect(readFileSync(join(places.tree, "f"), "utf8")).toBe("mine\n");
    },
  );

  it("is promised no more than holds", () => {
    const { guarantees } = isolationOf(kind);
    expect(guarantees).toContain("Stint's state folder is hidden");
    expect(guarantees.includes("could uncover it")).toBe(!isLocked(kind));
    expect(guarantees.includes("no mount can be undone from inside")).toBe(isLocked(kind));
  });

  it.runIf(existsSync("/dev/shm"))("sees it on a file system with fewer rights", async () => {
    const base = mkdtempSync(join(realpathSync("/dev/shm"), "stint-test-"));
    try {
      const places = makePlaces(base);
      expect(await run(places, "cat f; touch agents/x/new")).toMatch(
        /^session\n.*Read-only file system\nexit code 1\n$/s,
      );
    } finally {
      rmSync(base, { recursive: true });
    }
  });

  it("leaves no process and no mount when the run is killed", async () => {
    const places = makePlaces(folder.path);
    const runner = await buildRunner(build.path);
    const line = `trap '' TERM; : > inside; while :; do sleep 0.05; done`;
    const args = [runner, kind, folder.path, "/bin/sh", "-c", line, folder.path];
    started = spawn(process.execPath, args, {
      env: {
        PATH,
        RUNNER_RUN_ID: newRunId(randomBytes),
        RUNNER_VIEW: JSON.stringify(viewOf(places)),
        RUNNER_CWD: places.checkout,
      },
      stdio: "ignore",
      cwd: places.checkout,
    });
    await until("it is inside", () => existsSync(join(places.tree, "inside")));
    const before = mountsHere();
    started.kill("SIGKILL");
    await until("all are gone", () => processesWith(folder.path).length === 0);
    expect(before).not.toContain(folder.path);
    expect(mountsHere()).not.toContain(folder.path);
  });
});

describe("a place that is gone before it is hidden", () => {
  it("is left out, and nothing is said of it", () => {
    const tried = tryNamespace("unshare");
    if (!("namespace" in tried)) return;
    const { namespace } = tried;
    const at = (name: string): string => join(realpathSync(folder.path), name);
    for (const name of ["hidden", "empty", "covered", "stays"]) writeFileSync(at(name), name);
    mkdirSync(at("folder"));
    const shown = (name: string) => ({
      from: at("empty"),
      at: at(name),
      mode: "read-write" as const,
    });
    const view: View = {
      hide: [at("folder")],
      cover: [at("covered")],
      mounts: [{ ...shown("hidden"), isOptional: true }, shown("stays")],
    };
    const words = namespace.words(view, folder.path);
    const [program = "", ...args] = words.concat("/bin/cat", at("stays"));
    for (const name of ["hidden", "covered", "folder"]) rmSync(at(name), { recursive: true });
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd: "/",
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe", "ignore", namespace.users ?? "ignore"],
    });
    expect([status, stdout, stderr]).toEqual([0, "empty", ""]);
  });
});
