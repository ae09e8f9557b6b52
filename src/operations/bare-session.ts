// The verbs of an agent that no run has started, one function each: input and function, no printing. A bare session is
// an ordinary attempt, worked on in place, whose session Stint hands out instead of starting it. Nothing here approves,
// answers, skips or consents; only what a person approved is executed.
import { EXIT, exitCodeOfState } from "../core/words/exit-codes.ts";
import type { ProjectId, TaskId } from "../core/ids.ts";
import { MESSAGE_MAX_BYTES } from "../core/returned-work.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { SessionStart } from "../core/schema/session-records.ts";
import type { Task } from "../core/schema/task.ts";
import type { StatusView } from "../core/schema/views.ts";
import { whyUnsayable, type Word } from "../core/session-words.ts";
import { StintError } from "../core/stint-error.ts";
import {
  briefInHand,
  endByHand,
  hasSaidItsEnd,
  keepWord,
  sessionInHand,
  startInHand,
  takeUpByHand,
} from "../engine/attempt/by-hand.ts";
import type { RunContext } from "../engine/base/run-context.ts";
import { assertClean } from "../engine/space/checkout-by-hand.ts";
import { parseReturn } from "../manifest/parse-check.ts";
import { nextSteps } from "../report/next-steps.ts";
import { statusWord } from "../report/status/idle.ts";
import { namedTask } from "./answers/named-item.ts";
import { dispatchWord, sayable } from "./in-session.ts";
import { projectFor } from "./new-project.ts";
import { resolveProject } from "./resolve-project.ts";
import { type HandWorked, heldBy, workByHand } from "./run/by-hand.ts";
import { underLease } from "./run/lease.ts";
import { refuseInsideOwnRun } from "./run/run.ts";
import { status } from "./status.ts";
import type { System } from "./system.ts";

/** What is to be printed, and the exit code. What cannot be done at all is thrown as a StintError. */
export interface BareAnswer {
  readonly text: string;
  readonly exitCode: number;
  /** What a person would be told beside it. */
  readonly notices: readonly string[];
}

/** Which project is meant; absent: the only one of this work tree. */
interface OfProject {
  readonly project?: string | undefined;
}

export interface BareWords extends OfProject {
  readonly text: string;
}

/** One of them: a step, or the whole manifest as it should be. */
export interface BareProposal extends OfProject {
  readonly step?: string | undefined;
  readonly manifest?: string | undefined;
}

export interface BareDispatch extends OfProject {
  readonly owner: string;
  readonly returns: string;
  readonly look?: string | undefined;
  readonly deadline?: string | undefined;
}

/** `target`: a manifest, or a project. Begins the next session, or prints the brief of the one in hand again. */
export async function bareBrief(
  system: System,
  { target }: { readonly target?: string | undefined },
): Promise<BareAnswer> {
  refuseInsideOwnRun(system);
  const project = await projectFor(system, target);
  const again = briefAgain(system, project);
  if (again !== null) return answer(again);
  const held = whyNothingBegins(system.store.read(project).state);
  if (held !== null) return held;
  const worked = await workByHand(system, project, {
    first: takeUpByHand,
    async whyNot(context) {
      await assertClean(context);
      return null;
    },
  });
  const brief = briefAgain(system, project);
  if (brief !== null) return answer(brief, EXIT.done, worked.notices);
  return await whereItStands(system, worked);
}

/** Runs the checks of the task in hand. `task` has to be that one, where it is given. */
export async function bareDone(
  system: System,
  { task, project }: OfProject & { readonly task?: string | undefined },
): Promise<BareAnswer> {
  const { id, start } = await inHand(system, "done", project);
  const own = taskOf(start);
  const { state } = system.store.read(id);
  if (task !== undefined && namedTask(state, task).id !== own) {
    throw new StintError(
      "refused",
      `${task} is not the open task: session ${start.session} of ${id} is about ${own}`,
      `When ${own} is finished: stint done ${own}; what it is about: stint brief ${id}`,
    );
  }
  const worked = await workByHand(system, id, {
    first: async (context) => endNow(context, start),
    whyNot: async (_, next) => (next === own ? null : `${next} is next`),
  });
  return await whatCame(system, worked, start);
}

/** For the next session. The one in hand goes on. */
export async function bareNote(system: System, { text, project }: BareWords): Promise<BareAnswer> {
  await say(system, project, { verb: "note", text: sayable("note", text) });
  return answer(
    "Noted. It will be in the next session's brief, below Notes. Continue with your task.",
  );
}

/** A person decides. The session in hand goes on. */
export async function barePropose(
  system: System,
  { step, manifest, project }: BareProposal,
): Promise<BareAnswer> {
  await say(system, project, manifest === undefined ? proposedStep(step) : proposedText(manifest));
  return answer(
    "Proposed. A person decides; until then the manifest stays as it is. Continue with your task.",
  );
}

