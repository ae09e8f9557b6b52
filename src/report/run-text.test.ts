import { describe, expect, it } from "vitest";
import { draft, intent, minute } from "../../test/support/machine.ts";
import { questionCommands } from "../core/asking.ts";
import { numberedQuestionId } from "../core/ids.ts";
import type { RunView, StatusView } from "../core/schema/views.ts";
import { localTime } from "./amounts.ts";
import { nextSteps } from "./next-steps.ts";
import { layOut } from "./layout.ts";
import { PLAIN } from "../../test/support/plain-paint.ts";
import type { News, RunPlace } from "../core/news.ts";
import { newsLine, newsSigns, runText } from "./run-text.ts";

const ID = draft([intent("t1")]).project_id;
const PLACE: RunPlace = {
  done: 1,
  total: 3,
  sessions: 1,
  task: null,
  spent: { wall_ms: 0, tokens: null, cost_usd: null },
  allowed: { tokens: null, cost_usd: null },
};

function persisted(event: string, summary: string, now = "Running"): News {
  return { kind: "persisted", revision: 1, event, summary, status: now, place: PLACE };
}

const NEWS: readonly (readonly [News, string | null, string | null])[] = [
  [
    { kind: "started", project_id: ID, slug: "prompt", place: PLACE },
    `started: prompt ${ID}, 1 of 3 tasks done`,
    null,
  ],
  [
    persisted("attempt-started", 'attempt 1 of task t1 "A" started in session 1'),
    'attempt 1 of task t1 "A" started in session 1',
    null,
  ],
  [{ kind: "session", session: 1, line: "ls\u001b[2J\nnow" }, "agent: ls\\u001b[2J now", null],
  [
    {
      kind: "session-ended",
      session: 3,
      words: "crashed (exit 3): no\u001b API",
      log: "/r/stderr.log",
    },
    "session 3 crashed (exit 3): no\\u001b API, log /r/stderr.log",
    "✗ session 3 crashed (exit 3): no\\u001b API\n  log: /r/stderr.log",
  ],
  [
    { kind: "session-ended", session: 3, task: "t2", words: "was killed (SIGKILL)" },
    "session 3 on t2 was killed (SIGKILL)",
    "✗ session 3 on t2 was killed (SIGKILL)",
  ],
  [
    {
      ...persisted("attempt-interrupted", "attempt 1 was interrupted: it crashed"),
      isTold: true,
    } as News,
    null,
    null,
  ],
  [
    { kind: "retrying", session: 2, text: "session 2 waits", isLine: true },
    "session 2 waits",
    null,
  ],
  [{ kind: "retrying", session: 2, text: "session 2 waits", isLine: false }, null, null],
  [
    { kind: "measured", session: 1, text: "1 file changed (limit 8)" },
    "session 1 made: 1 file changed (limit 8)",
    null,
  ],
  [
    {
      kind: "waiting",
      project_id: ID,
      until: minute(90),
      now: minute(0),
      reason: "claude: used\u001b up",
    },
    `waits until ${localTime(minute(90), minute(0))} (1 h 30 min): claude: used\\u001b up. It continues by itself; Ctrl-C leaves, then: stint resume ${ID}`,
    `… waits until ${localTime(minute(90), minute(0))} (1 h 30 min): claude: used\\u001b up. It continues by itself; Ctrl-C leaves, then: stint resume ${ID}`,
  ],
  [{ kind: "woken" }, "continues: the wait is over", "• continues: the wait is over"],
  [persisted("spending-recorded", "spent 5 ms"), null, null],
  [
    persisted("spending-recorded", "spent 12 tokens, $0.0100, 5 ms"),
    "spent 12 tokens, $0.0100, 5 ms",
    "• spent 12 tokens, $0.0100, 5 ms",
  ],
  [{ kind: "checking", check: "`make`", when: "after" }, null, null],
  [{ kind: "check", check: "`make`", passed: false, when: "before" }, null, null],
  [
    { kind: "check", check: "`make`", passed: true, when: "after" },
    "check passed: `make`",
    "  ✓ `make`",
  ],
  [
    {
      kind: "check",
      check: "`make`",
      passed: false,
      when: "after",
      seen: "it exited\u0007 with 2",
    },
    "check failed: `make`: it exited\\u0007 with 2",
    "  ✗ `make`: it exited\\u0007 with 2",
  ],
  [
    persisted("checks-recorded", 'done task t1 "A" (weakly-verified)'),
    'done task t1 "A" (weakly-verified)',
    '✓ done task t1 "A" (weakly-verified)',
  ],
  [
    persisted("checks-recorded", 'attempt 1 of task t1 "A" failed: `make`'),
    'attempt 1 of task t1 "A" failed: `make`',
    '✗ attempt 1 of task t1 "A" failed: `make`',
  ],
  [
    persisted("commit-recorded", 'committed task t1 "A" as 0123456789abcdef'),
    'committed task t1 "A" as 0123456789abcdef',
    "  committed as 0123456789",
  ],
  [
    persisted("commit-recorded", 'recorded task t1 "A" without a commit'),
    'recorded task t1 "A" without a commit',
    null,
  ],
  // The lines that close the run say it.
  [persisted("paused", "paused: enough", "Paused"), null, null],
  [persisted("blocked", "blocked: no disk", "Blocked"), null, null],
  [persisted("completed", "every task is done", "Done"), null, null],
  // Told where the commit is recorded only when it is pushed.
  [
    { kind: "notice", text: 'committed t1 "A" as 0123456789abcdef' },
    'notice: committed t1 "A" as 0123456789abcdef',
    "  committed as 0123456789",
  ],
  [{ kind: "notice", text: "be\u0007ware" }, "notice: be\\u0007ware", "! be\\u0007ware"],
];

