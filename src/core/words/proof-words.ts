// What a fresh clone said of the work, in words: one line for the journal, the closing lines of a run, `status` and
// `verify`.
import type { Proof } from "../schema/project.ts";
import { counted } from "./amounts.ts";

/** One line: proven, failed, or not proven and why. */
export function proofSummary(proof: Proof): string {
  switch (proof.kind) {
    case "proven":
      return `proven in a fresh clone at ${shortCommit(proof.commit)}: ${provenChecks(proof)}`;
    case "failed": {
      const names = proof.failing.map(({ task_id, check }) => `${task_id} ${check}`).join(", ");
      return `a fresh clone at ${shortCommit(proof.commit)} fails: ${names}`;
    }
    case "not-proven":
      return `not proven in a fresh clone: ${proof.why}`;
    default:
      return proof satisfies never;
  }
}

/** The same as a person reads it at the end of a run and in `status`, with what to do. */
export function proofText(proof: Proof): string {
  const text = proofSummary(proof);
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return proof.kind === "not-proven" ? `${sentence}. ${proof.hint}` : sentence;
}

/** How many checks passed there, and which did not and why that does not count. */
function provenChecks(proof: Extract<Proof, { kind: "proven" }>): string {
  const { checks, superseded, elsewhere } = proof;
  return [
    `${counted(checks, "check")} passed`,
    ...superseded.map(
      ({ task_id, check, by }) =>
        `${check} of ${task_id} is superseded by ${by ?? "a later commit"}`,
    ),
    ...elsewhere.map(
      ({ task_id, check }) => `${check} of ${task_id} needs something that is not committed`,
    ),
  ].join("; ");
}

/** As much of an id as people read. */
export function shortCommit(commit: string): string {
  return commit.slice(0, 10);
}
