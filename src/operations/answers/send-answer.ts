// One answer of a person, from the command to what came of it. What is typed is complete before anybody's lease is asked
// for. Only the holder of the lease writes: where no run holds it, the answer is carried out here; where one does, it is
// left as a sealed letter, and the run's line in the journal is its receipt.
import type { AnswerView, StatusView } from "../../core/schema/views.ts";
import { StintError } from "../../core/stint-error.ts";
import { shellWord } from "../../core/written/commands.ts";
import { assertPerson, nowOf, type System } from "../system.ts";
import { ANSWER_VERBS, type AnswerVerb, type AnswerVerbName } from "./answer-verbs.ts";
import { namesForManifest } from "../../agents/agents.ts";
import { type Answer, judgeAnswer, type Letter } from "../../core/answers.ts";
import { newAnswerId, type ProjectId } from "../../core/ids.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { carryOutAnswer, type Receipt, receiptOf } from "../../engine/people/carry-out-answer.ts";
import { takeAllAnswers } from "../../engine/people/take-answers.ts";
import { nextSteps, stopNowCommand } from "../../report/next-steps.ts";
import type { Holder } from "../../store/store.ts";
import { checkoutOf } from "../manifest-file.ts";
import { resolveProject } from "../resolve-project.ts";
import { status } from "../status.ts";
import { acquireIfFree, whileHeld } from "../run/lease.ts";

export interface AnswerInput {
  /** An approval, a question, a proposal or a task, as the verb wants it. */
  readonly subject?: string | undefined;
  readonly text?: string | undefined;
  readonly reason?: string | undefined;
  readonly now?: boolean;
  readonly project?: string | undefined;
}

export async function giveAnswer(
  system: System,
  name: AnswerVerbName,
  input: AnswerInput,
): Promise<AnswerView> {
  const verb: AnswerVerb = ANSWER_VERBS[name];
  const { subject = "", text = "", project, now = false } = input;
  const reason = input.reason?.trim() ?? "";
  if (verb.reason === "needed" && reason === "") throw await withoutReason(system, name, input);
  if (verb.text !== undefined && text.trim() === "") throw withoutText(name, input);
  let later: readonly string[] = [];
  const view = await sendAnswer(system, {
    project,
    answer: (state) =>
      verb.answer({
        system,
        state,
        subject,
        text,
        reason,
        now,
        notCovered(what) {
          later = what;
        },
      }),
  });
  return { ...view, not_covered: [...later] };
}

/** It is kept for good, and sessions read it. A last word that names no project was meant as the reason. */
async function withoutReason(
  system: System,
  name: AnswerVerbName,
  { subject, project }: AnswerInput,
): Promise<StintError> {
  const isProject = project === undefined || (await isResolved(system, project));
  const given = isProject ? typed(name, subject, project) : typed(name, subject);
  return new StintError(
    "bad-input",
    `stint ${name} needs a reason: it is kept in the journal`,
    `For example: ${given} --reason ${isProject ? reasonIn(ANSWER_VERBS[name]) : shellWord(project)}`,
  );
}

async function isResolved(system: System, project: string): Promise<boolean> {
  try {
    await resolveProject(system, project);
    return true;
  } catch (error) {
    if (error instanceof StintError && error.code === "not-found") return false;
    throw error;
  }
}

/** As the help of the verb has it, in quotes. */
function reasonIn({ examples }: AnswerVerb): string {
  const written = examples.map(([command]) => /--reason (".*")/.exec(command)?.[1]);
  return written.find((reason) => reason !== undefined) ?? '"why"';
}

function withoutText(name: AnswerVerbName, { subject, project }: AnswerInput): StintError {
  const example = [typed(name, subject), '"Use PostgreSQL 16"', project && shellWord(project)];
  return new StintError(
    "bad-input",
    "the answer is empty",
    `For example: ${example.filter(Boolean).join(" ")}`,
  );
}

/** The command as the person began it. */
function typed(...words: readonly (string | undefined)[]): string {
  const given = words.filter((word) => word !== undefined);
  return ["stint", ...given.map(shellWord)].join(" ");
}

export interface AnswerToSend {
  readonly project?: string | undefined;
  /** From the state as it was read last, so that the answer is bound to what is asked there. */
  readonly answer: (state: ProjectState) => Answer | Promise<Answer>;
}

const CHANNEL = "command line";

/** How long a run is waited for: it takes an answer up at once, and ends a session within seconds. */
const PATIENCE_MS = 12_000;
/** A look in between, where the system does not tell of changes. */
const LOOK_MS = 100;

/** What came of it; null where it lies there for the run. */
type Done = { readonly byRun: boolean; readonly receipt: Receipt } | null;

