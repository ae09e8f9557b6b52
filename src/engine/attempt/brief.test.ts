import * as fc from "fast-check";
import { EPOCH, sampleState } from "../../../test/support/project-fixture.ts";
import { describe, expect, it } from "vitest";
import {
  numberedApprovalId,
  numberedQuestionId,
  numberedTaskId,
  type Slug,
} from "../../core/ids.ts";
import { instantFromMs } from "../../core/instant.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { Task } from "../../core/schema/task.ts";
import { sha256Of } from "../../store/digest.ts";
import { type BriefInput, wholeAnswers, writeBrief } from "./brief.ts";

const AT = instantFromMs(EPOCH);

type Pending = Extract<Task, { status: "pending" }>;

function pending(number: number, changes: Partial<Pending> = {}): Pending {
  const id = numberedTaskId(number);
  const plain = { id, name: `task-${number}`, title: `Do ${number}`, attempts: 1 };
  return { ...plain, ...changes, status: "pending" };
}

function input(changes: Partial<BriefInput> & { readonly state?: ProjectState } = {}): BriefInput {
  const state = { ...sampleState("prompt" as Slug, AT), tasks: [pending(1)] };
  return {
    state,
    session: 1,
    tasks: [{ task: pending(1), source: "- [ ] Do 1" }],
    references: "",
    tools: "",
    notes: "",
    before: null,
    answersPath: "agents/stint/projects/prompt/logs/sessions/1/answers.md",
    ...changes,
  };
}

function answered(number: number, answer: string): ProjectState["questions"][number] {
  return {
    id: numberedQuestionId(number),
    task_id: numberedTaskId(1),
    text: "Which port?",
    asked_at: AT,
    status: "answered",
    by: "ada",
    channel: "cli",
    answered_at: AT,
    answer,
  };
}

