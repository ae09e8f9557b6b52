// `dispatch` and `results`: who has what in hand, and what came back. A person sends and cancels by an answer like any
// other; whoever was sent the work returns it by a file in the inbox, which the next round of a run takes.
import { returnText } from "../core/delegation.ts";
import { parseDispatchId } from "../core/ids.ts";
import { MESSAGE_MAX_BYTES, messageText } from "../core/returned-work.ts";
import type { Dispatch, ReturnCondition } from "../core/schema/items.ts";
import type { ProjectState } from "../core/schema/project.ts";
import { keptResult } from "../core/schema/run-records.ts";
import type {
  AnswerView,
  DispatchItemView,
  DispatchView,
  ResultsView,
} from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
import { parseDuration } from "../core/written/times.ts";
import { readKept } from "../engine/base/kept-record.ts";
import { parseReturn } from "../manifest/parse-check.ts";
import { nextSteps } from "../report/next-steps.ts";
import { Inbox } from "../engine/base/inbox.ts";
import { keptPath } from "../store/store.ts";
import { namedTask } from "./answers/named-item.ts";
import { sendAnswer } from "./answers/send-answer.ts";
import { resolveProject } from "./resolve-project.ts";
import { status } from "./status.ts";
import { freshRunId, type System } from "./system.ts";

export interface DispatchInput {
  readonly act: string | undefined;
  /** What follows the act: a task or a dispatch, words, a project. */
  readonly words: readonly string[];
  readonly to?: string | undefined;
  readonly returns?: string | undefined;
  readonly look?: string | undefined;
  readonly deadline?: string | undefined;
  readonly reason?: string | undefined;
  readonly failed?: boolean;
}

export async function dispatch(system: System, input: DispatchInput): Promise<DispatchView> {
  const { words } = input;
  switch (input.act ?? "") {
    case "list":
      return await viewOf(system, words[0], null);
    case "send":
      return answered(system, await send(system, input));
    case "cancel":
      return answered(system, await cancel(system, input));
    case "return":
      return await giveBack(system, input);
    case "adopt":
      return answered(system, await adopt(system, input));
    default:
      throw new StintError(
        "bad-input",
        `"${input.act ?? ""}" is not an action of stint dispatch: use list, send, cancel, return or adopt`,
        "See how: stint dispatch --help",
      );
  }
}

export async function results(
  system: System,
  { project }: { readonly project: string | undefined },
): Promise<ResultsView> {
  const id = await resolveProject(system, project);
  const { state } = system.store.read(id);
  return { project_id: id, status: state.status, results: itemsOf(system, state) };
}

/** By the state alone: of long words that came back as much as it holds. */
export function resultsIn(state: ProjectState): ResultsView {
  const { project_id, status: now } = state;
  return { project_id, status: now, results: itemsWith(state, () => undefined) };
}

async function send(system: System, input: DispatchInput): Promise<AnswerView> {
  const [task, project] = input.words;
  const owner = input.to?.trim() ?? "";
  const missing = task === undefined ? "the task" : owner === "" ? "--to <owner>" : undefined;
  if (missing !== undefined || input.returns === undefined) {
    throw wrong(`stint dispatch send needs ${missing ?? "--returns <condition>"}`);
  }
  const returns = conditionIn(input.returns);
  const times = { look_ms: inMs(input, "look"), deadline_ms: inMs(input, "deadline") };
  const { look_ms = 0, deadline_ms = Infinity } = times;
  if (deadline_ms < look_ms) throw wrong("the deadline is earlier than the first look");
  return await sendAnswer(system, {
    project,
    answer: (state) => ({
      verb: "delegate",
      task: namedTask(state, task ?? "").id,
      owner,
      returns,
      times,
      run_id: freshRunId(system),
    }),
  });
}

/** Nobody whom Stint did not start can be seen to end. */
function conditionIn(written: string): ReturnCondition {
  const read = parseReturn(written);
  if (!read.ok) throw wrong(`--returns cannot be read: ${read.reason}`);
  if (read.returns.kind === "exit") {
    throw wrong("--returns exit is only for work that Stint starts itself; name a condition");
  }
  return read.returns;
}

function inMs(input: DispatchInput, key: "look" | "deadline"): number | undefined {
  const text = input[key];
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  if (ms === undefined) throw wrong(`--${key} "${text}" is not a duration such as 30m, 2h or 3d`);
  return ms;
}

function wrong(message: string): StintError {
  const hint =
    'For example: stint dispatch send t3 --to "the design team" --returns "file design/logo.svg" --look 1h --deadline 3d';
  return new StintError("bad-input", message, hint);
}

