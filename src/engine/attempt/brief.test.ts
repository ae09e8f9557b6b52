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
import type { Check, Task } from "../../core/schema/task.ts";
import { sha256Of } from "../../store/digest.ts";
import { type SeenEnd, sessionEndWords } from "../../core/words/session-end-words.ts";
import { type BriefInput, wholeAnswers, writeBrief } from "./brief.ts";
import { type SessionBefore, stoppedEarly } from "./session-before.ts";

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
    expect(brief).toContain(`## Your task

Task t3 (task-3), attempt 1 of 3

It is chunk 2 of 2 of t1. Do only this chunk; other sessions do the others. The whole task:

\`\`\`
Build it
\`\`\`

This chunk:

\`\`\`
Pour
- inputs: a hole
\`\`\`

Its limits: at most 2 files changed per task, 3 new files in this session, 0 moved files per task.

Attempt 1 at t1 failed: \`npm test\`. This is what was seen:

\`\`\`
2 red
\`\`\``);
    expect(brief).not.toMatch(/never shown|left is in the work tree/);
  });

  it("tells the first one that work on the whole was begun", () => {
    expect(of(chunk(2, { title: "Dig" }))).toContain(
      "What earlier sessions on t1 left is in the work tree: look at it first",
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
      `You start in the root: ${problem}. Until that folder exists, the commands of the checks fail.`,
    );
    const atRoot = { dir: "", problem: null };
    expect(writeBrief(input({ startsIn: atRoot }))).not.toContain("Where you are");
    expect(writeBrief(input({ logs: ["docs/_feedback.md"] }))).toContain(
      "- Do not change docs/_feedback.md: Stint writes there what was resolved",
    );
  });

  it("names the server beside the session, and quotes the last words of one that is not ready", () => {
    const server = { command: "npm start", ready: "http://localhost:$STINT_PORT/" };
    const served = writeBrief(input({ server }));
    expect(served).toContain(
      "The server of this work tree, `npm start`, runs while you work, on the port in STINT_PORT: http://localhost:$STINT_PORT/.",
    );
    const trouble = { of: "server", summary: "it is not ready", output: "no such module" } as const;
    expect(writeBrief(input({ server, trouble }))).toContain(
      "it is not ready. Fix it if it is part of your task. Its last output:\n\n```\nno such module\n```",
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
          isOneSession: fc.boolean(),
          answers: fc.array(nasty, { maxLength: 6 }),
          references: nasty,
          tools: nasty,
          notes: nasty,
        }),
        (made) => {
          const SIGN = "OUT OF ITS FENCE";
          const signed = (text: string) => `${text}\n${SIGN}\n\`\`\`\n${SIGN}\n`;
          const tasks = made.tasks.map(({ source, title, failure, check }, index) => ({
            before: {
              session: made.isOneSession ? 1 : index + 1,
              ended: { kind: "crashed", words: signed(check) } as const,
              lastWords: signed(failure),
              log: signed(title),
              changed: Array.from({ length: 20 }, () => signed(title)),
              files: 400,
              made: "work" as const,
              hasEditedManifest: true,
              hasEarlierWork: true,
              early: { isIdle: true, leftRunning: 1e9 },
            },
            elsewhere: { tree: "f".repeat(40), paths: [signed(title), signed(source)] },
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
              deadlineMs: 3_600_000,
              surroundings: signed(made.tools),
              cannotWrite: signed(made.notes),
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

  it.each([1, 2, 6])(
    "stays within it where %i tasks have as much of everything as there can be",
    (n) => {
      const long = "ü".repeat(9_000);
      const failure = { attempt: 1, check: long, excerpt: long, signature: "s", at: AT };
      const tasks = Array.from({ length: n }, (_, index) => ({
        task: pending(index + 1, {
          name: long,
          title: long,
          checks: [{ kind: "command", command: long }],
          last_failure: failure,
          reopened: { by: long, at: AT, reason: long, attempts: 1 },
        }),
        source: long,
        elsewhere: { tree: "f".repeat(40), paths: [long] },
        before: before({
          session: index + 1,
          ended: { kind: "context-exhausted", words: long },
          lastWords: long,
          log: long,
          changed: [long],
          files: 400,
          made: "nothing",
          hasEarlierWork: true,
          early: { isIdle: true, leftRunning: 1e9 },
        }),
      }));
      const state = {
        ...sampleState("prompt" as Slug, AT),
        goal: long,
        success_criteria: [long],
        tasks: tasks.map(({ task }) => task),
        questions: [1, 2, 3, 4, 5].map((number) => answered(number, long)),
      };
      const brief = writeBrief({
        ...input({ state, tasks, references: long, tools: long, notes: long, answersPath: long }),
        startsIn: { dir: long, problem: long },
        server: { command: long, ready: long },
        trouble: { of: "server", summary: long, output: long },
        broughtChanged: [long],
        ignoredMade: [long],
        logs: [long, long],
        manifestAt: long,
        deadlineMs: 1e8,
        surroundings: long,
        cannotWrite: long,
        hasVerbs: true,
      });
      expect(Buffer.byteLength(brief)).toBeLessThanOrEqual(32 * 1024);
      orders(brief);
    },
  );

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
    expect(brief).toContain("Do not change the manifest: it is outside the repository.");
    expect(brief).not.toContain("append to References");
  });

  it("S0-11 S0-16 S0-17 S0-18 S0-19 S1-28 S3-20 says how a task is worked on, unless the task says otherwise", () => {
    const brief = writeBrief(input());
    for (const text of [
      "Use References and Tools as needed.",
      "Read a file itself before you claim what is in it",
      "If tests apply, add or adjust them first.",
      "Then implement in small steps and run the tests after each.",
      "Run the checks first and note what already fails.",
      "Leave the tree building and its tests passing. Stint commits",
      "Check by hand what the tests do not cover.",
      "One act per command: never bundle unrelated operations.",
    ]) {
      expect(brief).toContain(text);
    }
  });

  it("S0-14 S0-23 ends with its task, and asks for the marker only to give a reason or a question", () => {
    const brief = writeBrief(input());
    expect(brief).toContain(
      "When the work is done, end, even if tasks remain: the next session takes the next one. You need not report anything.",
    );
    expect(brief).toContain(
      "If the task cannot be done, write `reason: <why>` into `.agent_iteration_done` in the repository root.",
    );
    expect(brief).not.toMatch(/remaining_steps|[Cc]ommit your|\[x\]|Read prompt/);
  });

  it("does not repeat the checks that the quoted task names", () => {
    const task = pending(1, { checks: [{ kind: "command", command: "npm test" }] });
    const of = (source: string) => writeBrief(input({ tasks: [{ task, source }] }));
    expect(of("- [ ] Do 1\n  - check: `npm test`")).toContain(
      "Stint runs its checks itself after your session; they decide, not what you say.",
    );
    const listed = "- command `npm test` ends with exit code 0";
    expect(of("- [ ] Do 1\n  - check: `npm test`")).not.toContain(listed);
    expect(of("- [ ] Do 1")).toContain(listed);
    expect(of(`- [ ] Do 1\n${"  - more\n".repeat(1000)}  - check: \`npm test\``)).toContain(listed);
  });

  it("does not repeat a check of a file that the quoted task names with what it expects", () => {
    const checks: Check[] = [
      { kind: "file", path: "a.txt", expect: { is: "exists" } },
      { kind: "file", path: "b.txt", expect: { is: "matches", pattern: "Hi", flags: "i" } },
    ];
    const of = (source: string) =>
      writeBrief(input({ tasks: [{ task: pending(1, { checks }), source }] }));
    const whole = "- [ ] Do 1\n  - check: file a.txt\n  - check: file b.txt matches /Hi/i";
    expect(of(whole)).not.toContain("- file a.txt exists");
    expect(of(whole.replace(" matches /Hi/i", ""))).toContain("- file b.txt matches /Hi/i");
  });

  it("tells who works without a run that each failing `stint done` uses an attempt, and which it is", () => {
    const task = pending(1, { attempts: 2 });
    const brief = writeBrief(input({ tasks: [{ task, source: "- [ ] Do 1" }], isByHand: true }));
    expect(brief).toContain("this attempt is used (it is 2 of 3). While attempts are left,");
    expect(brief).toContain("After the last attempt the task is blocked and your session is over.");
  });

  it("says in one line what is around it: time, agent, walls, bounds", () => {
    const brief = writeBrief(
      input({
        deadlineMs: 5_432_100,
        surroundings: "no network; .git cannot be written",
        cannotWrite: "you cannot write to .github and *.lock",
      }),
    );
    expect(brief).toContain(
      "## Limits\n\nYou have 1h30m at most. No network; .git cannot be written. You cannot write to .github and *.lock. Measured on the real diff: at most 8 files",
    );
    expect(writeBrief(input())).toContain("## Limits\n\nMeasured on the real diff: at most 8");
    expect(writeBrief(input({ deadlineMs: 30_000 }))).toContain("You have 30s at most.");
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
      "write `question: <your question>` there, one line per question, 5 at most: one more blocks the task",
    );
  });

  it("names where answers stand word for word that do not fit, and shows a part of each", () => {
    const words = [1, 2, 3, 4, 5].map((n) => `begin ${n}\n${"x".repeat(20_000)}\nend ${n}`);
    const questions = words.map((text, n) => answered(n + 1, text));
    const given = input({ state: { ...sampleState("prompt" as Slug, AT), questions } });
    const brief = writeBrief(given);
    const whole = wholeAnswers(given) ?? "";
    expect(brief).toContain(`The full text is in ${given.answersPath}: read that first.`);
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

  it("names what is done with its first evidence, whole, and how much more there is", () => {
    const proof = (n: number) =>
      ({
        kind: "check",
        path: `artifacts/evidence/t1/12/${n}-command.json`,
        sha256: sha256Of(""),
      }) as const;
    const done = {
      ...pending(1),
      status: "done",
      evidence: [proof(1), proof(2), proof(3)],
    } as unknown as Task;
    const state = { ...input().state, tasks: [done, pending(2)] } as ProjectState;
    expect(writeBrief(input({ state }))).toContain(
      "## Done so far\n\n```\n- t1 Do 1 (evidence: artifacts/evidence/t1/12/1-command.json and 2 more)\n```",
    );
  });

  it("says what it left out", () => {
    const brief = writeBrief(input({ notes: `first\n${"x\n".repeat(5000)}last` }));
    expect(brief).toMatch(/first\n[\sx]*… \d+ bytes left out …\n[\sx]*last/);
  });

  it("says nothing of a session before where there was none", () => {
    expect(writeBrief(input())).not.toContain("The session before");
  });
});

/** A session that was on the task before. */
function before(changes: Partial<SessionBefore> = {}): SessionBefore {
  return {
    session: 2,
    ended: { kind: "finished", words: "finished" },
    lastWords: null,
    log: null,
    changed: [],
    files: 0,
    made: "work",
    hasEditedManifest: false,
    hasEarlierWork: false,
    early: { isIdle: false, leftRunning: 0 },
    ...changes,
  };
}

/** What the brief says of the session before. */
function handedOver(changes: Partial<SessionBefore>, more: Partial<Pending> = {}): string {
  const task = pending(1, { attempts: 2, ...more });
  const brief = writeBrief(input({ tasks: [{ task, source: "", before: before(changes) }] }));
  return /## The session before\n\n([\s\S]*?)\n\n## /.exec(brief)?.[1] ?? "";
}

describe("what a brief says of the session before", () => {
  const seen: SeenEnd = {
    outcome: { kind: "finished" },
    exit_code: 0,
    signal: null,
    stopped: null,
  };
  const ENDS: readonly (readonly [Partial<SeenEnd>, string])[] = [
    [{ outcome: { kind: "finished" } }, "finished."],
    [{ outcome: { kind: "timed-out" }, limit_ms: 60_000 }, "timed out: it took longer than 1m."],
    [{ outcome: { kind: "idle" } }, "timed out: it was silent for too long."],
    [
      {
        outcome: { kind: "crashed", exitCode: 3, reason: "it exited with code 3" },
        exit_code: 3,
        last_stderr: "Error: no API",
      },
      "crashed (exit 3); its last words: Error: no API.",
    ],
    [{ outcome: { kind: "question", questions: ["Red?", "Blue?"] } }, "asked: Red? / Blue?"],
    [
      { outcome: { kind: "approval-needed", subject: "drop it" } },
      "asked for an approval: drop it.",
    ],
    [
      { outcome: { kind: "denied", command: "a && b" } },
      "was refused a command: a && b. Use smaller, plainer commands, one act each.",
    ],
    [
      { outcome: { kind: "usage-limited", until: null, reason: "used up" } },
      "was refused by its provider (usage limit): used up.",
    ],
    [
      { outcome: { kind: "rate-limited", reason: "429" } },
      "was refused by its provider (rate limit): 429.",
    ],
    [
      { outcome: { kind: "overloaded", reason: "529" } },
      "was refused by its provider (overloaded): 529.",
    ],
    [
      { outcome: { kind: "auth-failed", reason: "401" } },
      "was refused by its provider (sign-in failed): 401.",
    ],
    [{ outcome: { kind: "blocked", reason: "no key." } }, "could not continue: no key."],
    [
      { outcome: { kind: "context-exhausted", reason: "too long" } },
      "ran out of context (exit 0): too long. Work in smaller pieces: read parts of files instead of whole ones, keep output short, and leave the tree working after each piece.",
    ],
    [{ outcome: { kind: "budget-exceeded", reason: "5 USD" } }, "went over its budget: 5 USD."],
    [
      { outcome: { kind: "killed", reason: "ended by SIGKILL" }, signal: "SIGKILL" },
      "was killed (SIGKILL).",
    ],
    [
      { outcome: { kind: "no-progress", reason: "a loop" } },
      "repeated itself and was ended by its agent: a loop.",
    ],
    [
      { outcome: { kind: "killed", reason: "stopped by the run" }, stopped: "SIGINT" },
      "was ended by its run: SIGINT.",
    ],
  ];

  it.each(ENDS.map(([end, said]) => [said, end] as const))("S3-19 Session 2 %s", (said, end) => {
    const all: SeenEnd = { ...seen, ...end };
    const ended = { kind: all.outcome.kind, words: sessionEndWords(all) };
    expect(handedOver({ ended })).toBe(`Session 2 ${said}`);
  });

  it("names the log of one that broke", () => {
    const ended = { kind: "crashed", words: "crashed (exit 3): no API" } as const;
    const log = "agents/stint/projects/prompt/logs/sessions/2/stderr.log";
    expect(handedOver({ ended, log, made: "nothing" })).toBe(
      `Session 2 crashed (exit 3): no API. Its log: ${log}. It changed nothing.`,
    );
  });

  it("says that nobody saw its end", () => {
    expect(handedOver({ ended: null })).toBe(
      "Session 2 was cut short: its run ended before it did, so nobody saw how it ended.",
    );
  });

  it("hands over what it changed, what it said last and what its checks said, each once", () => {
    const text = handedOver(
      {
        ended: { kind: "crashed", words: "crashed (exit 3): no API" },
        changed: ["src/a.ts (modified)", "src/b.ts (added)"],
        files: 5,
        lastWords: `half of it\n${"x".repeat(5000)}`,
      },
      {
        last_failure: { attempt: 2, check: "`npm test`", excerpt: "2 red", signature: "s", at: AT },
      },
    );
    expect(text).toMatch(
      /^Session 2 crashed \(exit 3\): no API\.\n\nIt changed 5 files\. What it left is in the work tree: look at it first \(git status, git diff\) and continue from there\.\n\n```\nsrc\/a\.ts \(modified\)\nsrc\/b\.ts \(added\)\nand 3 more\n```\n\nIts last words:\n\n```\nhalf of it\nx+\n… \d+ bytes left out …\nx+\n```\n\nAttempt 2 failed: `npm test`\. This is what was seen:\n\n```\n2 red\n```\n\nFix the cause; do not change the check\.$/,
    );
    const words = /Its last words:\n\n([\s\S]*?)\n\nAttempt/.exec(text)?.[1] ?? "";
    expect(Buffer.byteLength(words)).toBeLessThanOrEqual(1024);
    expect(text.split("2 red")).toHaveLength(2);
  });

  it("names what sessions before it left, where it changed nothing itself", () => {
    expect(handedOver({ made: "nothing", hasEarlierWork: true })).toBe(
      "Session 2 finished. It changed nothing.\n\nWhat sessions before it left is in the work tree: look at it first (git status, git diff) and continue from there.",
    );
  });

  it.each([
    [
      { made: "nothing" },
      { isIdle: true, leftRunning: 0 },
      "It ended by itself and changed nothing: nobody answers here, so do the work without asking.",
    ],
    [
      { made: "nothing", hasEditedManifest: true },
      { isIdle: true, leftRunning: 0 },
      "It ended by itself and changed nothing but the manifest: nobody answers here, so do the work without asking.",
    ],
    [
      { made: "ignored" },
      { isIdle: true, leftRunning: 0 },
      "It ended by itself and changed only files that git ignores: nobody answers here, so do the work without asking.",
    ],
    [
      { made: "ignored" },
      { isIdle: false, leftRunning: 0 },
      "It changed only files that git ignores.",
    ],
    [
      { made: "documents" },
      { isIdle: true, leftRunning: 0 },
      "It ended by itself and wrote documents only: nobody answers here, so do the work without asking.",
    ],
    [
      { made: "work" },
      { isIdle: false, leftRunning: 1 },
      "It left 1 process running, which was ended: wait for what you start.",
    ],
    [
      { made: "work" },
      { isIdle: false, leftRunning: 2 },
      "It left 2 processes running, which were ended: wait for what you start.",
    ],
  ] as const)("says in one sentence that it stopped early: %o %o", (made, early, sentence) => {
    expect(handedOver({ ...made, early })).toBe(`Session 2 finished. ${sentence}`);
  });

  it("is told once of a session that had several of the tasks", () => {
    const tasks = [1, 2].map((number) => ({
      task: pending(number),
      source: "",
      before: before({ lastWords: "I was at the second" }),
    }));
    const brief = writeBrief(input({ tasks }));
    expect(brief.split("I was at the second")).toHaveLength(2);
    expect(brief).toContain("## The session before on t2\n\nSession 2: see t1.");
  });
});

describe("a session that stopped early", () => {
  const finished = { outcome: { kind: "finished" }, stopped: null, left_behind: 0 } as const;
  const idle = { made: "nothing", checks: "not-turned" } as const;

  it.each([
    ["it changed nothing and no check turned", finished, idle, false, true],
    ["it has no check", finished, { made: "nothing" }, false, true],
    ["it wrote a plan only", finished, { ...idle, made: "documents" }, false, true],
    ["it made what git ignores", finished, { ...idle, made: "ignored" }, false, true],
    ["it changed something", finished, { ...idle, made: "work" }, false, false],
    ["a check turned", finished, { ...idle, checks: "turned" }, false, false],
    ["its checks were green", finished, { ...idle, checks: "green-before" }, false, false],
    ["it asked for something", finished, idle, true, false],
    [
      "it asked a question",
      { ...finished, outcome: { kind: "question", questions: ["?"] } },
      idle,
      false,
      false,
    ],
    ["it gave up", { ...finished, outcome: { kind: "blocked", reason: "no" } }, idle, false, false],
    [
      "it crashed",
      { ...finished, outcome: { kind: "crashed", exitCode: 1, reason: "no" } },
      idle,
      false,
      false,
    ],
    ["its run ended it", { ...finished, stopped: "SIGINT" }, idle, false, false],
  ] as const)("is recognised by facts: %s", (_, end, last, didAsk, isIdle) => {
    expect(stoppedEarly(end as Parameters<typeof stoppedEarly>[0], last, didAsk).isIdle).toBe(
      isIdle,
    );
  });

  it("counts what was left running only where it ended by itself", () => {
    const last = { made: "work", checks: "not-turned" } as const;
    expect(stoppedEarly({ ...finished, left_behind: 2 }, last, false).leftRunning).toBe(2);
    const cut = { ...finished, left_behind: 2, outcome: { kind: "timed-out" } } as const;
    expect(stoppedEarly(cut, last, false).leftRunning).toBe(0);
  });
});
