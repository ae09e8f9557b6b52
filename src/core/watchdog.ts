// What the watchdog does about a project: nothing, go on with it, or tell a person. Liveness and recovery only:
// it never starts what a person has not started, never passes a gate, and decides nothing about the work.
//
// Two questions, because the first is asked of every project at every tick and the second of few: whether
// something is due by itself (`whatIsDue`), and whether it may be tried once more (`recoverOrEscalate`).
import type { Answer } from "./answers.ts";
import { type Instant, instantFromMs, msOf } from "./instant.ts";
import { objectIn } from "./json-line.ts";
import { isPersonAwaited, UNSEEN_BY_HAND, UNSEEN_END } from "./project-state.ts";
import type { JournalEntry, ProjectState } from "./schema/project.ts";

/** A run that waits wakes by itself at its time; only one that did not is gone on with. */
export const GRACE_MS = 60_000;

/** Recoveries in a row of which nothing came; then a person is told. */
export const MOST_RECOVERIES = 2;

/** A recovery that was begun and of which nothing is known may be starting up for so long. */
const STARTING_MS = 60_000;

/** Who holds the lease: nobody ever did, it was given back, its holder is gone, or somebody is at work. */
export type LeaseCondition = "never" | "given-back" | "lost" | "held";

export interface WatchedFacts {
  readonly state: ProjectState;
  readonly lease: LeaseCondition;
  /** Why the lease is as it is, in words. */
  readonly leaseWhy: string;
  /** The answers of a person that nobody has taken up. */
  readonly answers: readonly Answer["verb"][];
  readonly nowMs: number;
}

export type Due =
  /** Nothing before this time, and without one nothing before something changes. */
  | { readonly due: false; readonly until: Instant | null }
  | { readonly due: true; readonly why: string };

const NOTHING: Due = { due: false, until: null };

export function whatIsDue(facts: WatchedFacts): Due {
  const { state, lease, answers } = facts;
  if (!state.watchdog.installed || lease === "held") return NOTHING;
  // Who stopped it did so on purpose, also where nobody was left to hear it.
  if (answers.some((verb) => verb === "pause" || verb === "abandon")) return NOTHING;
  switch (state.status) {
    case "Running":
    case "Validating":
      return due(
        lease === "lost"
          ? `nobody is at work: ${facts.leaseWhy}`
          : "nobody is at work, and nothing waits for a person",
      );
    case "Paused":
      return pauseOver(state, facts.nowMs);
    case "AwaitingResult":
      return answered(answers) ?? lookDue(state, facts.nowMs);
    case "AwaitingApproval":
      if (!isPersonAwaited(state)) return due("nothing waits for a person any more");
      return answered(answers) ?? lookDue(state, facts.nowMs);
    case "Blocked":
      return answered(answers) ?? NOTHING;
    // The first run is a person's to start.
    case "Draft":
    case "Ready":
    case "Done":
    case "Abandoned":
      return NOTHING;
    default:
      return state satisfies never;
  }
}

function due(why: string): Due {
  return { due: true, why };
}

function answered(answers: WatchedFacts["answers"]): Due | undefined {
  return answers.length === 0 ? undefined : due("a person's answer waits to be applied");
}

function pauseOver({ pause }: Extract<ProjectState, { status: "Paused" }>, nowMs: number): Due {
  const { kind, resume_at } = pause;
  if (resume_at === undefined || kind === "requested" || kind === "signal") return NOTHING;
  return atTime(msOf(resume_at), nowMs, `its pause was over at ${resume_at}`);
}

/** Nothing of a session outlives its run, so one that is out while nobody is at work is dead. */
function lookDue({ dispatches }: ProjectState, nowMs: number): Due {
  const sent = dispatches.filter((item) => item.status === "sent");
  const dead = sent.find(({ worker }) => worker.kind === "session");
  if (dead !== undefined) return due(`the worker of ${dead.id} is dead: nobody is at work`);
  const [first] = sent
    .map(({ id, checkpoint_at, deadline_at }) =>
      msOf(deadline_at) <= nowMs
        ? { atMs: msOf(deadline_at), why: `the deadline of ${id} was ${deadline_at}` }
        : { atMs: msOf(checkpoint_at), why: `a look at ${id} was due at ${checkpoint_at}` },
    )
    .toSorted((a, b) => a.atMs - b.atMs);
  return first === undefined ? NOTHING : atTime(first.atMs, nowMs, first.why);
}

function atTime(atMs: number, nowMs: number, why: string): Due {
  const dueMs = atMs + GRACE_MS;
  return dueMs <= nowMs ? due(why) : { due: false, until: instantFromMs(dueMs) };
}

/** A recovery as it is remembered: before it was started, and with its process once there is one. */
export interface Recovery {
  readonly at: Instant;
  readonly why: string;
  readonly process: "alive" | "gone" | "unknown";
}

export type Verdict =
  | { readonly act: "wait" }
  | { readonly act: "resume"; readonly number: number }
  | { readonly act: "escalate"; readonly why: string };

/** `recoveries`: those since the last evidence that work goes on, the first one first. */
export function recoverOrEscalate(
  why: string,
  recoveries: readonly Recovery[],
  nowMs: number,
): Verdict {
  const last = recoveries.at(-1);
  if (last !== undefined && isUnderWay(last, nowMs)) return { act: "wait" };
  if (recoveries.length < MOST_RECOVERIES) return { act: "resume", number: recoveries.length + 1 };
  const times = recoveries.length === 2 ? "twice" : `${recoveries.length} times`;
  return {
    act: "escalate",
    why: `the watchdog resumed it ${times} without progress; ${why}`,
  };
}

function isUnderWay({ process, at }: Recovery, nowMs: number): boolean {
  if (process !== "unknown") return process === "alive";
  const ageMs = nowMs - msOf(at);
  return ageMs >= 0 && ageMs < STARTING_MS;
}

/** What a run writes before anything has come of it; a recovery alone leaves no other lines. */
const ONLY_BEGUN: ReadonlySet<string> = new Set([
  "work-started",
  "attempt-started",
  "attempt-interrupted",
  "dispatch-sent",
  "dispatch-lost",
  "wait-began",
  "manifest-read",
  "spending-recorded",
  "watchdog-installed",
  "watchdog-removed",
]);

type Line = Pick<JournalEntry, "revision" | "type" | "kind" | "by" | "data">;

/** The last revision that shows that work goes on: a session or a look that ended, a passed check, a word of a person. */
export function lastEvidence(journal: readonly Line[], owner: string): number {
  return journal.findLast((line) => isEvidence(line, owner))?.revision ?? 0;
}

function isEvidence({ type, kind, by, data }: Line, owner: string): boolean {
  if (type !== "event") return false;
  switch (kind) {
    case "session-ended":
      return data?.["outcome"] !== UNSEEN_END && data?.["outcome"] !== UNSEEN_BY_HAND;
    // Those of a session that ended count by its end; those of one whose end nobody saw belong to the recovery.
    case "checks-recorded":
      return objectIn(data?.["result"])?.["passed"] === true;
    case "resumed":
      return by !== owner;
    default:
      return !ONLY_BEGUN.has(kind);
  }
}
