// What running a check needs and what it leaves behind.
import type { Instant } from "../core/instant.ts";
import type { Check } from "../core/schema/task.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import type { PageCheck, PageShown } from "./page-check.ts";

export interface ShellRun {
  /** Null when it was ended by a signal or a deadline. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** Both streams in the order they were written; bounded, beginning and end kept. */
  readonly output: string;
  readonly durationMs: number;
}

export interface ShellOptions {
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  /** Where it starts, below the root of the work tree; the root without it. */
  readonly dir?: string;
  /** In the person's own files, with nothing shown in their place. */
  readonly in?: "checkout";
  /** Without walls, as a person wrote it. */
  readonly protect?: "off";
  /** A person wrote it to act in their name: it gets their credentials. A check gets none. */
  readonly credentials?: "all";
  /** Beside what every command gets. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface CheckPorts {
  /** Runs a command by `sh -c` in the work tree and ends everything it started. */
  runShell(command: string, options: ShellOptions): Promise<ShellRun>;
  /** Shows a page in a real browser and ends everything that was started for it. */
  showPage(check: PageCheck, options: { readonly timeoutMs: number }): Promise<PageShown>;
  /** The signal is aborted as soon as the run is no longer wanted. */
  whileWanted<T>(what: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** The hash of the work tree as it stands. */
  treeHash(): Promise<string>;
  now(): Instant;
  /** A variable of the run's environment, for an address that names one. */
  variable(name: string): string | undefined;
  /** Hides secrets; applied before anything is kept. */
  redact(text: string): string;
}

export interface CheckContext {
  /** Absolute. */
  readonly workTree: string;
  /** Absent: ten minutes. */
  readonly timeoutMs?: number;
  /** Digests of files before the session, for `changed`; null for a file that was not there. */
  readonly baseline?: ReadonlyMap<string, Sha256 | null>;
  readonly approved?: PersonsYes;
  /** Where commands start, below the root, or why they cannot. */
  readonly start?: { readonly dir: string; readonly problem: string | null };
  /** Of the server of the workspace. */
  readonly port?: number;
  /** What was to be ready beside the check and is not, now. */
  readonly trouble?: () => Trouble | null;
  /** Asks a second agent about the output in this tree. */
  readonly askAgent?: (check: AgentReview, tree: string) => Promise<AgentAnswer>;
}

/** A person's yes to exactly this output. */
export interface PersonsYes {
  readonly by: string;
  readonly at: string;
  readonly approval_id: string;
}

export type AgentAnswer =
  | {
      readonly kind: "answered";
      readonly verdict: "pass" | "fail";
      readonly reasons: readonly string[];
    }
  /** It ended without an answer that counts. */
  | { readonly kind: "no-answer"; readonly why: string; readonly said: string }
  | { readonly kind: "unavailable"; readonly why: string; readonly hint: string }
  | { readonly kind: "not-asked" };

export type AgentReview = Extract<Check, { kind: "agent-review" }>;

/**
 * What was to be ready beside the checks and is not: the setup of the workspace, or its server. It is the failure of the
 * checks that need it, with its last words, so that a session can put it right.
 */
export interface Trouble {
  /** One line. */
  readonly summary: string;
  /** The last words of what is not ready. */
  readonly output: string;
  readonly of: "setup" | "server";
}

interface CheckFacts {
  readonly check: Check;
  /** One line: what was found. */
  readonly summary: string;
  readonly exitCode?: number | null;
  /** Redacted, at most 64 KiB. */
  readonly output: string;
  /** PNG, kept beside the record for a person to open. */
  readonly picture?: Uint8Array;
  readonly startedAt: Instant;
  readonly durationMs: number;
  /** The tree that was judged: taken before the check ran, which may itself change files. */
  readonly treeHash: string;
}

export interface PassedRun extends CheckFacts {
  readonly result: "passed";
  readonly passed: true;
}

export interface FailedRun extends CheckFacts {
  readonly result: "failed";
  readonly passed: false;
  /** Equal for the same failure. */
  readonly signature: string;
}

/** Only a person can answer it: neither passed nor failed, the task waits. */
export interface PendingRun extends CheckFacts {
  readonly result: "pending";
  readonly passed: false;
}

/** It cannot be run on this machine as it is, which says nothing about the work. */
export interface UnavailableRun extends CheckFacts {
  readonly result: "unavailable";
  readonly passed: false;
  /** What to install or to set. */
  readonly hint: string;
}

export type CheckRun = PassedRun | FailedRun | PendingRun | UnavailableRun;

interface Found {
  readonly summary: string;
  readonly output: string;
  readonly exitCode?: number | null;
  readonly picture?: Uint8Array;
}

/** What a check of one kind found out, before it becomes a run. */
export type Finding =
  | (Found & { readonly result: "passed" | "failed" | "pending" })
  | (Found & { readonly result: "unavailable"; readonly hint: string });
