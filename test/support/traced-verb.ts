// A verb of the built executable under strace: which calls of the system it makes that touch its project, its
// repository or its pipes, and one of them killed or refused. Only the main thread is traced: the store waits for every
// call of its own, Node's other threads touch none of these files, and strace counts the calls of each thread alone.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { STINT } from "./built-stint.ts";
import { Child, type Ending } from "./child.ts";
import type { RunScene } from "./run-scene.ts";
import { type SystemCall, systemCalls } from "./troubled-git.ts";

export const ERRORS = ["EIO", "ENOSPC", "EROFS", "EACCES", "EMFILE"];

/** Only ends a verb that hangs: Node does, where a pipe is refused by which it wakes itself. */
const HANGS_S = "180";

/** Runs a verb, with what strace shall do to it. */
export async function traced(
  scene: RunScene,
  words: readonly string[],
  inject?: string,
): Promise<Ending> {
  const [name = "all"] = inject?.split(":") ?? [];
  const only = ["-e", `trace=${name}`, ...(inject ? ["-e", `inject=${inject}`] : [])];
  const strace = ["-qq", "-y", "-o", logOf(scene), ...only];
  const stint = [process.execPath, STINT, ...words];
  const limit = ["--signal=KILL", HANGS_S, "strace"];
  return await new Child("timeout", [...limit, ...strace, ...stint], scene.env, scene.root).ended;
}

export function callsOfVerb(scene: RunScene): SystemCall[] {
  return systemCalls(readFileSync(logOf(scene), "utf8")).filter((call) => touches(scene, call));
}

/** The call that met what was injected. */
export function struckCall(scene: RunScene): SystemCall | undefined {
  return callsOfVerb(scene).find(({ line }) => line.includes("(INJECTED)"));
}

function logOf(scene: RunScene): string {
  return join(scene.base, "calls");
}

/** Relative paths are git's, which is traced elsewhere; the folder that one stands in says nothing. */
function touches(scene: RunScene, { name, line }: SystemCall): boolean {
  const place = line.replaceAll(/AT_FDCWD<[^>]*>/g, "");
  // Node looks at its descriptors before Stint is there, and wakes itself by pipes: it aborts where it cannot.
  const isNodes =
    /^execve$|^pipe2$/.test(name) ||
    /^(?:fstat\([012]<|write\(\d+<pipe|read\(\d+<pipe:\S+ .*, (?:1|4|512)\) )/.test(line);
  return !isNodes && (place.includes(scene.base) || /<(?:pipe|socket|UNIX)/.test(place));
}

/** A call that the system never refuses so is no fault of the world. */
export function canFail({ name }: SystemCall): boolean {
  return !/^(?:close|lseek|fcntl|getcwd|chdir|wait4|vfork|clone3?|kill|dup\d?|ioctl|epoll_ctl|shutdown)$/.test(
    name,
  );
}

/** What happened and what to do, or findings; never a trace, and no code that is not documented. */
export function unhelpful({ code, signal, stdout, stderr }: Ending): string[] {
  const said = `${stdout}${stderr}`;
  if (signal !== null || code === null || code > 6) return [`exit ${code ?? signal}: ${said}`];
  if (code !== 5 || said.includes("✗ ")) return [];
  // A run says first that it ends what runs.
  const lines = stderr.split("\n");
  const reason = lines.findLastIndex((line) => line.startsWith("stint: "));
  const hint = lines[reason + 1] ?? "";
  return reason >= 0 && hint.startsWith("  ") ? [] : [`says: ${said}`];
}

/** One call of each kind, which is its name and its place: numbers, digests and ids say nothing. */
export function eachKind(scene: RunScene, calls: readonly SystemCall[]): SystemCall[] {
  const kinds = new Map<string, SystemCall[]>();
  for (const call of calls) {
    const kind = kindOf(scene, call);
    kinds.set(kind, [...(kinds.get(kind) ?? []), call]);
  }
  // Not always the first: what came before it differs.
  return [...kinds.values()].flatMap((same, index) => same[index % same.length] ?? []);
}

function kindOf(scene: RunScene, { name, line }: SystemCall): string {
  const places = line
    .replaceAll(/AT_FDCWD<[^>]*>/g, "")
    .matchAll(/["<](\/[^">]*|pipe|socket|UNIX)/g);
  const words = [...places].map(([, place = ""]) =>
    place
      .replaceAll(scene.base, "")
      .replaceAll(/(stint-\w+-)[^/]*/g, "$1")
      .replaceAll(/p-[0-9a-z]{10}/g, "<id>")
      .replaceAll(/objects\/[^/]*\/[^/]*/g, "objects/#")
      .replaceAll(/[0-9a-f]{38,}|\d+/g, "#"),
  );
  return [name, ...words, ...(line.includes("O_CREAT") ? ["create"] : [])].join(" ");
}