export async function sendAnswer(system: System, input: AnswerToSend): Promise<AnswerView> {
  assertPerson(system, "an answer");
  const id = await resolveProject(system, input.project);
  const { state } = system.store.read(id);
  const letter: Letter = {
    id: newAnswerId((count) => system.host.randomBytes(count)),
    answer: await input.answer(state),
    by: system.user,
    channel: CHANNEL,
    at: nowOf(system),
  };
  // What the state already rules out needs nobody's lease.
  const judged = judgeAnswer(state, letter);
  const done: Done =
    judged.kind === "event" || judged.kind === "file" || judged.kind === "run"
      ? await deliver(system, id, letter)
      : {
          byRun: false,
          receipt:
            judged.kind === "given"
              ? { outcome: "given", text: judged.text }
              : { outcome: "refused", text: judged.reason, hint: judged.hint },
        };
  if (done?.receipt.outcome === "refused") {
    throw new StintError("refused", `${id}: ${done.receipt.text}`, done.receipt.hint);
  }
  const view = await status(system, { project: id });
  const isStopping = letter.answer.verb === "pause" && view.stop_asked !== null;
  return {
    project_id: id,
    answer_id: letter.id,
    outcome: done === null ? "left" : done.receipt.outcome === "given" ? "given" : "applied",
    what:
      done === null
        ? `your answer ${letter.id} is waiting; the run applies it when it has ended what the answer is about`
        : done.receipt.text,
    by_run: done?.byRun === true,
    is_stopping: isStopping,
    status: view.status,
    not_covered: [],
    warnings: [],
    next: view.lease.held ? whileAtWork(view) : nextSteps(view, {}),
  };
}

function whileAtWork({ project: { id }, stop_asked: stop }: StatusView): string[] {
  return [`stint status ${id}`, ...(stop?.now === false ? [stopNowCommand(id)] : [])];
}

/** Under the lease if it is free, by the run that holds it otherwise; whichever comes to pass first. */
async function deliver(system: System, id: ProjectId, letter: Letter): Promise<Done> {
  const untilMs = system.host.nowMs() + PATIENCE_MS;
  const changes = listenTo(system, id);
  let isLeft = false;
  try {
    for (;;) {
      const holder = acquireIfFree(system, id);
      if (holder !== null) {
        // oxlint-disable-next-line no-await-in-loop
        const receipt = await whileHeld(system, holder, () => carryOut(system, holder, letter));
        return { byRun: false, receipt };
      }
      if (!isLeft) system.mailbox.drop(id, letter);
      isLeft = true;
      // oxlint-disable-next-line no-await-in-loop
      const receipt = await receiptFromRun(system, { id, letter, untilMs, changes });
      if (receipt === "free") continue;
      return receipt === null ? null : { byRun: true, receipt };
    }
  } finally {
    changes.close();
  }
}

/** Null when wait ends; "free" when the run is gone and somebody else must do it. */
async function receiptFromRun(
  system: System,
  { id, letter, untilMs, changes }: Waiting,
): Promise<Receipt | "free" | null> {
  for (;;) {
    const { store, mailbox, host } = system;
    if (!mailbox.isWaiting(id, letter.id)) {
      const receipt = receiptOf(store.journal(id), letter.id);
      if (receipt !== undefined) return receipt;
      throw new StintError(
        "refused",
        `${id}: the run did not accept the answer ${letter.id} as a person's, and set it aside`,
        `See why: stint log ${id} -n 20`,
      );
    }
    if (!store.read(id).lease.held) return "free";
    if (host.nowMs() >= untilMs) return null;
    // oxlint-disable-next-line no-await-in-loop
    await changes.next();
  }
}

interface Waiting {
  readonly id: ProjectId;
  readonly letter: Letter;
  readonly untilMs: number;
  readonly changes: Changes;
}

interface Changes {
  /** When something changed, or a moment later. */
  readonly next: () => Promise<void>;
  readonly close: () => void;
}

function listenTo({ mailbox, host }: System, id: ProjectId): Changes {
  let wake = new AbortController();
  const unwatch = mailbox.watch(id, () => wake.abort());
  return {
    async next() {
      await host.sleep(LOOK_MS, wake.signal);
      wake = new AbortController();
    },
    close: unwatch,
  };
}

/** What others left before comes first; this one's own letter may be among it. */
function carryOut(system: System, holder: Holder, letter: Letter): Receipt {
  const checkout = checkoutOf(holder.entry);
  const { store, host, mailbox } = system;
  const agents = { names: namesForManifest(system.agents) };
  takeAllAnswers({ holder, store, host, checkout, agents, tell() {} }, mailbox);
  return carryOutAnswer({ holder, store, checkout, agents }, letter).receipt;
}
