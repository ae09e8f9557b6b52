// What is thrown. StintError where the outside world fails: its message says what happened with names and values,
// its hint is the next thing to run. A rule that says no returns a value instead.

/** What kind of trouble it is; the exit code of the command line follows it. */
export type ErrorCode =
  /** Wrong use or bad input: an argument, a manifest, a config file. */
  | "bad-input"
  /** An answer that cannot be given: stale, contradicted, or not this process's to give. */
  | "refused"
  /** The asked-for project, task or file is not there. */
  | "not-found"
  /** Durable state could not be written: disk full, read-only, permission denied. */
  | "state-unwritable"
  /** Durable state was read but cannot be trusted: torn, flipped, forged, without a shadow. */
  | "state-corrupt"
  /** Another writer committed the revision this one was about to write. */
  | "state-changed"
  /** Another live owner holds the lease. */
  | "lease-held"
  /** This owner's lease was taken over or its fencing number is no longer the highest. */
  | "lease-lost"
  /** A git command failed, was stopped, or git is missing. */
  | "git-failed";

/** The outside world failed, or was asked for what cannot be: `message` says what, `hint` what to do next. */
export class StintError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;

  constructor(code: ErrorCode, message: string, hint: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "StintError";
    this.code = code;
    this.hint = hint;
  }
}

/** Somebody wants the run to end: what was under way was ended and counts as not done. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}
