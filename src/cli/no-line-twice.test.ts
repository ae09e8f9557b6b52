import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CommandLineBench } from "../../test/support/command-line.ts";
import { chosenEvent, draft, intent, minute } from "../../test/support/machine.ts";
import { PLAIN } from "../../test/support/plain-paint.ts";
import { PROJECT_STATUSES } from "../../test/support/transitions.ts";
import { parseProjectId } from "../core/ids.ts";
import { blocker as blockerSchema, type Blocker } from "../core/schema/items.ts";
import type { Proof, ProjectState, ProjectStatus } from "../core/schema/project.ts";
import type { RunView, StatusView } from "../core/schema/views.ts";
import { step } from "../core/step/step.ts";
import { status } from "../operations/status.ts";
import { layOut } from "../report/layout.ts";
import { nextSteps } from "../report/next-steps.ts";
import { runText } from "../report/run-text.ts";
import { statusText } from "../report/status-text.ts";
import type { Holder } from "../store/store.ts";

const TITLES = [
  "Write the greeting",
  "Translate every page of the manual",
  "Publish what was made",
];
const TASKS = TITLES.map((title, index) =>
  intent(`t${index + 1}`, { title, after: [], ...(index === 2 && { approve: "before" as const }) }),
);

/** How many states of each status are looked at. */
const OF_EACH = 4;

type States = readonly [ProjectState, ...ProjectState[]];

/** States of every status, from walks through the rules that are the same each time. */
function statesByStatus(): ReadonlyMap<ProjectStatus, States> {
  const found = new Map<ProjectStatus, States>();
  let seed = 7;
  const next = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed >> 8;
  };
  for (let walk = 0; walk < 400; walk += 1) {
    let state = draft(TASKS);
    for (let n = 0; n < 60; n += 1) {
      const [first = state, ...more] = found.get(state.status) ?? [];
      if (first === state) found.set(state.status, [state]);
      else if (more.length + 1 < OF_EACH) found.set(state.status, [first, ...more, state]);
      const choice = { kind: next(), thing: next(), odd: next() };
      const ruling = step(state, chosenEvent(state, choice, minute(n + 1)));
      if (ruling.ok) ({ state } = ruling);
    }
  }
  return found;
}

const KINDS = blockerSchema.def.shape.kind.options;

const FAILED_PROOF: Proof = {
  kind: "failed",
  commit: "0123456789abcdef",
  at: minute(3),
  checks: 2,
  path: "artifacts/proof/0123456789abcdef.json",
  sha256: "0".repeat(64) as never,
  failing: [{ task_id: "t1" as never, check: "`npm test`", reason: "exited with 1 in a clone" }],
};

const END = {
  session: 3,
  words: "crashed (exit 3): Error: the server of the provider cannot be reached from this machine",
  log: "logs/sessions/3/stderr.log",
  at: minute(4),
};

/** As the engine words them. */
const REASONS: Partial<Record<Blocker["kind"], string>> = {
  proof:
    'the work does not pass in a fresh clone at 0123456789. t1 "Write the greeting": `npm test` exited with 1 in a clone',
  "attempts-exhausted": `Task t2 used its 3 attempts; session 3 ${END.words}`,
  provider: "claude cannot be used: it is not logged in any more. Log in to it first",
};

function reasonOf(kind: Blocker["kind"]): string {
  return (
    REASONS[kind] ??
    `Work on task t2 was stopped because of ${kind}: the machine said that nothing more could be done about it.`
  );
}

/** The same state with a blocker of that kind: of the project, or of a task that is blocked by it. */
function blockedBy(state: ProjectState, kind: Blocker["kind"], isOfTask: boolean): ProjectState {
  const reason = reasonOf(kind);
  const unblock = "see the log of the last session, fix it, then: stint resume --retry";
  const tasks = state.tasks.map((task) =>
    isOfTask && task.id === "t2"
      ? {
          ...task,
          attempt: undefined,
          status: "blocked",
          reason,
          blocked_at: minute(4),
          last_end: END,
        }
      : task,
  );
  const found = { kind, reason, unblock, at: minute(4), ...(isOfTask && { task_id: "t2" }) };
  const limit = { agent: "claude", cause: "auth", reason, in_a_row: { usage: 0, provider: 2 } };
  return {
    ...state,
    tasks,
    blockers: [found],
    ...(kind === "proof" && { proof: FAILED_PROOF }),
    ...(kind === "provider" && { agent_limits: [{ ...limit, since: minute(4) }] }),
    ...(state.pause !== null && { pause: { ...state.pause, reason } }),
  } as unknown as ProjectState;
}

