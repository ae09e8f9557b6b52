// What a check leaves behind: a record that binds command, exit code, tree, output, time and attempt, and a row in
// validation.md; of its output a bounded part, and of a failure a signature by which it is recognised. Builders only;
// whoever calls them writes.
import { createHash } from "node:crypto";
import type { TaskId } from "../core/ids.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import type { Check, Evidence } from "../core/schema/task.ts";
import { checkKey, describeCheck, shownCheck } from "./check-text.ts";
import type { CheckRun } from "./check-run.ts";

export interface EvidencePlace {
  readonly task: TaskId;
  readonly attempt: number;
  /** Which check of the attempt, from 1. */
  readonly ordinal: number;
  /** It was run on other files than the work, to find out what it tells. */
  readonly asked?: AskedOn;
  /** It was run once more on what the attempt left, before another one: the record of the attempt itself stays. */
  readonly isLook?: boolean;
}

/** The files of a question. */
export interface AskedOn {
  /**
   * The old judges with the new work, or the new judges with the old work; or, before any work, the same files twice:
   * red, and then green.
   */
  readonly which: "old-judges" | "new-judges" | "red-before" | "green-before";
  /** The files that judge. */
  readonly judges: readonly string[];
}

/** Whether a record is the answer to a question about a check, and not a check of the work. */
export function isAskedRecord(path: string): boolean {
  return /-(?:old-judges|new-judges|red-before|green-before)\.json$/.test(path);
}

export interface EvidenceRecord {
  /** Relative to the project folder. */
  readonly path: string;
  readonly text: string;
  /** A picture, to be kept beside it. */
  readonly files: readonly { readonly path: string; readonly bytes: Uint8Array }[];
  /** What state keeps of all of them: what was changed later no longer fits. */
  readonly evidence: readonly Extract<Evidence, { kind: "check" }>[];
}

const LOOK = "-again";

function recordName({ kind }: Check, ordinal: number): string {
  return `${ordinal}-${kind}`;
}

/** The names of the records of one check of an attempt: after it, and once more before another one. */
export function recordNames(check: Check, ordinal: number): readonly [after: string, look: string] {
  const name = recordName(check, ordinal);
  return [`${name}.json`, `${name}${LOOK}.json`];
}

export function evidenceRecord(run: CheckRun, place: EvidencePlace): EvidenceRecord {
  const { task, attempt, ordinal, asked, isLook = false } = place;
  const suffix = `${isLook ? LOOK : ""}${asked === undefined ? "" : `-${asked.which}`}`;
  const name = `artifacts/evidence/${task}/${attempt}/${recordName(run.check, ordinal)}${suffix}`;
  const path = `${name}.json`;
  const files = run.picture === undefined ? [] : [{ path: `${name}.png`, bytes: run.picture }];
  const attached = files.map((file) => ({ path: file.path, sha256: sha256(file.bytes) }));
  const record = {
    task,
    attempt,
    check: shownCheck(run.check),
    ...(run.check.kind === "command" ? { command: run.check.command } : {}),
    ...(asked === undefined ? {} : { asked: asked.which, judges: asked.judges }),
    result: run.result,
    summary: run.summary,
    exit_code: run.exitCode ?? null,
    tree: run.treeHash,
    started_at: run.startedAt,
    duration_ms: run.durationMs,
    ...(run.result === "failed" ? { signature: run.signature } : {}),
    output: run.output,
    output_sha256: sha256(run.output),
    ...(attached.length === 0 ? {} : { files: attached }),
  };
  const text = `${JSON.stringify(record, null, 2)}\n`;
  const evidence = [{ path, sha256: sha256(text) }, ...attached];
  return { path, text, files, evidence: evidence.map((each) => ({ kind: "check", ...each })) };
}

export function validationRow(run: CheckRun, place: EvidencePlace, nextStep: string): string {
  const { path, files } = evidenceRecord(run, place);
  const { check } = run;
  const cells = [
    cell(`${place.task} (attempt ${place.attempt})`),
    `${codeCell(check.kind === "command" ? check.command : describeCheck(check))}${askedWords(place)}`,
    RESULT_WORDS[run.result],
    run.startedAt,
    [path, ...files.map((file) => file.path)].map(codeCell).join(" "),
    cell(nextStep),
  ];
  return `| ${cells.join(" | ")} |\n`;
}

