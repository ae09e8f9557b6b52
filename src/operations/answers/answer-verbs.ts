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
      'Your name, the time and the digest of what you approved are recorded. When what\nis there is no longer what was shown, the answer is refused. A yes counts for\none item and never for another; given twice it says so. Works while a run is\nlive, when none is, and days later.\n\nWith "gates" it is given ahead, before anything runs: to the start of every task\nthat asks before it starts (approve: before, releases), each as it is written\nnow. Reworded later, it is asked about again. Outputs, pushes and what sessions\nask cannot be approved ahead, and are listed.',
    examples: [
      ["stint diff a1", "look first"],
      ["stint approve a1", "then say yes"],
      ["stint approve plan", "to the plan as it stands"],
      ["stint approve gates", "to every start that would be asked about, now"],
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
      "The task is blocked. stint retry has it worked on again with your reason in the\nbrief; its checks run again before you are asked again.",
    examples: [
      ['stint deny a1 --reason "keep the old names"', "the next session reads the reason"],
      ["stint retry t2", "have it worked on again"],
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
    subject: ["proposal", "an approval about the manifest, or session-<n>, as it was told"],
    summary: "take over a change to the manifest that was set aside",
    details:
      "The change goes into the file beside whatever you changed there since. Where\nboth touched the same lines nothing is written, and you are told.",
    examples: [
      ["stint diff a2", "look first"],
      ["stint accept a2", "then take it over"],
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
    details: "What depends on it goes on as if it were done. Its session, if any, is ended\nfirst.",
    examples: [['stint skip t3 --reason "done by hand"', "go on without t3"]],
    answer: ({ state, subject, reason }) => ({
      verb: "skip",
      task: namedTask(state, subject).id,
      reason,
    }),
  },
  retry: {
    subject: TASK,
    summary: "give a blocked task another attempt, or take a skip back",
    examples: [
      ["stint retry t2", "after what blocked it was mended"],
      ["stint resume", "and go on, if no run is live"],
    ],
    answer: ({ state, subject }) => ({ verb: "retry", task: namedTask(state, subject).id }),
  },
  reopen: {
    subject: TASK,
    reason: "needed",
    summary: "have a task of a finished project done again",
    details:
      "Its session is told why, and has to change something, also where the checks\nof the task pass. While a project is under way, unchecking the box of the task\nin the manifest does the same.",
    examples: [['stint reopen t1 --reason "it broke on Windows"', "Done becomes Ready"]],
    answer: ({ state, subject, reason }) => ({
      verb: "reopen",
      task: namedTask(state, subject).id,
      reason,
    }),
  },
  pause: {
    reason: "optional",
    summary: "let the session in hand finish, then pause",
    details: "Its checks and its commit are finished too. stint resume goes on.",
    examples: [["stint pause", "from another terminal"]],
    answer: ({ system, reason }) => ({
      verb: "pause",
      now: false,
      reason: reason === "" ? `${system.user} paused it` : reason,
    }),
  },
  stop: {
    now: "end the session in hand as well",
    summary: "end the run, after the session in hand or now",
    details: "With --now the session is ended; its attempt does not count against the task.",
    examples: [
      ["stint stop", "after this session"],
      ["stint stop --now", "at once"],
    ],
    answer: ({ system, now }) => ({ verb: "pause", now, reason: `${system.user} stopped it` }),
  },
  abandon: {
    reason: "needed",
    summary: "give a project up for good",
    details: "Nothing more is done for it. What was done and committed stays.",
    examples: [['stint abandon --reason "we bought one"', "cannot be taken back"]],
    answer: ({ reason }) => ({ verb: "abandon", reason }),
  },
} as const satisfies Record<string, AnswerVerb>;

export type AnswerVerbName = keyof typeof ANSWER_VERBS;