function proposedStep(step = ""): Word {
  return { verb: "propose", text: sayable("propose", step) };
}

function proposedText(manifest: string): Word {
  const isLarge = Buffer.byteLength(manifest) > MESSAGE_MAX_BYTES;
  const why = isLarge ? "it is larger than 64 KiB" : whyUnsayable(manifest, Infinity);
  if (why === null) return { verb: "propose", text: manifest, is_whole: true };
  throw new StintError(
    "bad-input",
    `stint propose: ${why}`,
    'Propose one step instead: stint propose "french - Write salut.txt"',
  );
}

/** Ends the session. */
export async function bareAsk(system: System, { text, project }: BareWords): Promise<BareAnswer> {
  return await sayAtTheEnd(system, project, { verb: "ask", text: sayable("ask", text) });
}

/** Ends the session. */
export async function bareBlock(system: System, { text, project }: BareWords): Promise<BareAnswer> {
  return await sayAtTheEnd(system, project, { verb: "block", text: sayable("block", text) });
}

/** Ends the session. */
export async function bareDispatch(
  system: System,
  { owner, project, ...terms }: BareDispatch,
): Promise<BareAnswer> {
  const word = dispatchWord(owner, terms);
  const read = parseReturn(terms.returns);
  if (!read.ok) {
    throw new StintError(
      "bad-input",
      `--returns cannot be read: ${read.reason}`,
      'For example: stint dispatch "the design team" --returns "file logo.svg"',
    );
  }
  return await sayAtTheEnd(system, project, word);
}

function answer(
  text: string,
  exitCode: number = EXIT.done,
  notices: readonly string[] = [],
): BareAnswer {
  return { text, exitCode, notices };
}

/** The brief of the session in hand; null where none is, or somebody is at work with it. */
function briefAgain({ store }: System, id: ProjectId): string | null {
  const { state, lease } = store.read(id);
  const kept = { store, holder: { state } };
  const start = lease.held ? null : sessionInHand(kept);
  if (start === null || hasSaidItsEnd(kept, start)) return null;
  return briefInHand(kept, start)?.trimEnd() ?? null;
}

/** What only a person can lift, told before anything is touched. */
function whyNothingBegins(state: ProjectState): BareAnswer | null {
  const { project_id: id, status: at } = state;
  if (at === "Draft") {
    return answer(
      `${id} waits for a person: nobody has approved its plan, so nothing is executed.\nA person looks at it and says yes in their own terminal: stint plan ${id}, then: stint approve plan ${id}\nAfter that: stint brief ${id}`,
      EXIT.waitingForPerson,
    );
  }
  const held = heldBy(state);
  if (held === null) return null;
  return answer(
    `${id} is paused: ${held.reason}\nA person can continue it: stint resume ${id}`,
    EXIT.workRemains,
  );
}

interface InHand {
  readonly id: ProjectId;
  readonly start: SessionStart;
}

/** @throws refused where no session is in hand */
async function inHand(system: System, verb: string, project: string | undefined): Promise<InHand> {
  refuseInsideOwnRun(system);
  const id = await resolveProject(system, project);
  const { state, lease } = system.store.read(id);
  const kept = { store: system.store, holder: { state } };
  return { id, start: startIn(kept, verb, lease.held) };
}

function startIn(
  kept: Parameters<typeof startInHand>[0],
  verb: string,
  isHeld = false,
): SessionStart {
  const start = startInHand(kept);
  if (start !== null && briefInHand(kept, start) !== undefined) return start;
  const { project_id, status: at } = kept.holder.state;
  throw new StintError(
    "refused",
    `stint ${verb} needs an open session, and ${project_id} (${statusWord(at, isHeld)}) has none`,
    `Begin one: stint brief ${project_id}`,
  );
}

function taskOf({ tasks }: SessionStart): TaskId {
  const [first] = tasks;
  if (first === undefined) throw new Error("a session by hand has no task");
  return first.task_id;
}

/** What a session says while it works. */
async function say(system: System, project: string | undefined, word: Word): Promise<void> {
  const { id } = await inHand(system, word.verb, project);
  const first = `Leave it alone, or wait for it: stint status ${id}`;
  await underLease(system, id, first, async (holder) => {
    const kept = { holder, store: system.store };
    const start = sessionInHand(kept) ?? startIn(kept, word.verb);
    keepWord(kept, start, word, system.env);
  });
}

/** What a session says last: the rounds after it begin no other. */
async function sayAtTheEnd(
  system: System,
  project: string | undefined,
  word: Word,
): Promise<BareAnswer> {
  const { id, start } = await inHand(system, word.verb, project);
  const worked = await workByHand(system, id, {
    async first(context) {
      if (sessionInHand(context) !== null) keepWord(context, start, word, system.env);
      return endNow(context, start);
    },
    whyNot: async (_, next) => `${next} is next`,
  });
  return await whatCame(system, worked, start);
}

