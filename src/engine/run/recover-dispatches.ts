// RECOVER, for work that somebody outside has: has it come back, is it given up, is a look due? Each answer is one
// event, and comes before anything new is begun. A message of a worker is removed from the inbox only once what came
// of it is durable, so a kill at any point leaves it to be taken, or to be found taken.
import { lstatSync, realpathSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { returnText } from "../../core/delegation.ts";
import type { DispatchId } from "../../core/ids.ts";
import { msOf } from "../../core/instant.ts";
import { isOpen } from "../../core/project-state.ts";
import {
  isTaken,
  judgeMessage,
  type Message,
  type MessageFile,
  readMessage,
  type SentDispatch,
  shortened,
} from "../../core/returned-work.ts";
import type { ReturnCondition } from "../../core/schema/items.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { Check, Task } from "../../core/schema/task.ts";
import { canValidate } from "../../core/step/approvals.ts";
import { type Found, Inbox } from "../base/inbox.ts";
import { keptPath } from "../../store/store.ts";
import { isInBatch } from "../attempt/batch.ts";
import { runChecks } from "../attempt/run-checks.ts";
import { forgetLeftWords } from "../base/session-words.ts";
import { looked } from "../attempt/take-back.ts";
import { announce, fact, nowOf } from "../base/fact.ts";
import type { Steps } from "../base/persist.ts";
import type { RunContext } from "../base/run-context.ts";
import { followBranch } from "../finish/follow-branch.ts";
import { isSessionsFile } from "../people/manifest-texts.ts";
import { layTree, layWork } from "../space/task-work.ts";

/** @param when the first round of a run, which a person may have started to see, looks at everything */
export async function* recoverDispatches(
  context: RunContext,
  when: { readonly isFirst: boolean },
): Steps {
  const { state } = context.holder;
  // What is in hand is finished first: one output is judged at a time.
  if (!canValidate(state) || !isOpen(state) || isInBatch(context)) return;
  forgetLeftWords(context);
  const inbox = new Inbox(context.holder.entry);
  for (const found of inbox.waiting()) {
    const isBack = yield* takeMessage(context, inbox, found);
    if (isBack) return;
  }
  for (const item of outsideWork(context.holder.state)) {
    const isDue = msOf(item.checkpoint_at) <= msOf(nowOf(context));
    if (!isDue && !when.isFirst) continue;
    const isBack = yield* look(context, item);
    if (isBack) return;
  }
}

function outsideWork({ dispatches }: ProjectState): SentDispatch[] {
  return dispatches.filter(
    (item): item is SentDispatch => item.status === "sent" && item.worker.kind === "outside",
  );
}

/** @returns whether its task is being validated now */
async function* takeMessage(context: RunContext, inbox: Inbox, found: Found): Steps<boolean> {
  if (found.kind === "foreign") {
    ignore(context, { name: found.name }, found.why);
    inbox.setAside(found.name, context.host);
    return false;
  }
  const { kind: _, bytes, ...file } = found;
  const message = readMessage(file.name, context.checks.redact(bytes.toString("utf8")));
  if (typeof message === "string") {
    ignore(context, file, message);
    inbox.setAside(file.name, context.host);
    return false;
  }
  const { store, holder } = context;
  const isKnown = isTaken(store.journal(holder.state.project_id), file);
  const isBack = isKnown ? false : yield* heed(context, message, file);
  // Where its branch had to be followed first, and something else came of that, it is taken in the next round.
  if (isKnown || isTaken(store.journal(holder.state.project_id), file)) inbox.remove(file.name);
  return isBack;
}

async function* heed(context: RunContext, message: Message, file: MessageFile): Steps<boolean> {
  const { words } = message;
  const judged = judgeMessage(context.holder.state, message);
  switch (judged.kind) {
    case "ignored":
      ignore(context, file, judged.why, words);
      return false;
    case "failed": {
      const lost = { dispatch_id: judged.dispatch.id, reason: judged.reason, message: file };
      yield { event: { kind: "dispatch-lost", ...fact(context), ...lost } };
      return false;
    }
    case "back":
      yield* comeBack(context, judged.dispatch, words, file);
      return true;
    case "look": {
      const { dispatch } = judged;
      if ((yield* isThere(context, dispatch)) !== null) {
        yield* comeBack(context, dispatch, words, file);
        return true;
      }
      const why = `${dispatch.id} is reported as back, but its return condition does not hold: ${returnText(dispatch.returns)}`;
      ignore(context, file, why, words);
      return false;
    }
    default:
      return judged satisfies never;
  }
}

/** A result that changes nothing is a fact all the same, with what it said. */
function ignore(
  context: RunContext,
  { name, ...which }: Pick<MessageFile, "name">,
  why: string,
  said?: string,
): void {
  const message = { name, ...which };
  const words = said === undefined ? {} : { said: shortened(said) };
  announce(context, "result-ignored", `inbox/${name} changes nothing: ${why}`, {
    message,
    ...words,
  });
}

/** @returns whether it is back */
async function* look(context: RunContext, item: SentDispatch): Steps<boolean> {
  const seen = yield* isThere(context, item);
  if (seen !== null) {
    yield* comeBack(context, item, seen);
    return true;
  }
  yield { event: looked(context, item) };
  return false;
}

/** What its worker committed counts before it is judged: the branch is followed first. */
async function* comeBack(
  context: RunContext,
  item: SentDispatch,
  words: string,
  message?: MessageFile,
): Steps {
  if (!isSessionsFile(context)) yield* followBranch(context);
  if (!isOut(context, item.id) || !canValidate(context.holder.state)) return;
  const { id: dispatch_id } = item;
  const record = { dispatch_id, words };
  const path = keptPath("artifacts", "dispatches", `${dispatch_id}.json`);
  context.holder.keepWithNext(path, `${JSON.stringify(record, null, 2)}\n`);
  const back = { dispatch_id, result: shortened(words), ...(message && { message }) };
  yield { event: { kind: "result-consumed", ...fact(context), ...back } };
}

function isOut({ holder }: RunContext, id: DispatchId): boolean {
  return holder.state.dispatches.some((item) => item.id === id && item.status === "sent");
}

/** What was seen of it where it is back; null where it is not. */
async function* isThere(context: RunContext, item: SentDispatch): Steps<string | null> {
  const { returns } = item;
  switch (returns.kind) {
    case "exit":
    case "message":
      return null;
    case "file":
      return isPlainFile(context.holder.entry.root, returns.path)
        ? `${returns.path} is there`
        : null;
    case "command":
    case "url": {
      const task = context.holder.state.tasks.find(({ id }) => id === item.task_id);
      return task === undefined ? null : yield* checkSays(context, task, asCheck(returns));
    }
    default:
      return returns satisfies never;
  }
}

function asCheck(returns: Extract<ReturnCondition, { kind: "command" | "url" }>): Check {
  if (returns.kind === "command") return returns;
  const { kind: _, ...address } = returns;
  return { kind: "http", method: "GET", ...address };
}

/** As any check: in the workspace, on the last verified work, and what it changes is put back. */
async function* checkSays(context: RunContext, task: Task, check: Check): Steps<string | null> {
  const { tree } = await layWork(context, [task]);
  const [run] = yield* runChecks(context, task, { checks: [check], when: "before" });
  await layTree(context, tree);
  return run?.passed === true ? [run.summary, run.output].join("\n").trim() : null;
}

/** In the person's own files, below their root; a link on the way leads anywhere. */
function isPlainFile(root: string, path: string): boolean {
  const real = realpathSync(root);
  const at = join(real, normalize(path));
  try {
    return realpathSync(dirname(at)) === dirname(at) && lstatSync(at).isFile();
  } catch {
    return false;
  }
}
