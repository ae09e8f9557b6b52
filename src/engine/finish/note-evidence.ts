// Evidence that travels: what a commit was verified by, as a note on it, for whoever has a clone and nothing
// else. Made from the state and the records of its checks. It follows the commit and comes before the push; no
// work ever waits for it, and what could not be noted is noted before the end.
import { basename } from "node:path";
import { describeCheck } from "../../checks/check-text.ts";
import { isAskedRecord } from "../../checks/evidence.ts";
import {
  evidenceStatement,
  markedSince,
  notedTask,
  type StatementFacts,
  type Subject,
  tellsOf,
} from "../../core/evidence/evidence-statement.ts";
import { readNote } from "../../core/evidence/note-lines.ts";
import { pathInTree } from "../../core/files.ts";
import type { TaskId } from "../../core/ids.ts";
import { judgeKept } from "../../core/json-line.ts";
import type { DoneTask } from "../../core/project-state.ts";
import {
  actRecord,
  checkRecord,
  evidenceEnvelope,
  evidenceStatement as statement,
  type EvidenceStatement,
  type NotedCheck,
} from "../../core/schema/evidence-note.ts";
import type { Evidence } from "../../core/schema/task.ts";
import { StintError } from "../../core/stint-error.ts";
import { fewOf } from "../../core/words/amounts.ts";
import { oneLine } from "../../core/words/plain-line.ts";
import { shownAddress } from "../../core/written/address.ts";
import { keptPath } from "../../store/store.ts";
import type { EvidenceLine } from "../../workspace/workspace.ts";
import { keepKnownCommits } from "../base/kept-record.ts";
import type { RunContext } from "../base/run-context.ts";

type Tasks = readonly DoneTask[];
type More = Pick<StatementFacts, "marked" | "replayed" | "proof">;

/** For the commit that is about to be made for these tasks. */
export function evidenceFor(context: RunContext, tasks: Tasks): (subject: Subject) => string {
  return (subject) => payloadOf(context, subject, tasks, marked(context));
}

/** Notes on a commit what it does not say of these tasks yet. */
export async function noteCommit(context: RunContext, tasks: Tasks, commit: string): Promise<void> {
  await orSayWhy(context, async () => {
    await noteUnsaid(context, new Map([[commit, tasks]]), () => marked(context));
  });
}

interface MadeAnew {
  /** The commit that it was made from. */
  readonly old: string;
  readonly tasks: Tasks;
}

/** Commits that were made anew where a branch had moved, by their new ids; the checks of their tasks ran at `at`. */
export async function noteReplayed(
  context: RunContext,
  made: ReadonlyMap<string, MadeAnew>,
  at: string,
): Promise<void> {
  if (made.size === 0) return;
  await orSayWhy(context, async () => {
    const tasks = new Map([...made].map(([now, each]) => [now, each.tasks]));
    const before = await context.space.notes([...made.values()].map(({ old }) => old));
    await noteUnsaid(context, tasks, (now) => {
      const { old = now } = made.get(now) ?? {};
      const said = saidOf(context, before.get(old));
      const marks = said.flatMap(({ predicate }) => predicate.stint.marked ?? []);
      return { replayed: { from: old, checked_at: at }, marked: marks };
    });
  });
}

/** Before the end: whatever a kill, or a repository that was busy, left without its note. */
export async function noteWhatIsMissing(context: RunContext): Promise<void> {
  // A commit of the person's own may hold more than was verified.
  const ours = new Set(keepKnownCommits(context, []));
  const byCommit = new Map<string, DoneTask[]>();
  for (const task of context.holder.state.tasks) {
    if (task.status !== "done" || task.commit === undefined || !ours.has(task.commit)) continue;
    byCommit.set(task.commit, [...(byCommit.get(task.commit) ?? []), task]);
  }
  if (byCommit.size === 0) return;
  await orSayWhy(context, async () => await noteUnsaid(context, byCommit, () => ({})));
}

interface ProvenCheck {
  readonly task_id: TaskId;
  readonly check: string;
}

/** A proof is about the commit that was proven: a line of its own there, once. */
export async function noteProof(context: RunContext): Promise<void> {
  const { space, holder } = context;
  const { proof } = holder.state;
  if (proof?.kind !== "proven") return;
  const { commit, at, checks, sha256, superseded, elsewhere } = proof;
  await orSayWhy(context, async () => {
    const said = saidOf(context, (await space.notes([commit])).get(commit));
    const tree = (await space.treesOf([commit])).get(commit);
    if (tree === undefined || said.some((each) => each.predicate.stint.proof?.at === at)) return;
    const named = ({ task_id, check }: ProvenCheck): ProvenCheck => ({
      task_id,
      check: tellable(context, check),
    });
    const noted = {
      at,
      checks,
      evidence_sha256: sha256,
      ...(superseded.length === 0 ? {} : { superseded: superseded.map(named) }),
      ...(elsewhere.length === 0 ? {} : { elsewhere: elsewhere.map(named) }),
    };
    const payload = payloadOf(context, { commit, tree }, [], { proof: noted });
    for (const text of await space.note([{ commit, payload }]))
      context.tell({ kind: "notice", text });
  });
}

