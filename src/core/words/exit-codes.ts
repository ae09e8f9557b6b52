// Exit codes, in order of precedence: 5, 6, 2, 3, 4, 1, 0; and what a project's state means to a script.
export const EXIT = {
  done: 0,
  workRemains: 1,
  badInput: 2,
  waitingForPerson: 3,
  blocked: 4,
  stateBroken: 5,
  held: 6,
} as const;

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
