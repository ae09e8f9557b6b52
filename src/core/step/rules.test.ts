// Every (status, event) pair: listed and witnessed to go where the table says, or refused.
import { beforeAll, describe, expect, it } from "vitest";
import {
  BY_STINT,
  DIGEST,
  MIXED_TASKS,
  RUN_ID,
  after,
  chosenEvent,
  choices,
  deepFreeze,
  draft,
  eventOf,
  intent,
  minute,
  must,
  running,
  taskId,
} from "../../../test/support/machine.ts";
import { PROJECT_STATUSES, TRANSITIONS } from "../../../test/support/transitions.ts";
import type { ProjectEvent } from "../events.ts";
import { violations } from "../../../test/support/invariants.ts";
import { ROUND_STATUS } from "../project-state.ts";
import type { ProjectState, ProjectStatus } from "../schema/project.ts";
import { EVENT_KINDS, RULES } from "./rules.ts";
import { step } from "./step.ts";

/** Section 4 of the specification, written down a second time by hand. */
const SPECIFIED: Record<ProjectStatus, readonly ProjectStatus[]> = {
  Draft: ["Ready", "Abandoned"],
  Ready: ["Running", "Paused", "Done", "Abandoned"],
  Running: [
    "Validating",
    "AwaitingResult",
    "AwaitingApproval",
    "Blocked",
    "Paused",
    "Done",
    "Abandoned",
  ],
  AwaitingResult: ["Running", "Validating", "AwaitingApproval", "Paused", "Blocked", "Abandoned"],
  Validating: ["Running", "AwaitingApproval", "Blocked", "Paused", "Done", "Abandoned"],
  AwaitingApproval: ["Running", "Validating", "Blocked", "Paused", "Abandoned"],
  Blocked: ["Running", "Validating", "Paused", "Abandoned"],
  Paused: ["Running", "Abandoned"],
  Done: ["Ready"],
  Abandoned: [],
};

const PERSONS_DECISIONS = EVENT_KINDS.filter((kind) => RULES[kind].person).map((kind) => ({
  kind,
}));

const STATES_PER_STATUS = 8;
const STEPS = 400_000;
const ROUNDS = 5;

describe("the table against the specification", () => {
  it.each(PROJECT_STATUSES)(
    "S3-14 lists from %s exactly the moves of the specification",
    (from) => {
      const listed = TRANSITIONS.filter((row) => row.from === from && row.to !== from);
      const targets = [...new Set(listed.map((row) => row.to))];
      expect(targets.toSorted()).toEqual(SPECIFIED[from].toSorted());
    },
  );

  it("lists no move twice and gives every move a guard in words", () => {
    const keys = TRANSITIONS.map(({ from, event, to }) => `${from} ${event} ${to}`);
    expect(new Set(keys).size).toBe(keys.length);
    expect(TRANSITIONS.filter(({ guard }) => guard.trim() === "")).toEqual([]);
  });

  it("keeps for a person what only a person decides", () => {
    expect(PERSONS_DECISIONS.map(({ kind }) => kind).toSorted()).toEqual([
      "abandoned",
      "approval-denied",
      "approval-granted",
      "commands-consented",
      "dispatch-cancelled",
      "gates-approved",
      "limits-lifted",
      "plan-approved",
      "question-answered",
      "reopened",
      "task-retried",
      "task-skipped",
    ]);
  });

  it("S3-14 S4-10 has the nine states and AwaitingResult, which is no failure", () => {
    expect(PROJECT_STATUSES.filter((status) => status !== "AwaitingResult")).toEqual([
      "Draft",
      "Ready",
      "Running",
      "Validating",
      "AwaitingApproval",
      "Blocked",
      "Paused",
      "Done",
      "Abandoned",
    ]);
    expect(ROUND_STATUS.AwaitingResult).toBe("awaiting-result");
  });

  it("S4-11 allows running→awaiting-result→running, running→paused, running→complete", () => {
    const words = new Set(
      TRANSITIONS.map(({ from, to }) => `${ROUND_STATUS[from]}→${ROUND_STATUS[to]}`),
    );
    expect([...words]).toEqual(
      expect.arrayContaining([
        "running→awaiting-result",
        "awaiting-result→running",
        "running→paused",
        "running→complete",
      ]),
    );
  });

  it("S4-21 S4-25 gives every status one of the five words, and complete to Done alone", () => {
    const words = ["running", "awaiting-result", "paused", "blocked", "complete"];
    for (const status of PROJECT_STATUSES) expect(words).toContain(ROUND_STATUS[status]);
    expect(PROJECT_STATUSES.filter((status) => ROUND_STATUS[status] === "complete")).toEqual([
      "Done",
    ]);
  });
});