describe("news of a run", () => {
  it.each(NEWS)("%j is one plain line in a pipe, and signs on a terminal", (news, line, signs) => {
    expect(newsLine(news)).toBe(line);
    expect(newsSigns(news, PLAIN)).toBe(signs);
  });
});

const TASKS: StatusView["tasks"] = [
  {
    id: "t1" as never,
    name: "english",
    title: "Write hello.txt",
    status: "done",
    attempts: 1,
    labels: ["self-judged", "not-discriminating"],
    label_reasons: { "self-judged": "it changed a.test.js", "not-discriminating": "green before" },
    spent: null,
    detail: "artifacts/evidence/t1/1/1-command.json",
  },
  {
    id: "t2" as never,
    name: "german",
    title: "Write hallo.txt",
    status: "blocked",
    attempts: 3,
    labels: [],
    spent: null,
    detail: "all 3 attempts are used",
  },
];

function status(more: Partial<StatusView>): StatusView {
  return {
    project: {
      id: ID,
      slug: "prompt",
      root: "/repo",
      folder: "agents/stint/projects/prompt",
    },
    status: "Done",
    progress: { done: 1, total: 2, skipped: 0, blocked: 0, marked: 0 },
    tasks: TASKS,
    blockers: [],
    waiting_for_a_person: [],
    pause: null,
    last_failure: null,
    delivery: null,
    proof: null,
    delivery_cut_short: null,
    manifest_not_adopted: null,
    budget: {
      sessions: { used: 4, allowed: 16, refused: 0 },
      wall_ms: { used: 65_000, allowed: 86_400_000 },
      tokens: { used: 12_345, allowed: null, unknown: 0 },
      cost_usd: { used: 0.5, allowed: null, unknown: 0 },
      spent: null,
    },
    ...more,
  } as unknown as StatusView;
}

