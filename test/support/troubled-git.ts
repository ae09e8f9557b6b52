// Puts a git before the real one on the PATH of a run, whose commands can be counted, traced, killed in the
// middle, or made to fail. See troubled-git.sh.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Kill } from "./run-scene.ts";

export interface Trouble {
  /** Which commands count: those whose words hold this; all without it. */
  readonly words?: string;
  /** Which of them, from 1. */
  readonly at?: number;
  /** What it meets, as troubled-git.sh says. */
  readonly what: string;
}

export interface TroubledGit extends Kill {
  /** The commands that counted, in order. */
  readonly commands: () => string[];
  /** The calls of the system that command number `at` made; of a git that was traced. */
  readonly calls: (at: number) => SystemCall[];
}

export interface SystemCall {
  readonly name: string;
  /** Which of the command's calls of that name it is, from 1. */
  readonly number: number;
  readonly line: string;
}

export function troubledGit(base: string, { words, at, what }: Trouble): TroubledGit {
  const bin = join(base, "troubled-bin");
  const counted = join(base, "troubled");
  for (const folder of [bin, counted]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
  }
  copyFileSync(new URL("troubled-git.sh", import.meta.url), join(bin, "git"));
  const real = spawnSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).stdout.trim();
  const read = (name: string): string => readFileSync(join(counted, name), "utf8");
  return {
    env: {
      PATH: `${bin}:${process.env["PATH"]}`,
      REAL_GIT: real,
      TROUBLE: what,
      TROUBLE_OF: "main.cjs ",
      TROUBLE_WORDS: words ?? "",
      TROUBLE_COUNT: counted,
      ...(at === undefined ? {} : { TROUBLE_AT: String(at) }),
    },
    commands: () =>
      readdirSync(counted)
        .filter((name) => /^\d+$/.test(name))
        .toSorted((one, other) => Number(one) - Number(other))
        .map((name) => read(name).trim()),
    calls: (number) => systemCalls(read(`${number}.calls`)),
  };
}

export function systemCalls(log: string): SystemCall[] {
  const seen = new Map<string, number>();
  return log.split("\n").flatMap((line) => {
    const name = /^(\w+)\(/.exec(line)?.[1];
    if (name === undefined) return [];
    const number = (seen.get(name) ?? 0) + 1;
    seen.set(name, number);
    return [{ name, number, line }];
  });
}

const CHANGING =
  /^(?:p?write(?:64)?|f?chmod|f(?:data)?sync|f?truncate|(?:rename|link|symlink|unlink|mkdir)(?:at2?)?|rmdir|utimensat|exit_group)\(/;

/** Whether it leaves something else on disk than was there, or is the end. */
export function isChanging({ line }: SystemCall): boolean {
  return CHANGING.test(line) || /^openat\(.*O_CREAT/.test(line);
}

/** Strace may be absent, and where it is installed it may not be allowed to trace. */
export const canTrace =
  spawnSync("strace", ["-o", "/dev/null", "-e", "inject=getpid:error=EIO:when=1", "true"])
    .status === 0;
