// A git that says that all went well, and did nothing: at each command of a workspace's life. Nothing is called
// committed or delivered that is not, and whoever begins again comes to the same end.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { evenly } from "../../test/support/kill-window.ts";
import {
  type Files,
  ordinary,
  request,
  type Scene,
  scenesOfFile,
  treeOf,
} from "../../test/support/workspace-scene.ts";
import { StintError } from "../core/stint-error.ts";
import type { WorkspaceOptions } from "./open-workspace.ts";
import type { FollowWish } from "./workspace.ts";

const LONG_MS = 300_000;
/** So many commands of each life; with STINT_ALL_KILL_POINTS set, all. */
const SAMPLE = 12;
const scenes = scenesOfFile();
const path = process.env["PATH"] ?? "";

afterEach(() => {
  process.env["PATH"] = path;
});

interface SilentGit {
  /** What it was asked, in order. */
  readonly commands: () => string[];
}

function putGitBefore(silentAt: number): SilentGit {
  const folder = join(scenes.path, "silent");
  const counted = join(folder, "counted");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(counted, { recursive: true });
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const script = [
    "#!/bin/sh",
    // Two commands may run at once: a number belongs to whoever creates its file.
    "set -C; n=1",
    `until echo "$*" 2>/dev/null >"${counted}/$n"; do n=$((n + 1)); done`,
    `if [ "$n" -eq ${silentAt} ]; then cat >/dev/null; exit 0; fi`,
    `exec "${real}" "$@"`,
  ];
  writeFileSync(join(folder, "git"), script.join("\n"));
  chmodSync(join(folder, "git"), 0o755);
  process.env["PATH"] = `${folder}:${path}`;
  return {
    commands: () => {
      const names = readdirSync(counted).toSorted((one, other) => Number(one) - Number(other));
      return names.map((name) => readFileSync(join(counted, name), "utf8").trim());
    },
  };
}

const WISH: FollowWish = {
  settle: ({ theirs }) => theirs,
  verify: () => Promise.resolve([]),
  keep: () => {},
  conflicts: "ask",
  removed: "ask",
  asked: null,
};

/** A life of a workspace that may begin anew at any time. @returns what it claims */
async function live({ workspace, files }: Scene): Promise<string[]> {
  await workspace.open();
  await workspace.lay((await workspace.tip()).tree);
  await workspace.freshGit({ branch: "stint/work", canPush: false });
  const { tree: base } = await workspace.tip();
  files.write("a.txt", "a1\n");
  files.write("new/file.txt", "new\n");
  files.remove("dir/y.txt");
  const tree = treeOf(await workspace.capture());
  await workspace.changes(base, tree);
  const own = [{ path: "PROMPT.md", content: Buffer.from("- [x] one\n") }];
  const committed = await workspace.commit(request(tree, "t1", { own }));
  const followed = await workspace.follow(WISH);
  const delivered = await workspace.deliver();
  return [committed.kind, followed.kind, delivered.kind];
}

/** What the person has then: the files that they committed or were given, and nothing else. */
function end({ person }: Scene): unknown {
  return { files: person.all(), status: person.status(), main: treeIn(person, "main") };
}

function treeIn(person: Files, branch: string): string {
  return person.id(`${branch}^{tree}`);
}

/** After the work is committed in the workspace, and before it is brought in. */
function moveOn({ person }: Scene): void {
  person.write("theirs.txt", "theirs\n");
  person.commitAll("theirs");
}

interface Life {
  readonly prepare: (person: Files) => void;
  readonly options?: Partial<WorkspaceOptions>;
  readonly before?: (scene: Scene) => Promise<void>;
}

const LIVES: Readonly<Record<string, Life>> = {
  ordinary: { prepare: ordinary },
  "with attributes": {
    prepare: (person) => {
      person.git("init", "-q");
      person.write(".gitattributes", "*.txt text eol=lf\n");
      ordinary(person);
    },
  },
  "on a branch that moved": {
    prepare: ordinary,
    before: async (scene) => {
      await scene.workspace.open();
      const { files, workspace } = scene;
      files.write("earlier.txt", "earlier\n");
      await workspace.commit(request(treeOf(await workspace.capture()), "t0"));
      moveOn(scene);
    },
  },
  "in place": { prepare: ordinary, options: { kind: "in-place" } },
};

describe("S3 a git that says nothing", () => {
  it.each(Object.keys(LIVES))(
    "%s",
    async (name) => {
      const { prepare, options, before } = LIVES[name] ?? { prepare: ordinary };
      const begun = async (): Promise<Scene> => {
        process.env["PATH"] = path;
        const scene = scenes.make(prepare, options);
        await before?.(scene);
        scene.reopen();
        return scene;
      };
      const whole = await begun();
      const git = putGitBefore(0);
      const claimed = await live(whole);
      const commands = git.commands();
      const wanted = end(whole);
      expect(commands.length).toBeGreaterThan(5);
      const broken: string[] = [];
      for (const index of evenly(commands.length, SAMPLE)) {
        const at = index + 1;
        // oxlint-disable-next-line no-await-in-loop
        const scene = await begun();
        const silent = putGitBefore(at);
        const tell = (what: string, found: unknown): void => {
          broken.push(`${what} at ${silent.commands()[at - 1]}: ${JSON.stringify(found)}`);
        };
        try {
          // oxlint-disable-next-line no-await-in-loop
          const said = await live(scene);
          process.env["PATH"] = path;
          const isClaimed = JSON.stringify(said) === JSON.stringify(claimed);
          if (isClaimed && !isSame(end(scene), wanted)) tell("a false claim", end(scene));
        } catch (error) {
          if (!(error instanceof StintError)) tell("a trace", String(error));
        }
        process.env["PATH"] = path;
        try {
          scene.reopen();
          // oxlint-disable-next-line no-await-in-loop
          await live(scene);
          if (!isSame(end(scene), wanted)) tell("another end", end(scene));
        } catch (error) {
          tell("no end", String(error));
        }
      }
      expect(broken).toEqual([]);
    },
    LONG_MS,
  );
});

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
