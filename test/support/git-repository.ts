// A real repository for one test, with a configuration of its own: nothing of this machine's git
// settings, hooks or identity reaches it.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "./temporary-folder.ts";

export class TestRepository {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  git(...args: string[]): string {
    return execFileSync("git", args, { cwd: this.root, encoding: "utf8", stdio: "pipe" });
  }

  path(name: string): string {
    return join(this.root, name);
  }

  write(name: string, content: string | Buffer): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), content);
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

  hook(name: string, script: string): void {
    this.write(`.git/hooks/${name}`, `#!/bin/sh\n${script}\n`);
    chmodSync(this.path(`.git/hooks/${name}`), 0o755);
  }

  commitAll(message = "work of the person"): string {
    this.git("add", "-A");
    this.git("commit", "-q", "-m", message);
    return this.head();
  }

  head(): string {
    return this.git("rev-parse", "HEAD").trim();
  }

  /** The index as bytes: equal means nobody wrote it. */
  index(): string {
    return readFileSync(this.path(".git/index"), "base64");
  }

  /** The index as entries: equal means the same is staged. */
  staged(): string[] {
    return this.git("ls-files", "-s", "-z").split("\0");
  }

  status(): string[] {
    return this.git("status", "--porcelain", "-z", "-uall").split("\0").slice(0, -1);
  }

  /** Every file outside .git with kind, executable bit and content. */
  files(): Record<string, string> {
    const found: Record<string, string> = {};
    for (const name of readdirSync(this.root, { recursive: true, encoding: "utf8" })) {
      if (name === ".git" || name.startsWith(".git/")) continue;
      const stat = lstatSync(this.path(name));
      if (stat.isSymbolicLink()) found[name] = `link ${readlinkSync(this.path(name))}`;
      else if (stat.isFile()) {
        const kind = (stat.mode & 0o100) === 0 ? "file" : "program";
        found[name] = `${kind} ${readFileSync(this.path(name), "base64")}`;
      }
    }
    return found;
  }
}

export interface TestRepositories {
  /** An empty repository on the branch main. */
  make(name?: string): TestRepository;
  at(path: string): TestRepository;
  folder(name: string): string;
  remove(): void;
}

export function testRepositories(): TestRepositories {
  const temporary = temporaryFolder();
  const { path } = temporary;
  const config = join(path, "gitconfig");
  const identity = "[user]\n\tname = Person\n\temail = person@example.com\n";
  writeFileSync(
    config,
    `${identity}[init]\n\tdefaultBranch = main\n[protocol "file"]\n\tallow = always\n`,
  );
  const before = { ...process.env };
  Object.assign(process.env, { HOME: path, GIT_CONFIG_GLOBAL: config, GIT_CONFIG_NOSYSTEM: "1" });
  let made = 0;
  const folder = (name: string): string => {
    mkdirSync(join(path, name), { recursive: true });
    return join(path, name);
  };
  return {
    folder,
    at: (root) => new TestRepository(root),
    make(name = `repository ${++made}`) {
      const repository = new TestRepository(folder(name));
      if (!existsSync(repository.path(".git"))) repository.git("init", "-q", "-b", "main");
      return repository;
    },
    remove() {
      for (const name of ["HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM"]) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
      temporary.remove();
    },
  };
}
