// What a shell may offer to complete: open approvals and questions, tasks, sessions, dispatches, projects. Reads the
// registry and the last state of the project that is meant, nothing else; whatever fails, nothing is offered.
import { isFinished } from "../../core/eligibility.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { Task } from "../../core/schema/task.ts";
import { findRepository } from "../../store/repository.ts";
import type { RegistryEntry } from "../../store/store.ts";
import type { System } from "../system.ts";

export interface Offer {
  readonly word: string;
  readonly means: string;
}

/** What of a project is offered. */
export type OfferKind =
  | "approvals"
  | "proposals"
  | "questions"
  | "tasks"
  | "unfinished-tasks"
  | "stopped-tasks"
  | "done-tasks"
  | "sessions"
  | "session-numbers"
  | "dispatches"
  | "projects";

export interface OffersWanted {
  readonly kinds: readonly OfferKind[];
  /** What is typed of it so far. */
  readonly current: string;
}

const MOST = 200;
const MOST_SESSIONS = 20;
/** A shell takes anything else apart. */
const PLAIN = /^[\w.:@+/-]+$/;

export function offers(system: System, { kinds, current }: OffersWanted): Offer[] {
  const entries = system.store.list();
  const meant = kinds.some((kind) => kind !== "projects") ? inThisTree(system, entries) : [];
  const states = meant.flatMap((entry) => stateOf(system, entry) ?? []);
  const found = kinds.flatMap((kind) =>
    kind === "projects"
      ? entries.map(({ project_id, slug }) => ({ word: project_id, means: slug, alias: slug }))
      : states.flatMap((state) => OFFERED[kind](state)),
  );
  return withAliases(found, current)
    .filter(({ word }) => PLAIN.test(word) && word.startsWith(current))
    .slice(0, MOST);
}

/** Whoever means another project has not named it yet: that comes last. */
function inThisTree({ cwd }: System, entries: readonly RegistryEntry[]): readonly RegistryEntry[] {
  const { root } = findRepository(cwd);
  return entries.filter((entry) => entry.root === root);
}

function stateOf({ store }: System, { project_id }: RegistryEntry): ProjectState | undefined {
  try {
    return store.read(project_id).state;
  } catch {
    // A damaged one offers nothing; its verbs say what is wrong.
    return undefined;
  }
}

interface Found extends Offer {
  /** Another word for the same, offered once somebody has begun to type. */
  readonly alias?: string;
}

function withAliases(found: readonly Found[], current: string): Offer[] {
  const offered = new Map<string, Offer>();
  for (const { word, means, alias } of found) {
    if (!offered.has(word)) offered.set(word, { word, means });
    const isAsked = current !== "" && alias !== undefined && !offered.has(alias);
    if (isAsked) offered.set(alias, { word: alias, means });
  }
  return [...offered.values()];
}

const OFFERED: Readonly<Record<Exclude<OfferKind, "projects">, (state: ProjectState) => Found[]>> =
  {
    approvals: ({ approval_items }) =>
      approval_items
        .filter(({ status }) => status === "open")
        .map(({ id, reason, kind }) => ({
          word: id,
          means: reason,
          ...(kind === "plan" && { alias: "plan" }),
        })),
    proposals: ({ approval_items }) =>
      approval_items
        .filter(({ status, kind }) => status === "open" && kind === "proposal")
        .map(({ id, reason }) => ({ word: id, means: reason })),
    questions: ({ questions }) =>
      questions
        .filter(({ status }) => status === "open")
        .map(({ id, text }) => ({ word: id, means: text })),
    tasks: (state) => tasksOf(state, ({ status }) => status !== "superseded"),
    "unfinished-tasks": (state) => tasksOf(state, (task) => !isFinished(task)),
    "stopped-tasks": (state) =>
      tasksOf(state, ({ status }) => status === "blocked" || status === "skipped"),
    "done-tasks": (state) => tasksOf(state, ({ status }) => status === "done"),
    sessions: (state) => sessionsOf(state, "s"),
    "session-numbers": (state) => sessionsOf(state, ""),
    dispatches: ({ dispatches }) =>
      dispatches
        .filter(({ status }) => status === "sent")
        .map(({ id, owner, objective }) => ({ word: id, means: `${owner}: ${objective}` })),
  };

/** The last one first. */
function sessionsOf({ counters }: ProjectState, prefix: string): Found[] {
  return Array.from({ length: Math.min(counters.sessions, MOST_SESSIONS) }, (_, index) => ({
    word: `${prefix}${counters.sessions - index}`,
    means: `session ${counters.sessions - index}`,
  }));
}

function tasksOf({ tasks }: ProjectState, isWanted: (task: Task) => boolean): Found[] {
  return tasks.filter(isWanted).map(({ id, title, name }) => ({
    word: id,
    means: title,
    alias: name,
  }));
}