describe("the machine against the table", () => {
  const samples = new Map<ProjectStatus, ProjectState[]>();
  const witnessed = new Set<string>();
  const broken: string[] = [];
  let missing = TRANSITIONS;

  beforeAll(() => {
    const [t1, t2] = [intent("t1"), intent("t2", { after: [] })];
    const starts = [
      draft([t1], { attempts: 1 }),
      draft([t1, t2], { attempts: 1 }),
      draft(MIXED_TASKS, { attempts: 2 }),
      afterFiveQuestions(),
      afterCrash(),
      afterDelegatingEverything(),
      afterDelegatingBesideAReview(),
    ];
    // Rounds differ in their choices alone; most come to everything in the first one.
    for (let round = 1; round <= ROUNDS && missing.length > 0; round += 1) explore(starts, round);
  });

  // From any state seen so far one more event: half of the time any, each status in turn, else the event of a row that
  // is still to be witnessed. States unlike those seen before are kept. This finds rare situations far sooner than
  // walking on and on.
  function explore(starts: readonly ProjectState[], round: number): void {
    const seen = new Set<string>();
    const pool = new Map<ProjectStatus, ProjectState[]>();
    for (const start of starts) add(pool, start);
    let n = -1;
    for (const choice of choices(round)) {
      n += 1;
      if (n === STEPS) return;
      const aim = n % 2 === 0 ? undefined : missing[choice.kind % missing.length];
      const status = aim?.from ?? must(PROJECT_STATUSES[(n / 2) % PROJECT_STATUSES.length]);
      const known = pool.get(status) ?? [];
      const state = known[choice.pick % known.length];
      if (state === undefined) continue;
      const at = minute(n % 100);
      const event =
        aim === undefined ? chosenEvent(state, choice, at) : eventOf(aim.event, state, choice, at);
      const result = step(state, event);
      if (!result.ok) continue;
      const move = `${state.status} ${event.kind} ${result.state.status}`;
      if (!witnessed.has(move)) {
        witnessed.add(move);
        missing = missing.filter((row) => `${row.from} ${row.event} ${row.to}` !== move);
        if (missing.length === 0) return;
      }
      const likeness = likenessOf(result.state);
      if (seen.has(likeness)) continue;
      seen.add(likeness);
      broken.push(...violations(result.state));
      add(pool, result.state);
      add(samples, result.state);
    }
  }

  it.each(TRANSITIONS.map(({ from, event, to }) => `${from} ${event} ${to}`))(
    "S3-15 goes as listed: %s",
    (move) => {
      expect(witnessed).toContain(move);
    },
  );

  const unlisted = PROJECT_STATUSES.flatMap((status) =>
    EVENT_KINDS.filter(
      (kind) => !TRANSITIONS.some(({ from, event }) => from === status && event === kind),
    ).map((kind) => ({ status, kind })),
  );

  it.each(unlisted)("refuses $kind in $status and says what is legal", ({ status, kind }) => {
    const listed = TRANSITIONS.filter(({ from }) => from === status).map(({ event }) => event);
    const legal =
      listed.length === 0
        ? `${status} is final: nothing is legal now.`
        : `Legal now: ${[...new Set(listed)].join(", ")}.`;
    const states = must(samples.get(status)).slice(0, STATES_PER_STATUS);
    for (const [n, state] of deepFreeze(states).entries()) {
      for (const choice of take(5, choices(n))) {
        const before = JSON.stringify(state);
        const result = step(state, eventOf(kind, state, choice, minute(n)));
        expect(result).toEqual({
          ok: false,
          reason: `That is not possible while the project is ${status}.`,
          legal,
        });
        expect(JSON.stringify(state)).toBe(before);
      }
    }
  });

  it.each(PERSONS_DECISIONS)("refuses $kind where the run itself is its author", ({ kind }) => {
    const { from } = must(TRANSITIONS.find(({ event }) => event === kind));
    for (const state of must(samples.get(from)).slice(0, STATES_PER_STATUS)) {
      const [choice] = take(1, choices(1));
      const event = { ...eventOf(kind, state, must(choice), minute(1)), by: state.owner_agent };
      expect(step(state, event)).toMatchObject({
        ok: false,
        reason: "Only a person may decide that, not stint.",
      });
    }
  });

  it("breaks no invariant in any situation", () => {
    expect(broken).toEqual([]);
  });

  it("knows of no move that the table does not list", () => {
    const listed = TRANSITIONS.map(({ from, event, to }) => `${from} ${event} ${to}`);
    expect([...witnessed].toSorted()).toEqual(listed.toSorted());
  });
});

