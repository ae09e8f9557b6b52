// Proof in a fresh clone, as rules: when it is due, which checks a clone can repeat, and what of a red one blocks.
import type { Instant } from "../instant.ts";
import type { DoneTask } from "../project-state.ts";
import type { Proof } from "../schema/project.ts";
import type { Check, Task } from "../schema/task.ts";

/** A check that a clone can repeat: it asks nobody, reaches nothing outside, and needs no state from before. */
export type RepeatedCheck = Extract<Check, { kind: "command" | "file" | "render" }>;

export function isRepeatable(check: Check): check is RepeatedCheck {
  if (check.kind === "file") return check.expect.is !== "changed";
  return check.kind === "command" || check.kind === "render";
}

export interface Repeated {
  readonly task: DoneTask;
  readonly checks: readonly RepeatedCheck[];
}

/** Of every task that is done, also of those that a person marked. */
export function repeatedChecks(tasks: readonly Task[]): Repeated[] {
  return tasks.flatMap((task) => {
    if (task.status !== "done") return [];
    const checks = (task.checks ?? []).filter(isRepeatable);
    return checks.length === 0 ? [] : [{ task, checks }];
  });
}

/** What it made is in no commit by its own words: an act of the manifest, or an artefact that git ignores. */
export function isMadeElsewhere({ run, webhook, ignored }: Task): boolean {
  return run !== undefined || webhook !== undefined || ignored !== undefined;
}

/**
 * Whether what is recorded answers for this commit: what is proven is proven for good; what could not be proven is
 * tried again by the next run, and what failed whenever somebody wants the work to go on.
 */
export function isProofSettled(
  proof: Proof | undefined,
  commit: string | null,
  runBegan: Instant,
): boolean {
  if (proof === undefined || proof.commit !== commit) return false;
  return proof.kind === "proven" || (proof.kind === "not-proven" && proof.at >= runBegan);
}