let bench: CommandLineBench;
let holder: Holder;
let id: string;

beforeAll(async () => {
  bench = new CommandLineBench();
  bench.write("prompt.md");
  id = await bench.create();
  holder = bench.hold(id);
});
afterAll(() => bench.close());

async function viewOf(state: ProjectState): Promise<StatusView> {
  const project_id = parseProjectId(id);
  const { slug, repo_id, revision, manifest } = holder.state;
  const own = { ...state, project_id, slug, repo_id, revision, manifest } as ProjectState;
  holder.commit(own, { at: minute(5), kind: "test", by: "test", summary: "as the test wants it" });
  const view = await status(bench.system(), { project: id });
  return { ...view, roles: { ...view.roles, coordinator: null } };
}

function whyOf({ status: now, blockers, pause, waiting_for_a_person: asked }: StatusView): string {
  if (now === "Blocked") return blockers[0]?.reason ?? "";
  if (now === "Paused") return pause?.reason ?? "";
  if (now !== "AwaitingApproval") return "there is nothing more to do now";
  return `a person is needed: ${asked.map((item) => `${item.id} ${item.what}`).join("; ")}`;
}

function summaryOf(view: StatusView): string {
  const run: RunView = {
    why: whyOf(view),
    run: {
      run_id: "r-0123456789" as never,
      pid: 1,
      from_revision: 1,
      sessions: 1,
      retries: 0,
      wall_ms: 9000,
    },
    session_ends: view.session_ends,
    done: [],
    has_git: true,
    commits: [],
    evidence: "agents/stint/projects/prompt/artifacts/evidence",
    next: nextSteps(view, {}),
    report: null,
    status: view,
  };
  return layOut(runText(run, PLAIN), undefined);
}

/** Six words in a row are a sentence, or most of one. */
const ROW = 6;

/** Figures of one task look like those of another. */
const FIGURES = /^ +(?:planned|used|left) \d.*$/gm;

function saidTwice(text: string): string[] {
  const words =
    text
      .replace(FIGURES, "")
      .toLowerCase()
      .match(/[\p{L}\p{N}_'/.-]*[\p{L}\p{N}]/gu) ?? [];
  const seen = new Set<string>();
  return words.flatMap((_, at) => {
    const row = words.slice(at, at + ROW).join(" ");
    const isAgain = at + ROW <= words.length && seen.has(row);
    seen.add(row);
    return isAgain ? [row] : [];
  });
}

describe("what a person reads of a project", () => {
  it("finds a sentence that is said twice", () => {
    expect(
      saidTwice("Blocked: no key was found on this machine\n(No key was found on this machine)"),
    ).not.toEqual([]);
    expect(saidTwice("Next: stint run p-1 --retry\nThen: stint run p-1 --retry")).toEqual([]);
  });

  const states = statesByStatus();

  it("is looked at in every status", () => {
    expect([...states.keys()].toSorted()).toEqual([...PROJECT_STATUSES].toSorted());
  });

  it.each([...states])(
    "says nothing twice when it is %s, whatever blocks it",
    async (now, some) => {
      const kinds = now === "Draft" || now === "Done" ? [] : KINDS;
      const [first] = some;
      const blocked = kinds.flatMap((kind) =>
        [false, true].map((isOfTask) => blockedBy(first, kind, isOfTask)),
      );
      for (const each of [...some, ...blocked, { ...first, proof: FAILED_PROOF }]) {
        // oxlint-disable-next-line no-await-in-loop
        const view = await viewOf(each);
        const told = [layOut(statusText(view, PLAIN), undefined), summaryOf(view)];
        for (const text of told) {
          expect([text, saidTwice(text)]).toEqual([text, []]);
          for (const { reason } of view.blockers) expect(text).toContain(reason);
        }
      }
    },
  );
});
