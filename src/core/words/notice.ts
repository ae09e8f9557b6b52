// Who is told what: which revisions are worth interrupting a person for, and in which words. A person
// is told when they are needed, when work cannot go on, when it is done, and when a limit stopped it;
// never of what they did themselves.
import { firstEligible } from "../eligibility.ts";
import { type Instant, msOf } from "../instant.ts";
import { isPersonAwaited, isResultAwaited } from "../project-state.ts";
import type { JournalEntry, ProjectState } from "../schema/project.ts";
import type { Notice, NoticeKind, UpdateKind } from "../schema/notice.ts";
import type { Blocker } from "../schema/items.ts";
import { doneWords } from "./task-standing.ts";

/** The journal's word for: nothing new, and this is what the run is at. */
export const STATUS_UPDATE = "status-update";

/** A limit that ends sooner is waited for without a word. */
const SHORT_PAUSE_MS = 5 * 60_000;

export type NoticedEntry = Pick<JournalEntry, "revision" | "kind" | "at" | "summary">;

/** What a journal line of the project means for a person, or undefined when they need not know. */
export function noticeOf(entry: NoticedEntry, state: ProjectState): Notice | undefined {
  const said = whatToSay(entry, state) ?? updateOn(entry, state);
  if (said === undefined) return undefined;
  const { project_id: project, slug } = state;
  const { revision, at } = entry;
  const title = `${TITLES[said.kind]}: ${slug}`;
  return { id: `${project}-${revision}`, project, slug, revision, at, title, ...said };
}

const TITLES: Readonly<Record<NoticeKind, string>> = {
  "person-needed": "You are needed",
  blocked: "Blocked",
  done: "Done",
  paused: "Paused",
  update: "At work",
};

type Said = Pick<Notice, "kind" | "text" | "next" | "update">;

function whatToSay(entry: NoticedEntry, state: ProjectState): Said | undefined {
  const { project_id: id } = state;
  switch (entry.kind) {
    case "completed":
      return {
        kind: "done",
        text: `${doneWords(state.tasks)}: ${state.goal}`,
        next: `stint verify ${id}`,
      };
    case "approval-requested":
      return askedAt(entry.at, state);
    case "question-asked":
      return askedAt(entry.at, state) ?? taskStopped(entry.at, state);
    case "paused":
      return pausedBy(state);
    case "blocked":
      return nothingGoesOn(state);
    case "task-blocked":
    case "task-reopened":
    case "checks-recorded":
    case "attempt-interrupted":
    case "session-ended":
      return taskStopped(entry.at, state);
    default:
      return undefined;
  }
}

/** How the work goes on: for whoever wants every step told, at least every five minutes. */
function updateOn({ kind, at, summary }: NoticedEntry, state: ProjectState): Said | undefined {
  const update = updateKindOf(kind, at, state);
  if (update === undefined) return undefined;
  return { kind: "update", text: summary, next: `stint status ${state.project_id}`, update };
}

function updateKindOf(kind: string, at: Instant, { tasks }: ProjectState): UpdateKind | undefined {
  if (kind === "commit-recorded") return "artifact-created";
  if (kind === STATUS_UPDATE) return "next-action-in-progress";
  const isDone = tasks.some((task) => task.status === "done" && task.done_at === at);
  return isDone ? "task-completed" : undefined;
}

function askedAt(at: Instant, state: ProjectState): Said | undefined {
  const approval = state.approval_items.findLast((item) => item.asked_at === at);
  const question = state.questions.findLast((item) => item.asked_at === at);
  const asked = approval?.status === "open" ? approval.reason : undefined;
  const text = asked ?? (question?.status === "open" ? question.text : undefined);
  if (text === undefined) return undefined;
  const id = asked === undefined ? question?.id : approval?.id;
  return {
    kind: "person-needed",
    text: `${id}: ${text}`,
    next: `stint status ${state.project_id}`,
  };
}

/** Whoever asked for a pause, or pressed Ctrl-C, knows of it. */
function pausedBy({ pause, project_id: id }: ProjectState): Said | undefined {
  if (pause === null || pause.kind === "requested" || pause.kind === "signal") return undefined;
  const { resume_at, paused_at, reason } = pause;
  if (resume_at === undefined) {
    return { kind: "paused", text: reason, next: `stint resume ${id}` };
  }
  if (msOf(resume_at) - msOf(paused_at) < SHORT_PAUSE_MS) return undefined;
  return { kind: "paused", text: `${reason}; until ${resume_at}`, next: `stint status ${id}` };
}

/** A task that was blocked while others go on. Where none does, the project's own end tells it. */
function taskStopped(at: Instant, state: ProjectState): Said | undefined {
  const blocker = state.blockers.findLast((item) => item.at === at);
  if (blocker === undefined || blocker.kind === "denied") return undefined;
  if (state.status !== "Blocked" && !goesOn(state)) return undefined;
  return stopped(blocker, state.project_id);
}

function goesOn(state: ProjectState): boolean {
  return firstEligible(state) !== undefined || isPersonAwaited(state) || isResultAwaited(state);
}

/** The causes may have been told one by one; that the run is at an end because of them was not. */
function nothingGoesOn({ blockers, project_id: id }: ProjectState): Said | undefined {
  const said = stopped(blockers.at(-1), id);
  if (said === undefined) return undefined;
  const others = blockers.length > 1 ? ` (and ${blockers.length - 1} more)` : "";
  return { ...said, text: `nothing can continue: ${said.text}${others}` };
}

function stopped(blocker: Blocker | undefined, id: string): Said | undefined {
  if (blocker === undefined) return undefined;
  const next = `${blocker.unblock} (stint status ${id})`;
  return { kind: "blocked", text: blocker.reason, next, update: "blocker-found" };
}
