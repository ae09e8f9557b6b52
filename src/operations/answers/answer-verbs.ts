// Every verb that is one answer of a person: what it is about, what else is typed, how people are told of
// it, and the answer that it comes to. `edit` answers with a file, and stands apart.
import type { Answer } from "../../core/answers.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { System } from "../system.ts";
import { namedApproval, namedQuestion, namedTask } from "./named-item.ts";

export interface AnswerVerb {
  /** What of the project it is about, and how that is named; absent: the project itself. */
  readonly subject?: readonly ["item" | "proposal" | "question" | "task", help: string];
  /** What the words are that it takes besides. */
  readonly text?: string;
  readonly reason?: "needed" | "optional";
  /** What it means to have it at once. */
  readonly now?: string;
  readonly summary: string;
  readonly details?: string;
  readonly examples: readonly (readonly [command: string, meaning: string])[];
  /** Bound to what is asked in the state, as it was read last. */
  readonly answer: (given: GivenWords) => Answer | Promise<Answer>;
}

/** What was typed, once it is known to be complete; "" for what the verb does not take. */
export interface GivenWords {
  readonly system: System;
  readonly state: ProjectState;
  readonly subject: string;
  readonly text: string;
  readonly reason: string;
  readonly now: boolean;
  /** What a person might take for answered with it, and is asked about all the same. */
  readonly notCovered: (what: readonly string[]) => void;
}

const TASK = ["task", "id or name"] as const;

export const ANSWER_VERBS = {
  approve: {
    subject: ["item", 'an approval, as status names it, or "plan", or "gates"'],
    summary: "say yes to exactly what an approval shows",
    details:
      'Your name, the time and the digest of what you approved are recorded. If what is\nthere is no longer what was shown, the answer is refused. A yes counts for one\nitem only; given twice it says so. Works with and without a live run, also days\nlater.\n\nWith "gates" you answer ahead, before anything runs: yes to the start of every\ntask that asks before it starts (approve: before, releases), each as it is\nwritten now. If you reword it later, you are asked again. Outputs, pushes and\nquestions of sessions cannot be approved ahead; they are listed.',
    examples: [
      ["stint diff a1", "look first"],
      ["stint approve a1", "then say yes"],
      ["stint approve plan", "to the plan as it is"],
      ["stint approve gates", "to every start that you would be asked about"],
    ],
    async answer({ system, state, subject, notCovered }) {
      if (subject === "plan") return { verb: "approve-plan", digest: state.manifest.digest };
      if (subject === "gates") {
        const { gatesAhead } = await import("../gates.ts");
        const { gates, later } = await gatesAhead(system, state);
        notCovered(later);
        return { verb: "approve-gates", gates };
      }
      const { id, subject_sha256 } = namedApproval(state, subject);
      return { verb: "approve", item: id, subject_sha256 };
    },
  },
  deny: {
    subject: ["item", "an approval, as status names it"],
    reason: "needed",
    summary: "say no to an approval, with the reason",
    details:
      "The task is blocked. After stint retry a session works on it again with your\nreason in its brief; its checks run again before you are asked again.",
    examples: [
      ['stint deny a1 --reason "keep the old names"', "the next session reads the reason"],
      ["stint retry t2", "let a session work on it again"],
    ],
    answer({ state, subject, reason }) {
      const { id, subject_sha256 } = namedApproval(state, subject);
      return { verb: "deny", item: id, subject_sha256, reason };
    },
  },
  answer: {
    subject: ["question", "as status names it"],
    text: "the answer, in quotes",
    summary: "answer what a session asked",
    details: "The next session reads your words exactly as they are.",
    examples: [
      ['stint answer q1 "PostgreSQL 16, and keep the old port"', "answer the question q1"],
    ],
    answer: ({ state, subject, text }) => ({
      verb: "answer",
      question: namedQuestion(state, subject).id,
      text,
    }),
  },
  accept: {
    subject: ["proposal", "an approval about the manifest, or session-<n>, as status names it"],
    summary: "adopt a change to the manifest that was set aside",
    details:
      "The change goes into the file, next to your own changes since then. If both\nchanged the same lines, nothing is written and you are told.",
    examples: [
      ["stint diff a2", "look first"],
      ["stint accept a2", "then adopt it"],
      ["stint accept session-3", "what was set aside after session 3"],
    ],
    async answer({ system, state, subject }) {
      const { acceptedChange } = await import("../edit.ts");
      return acceptedChange(system, state, subject);
    },
  },
  skip: {
    subject: TASK,
    reason: "needed",
    summary: "leave a task out",
    details:
      "Tasks that depend on it continue as if it were done. Its session, if any, is\nended first.",
    examples: [['stint skip t3 --reason "done by hand"', "continue without t3"]],
    answer: ({ state, subject, reason }) => ({
      verb: "skip",
      task: namedTask(state, subject).id,
      reason,
    }),
  },
  retry: {
    subject: TASK,
    summary: "give a blocked task another attempt, or undo a skip",
    examples: [
      ["stint retry t2", "after you fixed what blocked it"],
      ["stint resume", "and continue, if no run is live"],
    ],
    answer: ({ state, subject }) => ({ verb: "retry", task: namedTask(state, subject).id }),
  },
  reopen: {
    subject: TASK,
    reason: "needed",
    summary: "do a task of a finished project again",
    details:
      "Its session is told why, and must change something even if the checks of the\ntask pass. In a project that is not finished, uncheck the box of the task in the\nmanifest instead.",
    examples: [['stint reopen t1 --reason "it broke on Windows"', "Done becomes Ready"]],
    answer: ({ state, subject, reason }) => ({
      verb: "reopen",
      task: namedTask(state, subject).id,
      reason,
    }),
  },
  pause: {
    reason: "optional",
    summary: "let the current session finish, then pause",
    details:
      "Its checks and its commit are finished too. Until then stint status says that\nthe run will stop. stint resume continues.",
    examples: [["stint pause", "from another terminal"]],
    answer: ({ system, reason }) => ({
      verb: "pause",
      now: false,
      reason: reason === "" ? `${system.user} paused it` : reason,
    }),
  },
  stop: {
    now: "also end the current session",
    summary: "end the run, after the current session or now",
    details: "With --now the session is ended; its attempt does not count against the task.",
    examples: [
      ["stint stop", "after this session"],
      ["stint stop --now", "at once"],
    ],
    answer: ({ system, now }) => ({ verb: "pause", now, reason: `${system.user} stopped it` }),
  },
  abandon: {
    reason: "needed",
    summary: "give up a project",
    details: "Nothing more is done for it. What was done and committed stays.",
    examples: [['stint abandon --reason "we bought one"', "cannot be undone"]],
    answer: ({ reason }) => ({ verb: "abandon", reason }),
  },
} as const satisfies Record<string, AnswerVerb>;

export type AnswerVerbName = keyof typeof ANSWER_VERBS;