function ended(why: string, more: Partial<StatusView>, view: Partial<RunView> = {}): string[] {
  const now = status(more);
  const full = {
    why,
    run: {
      run_id: "r-0123456789",
      pid: 7,
      from_revision: 1,
      sessions: 2,
      retries: 0,
      wall_ms: 61_000,
    },
    session_ends: [],
    done: ["t1"],
    has_git: true,
    commits: [{ task_id: "t1", commit: "0123456789abcdef" }],
    evidence: "agents/stint/projects/prompt/artifacts/evidence",
    next: nextSteps(now, { agent: "scripted:a b.json" }),
    report: null,
    status: now,
    ...view,
  } as unknown as RunView;
  return layOut(runText(full, PLAIN), 80).split("\n");
}

const RESUME = `stint resume ${ID}`;

const blocker = { kind: "breaker", at: minute(1), reason: "it went wrong" } as const;

describe("the end of a run", () => {
  it.each<[StatusView["delivery"], string]>([
    [{ kind: "in-place" }, "  Work: in your files"],
    [{ kind: "delivered", branch: "main", commit: "c1" }, "  Work: on main (delivered)"],
    [
      {
        kind: "waiting",
        branch: "stint/x",
        held_by: "obstacle",
        why: "it moved",
        hint: "Combine both: git merge stint/x",
      },
      "  Work: waits on stint/x: it moved; bring it in: git merge stint/x",
    ],
  ])("says where the work is: %j", (delivery, line) => {
    expect(ended("every task is done", { delivery })).toContain(line);
    expect(ended("every task is done", { delivery: null }).join()).not.toContain("Work:");
  });

  it("says what a fresh clone said, and what to do where nobody asked one", () => {
    const at = minute(1);
    const hint = "Write it into the manifest or stint.config.yaml: setup: [npm ci]";
    const why = "nothing says how it is installed";
    const proof = { kind: "not-proven", commit: "c1", at, why, hint } as const;
    const lines = ended("every task is done", { proof }).join(" ").replaceAll(/\s+/g, " ");
    expect(lines).toContain(`Proof: Not proven in a fresh clone: ${why}. ${hint}`);
  });

  it("says where no task has a check that nothing was tried", () => {
    const tasks = [{ ...TASKS[0], labels: ["weakly-verified"] }] as typeof TASKS;
    const text = ended("every task is done", { tasks }).join(" ").replaceAll(/\s+/g, " ");
    expect(text).toContain(
      "Proof: Not tried: no task that Stint did has a check. Give tasks a check, for example: check: `npm test`",
    );
    expect(ended("every task is done", {}).join()).not.toContain("Proof:");
  });

  it("counts apart what only a person's word says, and what was skipped", () => {
    const progress = { done: 4, total: 5, skipped: 1, blocked: 0, marked: 2 };
    expect(ended("every task is done", { progress }).join(" ").replaceAll(/\s+/g, " ")).toContain(
      "Tasks: 4 of 5 done, 1 in this run; 2 marked by you, not verified by Stint; 1 skipped",
    );
  });

  it("tells its sessions that did not finish, the last five, and how often a provider was retried", () => {
    const end = (session: number) => ({
      session,
      task_id: "t1",
      words: "was killed (SIGKILL)",
      log: session === 7 ? null : `/repo/${session}/stderr.log`,
      at: minute(1),
    });
    const view = {
      run: { sessions: 7, retries: 12, wall_ms: 61_000 },
      session_ends: [1, 2, 3, 4, 5, 6, 7].map(end),
    } as unknown as Partial<RunView>;
    expect(ended("why", {}, view).filter((line) => /Session|Used/.test(line))).toEqual([
      `  Sessions: 2 earlier sessions did not finish either: stint log ${ID}`,
      "  Session 3: killed (SIGKILL) (t1), log /repo/3/stderr.log",
      ...[4, 5, 6].map(
        (n) => `  Session ${n}: ended like session 3 (t1), log /repo/${n}/stderr.log`,
      ),
      "  Session 7: killed (SIGKILL) (t1)",
      "  Used: 7 sessions; the run took 1 min 1 s; retried a provider 12 times",
    ]);
  });

  it("keeps how each session ended where their last words share a sentence", () => {
    const words = ["crashed (exit 3): No login. Run tool login", "crashed (exit 4): No login."];
    const ends = words.map((text, index) => ({
      session: index + 1,
      task_id: "t1",
      words: text,
      log: `/repo/${index + 1}/stderr.log`,
      at: minute(1),
    }));
    const lines = ended("why", {}, { session_ends: ends } as never).join(" ");
    expect(lines.replaceAll(/\s+/g, " ")).toContain(
      " Session 1: crashed (exit 3): No login. Run tool login (t1), log /repo/1/stderr.log Session 2: crashed (exit 4): No login. (t1), log /repo/2/stderr.log ",
    );
  });

  it("tells what blocks a task above the sessions whose ends it tells", () => {
    const reason = 'Work on task t2 "B" was stopped: session 7 crashed (exit 3): no API.';
    const blockers = [{ kind: "breaker", at: minute(1), unblock: "stint resume", reason }];
    const end = { session: 7, task_id: "t2", words: "crashed (exit 3): no API", at: minute(1) };
    const session_ends = [{ ...end, log: "/repo/7/stderr.log" }];
    const text = ended("no task can start", { blockers } as never, { session_ends } as never);
    expect(text.join(" ").replaceAll(/\s+/g, " ")).toMatch(
      / Blocked by: .* crashed \(exit 3\): no API\. .*Session 7: ended as told above \(t2\), log \/repo/,
    );
  });

  it("names the log of a session whose end the reason tells, and does not tell it again", () => {
    const reason = 'Work on task t2 "B" was stopped: session 7 crashed (exit 3): no API.';
    const blockers = [{ kind: "breaker", at: minute(1), unblock: "stint resume", reason }];
    const end = (session: number, words: string, log: string | null) => ({
      session,
      task_id: "t2",
      words,
      log,
      at: minute(1),
    });
    const ends = [
      end(3, "was killed (SIGKILL)", null),
      end(5, "was killed (SIGKILL)", null),
      end(6, "crashed (exit 3): no API", null),
      end(7, "crashed (exit 3): no API", "/repo/7/stderr.log"),
    ];
    const told = (session_ends: readonly object[]) =>
      ended(reason, { status: "Blocked", blockers } as never, { session_ends } as never);
    expect(told(ends).filter((line) => /Session|Blocked by/.test(line))).toEqual([
      "  Sessions 3, 5: killed (SIGKILL) (t2)",
      "  Session 6: crashed (exit 3): no API (t2)",
      "  Session 7: ended as told above (t2), log /repo/7/stderr.log",
    ]);
    // Without a log there is nothing left to say of it.
    const last = end(7, "crashed (exit 3): no API", null);
    expect(told([last]).join("\n")).not.toContain("Session 7:");
  });

  it("tells what failed last, without a check that the reason names", () => {
    const last_failure = {
      task_id: "t2" as never,
      attempt: 3,
      check: 'agent codex "is it fine?"',
      line: "codex gave no valid answer: its session crashed (exit 9): quota",
      at: minute(1),
    };
    const told = (reason: string) =>
      ended(reason, {
        last_failure,
        status: "Blocked",
        blockers: [{ kind: "breaker", at: minute(1), unblock: "stint resume", reason }],
      })
        .join(" ")
        .replaceAll(/\s+/g, " ");
    expect(told("3 sessions in a row changed nothing")).toContain(
      ' Last failure: t2, attempt 3, agent codex "is it fine?": codex gave no valid answer: its session crashed (exit 9): quota ',
    );
    expect(told('its check failed: agent codex "is it fine?"')).toContain(
      " Last failure: t2, attempt 3: codex gave no valid answer: its session crashed (exit 9): quota ",
    );
  });

  it("says a short reason once", () => {
    const blockers = [{ ...blocker, reason: "codex: invalid key", unblock: "stint resume" }];
    const text = ended("codex: invalid key", { status: "Blocked", blockers }).join("\n");
    expect(text.split("invalid key")).toHaveLength(2);
  });

  it("counts a session that a provider refused as status does", () => {
    const { budget } = status({});
    const refused = { ...budget, sessions: { used: 0, allowed: 16, refused: 1 } };
    expect(ended("used up", { budget: refused }).join("\n")).toContain(
      "  In all: 0 of 16 sessions (and 1 refused by a provider), ",
    );
  });

  it("says that nothing is committed where there is no git", () => {
    const lines = ended("every task is done", {}, { commits: [], has_git: false });
    expect(lines).toContain("  Commits: no commit: the folder is not a git repository");
  });

  it("S4-22 says what is done with its labels, commits, sessions, time, evidence and what is next", () => {
    expect(ended("every task is done", {})).toEqual([
      `prompt  ${ID}  Done: every task is done`,
      "  ✓  t1  [self-judged, not discriminating] Write hello.txt",
      "  ✗  t2  Write hallo.txt (all 3 attempts are used)",
      "  Tasks: 1 of 2 done, 1 in this run",
      "  Commits: 0123456789",
      "  Look at: t1 is self-judged: it changed a.test.js",
      "  Used: 2 sessions; the run took 1 min 1 s",
      "  In all: 4 of 16 sessions, 1 min 5 s of 24 h in sessions, 12.3k tokens, $0.50",
      "  Evidence: agents/stint/projects/prompt/artifacts/evidence in /repo",
      `  Next: stint verify ${ID}`,
    ]);
  });

  it.each<[string, Partial<StatusView>, string[]]>([
    [
      "blocked, by what --retry clears",
      { status: "Blocked", blockers: [{ ...blocker, unblock: `stint run ${ID} --retry` }] },
      [`  Next: ${RESUME} --retry`],
    ],
    [
      "blocked, by what a person fixes first",
      {
        status: "Blocked",
        blockers: [{ ...blocker, unblock: "edit it, then: stint resume --retry" }],
      },
      ["  Next: edit it", `  Then: ${RESUME} --retry`],
    ],
    [
      "blocked, by several tasks that a person edits first",
      {
        status: "Blocked",
        blockers: ["t1", "t2", "t3"].map((task_id) => ({
          ...blocker,
          task_id,
          unblock: `${task_id === "t3" ? "edit it" : "add docs"}; then: stint resume --retry`,
        })) as never,
      },
      ["  Next: t1, t2: add docs", "  Then: t3: edit it", `  Then: ${RESUME} --retry`],
    ],
    [
      "blocked, by a push that the remote may go on refusing",
      {
        status: "Blocked",
        blockers: [
          {
            ...blocker,
            kind: "push",
            unblock: "Do what the remote's hook asks for, then: stint resume",
          },
        ],
      },
      [
        "  Next: Do what the remote's hook asks for",
        `  Then: ${RESUME} --retry`,
        "  Then: to push nothing from now on:",
        `    ${RESUME} --retry --no-push`,
      ],
    ],
    [
      "blocked, by what only the same command clears, at the right time",
      {
        status: "Blocked",
        blockers: [
          { ...blocker, unblock: "When the remote can be reached again: stint resume" },
          { ...blocker, unblock: "if not: stint resume --retry" },
        ],
      },
      [
        `  Next: When the remote can be reached again: ${RESUME} --retry`,
        `  Then: if not: ${RESUME} --retry`,
      ],
    ],
    [
      "waiting for a person",
      {
        status: "AwaitingApproval",
        waiting_for_a_person: [
          {
            id: "q1",
            kind: "question",
            what: "Which?",
            asked_at: minute(1),
            expires_at: null,
            ...questionCommands({ id: numberedQuestionId(1) }, ID),
          },
        ],
      },
      [
        "  Waits for you: q1: Which?",
        `  Next: stint answer q1 "your answer" ${ID}`,
        `  Then: when it is answered: ${RESUME}`,
      ],
    ],
    [
      "paused as asked",
      { status: "Paused", pause: { kind: "requested", reason: "enough", paused_at: minute(1) } },
      [`  Next: ${RESUME}`],
    ],
    [
      "paused until a usage limit is over",
      {
        status: "Paused",
        pause: {
          kind: "usage-limit",
          reason: "used up",
          paused_at: minute(1),
          resume_at: minute(60),
        },
      },
      [`  Limited until: ${localTime(minute(60), minute(1))}`, `  Next: ${RESUME}`],
    ],
    [
      "paused because a budget is used up",
      {
        status: "Paused",
        pause: { kind: "budget", reason: "all 4 sessions are used", paused_at: minute(1) },
        budget: { ...status({}).budget, spent: "sessions" },
      },
      [`  Next: ${RESUME} --grant sessions=10`],
    ],
    ["waiting for a result", { status: "AwaitingResult" }, [`  Next: ${RESUME}`]],
    [
      "abandoned",
      { status: "Abandoned" },
      ["  Next: to start again, run a copy of its manifest under another name"],
    ],
  ])("says what to do when it is %s", (_, more, last) => {
    expect(ended("so it is", more).slice(-last.length)).toEqual(last);
  });

  it("wraps words between words, and commands only between commands", () => {
    const reason = "the session says that nobody knows the word, nor where it could be looked up";
    const item = {
      id: "a1",
      what: reason,
      look: "stint diff a1",
      yes: "stint approve a1",
      no: null,
    };
    const asked = [{ ...item, no: `stint deny a1 --reason "${"why not ".repeat(9)}"` }];
    const lines = ended(reason, { waiting_for_a_person: asked } as unknown as Partial<StatusView>);
    const from = lines.findIndex((line) => line.includes("Waits for you"));
    expect(lines.slice(from, from + 5)).toEqual([
      "  Waits for you: a1: the session says that nobody knows the word, nor where it",
      "    could be looked up",
      "  Next: stint diff a1  then  stint approve a1",
      `    or  stint deny a1 --reason "${"why not ".repeat(9)}"`,
      `  Then: when it is answered: ${RESUME}`,
    ]);
    expect(ended("x".repeat(5000), {}).join("").length).toBeLessThan(2000);
  });

  it("shows ten tasks and commits and how many more there are", () => {
    const many = Array.from({ length: 12 }, (_, n) => `t${n + 1}`);
    const tasks = many.map((id) => ({ ...TASKS[0], id })) as unknown as StatusView["tasks"];
    const commits = many.map((task_id, n) => ({ task_id, commit: `${n}`.padEnd(12, "c") }));
    const lines = ended("done", { tasks }, { done: many, commits } as unknown as RunView);
    expect(lines[11]).toBe(`  … 2 more done tasks: stint status ${ID} --all`);
    expect(lines.join(" ")).toContain("and 2 before");
    expect(ended("done", {}, { commits: [] })).toContain("  Commits: none made");
  });

  it.each([1, 3, 15])("never folds what failed: %i of 20 tasks", (count) => {
    const all = Array.from({ length: 20 }, (_, n) => `t${n + 1}`);
    const [failed, done] = [all.slice(0, count), all.slice(count)];
    const tasks = all.map((id) => ({
      ...TASKS[0],
      id,
      status: failed.includes(id) ? "blocked" : "done",
    })) as unknown as StatusView["tasks"];
    const lines = ended("done", { tasks }, { done, commits: [] } as unknown as RunView);
    const ids = (sign: string) =>
      lines.flatMap((line) => (line.trim().startsWith(sign) ? [line.trim().split(/\s+/)[1]] : []));
    expect(ids("✗")).toEqual(failed);
    expect(ids("✓")).toEqual(done.slice(0, Math.max(0, 10 - count)));
    const folded = done.length - ids("✓").length;
    expect(lines).toContain(`  … ${folded} more done tasks: stint status ${ID} --all`);
  });
});
