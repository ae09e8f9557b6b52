// Performs the acts of a script, one after the other, in the work tree it was started in. Hostile acts
// are here because what they do must be survived: see docs/scripted-agent.md.
import { spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isWithin } from "../../core/files.ts";
import { setTimeout as wait } from "node:timers/promises";
import { MARKER_NAME } from "../../core/marker.ts";
import type { AgentEvent } from "../agent.ts";
import type { Act } from "./scripted-script.ts";
import { type Slug, slugify } from "../../core/ids.ts";

export interface Stage {
  /** The work tree. */
  readonly root: string;
  readonly taskName: string;
  readonly manifest: string | undefined;
  print(bytes: Uint8Array): void;
}

/** Performs the acts until one of them ends the session; its exit code, 0 when all went well. */
export async function perform(acts: readonly Act[], stage: Stage): Promise<number> {
  for (const act of acts) {
    const code = await performOne(act, stage);
    if (code !== null) return code;
  }
  return 0;
}

export function printEvent(
  stage: Stage,
  event: AgentEvent | Readonly<Record<string, unknown>>,
): void {
  stage.print(Buffer.from(`${JSON.stringify(event)}\n`));
}

async function performOne(act: Act, stage: Stage): Promise<number | null> {
  switch (act.act) {
    case "write":
      writeFileSync(target(stage, act.path, act.hostile), act.text);
      return null;
    case "append":
      appendFileSync(target(stage, act.path, act.hostile), act.text);
      return null;
    case "delete":
      rmSync(target(stage, act.path, act.hostile), { recursive: true, force: true });
      return null;
    case "move":
      renameSync(target(stage, act.from, act.hostile), target(stage, act.to, act.hostile));
      return null;
    case "fill":
      fill(target(stage, act.path, act.hostile), act.bytes);
      return null;
    case "run":
      return run(stage, "sh", ["-c", act.command], act.mayFail);
    case "git":
      return run(stage, "git", act.args, act.mayFail);
    case "commit":
      return (
        run(stage, "git", ["add", "-A", "--", ...(act.paths ?? ["."])]) ??
        run(stage, "git", ["commit", "-q", "-m", act.message, "--", ...(act.paths ?? ["."])])
      );
    case "flip-box":
      return editManifest(stage, (text) => flipBoxes(text, act.which, stage.taskName));
    case "edit-manifest":
      return editManifest(stage, (text) => text.replaceAll(act.replace, () => act.with));
    case "marker":
      writeFileSync(join(stage.root, MARKER_NAME), markerText(act));
      return null;
    case "say":
      printEvent(stage, { kind: "text", text: act.text });
      return null;
    case "emit":
      printEvent(stage, act.event);
      return null;
    case "print":
      printBytes(stage, act.bytes, act.invalid === true);
      return null;
    case "sleep":
      await wait(act.ms);
      return null;
    case "hang":
      return hang();
    case "hang-after-result":
      printEvent(stage, { kind: "result", ok: true, cause: null, reason: "done, but not gone" });
      return hang();
    case "chatter":
      return chatter(stage, act.everyMs ?? 10);
    case "ignore-sigterm":
      process.on("SIGTERM", () => {});
      return null;
    case "background":
      background(stage, act.command);
      return null;
    case "exit":
      return act.code;
    case "die":
      process.kill(process.pid, act.signal ?? "SIGKILL");
      return hang();
    case "kill-parent":
      process.kill(process.ppid, act.signal ?? "SIGKILL");
      return null;
    case "delete-state":
      for (const file of stateFiles(stage.root)) rmSync(dirname(file), { recursive: true });
      return null;
    case "forge-state":
      for (const file of stateFiles(stage.root)) forge(file, act.fields);
      return null;
    default:
      return act satisfies never;
  }
}

/** Where a file act leads: inside the work tree, unless it is meant to be hostile. */
function target(stage: Stage, path: string, isHostile: boolean | undefined): string {
  const full = resolve(stage.root, path);
  if (!isWithin(full, stage.root) && isHostile !== true) {
    throw new Error(
      `${path} leads out of the work tree; to do that on purpose, add "hostile": true to the act`,
    );
  }
  mkdirSync(dirname(full), { recursive: true });
  return full;
}