function afterFiveQuestions(): ProjectState {
  const questions = [1, 2, 3, 4, 5].map((n) => ({
    kind: "question-asked" as const,
    ...BY_STINT,
    question: { text: `Which ${n}?`, session: 1 },
  }));
  return after(running([intent("t1")]), attemptStarted("t1"), ...questions);
}

/** One task interrupted by a crash, the other one delegated. */
function afterCrash(): ProjectState {
  return after(
    running([intent("t1"), intent("t2", { after: [] })]),
    attemptStarted("t1"),
    {
      kind: "attempt-interrupted",
      ...BY_STINT,
      task_id: taskId("t1"),
      attempt: 1,
      reason: "The machine restarted.",
    },
    dispatchSent("t2"),
  );
}

/** Nothing left to do but wait, an agent is limited; a lost dispatch is not tried again. */
function afterDelegatingEverything(): ProjectState {
  const tasks = [intent("t1"), intent("t2", { after: [] })];
  const refused = { agent: "agent-0", cause: "overloaded", reason: "busy", jitter: 0 } as const;
  const events: ProjectEvent[] = [
    attemptStarted("t1"),
    {
      kind: "attempt-interrupted",
      ...BY_STINT,
      task_id: taskId("t1"),
      attempt: 1,
      reason: "busy",
      excuse: "provider",
      refused,
      manifest_digest: DIGEST,
    },
    dispatchSent("t1"),
    dispatchSent("t2"),
    { kind: "wait-began", ...BY_STINT },
  ];
  return after(running(tasks, { attempts: 1 }), ...events);
}

/** A result is awaited, and the validation of another task waits for a person. */
function afterDelegatingBesideAReview(): ProjectState {
  const ended = {
    task_id: taskId("t1"),
    session: 1,
    outcome: "finished",
    progress: "made",
  } as const;
  const approval = {
    kind: "task-after",
    task_id: taskId("t1"),
    subject: "the output",
    subject_sha256: DIGEST,
    reason: "a person reviews it",
    on_yes: "done",
    on_no: "blocked",
    expires_at: minute(50),
  } as const;
  return after(
    running([intent("t1", { approve: "after" }), intent("t2", { after: [] })]),
    attemptStarted("t1"),
    { kind: "session-ended", ...BY_STINT, ...ended, manifest_digest: DIGEST },
    { kind: "approval-requested", ...BY_STINT, approval },
    dispatchSent("t2"),
    { kind: "wait-began", ...BY_STINT },
  );
}

function dispatchSent(id: string): ProjectEvent {
  const dispatch = {
    task_id: taskId(id),
    owner: "worker-1",
    objective: "Do it.",
    worker: { kind: "outside" },
    returns: { kind: "message" },
    checkpoint_at: minute(9),
    deadline_at: minute(60),
  } as const;
  return { kind: "dispatch-sent", ...BY_STINT, run_id: RUN_ID, dispatch };
}

function attemptStarted(id: string): ProjectEvent {
  const attempt = { task_id: taskId(id), session: 1, run_id: RUN_ID };
  return { kind: "attempt-started", ...BY_STINT, ...attempt };
}

function add(lists: Map<ProjectStatus, ProjectState[]>, state: ProjectState): void {
  const list = lists.get(state.status) ?? [];
  lists.set(state.status, list);
  list.push(state);
}

/** States that are alike in this offer the machine the same situation. */
function likenessOf(state: ProjectState): string {
  const open = [...state.approval_items, ...state.questions].filter((i) => i.status === "open");
  return [
    state.status,
    ...state.tasks.map((task) => task.status).slice(0, 4),
    open.some((item) => item.task_id === undefined),
    open.some((item) => item.task_id !== undefined),
    state.dispatches.filter((dispatch) => dispatch.status === "sent").length,
    state.blockers.some((blocker) => blocker.task_id === undefined),
    state.manifest.seen !== undefined,
    state.counters.session_questions,
    state.tasks.find((task) => task.id === state.current_task_id)?.attempts,
  ].join();
}

function take<T>(count: number, items: Iterable<T>): T[] {
  const taken: T[] = [];
  for (const item of items) {
    if (taken.length === count) break;
    taken.push(item);
  }
  return taken;
}
