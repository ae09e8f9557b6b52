// A story as a text: files that are there, commands that somebody types, and what they saw. It is run again
// in a scratch repository and written anew; what differs from the text is what changed.
//
//   -- path --      a file of the repository, up to the next such line or command; `agent` and `codex` are programs
//   $ command       typed in the repository; `stint` runs in this process, everything else in a shell
//   [3]             its exit code, where that is not 0
//   # words         for whoever reads
//
// What differs from run to run is written as what it is: <id>, <commit>, <time>, <folder>.
import { spawnSync } from "node:child_process";
import { splitWords } from "../../src/core/written/commands.ts";
import type { System } from "../../src/operations/system.ts";
import { CommandLineBench } from "./command-line.ts";
import { git } from "./git.ts";
import { withoutSignsOfLife } from "./signs-of-life.ts";

const FILE = /^-- (\S+) --$/;
const COMMAND = /^\$ (.+)$/;
const COMMENT = /^# /;

/** Whoever types is Ada, on every machine. */
class AdasBench extends CommandLineBench {
  override system(cwd?: string): System {
    return { ...super.system(cwd), user: "ada" };
  }
}

/** @returns the story as it comes out now */
export async function tellAgain(story: string): Promise<string> {
  const bench = new AdasBench();
  try {
    git(bench.root, "config", "user.name", "Ada");
    git(bench.root, "config", "user.email", "ada@example.com");
    const told: string[] = [];
    for (const part of partsOf(story)) {
      told.push(...part.lines);
      // Each command finds what the one before it left.
      // oxlint-disable-next-line no-await-in-loop
      if (part.kind === "command") told.push(...(await seen(bench, part.command)), "");
      if (part.kind === "file") place(bench, part.path, part.text);
    }
    return `${told.join("\n").trimEnd()}\n`;
  } finally {
    bench.close();
  }
}

type Part =
  | { readonly kind: "words"; readonly lines: readonly string[] }
  | {
      readonly kind: "file";
      readonly path: string;
      readonly text: string;
      readonly lines: readonly string[];
    }
  | { readonly kind: "command"; readonly command: string; readonly lines: readonly string[] };

/** What was seen last time is left out: it comes from the commands. */
function partsOf(story: string): Part[] {
  const parts: Part[] = [];
  const lines = story.split("\n");
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? "";
    const [, path] = FILE.exec(line) ?? [];
    const [, command] = COMMAND.exec(line) ?? [];
    let end = at + 1;
    if (path !== undefined) {
      while (end < lines.length && !isStart(lines[end] ?? "")) end += 1;
      const text = `${lines
        .slice(at + 1, end)
        .join("\n")
        .trimEnd()}\n`;
      parts.push({ kind: "file", path, text, lines: lines.slice(at, end) });
    } else if (command !== undefined) {
      while (end < lines.length && !isStart(lines[end] ?? "") && !isComment(lines, end)) end += 1;
      parts.push({ kind: "command", command, lines: [line] });
    } else parts.push({ kind: "words", lines: [line] });
    at = end;
  }
  return parts;
}

function isStart(line: string): boolean {
  return FILE.test(line) || COMMAND.test(line);
}

/** In an output a line may begin like a comment; one that stands apart is the writer's. */
function isComment(lines: readonly string[], at: number): boolean {
  return COMMENT.test(lines[at] ?? "") && lines[at - 1] === "";
}

function place(bench: CommandLineBench, path: string, text: string): void {
  if (path === "agent" || path === "codex") bench.program(path, text);
  else bench.write(path, text);
}

async function seen(bench: CommandLineBench, command: string): Promise<string[]> {
  const { code, out } = command.startsWith("stint ")
    ? await typed(bench, command)
    : inShell(bench, command);
  const text = plain(bench, out).trimEnd();
  return [
    ...(text === "" ? [] : withoutSignsOfLife(text.split("\n"))),
    ...(code === 0 ? [] : [`[${code}]`]),
  ];
}

async function typed(
  bench: CommandLineBench,
  command: string,
): Promise<{ readonly code: number; readonly out: string }> {
  const split = splitWords(command);
  if (!split.ok) throw new Error(`not a command: ${command}`);
  const { code, out, err } = await bench.run(...split.words.slice(1));
  return { code, out: [out, err].filter((text) => text !== "").join("\n") };
}

function inShell(
  bench: CommandLineBench,
  command: string,
): { readonly code: number; readonly out: string } {
  const { status, stdout, stderr } = spawnSync("sh", ["-c", command], {
    cwd: bench.root,
    encoding: "utf8",
  });
  return { code: status ?? -1, out: stdout + stderr };
}

function plain(bench: CommandLineBench, text: string): string {
  return (
    text
      .replaceAll(bench.path, "<folder>")
      .replaceAll(/\bp-[0-9a-z]{10}\b/g, "<id>")
      .replaceAll(/\b[0-9a-f]{40}\b|\b(?=[0-9a-f]*\d)[0-9a-f]{7,12}\b/g, "<commit>")
      .replaceAll(/\b[0-9a-f]{64}\b/g, "<digest>")
      .replaceAll(/\breview-[0-9a-f]{16}\b/g, "review-<key>")
      .replaceAll(/\b\d{4}-\d\d-\d\d[T ][\d:.]+(Z| UTC)?/g, "<time>")
      .replaceAll(
        /\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d+ \w{3}, )?\d\d:\d\d(?= *$|[,:] )/gm,
        "<time>",
      )
      .replaceAll(/\b(\d+ h )?(\d+ min )?\d+(\.\d+)? (ms|s|min)\b/g, "<time>")
      // What this machine can do is not part of the story.
      .replaceAll(/works in a copy, at [^;]*/g, "works in a copy")
      .replaceAll(/^( +Workspace +).*$/gm, "$1<workspace>")
      .replaceAll(/^ +Not promised .*\n/gm, "")
      // Nor is how fast it is: what lasts a second is told as a sign of life.
      .replaceAll(/^.*(?:notice: |[•!] ).* …\n/gm, "")
      .replaceAll(/[ \t]+$/gm, "")
  );
}
