// `new`: makes a project from a manifest. Refuses one without a goal or a finite list of steps, says
// every problem at once, and advises against a project for a single task (S1-1, S3-2, S4-16).
import { counted } from "../core/words/amounts.ts";
import { basename, resolve } from "node:path";
import { type BudgetsSet, type BudgetTexts, readBudgets } from "../core/written/bounds.ts";
import { createProject } from "../core/step/manifest.ts";
import {
  type AgentId,
  newProjectId,
  parseAgentId,
  type ProjectId,
  type Slug,
  slugify,
} from "../core/ids.ts";
import type { Instant } from "../core/instant.ts";
import type { Config } from "../core/schema/config.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { NewView } from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
import { namesForManifest } from "../agents/agents.ts";
import { agentProblems } from "../engine/people/agent-problems.ts";
import { lintManifest } from "../manifest/lint/lint-manifest.ts";
import { assignIds } from "../manifest/edit/match-tasks.ts";
import { parseManifest } from "../manifest/parse-manifest.ts";
import { byLine, isError } from "../manifest/problem.ts";
import { areLimitsStrict, statePageOf, type Plan, toIntents } from "../manifest/plan.ts";
import { sha256Of } from "../store/digest.ts";
import { excludeFromCommits } from "../store/repository.ts";
import type { RegistryEntry } from "../store/store.ts";
import type { NormalisedManifest } from "../manifest/normalise-manifest.ts";
import { limitsOf } from "./lint.ts";
import { ManifestRefused } from "./faults.ts";
import {
  assertFileName,
  inNoRepository,
  openManifest,
  scriptsBelow,
  USUAL_MANIFEST,
} from "./manifest-file.ts";
import { projectView } from "./status.ts";
import { assertKnownAgents } from "./run/known-agents.ts";
import { readConfig } from "./run/read-config.ts";
import { nowOf, type System } from "./system.ts";
import {
  isFileThere,
  isThere,
  resolveProject,
  unknownCopies,
  usualManifest,
  withoutShadow,
} from "./resolve-project.ts";

export interface NewInput {
  /** Without one, prompt.md of the current folder. */
  readonly manifest?: string | undefined;
  /** Identity of the orchestrator. */
  readonly as?: string | undefined;
  /** A folder of the work tree, where the manifest lies elsewhere. */
  readonly workTree?: string | undefined;
  /** What was called, to be called again; absent: `new`. */
  readonly verb?: "plan" | "run" | undefined;
  /** Refuses what cannot be done with it, before anything is created. */
  readonly judge?: (made: ToBeMade) => void;
}

/** What a project would be made of. */
export interface ToBeMade {
  readonly plan: Plan;
  readonly config: Config;
  readonly root: string;
  readonly hasGit: boolean;
}

export async function newProject(system: System, input: NewInput): Promise<NewView> {
  const { cwd } = system;
  const manifest = input.manifest ?? USUAL_MANIFEST;
  const opened = openManifest(cwd, manifest, input.workTree);
  const { repository, path, text, name: called } = opened;
  const hasGit = repository.gitFolder !== null;
  if (!hasGit && input.workTree === undefined) {
    throw inNoRepository(cwd, manifest, { folder: repository.root, verb: input.verb ?? "new" });
  }
  const config = await readConfig(repository.root);
  const owner_agent = ownerOf(input.as ?? config.owner_agent ?? "stint");
  const names = namesForManifest(system.agents);
  const { plan, problems } = flawlessPlan(manifest, text, { config, root: repository.root, names });
  const judge = input.judge ?? ((made: ToBeMade) => assertKnownAgents(system, {}, made));
  judge({ plan, config, root: repository.root, hasGit });

  const at = nowOf(system);
  const project_id = newProjectId((count) => system.host.randomBytes(count));
  const projectsFolder = `${config.root ?? "agents"}/${owner_agent}/projects`;
  const { root } = repository;
  const copy = (await unknownCopies(system, root)).find(
    ({ state }) => state.manifest.path === path,
  );
  if (copy !== undefined) throw withoutShadow(root, copy);
  const elsewhere = system.store
    .list()
    .find(
      (entry) => entry.root !== root && resolve(entry.root, entry.manifest) === resolve(root, path),
    );
  if (elsewhere !== undefined) throw worksElsewhere(elsewhere, manifest, input.workTree ?? root);
  excludeFromCommits(repository, `/${projectsFolder}/`);
  const named = { project_id, owner_agent, root, manifest: path };
  const created = system.store.create({
    entry: { ...named, created_at: at },
    slug: slugify(called, "project" as Slug),
    projectsFolder,
    manifestText: text,
    firstState: (slug) => planToState(plan, { ...named, slug }, { text, at, config }),
    happening: {
      at,
      kind: "project-created",
      by: system.user,
      summary: `created from ${path} with ${counted(plan.tasks.length, "task")}`,
    },
  });
  const { state, entry } = created;
  return {
    project: projectView(entry, state),
    status: state.status,
    tasks: state.tasks.map(({ id, name, title, status }) => ({
      id,
      name,
      title,
      done: status === "done",
    })),
    problems: [...problems],
    next: `stint plan ${entry.project_id}`,
  };
}