function askedWords({ asked, isLook }: EvidencePlace): string {
  const again = isLook === true ? " once more, before another attempt" : "";
  return `${again}${asked === undefined ? "" : ASKED_WORDS[asked.which]}`;
}

const ASKED_WORDS: Readonly<Record<AskedOn["which"], string>> = {
  "old-judges": " with its old judges on the new work",
  "new-judges": " with its new judges on the old work",
  "red-before": " before any work",
  "green-before": " before any work, once more",
};

const RESULT_WORDS: Readonly<Record<CheckRun["result"], string>> = {
  passed: "pass",
  failed: "fail",
  pending: "waits",
  unavailable: "not run",
};

/** Text in a table may end neither its cell nor its row, and is shown as it is. */
function cell(text: string): string {
  return oneLine(text)
    .replace(/[\\`*_<[\]]/g, "\\$&")
    .replaceAll("|", "\\|");
}

/** Inside a code span only the span's own fence and the table's bar mean anything. */
function codeCell(text: string): string {
  const line = oneLine(text).replaceAll("|", "\\|");
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `\`${line}\`` : `${fence} ${line} ${fence}`;
}

function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
  const hidden = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
  return text.replace(/\s+/g, " ").trim().replace(hidden, "\uFFFD");
}

function sha256(content: string | Uint8Array): Sha256 {
  return createHash("sha256").update(content).digest("hex") as Sha256;
}

export const EXCERPT_BYTES = 64 * 1024;

/** The beginning of a long output and, larger, its end, where failures are told. */
export function excerpt(text: string, maxBytes: number = EXCERPT_BYTES): string {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= maxBytes) return text;
  const room = Math.max(0, maxBytes - Buffer.byteLength(note(bytes.length)));
  const headEnd = boundary(bytes, Math.floor(room / 3), -1);
  const tailStart = boundary(bytes, bytes.length - (room - headEnd), 1);
  const head = bytes.toString("utf8", 0, headEnd);
  return head + note(tailStart - headEnd) + bytes.toString("utf8", tailStart);
}

function note(left: number): string {
  return `\n… ${left} bytes left out …\n`;
}

/** The nearest boundary between characters, before or after an offset. */
function boundary(bytes: Buffer, offset: number, way: 1 | -1): number {
  let at = offset;
  while (((bytes[at] ?? 0) & 0xc0) === 0x80) at += way;
  return at;
}

/** Replaced in this order: what is more particular goes first. */
const VARYING: readonly (readonly [pattern: RegExp, by: string])[] = [
  // oxlint-disable-next-line no-control-regex -- colours are control characters
  [/\u001B\[[0-?]*[ -/]*[@-~]/g, ""],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>"],
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?/g, "<time>"],
  [/\b\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?[AP]M)?\b/gi, "<time>"],
  [/\b\d{4}-\d{2}-\d{2}\b/g, "<time>"],
  [/\b\d+(?:[.,]\d+)?\s?(?:ns|µs|us|ms|s|sec|secs|seconds?|m|min|minutes?|h)\b/g, "<time>"],
  [/\b0x[0-9a-f]+\b/gi, "<address>"],
  [/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, "<address>"],
  [/\blocalhost:\d+\b/g, "<address>"],
  [/(?:[A-Za-z]:)?(?:[\\/][\w.@+~-]+){2,}[\\/]?/g, "<path>"],
  [/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b/g, "<hash>"],
  [/\bpid[ =:]+\d+\b/gi, "<pid>"],
];

/** The same failure told twice: what differs from run to run is taken out before the output is hashed. */
export function failureSignature(check: Check, exitCode: number | null, output: string): string {
  const parts = [checkKey(check), String(exitCode), normalised(output)];
  return createHash("sha256").update(parts.join("\0")).digest("hex");
}

function normalised(output: string): string {
  let text = output.replace(/\r\n?/g, "\n");
  for (const [pattern, by] of VARYING) text = text.replace(pattern, by);
  const lines = text.split("\n").map((line) => line.replace(/\s+/g, " ").trim());
  return [...new Set(lines)]
    .filter((line) => line !== "")
    .toSorted()
    .join("\n");
}