/** Its end is kept once, before anything is concluded from it. */
function endNow(context: RunContext, { session }: SessionStart): boolean {
  const start = startInHand(context);
  if (start?.session !== session) throw new Error(`session ${session} is no longer open`);
  endByHand(context);
  return true;
}

/** What became of the task of a session that has ended. */
async function whatCame(
  system: System,
  worked: HandWorked,
  start: SessionStart,
): Promise<BareAnswer> {
  const { state, notices } = worked;
  const id = taskOf(start);
  const task = state.tasks.find((each) => each.id === id);
  const view = await status(system, { project: state.project_id });
  const next = nextLine(view);
  const over = (text: string, exitCode: number): BareAnswer =>
    answer(`${text}\n${next}`, exitCode, notices);
  if (task === undefined) return over(`${id} is no longer part of the plan.`, EXIT.workRemains);
  switch (task.status) {
    case "done": {
      const hindered = state.blockers.find(({ task_id }) => task_id === undefined);
      const { commit: made = "none" } = task;
      const commit = made === "none" ? "" : `, committed as ${made.slice(0, 10)}`;
      const text = `${id} is done: its checks passed${commit}.`;
      if (hindered === undefined) return over(text, EXIT.done);
      return over(`${text} But: ${hindered.reason}`, EXIT.blocked);
    }
    case "in_progress":
      return answer(notDone(task, state, "goes on"), EXIT.workRemains, notices);
    case "blocked":
      return over(`${notDone(task, state, "ends")}\nIt is blocked: ${task.reason}`, EXIT.blocked);
    case "awaiting_approval":
    case "validating":
      return over(`${id} waits for a person.`, EXIT.waitingForPerson);
    case "awaiting_result":
      return over(`${id} is delegated (${task.dispatch_id}). This session is over.`, EXIT.done);
    case "pending":
    case "skipped":
    case "superseded": {
      const asked = state.questions.filter(
        (item) => item.session === start.session && item.status === "open",
      );
      if (asked.length > 0) {
        const ids = asked.map((item) => item.id).join(", ");
        return over(`Asked as ${ids}. This session is over: stop here.`, EXIT.done);
      }
      return over(notDone(task, state, "ends"), EXIT.workRemains);
    }
    default:
      return task satisfies never;
  }
}

/** Of what a check printed last. */
const SHOWN_LINES = 15;
const SHOWN_CHARACTERS = 1500;

function notDone(task: Task, { budgets }: ProjectState, session: "goes on" | "ends"): string {
  const { id, last_failure: failure } = task;
  const lines = (failure?.excerpt ?? "").trimEnd().split("\n").slice(-SHOWN_LINES).join("\n");
  const seen = lines.slice(-SHOWN_CHARACTERS);
  const why = failure === undefined ? "" : `: ${failure.check} failed`;
  const said = [`${id} is not done${why}${seen === "" ? "." : ", and said last:"}`];
  if (seen !== "") said.push(seen);
  if (session === "goes on") {
    const most = budgets.attempts_per_task + (task.extra_attempts ?? 0);
    said.push(
      `Attempt ${task.attempts} of ${most} has started with the files as they are. Fix the cause, then: stint done ${id}`,
    );
  } else {
    said.push("This session is over: stop here.");
  }
  return said.join("\n");
}

/** Where nothing begins: what the project waits for, as a run would end. */
async function whereItStands(
  system: System,
  { state, why, notices }: HandWorked,
): Promise<BareAnswer> {
  const view = await status(system, { project: state.project_id });
  const word = statusWord(state.status, view.lease.held);
  const text = `${state.project_id} is ${word}: ${why ?? word}`;
  const next = state.status === "Done" ? [] : [nextLine(view)];
  return answer([text, ...next].join("\n"), exitCodeOfState(view), notices);
}

/** Who does what next. */
function nextLine(view: StatusView): string {
  const { id } = view.project;
  const begins = `start the next session with: stint brief ${id}`;
  const asked = view.waiting_for_a_person.map(({ yes, no }) =>
    no === null ? yes : `${yes}, or ${no}`,
  );
  if (view.status === "Done") return `Every task is done: ${id} is Done.`;
  if (view.status === "Running" || view.status === "Ready") return `Stop here; ${begins}`;
  if (asked.length > 0) return `A person is needed: ${asked.join("; ")}. After that ${begins}`;
  if (view.status === "AwaitingResult") return `When it is back, ${begins}`;
  const blocked = view.tasks.find((task) => task.status === "blocked");
  if (view.status === "Blocked" && blocked !== undefined) {
    return `A person removes the cause and runs: stint retry ${blocked.id} ${id}. After that ${begins}`;
  }
  return `A person is needed: ${nextSteps(view, {}).join("; ")}`;
}