async function cancel(system: System, { words, reason = "" }: DispatchInput): Promise<AnswerView> {
  const [named, project] = words;
  if (named === undefined || reason.trim() === "") {
    throw new StintError(
      "bad-input",
      `stint dispatch cancel needs ${named === undefined ? "the dispatch" : "a reason: it is kept in the journal"}`,
      'For example: stint dispatch cancel d1 --reason "we bought one"',
    );
  }
  return await sendAnswer(system, {
    project,
    answer: (state) => ({ verb: "cancel", dispatch: namedDispatch(state, named), reason }),
  });
}

/** Of a session that is at work: what it leaves running is waited for. */
async function adopt(system: System, { words, deadline }: DispatchInput): Promise<AnswerView> {
  const keep_ms = parseDuration(deadline ?? ADOPTED_FOR);
  if (keep_ms === undefined) {
    throw new StintError(
      "bad-input",
      `--deadline "${deadline}" is not a duration such as 30m, 2h or 3d`,
      "For example: stint dispatch adopt --deadline 30m",
    );
  }
  return await sendAnswer(system, {
    project: words[0],
    answer: () => ({ verb: "adopt", keep_ms }),
  });
}

const ADOPTED_FOR = "1h";

function namedDispatch({ project_id }: ProjectState, name: string) {
  const id = parseDispatchId(name);
  if (id !== undefined) return id;
  throw new StintError(
    "not-found",
    `${project_id} has no dispatch "${name}"`,
    `See what is out: stint dispatch list ${project_id}`,
  );
}

/** Anybody's word, so nothing is taken from it here: it lies in the inbox, and a run judges it. */
async function giveBack(system: System, input: DispatchInput): Promise<DispatchView> {
  const [named, said = "", project] = input.words;
  if (named === undefined || said.trim() === "") {
    throw new StintError(
      "bad-input",
      `stint dispatch return needs ${named === undefined ? "the dispatch" : "the result, in words"}`,
      'For example: stint dispatch return d1 "merged as #42"',
    );
  }
  const id = await resolveProject(system, project);
  const { state, entry } = system.store.read(id);
  const dispatch_id = namedDispatch(state, named);
  const item = state.dispatches.find((each) => each.id === dispatch_id);
  const see = `See what is out: stint dispatch list ${id}`;
  if (item === undefined) throw new StintError("not-found", `${id} has no dispatch ${named}`, see);
  const text = messageText({ status: input.failed === true ? "failed" : "done", words: said });
  if (Buffer.byteLength(text) > MESSAGE_MAX_BYTES) {
    throw new StintError(
      "bad-input",
      "the result is longer than 64 KiB",
      "Name the file that contains it instead.",
    );
  }
  const tag = Buffer.from(system.host.randomBytes(4)).toString("hex");
  new Inbox(entry).drop(`${dispatch_id}-${tag}.json`, text, system.host);
  const what =
    item.status === "sent"
      ? `the result of ${dispatch_id} is in its inbox; the next run reads it first`
      : `${dispatch_id} is no longer out (${item.status.replace("_", " ")}); your message is kept, and changes nothing`;
  return await viewOf(system, id, { outcome: "left", what });
}

async function answered(
  system: System,
  { project_id, outcome, what }: AnswerView,
): Promise<DispatchView> {
  return await viewOf(system, project_id, { outcome, what });
}

async function viewOf(
  system: System,
  project: string | undefined,
  did: DispatchView["did"],
): Promise<DispatchView> {
  const id = await resolveProject(system, project);
  const { state } = system.store.read(id);
  const view = await status(system, { project: id });
  return {
    project_id: id,
    status: state.status,
    did,
    dispatches: itemsOf(system, state),
    next: view.lease.held ? [`stint status ${id}`] : nextSteps(view, {}),
  };
}

function itemsOf(system: System, state: ProjectState): DispatchItemView[] {
  const kept = { store: system.store, holder: { state } };
  return itemsWith(state, ({ id }) => {
    const path = keptPath("artifacts", "dispatches", `${id}.json`);
    return readKept(kept, path, keptResult)?.words;
  });
}

function itemsWith(
  state: ProjectState,
  whole: (item: Dispatch) => string | undefined,
): DispatchItemView[] {
  return state.dispatches.map((item) => ({
    id: item.id,
    task_id: item.task_id,
    owner: item.owner,
    objective: item.objective,
    worker: item.worker.kind,
    returns: returnText(item.returns),
    status: item.status,
    sent_at: item.sent_at,
    next_look_at: item.status === "sent" ? item.checkpoint_at : null,
    deadline_at: item.deadline_at,
    closed_at: item.status === "sent" ? null : item.closed_at,
    result: resultOf(item, () => whole(item)),
  }));
}

function resultOf(item: Dispatch, whole: () => string | undefined): string | null {
  switch (item.status) {
    case "sent":
      return null;
    case "returned":
      return whole() ?? item.result;
    case "timed_out":
      return `not back by ${item.deadline_at}`;
    case "lost":
      return item.reason;
    case "cancelled":
      return `cancelled by ${item.by}: ${item.reason}`;
    default:
      return item satisfies never;
  }
}
