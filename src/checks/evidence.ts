// What a check leaves behind: a record that binds command, exit code, tree, output, time and attempt,
// and a row in validation.md. Builders only; whoever calls them writes.
import { createHash } from "node:crypto";
import type { TaskId } from "../core/ids.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import type { Evidence } from "../core/schema/task.ts";
import { describeCheck } from "./check-text.ts";
import type { CheckRun } from "./check-run.ts";

export interface EvidencePlace {
  readonly task: TaskId;
  readonly attempt: number;
  /** Which check of the attempt, from 1. */
  readonly ordinal: number;
}

export interface EvidenceRecord {
  /** Relative to the project folder. */
  readonly path: string;
  readonly text: string;
  /** What state keeps of it: a record that was changed later no longer fits. */
  readonly evidence: Extract<Evidence, { kind: "check" }>;
}

export function evidenceRecord(run: CheckRun, place: EvidencePlace): EvidenceRecord {
  const { task, attempt, ordinal } = place;
  const path = `artifacts/evidence/${task}/${attempt}/${ordinal}-${run.check.kind}.json`;
  const record = {
    task,
    attempt,
    check: run.check,
    ...(run.check.kind === "command" ? { command: run.check.command } : {}),
    result: run.result,
    summary: run.summary,
    exit_code: run.exitCode ?? null,
    tree: run.treeHash,
    started_at: run.startedAt,
    duration_ms: run.durationMs,
    ...(run.result === "failed" ? { signature: run.signature } : {}),
    output: run.output,
    output_sha256: sha256(run.output),
  };
  const text = `${JSON.stringify(record, null, 2)}\n`;
  return { path, text, evidence: { kind: "check", path, sha256: sha256(text) } };
}

export const VALIDATION_HEADER =
  "| task | method | result | time | evidence | next step |\n|---|---|---|---|---|---|\n";

export function validationRow(run: CheckRun, place: EvidencePlace, nextStep: string): string {
  const { path } = evidenceRecord(run, place);
  const { check } = run;
  const cells = [
    cell(`${place.task} (attempt ${place.attempt})`),
    codeCell(check.kind === "command" ? check.command : describeCheck(check)),
    RESULT_WORDS[run.result],
    run.startedAt,
    codeCell(path),
    cell(nextStep),
  ];
  return `| ${cells.join(" | ")} |\n`;
}

const RESULT_WORDS: Readonly<Record<CheckRun["result"], string>> = {
  passed: "pass",
  failed: "fail",
  unsupported: "not run",
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

function sha256(text: string): Sha256 {
  return createHash("sha256").update(text).digest("hex") as Sha256;
}