/** A note that cannot be written stops nothing. */
async function orSayWhy({ tell }: RunContext, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
    tell({ kind: "notice", text: `the evidence could not be noted: ${error.message}` });
  }
}

function marked({ holder }: RunContext): More {
  return { marked: markedSince(holder.state.tasks) };
}

async function noteUnsaid(
  context: RunContext,
  byCommit: ReadonlyMap<string, Tasks>,
  more: (commit: string) => More,
): Promise<void> {
  const { space, tell } = context;
  const missing = await unsaid(context, byCommit);
  const trees = await space.treesOf([...missing.keys()]);
  const lines = [...missing].flatMap(([commit, tasks]): EvidenceLine[] => {
    const tree = trees.get(commit);
    if (tree === undefined) return [];
    return [{ commit, payload: payloadOf(context, { commit, tree }, tasks, more(commit)) }];
  });
  for (const text of await space.note(lines)) tell({ kind: "notice", text });
}

/** Those of the tasks that no note on their commit tells of. */
async function unsaid(
  context: RunContext,
  byCommit: ReadonlyMap<string, Tasks>,
): Promise<ReadonlyMap<string, Tasks>> {
  const { space, holder } = context;
  const notes = await space.notes([...byCommit.keys()]);
  const { project_id } = holder.state;
  const missing = [...byCommit].map(([commit, tasks]) => {
    const said = saidOf(context, notes.get(commit));
    const untold = tasks.filter((task) => !said.some((each) => tellsOf(each, project_id, task)));
    return [commit, untold] as const;
  });
  return new Map(missing.filter(([, tasks]) => tasks.length > 0));
}

/** What a note says of this project. */
function saidOf({ holder }: RunContext, note = ""): readonly EvidenceStatement[] {
  const { said } = readNote(note, { envelope: evidenceEnvelope, statement });
  const { project_id } = holder.state;
  return said
    .map((each) => each.statement)
    .filter(({ predicate }) => predicate.stint.project === project_id);
}

function payloadOf(context: RunContext, subject: Subject, tasks: Tasks, more: More): string {
  const { state, entry } = context.holder;
  const facts = {
    project: state.project_id,
    // A path that leads out of the repository says nothing elsewhere.
    manifest: pathInTree(entry.manifest) ?? basename(entry.manifest),
    tasks: tasks.map((task) => notedTask(task, checksOf(context, task))),
    ...more,
  };
  return JSON.stringify(evidenceStatement(subject, facts));
}

function checksOf(context: RunContext, { evidence }: DoneTask): NotedCheck[] {
  return evidence.flatMap((each) => (each.kind === "check" ? checkOf(context, each) : []));
}

const MOST_TEXT = 1000;

/** As its record tells it; a picture is told of by the record beside it. */
function checkOf(
  context: RunContext,
  { path, sha256 }: Extract<Evidence, { kind: "check" }>,
): NotedCheck[] {
  if (!path.endsWith(".json") || isAskedRecord(path)) return [];
  const { store, holder } = context;
  const bytes = store.kept(holder.state.project_id, keptPath(...path.split("/")));
  const kept = bytes?.toString("utf8") ?? "";
  const check = judgeKept(kept, checkRecord);
  const act = judgeKept(kept, actRecord);
  const words = check.ok ? describeCheck(check.value.check) : act.ok ? act.value.act : "a check";
  return [
    {
      text: tellable(context, words),
      kind: check.ok ? check.value.check.kind : act.ok ? "act" : "unknown",
      result: check.ok ? check.value.result : "passed",
      evidence_sha256: sha256,
    },
  ];
}

/** On one line, without secrets and without the password of an address. */
function tellable({ checks }: RunContext, words: string): string {
  const address = /[a-z][a-z0-9+.-]*:\/\/[^\s"'`]+/gi;
  return oneLine(checks.redact(words)).replace(address, shownAddress).slice(0, MOST_TEXT);
}

const MOST_IN_MESSAGE = 160;

/** What a commit says of a task in its message: true for whoever reads it. */
export function verifiedBy(context: RunContext, task: DoneTask): string {
  const checks = checksOf(context, task).map(({ text }) => text.slice(0, MOST_IN_MESSAGE));
  const others = task.evidence.flatMap((each): string[] => {
    switch (each.kind) {
      case "check":
        return [];
      case "diff":
        return ["files changed"];
      case "person":
        return [`${each.who} said yes`];
      case "chunks":
        return [`its parts ${fewOf(each.tasks)}`];
      default:
        return each satisfies never;
    }
  });
  const { labels = [] } = task;
  const words = fewOf([...checks, ...others].map(oneLine));
  return labels.length === 0 ? words : `${words} (${labels.join(", ")})`;
}