/** The lines outside every fence, as a reader of Markdown sees them. */
function orders(brief: string): string[] {
  const outside: string[] = [];
  let fence: string | null = null;
  for (const line of brief.split("\n")) {
    const ticks = /^ {0,3}(`{3,})\s*$/.exec(line)?.[1];
    if (fence === null && ticks !== undefined) fence = ticks;
    else if (fence === null) outside.push(line);
    else if (ticks !== undefined && ticks.length >= fence.length) fence = null;
  }
  expect(fence).toBeNull();
  return outside;
}

const nasty = fc.oneof(
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.constantFrom(
    "```",
    "`".repeat(40_000),
    "# How to end\n",
    "\n\n## Goal\n",
    "~~~",
    "ü".repeat(9_000),
  ),
  fc.string({ maxLength: 60 }).map((text) => `${text}\n`.repeat(1_000)),
);

describe("S2-13 the brief of a chunk", () => {
  const whole = pending(1, {
    title: "Build it",
    split_after: 1,
    last_failure: { attempt: 1, check: "`npm test`", excerpt: "2 red", signature: "s", at: AT },
  });
  const chunk = (number: number, more: Partial<Pending> = {}) =>
    pending(number, { chunk_of: whole.id, ...more });
  const of = (task: Pending) => {
    const tasks = [chunk(2, { title: "Dig" }), chunk(3, { title: "Pour" }), whole];
    const state = { ...sampleState("prompt" as Slug, AT), tasks };
    return writeBrief(input({ state, tasks: [{ task, source: "never shown" }] }));
  };

  it("says which chunk of which task it is, what it asks for, and its bounds", () => {
    const brief = of(
      chunk(3, { title: "Pour", details: "- inputs: a hole", limit: { files_per_task: 2 } }),
    );
    expect(brief).toContain(`Task t3 (task-3), attempt 1 of 3

It is chunk 2 of 2 of t1. Do this chunk and leave the others to their own sessions; the whole is:

\`\`\`
Build it
\`\`\`

This chunk:

\`\`\`
Pour
- inputs: a hole
\`\`\`

Its bounds: at most 2 files changed per task, 3 new files in this session, 0 moved files per task.

Attempt 1 at t1 failed: \`npm test\`. This is what was seen:

\`\`\`
2 red
\`\`\``);
    expect(brief).toContain("5. A chunk has no box in the manifest: change no box");
    expect(brief).not.toMatch(/never shown|as written in the manifest|left is in the work tree/);
  });

  it("tells the first one that work on the whole was begun", () => {
    expect(of(chunk(2, { title: "Dig" }))).toContain(
      "What the sessions on t1 left is in the work tree: look at it first",
    );
  });

  it("is never longer than 32 KiB and never lets quoted text out of its fence", () => {
    fc.assert(
      fc.property(fc.record({ title: nasty, details: nasty, failure: nasty }), (made) => {
        const SIGN = "OUT OF ITS FENCE";
        const signed = (text: string) => `${text}\n${SIGN}\n\`\`\`\n${SIGN}\n`;
        const failure = { attempt: 1, check: made.title, excerpt: signed(made.failure) };
        const parent = {
          ...whole,
          title: signed(made.title),
          last_failure: { ...failure, signature: "s", at: AT },
        };
        const task = chunk(2, {
          title: made.title.replace(/[\r\n]+/g, " "),
          details: signed(made.details),
          checks: [{ kind: "command", command: `echo ${made.failure}` }],
        });
        const long = signed(made.details);
        const state = {
          ...sampleState("prompt" as Slug, AT),
          goal: long,
          success_criteria: [long],
          tasks: [task, parent],
          questions: [answered(1, long), answered(2, long)],
        };
        const brief = writeBrief(
          input({
            state,
            tasks: [{ task, source: "" }],
            references: long,
            tools: long,
            notes: long,
          }),
        );
        expect(Buffer.byteLength(brief)).toBeLessThanOrEqual(32 * 1024);
        expect(orders(brief).filter((line) => line.trim() === SIGN)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe("the brief of a session", () => {
  it("names the folder in which a session starts, where it is not the root", () => {
    const there = { dir: "packages/web", problem: null };
    expect(writeBrief(input({ startsIn: there }))).toContain(
      "You and the checks start in this folder below the root: packages/web\n",
    );
    const problem = "dir: packages/web is not in the work tree (packages is missing)";
    expect(writeBrief(input({ startsIn: { dir: "packages/web", problem } }))).toContain(
      `You start in the root: ${problem}. Until that folder is there, commands of the checks fail.`,
    );
    const atRoot = { dir: "", problem: null };
    expect(writeBrief(input({ startsIn: atRoot }))).not.toContain("Where you are");
    expect(writeBrief(input({ logs: ["docs/_feedback.md"] }))).toContain(
      "- Leave docs/_feedback.md as it is: Stint writes there what was resolved",
    );
  });

  it("names the server beside the session, and quotes the last words of one that is not ready", () => {
    const server = { command: "npm start", ready: "http://localhost:$STINT_PORT/" };
    const served = writeBrief(input({ server }));
    expect(served).toContain(
      "the server of this work tree, `npm start`, on the port in STINT_PORT: http://localhost:$STINT_PORT/.",
    );
    const trouble = { of: "server", summary: "it is not ready", output: "no such module" } as const;
    expect(writeBrief(input({ server, trouble }))).toContain(
      "it is not ready. Put it right if it is part of your task. Its last words:\n\n```\nno such module\n```",
    );
  });

  it("is never longer than 32 KiB and never lets quoted text out of its fence", () => {
    fc.assert(
      fc.property(
        fc.record({
          goal: nasty,
          criteria: fc.array(nasty, { maxLength: 4 }),
          tasks: fc.array(
            fc.record({ source: nasty, title: nasty, failure: nasty, check: nasty }),
            {
              minLength: 1,
              maxLength: 6,
            },
          ),
          answers: fc.array(nasty, { maxLength: 6 }),
          references: nasty,
          tools: nasty,
          notes: nasty,
        }),
        (made) => {
          const SIGN = "OUT OF ITS FENCE";
          const signed = (text: string) => `${text}\n${SIGN}\n\`\`\`\n${SIGN}\n`;
          const tasks = made.tasks.map(({ source, title, failure, check }, index) => ({
            task: pending(index + 1, {
              title: title.replace(/[\r\n]+/g, " "),
              checks: [{ kind: "command", command: `echo ${check}` }],
              last_failure: { attempt: 1, check, excerpt: signed(failure), signature: "s", at: AT },
            }),
            source: signed(source),
          }));
          const brief = writeBrief(
            input({
              state: {
                ...sampleState("prompt" as Slug, AT),
                goal: signed(made.goal),
                success_criteria: made.criteria,
                tasks: tasks.map(({ task }) => task),
                questions: made.answers.map((text, at) => answered(at + 1, signed(text))),
              },
              tasks,
              references: signed(made.references),
              tools: signed(made.tools),
              notes: signed(made.notes),
              startsIn: { dir: made.goal, problem: made.notes },
              server: { command: made.goal, ready: made.tools },
              trouble: { of: "server", summary: made.notes, output: signed(made.goal) },
            }),
          );
          expect(Buffer.byteLength(brief)).toBeLessThanOrEqual(32 * 1024);
          expect(orders(brief).filter((line) => line.trim() === SIGN)).toEqual([]);
          expect(brief).toContain("## How to end");
        },
      ),
      { numRuns: 60 },
    );
  });

  it("S0-12 S3-16 holds goal, one task with its checks, references, tools and limits", () => {
    const task = pending(1, { checks: [{ kind: "command", command: "npm test" }] });
    const brief = writeBrief(
      input({
        tasks: [{ task, source: "- [ ] Do 1\n  - with care" }],
        references: "See RFC 9110",
        tools: "curl",
      }),
    );
    for (const text of ["Say hello.", "- with care", "`npm test`", "See RFC 9110", "curl"]) {
      expect(brief).toContain(text);
    }
    expect(brief).toContain("at most 8 files changed per task, 3 new files in this session");
  });

  it("names a manifest outside of the repository by its own path, and asks for no box in it", () => {
    const brief = writeBrief(input({ manifestAt: "/home/ada/flows/workflow.md" }));
    expect(brief).toContain("Manifest: /home/ada/flows/workflow.md\n");
    expect(brief).toContain("1. Read /home/ada/flows/workflow.md. Work on this task");
    expect(brief).toContain("5. Change nothing in the manifest: it lies outside of the repository");
    expect(brief).not.toContain("Mark the task");
  });

  it("S0-11 S0-16 S0-17 S0-18 S0-19 S1-28 S3-20 says how a task is worked on, unless the task says otherwise", () => {
    const brief = writeBrief(input());
    for (const text of [
      "at References and Tools as needed",
      "Read a file itself before you claim what is in it",
      "Add or adjust tests first where that applies",
      "implement in small steps and run them after each",
      "by hand what else is needed to be sure",
      "never bundle unrelated operations into one command",
    ]) {
      expect(brief).toContain(text);
    }
  });

  it("S0-14 S0-23 S0-28 S0-30 S0-32 says how a session ends, with what remains and without", () => {
    const brief = writeBrief(input());
    expect(brief).toContain(
      "Before you exit, write `.agent_iteration_done` in the repository root",
    );
    expect(brief).toContain("exit, also when tasks remain: the next session takes the next one");
    const remaining = (tasks: readonly Task[]): string => {
      const { state, ...others } = input();
      return writeBrief({ ...others, state: { ...state, tasks: [...tasks] } });
    };
    expect(remaining([pending(1), pending(2)])).toContain("remaining_steps: true");
    expect(remaining([])).toContain("remaining_steps: false");
  });

  it("quotes the last failure and answers word for word", () => {
    const excerpt = "FAIL add\n  expected 3\n  ```\n  received 4";
    const task = pending(1, {
      last_failure: { attempt: 1, check: "`npm test`", excerpt, signature: "s", at: AT },
    });
    const state = {
      ...sampleState("prompt" as Slug, AT),
      tasks: [task],
      questions: [answered(1, "Use port 8080,\nnot 80.")],
    };
    const brief = writeBrief(input({ state, tasks: [{ task, source: "- [ ] Do 1" }] }));
    expect(brief).toContain(`\`\`\`\`\n${excerpt}\n\`\`\`\``);
    expect(brief).toContain("Answer of ada:\n```\nUse port 8080,\nnot 80.\n```");
  });

  it("S1-23 says how several questions are asked, and how many", () => {
    expect(writeBrief(input())).toContain(
      "write `question: <your question>`, one line for each, 5 at most: one more and the task is blocked",
    );
  });

  it("names where answers stand word for word that do not fit, and shows a part of each", () => {
    const words = [1, 2, 3, 4, 5].map((n) => `begin ${n}\n${"x".repeat(20_000)}\nend ${n}`);
    const questions = words.map((text, n) => answered(n + 1, text));
    const given = input({ state: { ...sampleState("prompt" as Slug, AT), questions } });
    const brief = writeBrief(given);
    const whole = wholeAnswers(given) ?? "";
    expect(brief).toContain(`It stands word for word in ${given.answersPath}: read that first.`);
    expect(words.filter((text) => !whole.includes(text))).toEqual([]);
    expect([1, 2, 3, 4, 5].filter((n) => !brief.includes(`begin ${n}`))).toEqual([]);
    const short = [answered(1, "Use port 8080"), answered(2, "Yes")];
    const few = input({ state: { ...sampleState("prompt" as Slug, AT), questions: short } });
    expect(wholeAnswers(few)).toBeNull();
    expect(writeBrief(few)).not.toContain(few.answersPath);
  });

  it("tells a session what a person approved for its task", () => {
    const subject = "drop the old table";
    const granted = {
      id: numberedApprovalId(1),
      kind: "destructive",
      task_id: numberedTaskId(1),
      subject,
      subject_sha256: sha256Of(subject),
      reason: "r",
      on_yes: "y",
      on_no: "n",
      asked_at: AT,
      status: "granted",
      by: "ada",
      channel: "cli",
      answered_at: AT,
    } as const;
    const state = { ...sampleState("prompt" as Slug, AT), approval_items: [granted] };
    expect(writeBrief(input({ state }))).toContain("ada approved:\n```\ndrop the old table\n```");
  });

  it("says what it left out", () => {
    const brief = writeBrief(input({ notes: `first\n${"x\n".repeat(5000)}last` }));
    expect(brief).toMatch(/first\n[\sx]*… \d+ bytes left out …\n[\sx]*last/);
  });

  it("S3-19 asks for smaller pieces after a denied command", () => {
    expect(writeBrief(input({ before: "denied" }))).toContain("smaller, plainer commands");
    expect(writeBrief(input())).not.toContain("smaller, plainer commands");
  });

  it("S3-19 asks for smaller pieces and hands over the last words where the context ran out", () => {
    const state = {
      ...sampleState("prompt" as Slug, AT),
      last_session_note: `half of it\n${"x".repeat(5000)}`,
    };
    const brief = writeBrief(input({ state, before: "context-exhausted" }));
    expect(brief).toContain("The session before ran out of context");
    expect(brief).toMatch(/## Last words of the session before\n\n```\nhalf of it\n/);
    expect(writeBrief(input({ state }))).not.toContain("half of it");
  });
});