function run(
  stage: Stage,
  program: string,
  args: readonly string[],
  mayFail = false,
): number | null {
  printEvent(stage, { kind: "tool-call", tool: program, detail: args.join(" ") });
  const ran = spawnSync(program, args, {
    cwd: stage.root,
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    maxBuffer: 1024 * 1024,
  });
  const isOk = ran.status === 0;
  printEvent(stage, { kind: "tool-result", ok: isOk, detail: `${ran.stdout}${ran.stderr}` });
  return isOk || mayFail ? null : (ran.status ?? 1);
}

function editManifest(stage: Stage, edit: (text: string) => string): null {
  if (stage.manifest === undefined) throw new Error('which manifest? Set "manifest" in the script');
  const file = resolve(stage.root, stage.manifest);
  writeFileSync(file, edit(readFileSync(file, "utf8")));
  return null;
}

function markerText(act: Extract<Act, { act: "marker" }>): string {
  const pairs = Object.entries(act.keys ?? {}).map(([key, value]) => `${key}: ${String(value)}\n`);
  return (act.text ?? "") + pairs.join("");
}

/** One line, however long: the worst that a reader of lines can meet. */
function printBytes(stage: Stage, bytes: number, isInvalid: boolean): void {
  const chunk = Buffer.alloc(Math.min(bytes, 64 * 1024), isInvalid ? 0xff : 0x78);
  for (let left = bytes; left > 0; left -= chunk.length) {
    stage.print(left < chunk.length ? chunk.subarray(0, left) : chunk);
  }
  stage.print(Buffer.from("\n"));
}

async function hang(): Promise<never> {
  for (;;) await wait(1_000_000);
}

async function chatter(stage: Stage, everyMs: number): Promise<never> {
  for (let n = 1; ; n++) {
    printEvent(stage, { kind: "text", text: `still here, ${n}` });
    await wait(everyMs);
  }
}

/** A child in its own session that holds nothing of ours open and outlives us. */
function background(stage: Stage, command: string): void {
  spawn("sh", ["-c", command], { cwd: stage.root, detached: true, stdio: "ignore" }).unref();
}

function forge(file: string, fields: Readonly<Record<string, unknown>>): void {
  const state = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...state, ...fields }));
}

function fill(file: string, bytes: number): void {
  const chunk = Buffer.alloc(1024 * 1024);
  const fd = openSync(file, "w");
  try {
    for (let left = bytes; left > 0; left -= chunk.length) {
      writeSync(fd, chunk, 0, Math.min(left, chunk.length));
    }
  } finally {
    closeSync(fd);
  }
}

const BOX = /^(\s*(?:[-*+]|\d+[.)])\s+\[) (\]\s+)(.*)$/;
const FENCE = /^\s*(?:```|~~~)/;

export function flipBoxes(text: string, which: "own" | "other" | "all", taskName: string): string {
  const lines = text.split("\n");
  const open = openBoxes(lines);
  const own = open.find((n) => isNamed(lines[n] ?? "", taskName)) ?? open[0];
  const others = open.filter((n) => n !== own);
  const chosen = which === "all" ? open : which === "own" ? [own] : others.slice(0, 1);
  for (const n of chosen) {
    if (n !== undefined) lines[n] = (lines[n] ?? "").replace(BOX, "$1x$2$3");
  }
  return lines.join("\n");
}

function openBoxes(lines: readonly string[]): readonly number[] {
  let isFenced = false;
  return lines.flatMap((line, n) => {
    if (FENCE.test(line)) isFenced = !isFenced;
    return !isFenced && BOX.test(line) ? [n] : [];
  });
}

/** A task's name stands before its title or is made from it. */
function isNamed(line: string, taskName: string): boolean {
  const title = BOX.exec(line)?.[3] ?? "";
  const written = /^([a-z0-9-]+)(?:\s+[-–—]\s|:\s)/.exec(title)?.[1];
  return taskName !== "" && (written === taskName || slugify(title, "" as Slug) === taskName);
}

export function stateFiles(root: string): readonly string[] {
  return foldersIn(join(root, "agents"))
    .flatMap((owner) => foldersIn(join(owner, "projects")))
    .map((project) => join(project, "state.json"))
    .filter((file) => existsSync(file));
}

function foldersIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name));
}
