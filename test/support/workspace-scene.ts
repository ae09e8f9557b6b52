// A person's repository, a state folder and a workspace over them, all real, with a git configuration of
// their own: nothing of this machine's settings, hooks or identity reaches them.
import { execFileSync, spawn } from "node:child_process";
import { afterAll, beforeAll } from "vitest";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { openWorkspace, type WorkspaceOptions } from "../../src/workspace/open-workspace.ts";
import type { Captured, Workspace } from "../../src/workspace/workspace.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A folder with files, asked and changed from outside of what is tested. */
export class Files {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  path(name: string): string {
    return join(this.root, name);
  }

  write(name: string, content: string | Buffer): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), content);
  }

  program(name: string, script: string): void {
    this.write(name, `#!/bin/sh\n${script}\n`);
    chmodSync(this.path(name), 0o755);
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  exists(name: string): boolean {
    return lstatSync(this.path(name), { throwIfNoEntry: false }) !== undefined;
  }

  remove(name: string): void {
    rmSync(this.path(name), { recursive: true, force: true });
  }

  git(...args: string[]): string {
    return execFileSync("git", args, { cwd: this.root, encoding: "utf8", stdio: "pipe" });
  }

  commitAll(message = "work of the person"): string {
    this.git("add", "-A");
    this.git("commit", "-q", "-m", message);
    return this.id("HEAD");
  }

  id(revision: string): string {
    return this.git("rev-parse", "--verify", revision).trim();
  }

  status(): string[] {
    return this.git("status", "--porcelain", "-z", "-uall").split("\0").slice(0, -1);
  }

  /** Every file and every empty folder outside of the top's .git, with kind and content. */
  all(): Record<string, string> {
    const found: Record<string, string> = {};
    for (const name of readdirSync(this.root, { recursive: true, encoding: "utf8" })) {
      if (name === ".git" || name.startsWith(".git/")) continue;
      const facts = lstatSync(this.path(name));
      if (facts.isSymbolicLink()) found[name] = `link ${readlinkSync(this.path(name))}`;
      else if (facts.isFile()) {
        const kind = (facts.mode & 0o100) === 0 ? "file" : "program";
        found[name] = `${kind} ${readFileSync(this.path(name), "latin1")}`;
      } else if (facts.isDirectory() && readdirSync(this.path(name)).length === 0) {
        found[name] = "empty folder";
      }
    }
    return found;
  }
}

export interface Scene {
  readonly person: Files;
  readonly home: string;
  readonly options: WorkspaceOptions;
  workspace: Workspace;
  readonly files: Files;
  /** The same workspace, as another process would open it. */
  reopen(more?: Partial<WorkspaceOptions>): Workspace;
}

export interface Scenes {
  readonly path: string;
  make(person: (files: Files) => void, more?: Partial<WorkspaceOptions>): Scene;
  remove(): void;
}

export const PROJECT = "p-0000000001";

/** Made before the tests of a file, removed after them. */
export function scenesOfFile(): Pick<Scenes, "path" | "make"> {
  let scenes: Scenes;
  beforeAll(() => {
    scenes = workspaceScenes();
  });
  afterAll(() => scenes.remove());
  return {
    get path() {
      return scenes.path;
    },
    make: (person, more) => scenes.make(person, more),
  };
}

export function workspaceScenes(): Scenes {
  const temporary = temporaryFolder();
  const { path } = temporary;
  const config = join(path, "gitconfig");
  writeFileSync(
    config,
    '[user]\n\tname = Person\n\temail = person@example.com\n[init]\n\tdefaultBranch = main\n[protocol "file"]\n\tallow = always\n',
  );
  const settings = { HOME: path, GIT_CONFIG_GLOBAL: config, GIT_CONFIG_NOSYSTEM: "1" };
  const before = { ...process.env };
  Object.assign(process.env, settings);
  let made = 0;
  return {
    path,
    make(prepare, more = {}) {
      const folder = join(path, `scene ${++made}`);
      const person = new Files(join(folder, "checkout"));
      mkdirSync(person.root, { recursive: true });
      prepare(person);
      const home = join(folder, "state", "workspaces", PROJECT, "1");
      const options = optionsFor(person.root, home, more);
      const workspace = openWorkspace(options);
      const scene: Scene = {
        person,
        home,
        options,
        workspace,
        files: new Files(workspace.folder),
        reopen(other = {}) {
          scene.workspace = openWorkspace({ ...options, ...other });
          return scene.workspace;
        },
      };
      return scene;
    },
    remove() {
      for (const name of Object.keys(settings)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
      temporary.remove();
    },
  };
}

export function optionsFor(
  checkout: string,
  home: string,
  more: Partial<WorkspaceOptions>,
): WorkspaceOptions {
  return {
    kind: "own-copy",
    checkout,
    home,
    project: PROJECT,
    slug: "work",
    ownPaths: ["PROMPT.md", ".agent_iteration_done", ".stint"],
    manifest: "PROMPT.md",
    shownAt: "own-path",
    hide: [],
    mounts: [],
    bring: () => Promise.resolve([]),
    runInside: runPlainly,
    ...more,
  };
}

/** Without any isolation, and with a session's environment: no variable of git's. */
const runPlainly: WorkspaceOptions["runInside"] = ({ program, args, cwd, env }) =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    child.stdout.on("data", (data) => (output += String(data)));
    child.stderr.on("data", (data) => (output += String(data)));
    child.on("error", reject);
    child.on("close", (exitCode) => resolve({ exitCode, output }));
  });

/** A person with two commits on main and some files. */
export function ordinary(person: Files): void {
  person.git("init", "-q");
  writeUsualFiles(person);
  person.commitAll("first");
}

export function writeUsualFiles(person: Files): void {
  person.write("a.txt", "a0\n");
  person.write("dir/x.txt", "x0\n");
  person.write("dir/y.txt", "y0\n");
  person.write("PROMPT.md", "- [ ] one\n");
  person.write(".gitignore", "*.log\nnode_modules/\n");
  person.program("run.sh", "echo hi");
}

export function treeOf(captured: Captured): string {
  if (captured.kind === "captured") return captured.tree;
  throw new Error(JSON.stringify(captured.problems));
}

export function request(tree: string, task = "t1", more: object = {}) {
  return {
    tree,
    own: [],
    message: `Do ${task}`,
    trailers: [
      ["Stint-Project", PROJECT],
      ["Stint-Task", task],
    ] as const,
    ...more,
  };
}