type Placed = Pick<RegistryEntry, "project_id" | "slug" | "owner_agent" | "root" | "manifest">;

/** The first state of a project from its plan. */
export function planToState(
  plan: Plan,
  { project_id, slug, owner_agent, root, manifest }: Placed,
  { text, at, config }: { readonly text: string; readonly at: Instant; readonly config: Config },
): ProjectState {
  const ids = assignIds([], plan.tasks, 1);
  const page = statePageOf(plan);
  return createProject({
    project_id,
    slug,
    repo_id: basename(root) || "repository",
    owner_agent,
    goal: plan.goal,
    success_criteria: plan.successCriteria,
    tasks: toIntents(plan.tasks, ids).map((intent, index) => ({
      intent,
      checked: plan.tasks[index]?.box.checked ?? false,
    })),
    manifest: { path: manifest, digest: sha256Of(text) },
    at,
    limits: limitsOf(config),
    strict: areLimitsStrict(plan),
    watched: config.watchdog !== "off",
    ...(page === undefined ? {} : { page }),
    budgets: {
      ...budgetsIn(config.budgets),
      ...budgetsIn(plan.settings["budgets"] as Config["budgets"]),
    },
  });
}

/** Judged when they were read. */
function budgetsIn(written: Config["budgets"]): BudgetsSet {
  const texts = Object.entries(written ?? {}).map(([kind, value]) => [kind, String(value)]);
  return readBudgets(Object.fromEntries(texts) as BudgetTexts).set;
}

interface JudgedBy {
  readonly config: Config;
  readonly root: string;
  /** All agents that it may name; absent: whoever is named is believed. */
  readonly names?: readonly string[];
}

/** The plan of a manifest without errors. @throws ManifestRefused */
export function flawlessPlan(
  file: string,
  text: string,
  { config, root, names }: JudgedBy,
): NormalisedManifest {
  const { plan, problems: found } = lintManifest(text, limitsOf(config), scriptsBelow(root));
  const ofAgents = names === undefined ? [] : agentProblems(parseManifest(text), plan, names);
  const problems = [...found, ...ofAgents].toSorted(byLine);
  if (problems.some(isError)) throw new ManifestRefused(file, problems);
  return { plan, problems };
}

function ownerOf(text: string): AgentId {
  const owner = parseAgentId(text);
  if (owner !== undefined) return owner;
  throw new StintError(
    "bad-input",
    `"${text}" cannot be the owner: it becomes a folder name`,
    "Use lower-case letters, digits and hyphens: --as night-shift",
  );
}

/** `resumes`: only what is there already is meant. */
export type ToWorkOn = Pick<NewInput, "workTree" | "judge" | "verb"> & {
  readonly resumes?: boolean;
};

/** The project of a target; without one, of this work tree, or of prompt.md. A manifest gets its project here. */
export async function projectFor(
  system: System,
  named: string | undefined,
  { workTree, judge, verb, resumes }: ToWorkOn = {},
): Promise<ProjectId> {
  const target = named ?? (resumes === true ? undefined : usualManifest(system));
  const path = target === undefined ? undefined : resolve(system.cwd, target);
  if (target === undefined || path === undefined) return resolveProject(system, target);
  assertFileName(target);
  if (!isFileThere(path)) return await namedProject(system, target);
  const known = await knownProject(system, target);
  if (known !== undefined) {
    if (workTree !== undefined) assertSameTree(system, known, { target, workTree });
    return known;
  }
  const made = { manifest: target, workTree, verb, ...(judge !== undefined && { judge }) };
  return (await newProject(system, made)).project.id;
}

/** What is there and belongs to no project may be meant for a manifest: then it is told why it is none. */
async function namedProject(system: System, target: string): Promise<ProjectId> {
  try {
    return await resolveProject(system, target);
  } catch (error) {
    const isUnknown = error instanceof StintError && error.code === "not-found";
    if (isUnknown && isThere(resolve(system.cwd, target))) openManifest(system.cwd, target);
    throw error;
  }
}

function assertSameTree(
  { store, cwd }: System,
  id: ProjectId,
  { target, workTree }: { readonly target: string; readonly workTree: string },
): void {
  const { entry } = store.read(id);
  if (openManifest(cwd, target, workTree).repository.root === entry.root) return;
  throw worksElsewhere(entry, target, workTree);
}

function worksElsewhere(
  { project_id: id, root }: RegistryEntry,
  target: string,
  workTree: string,
): StintError {
  return new StintError(
    "bad-input",
    `${target} already has a project, ${id}, which works in ${root}, not in ${workTree}`,
    `Continue it: stint run ${id}; for another work tree, make a copy of the manifest`,
  );
}

/** Undefined also where its creation was interrupted: it is finished like a new one. */
async function knownProject(system: System, manifest: string): Promise<ProjectId | undefined> {
  try {
    const id = await resolveProject(system, manifest);
    return system.store.wasCutShort(id) ? undefined : id;
  } catch (error) {
    if (error instanceof StintError && error.code === "not-found") return undefined;
    throw error;
  }
}
