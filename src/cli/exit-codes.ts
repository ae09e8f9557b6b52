// Exit codes, in order of precedence: 5, 6, 2, 3, 4, 1, 0.
import type { ErrorCode } from "../core/stint-error.ts";

export const EXIT = {
  done: 0,
  workRemains: 1,
  badInput: 2,
  waitingForPerson: 3,
  blocked: 4,
  stateBroken: 5,
  held: 6,
} as const;

const OF_ERROR = {
  "bad-input": EXIT.badInput,
  refused: EXIT.badInput,
  "not-found": EXIT.badInput,
  "state-unwritable": EXIT.stateBroken,
  "state-corrupt": EXIT.stateBroken,
  "state-changed": EXIT.stateBroken,
  "lease-held": EXIT.held,
  "lease-lost": EXIT.held,
  "git-failed": EXIT.blocked,
} as const satisfies Record<ErrorCode, number>;

export function exitCodeOfError(code: ErrorCode): number {
  return OF_ERROR[code];
}

/** What a project's state means to a script. */
export function exitCodeOfState(view: {
  readonly status: string;
  readonly waiting_for_a_person: readonly unknown[];
}): number {
  if (view.waiting_for_a_person.length > 0) return EXIT.waitingForPerson;
  switch (view.status) {
    case "Done":
      return EXIT.done;
    case "Blocked":
    case "Abandoned":
      return EXIT.blocked;
    case "AwaitingApproval":
      return EXIT.waitingForPerson;
    default:
      return EXIT.workRemains;
  }
}
