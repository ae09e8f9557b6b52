// `new`: makes a project from a manifest. Refuses one without a goal or a finite list of steps, says
// every problem at once, and advises against a project for a single task (S1-1, S3-2, S4-16).
import { basename } from "node:path";
import { type BudgetsSet, type BudgetTexts, readBudgets } from "../core/written/bounds.ts";
import { createProject } from "../core/step/manifest.ts";
import { type AgentId, newProjectId, parseAgentId, slugify, type Slug } from "../core/ids.ts";
import type { Instant } from "../core/instant.ts";
import type { Config } from "../core/schema/config.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { NewView } from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
import { lintManifest } from "../manifest/lint/lint-manifest.ts";
import { assignIds } from "../manifest/edit/match-tasks.ts";
import { areLimitsStrict, type Plan, toIntents } from "../manifest/plan.ts";
import type { Problem } from "../manifest/problem.ts";
import { sha256Of } from "../store/digest.ts";
import { excludeFromCommits } from "../store/repository.ts";
import { limitsOf } from "./lint.ts";
import { ManifestRefused } from "./manifest-refused.ts";
import { openManifest, stemOf } from "./manifest-file.ts";
import { projectView } from "./project-view.ts";
import { readConfig } from "./run/read-config.ts";
import { nowOf, type System } from "./system.ts";
import { unknownCopies, withoutShadow } from "./health/unknown-copies.ts";

export interface NewInput {
  readonly manifest: string;
  /** Identity of the orchestrator. */
  readonly as?: string | undefined;
}

export async function newProject(system: System, input: NewInput): Promise<NewView> {
  const { repository, path, text } = openManifest(system.cwd, input.manifest);
  const config = await readConfig(repository.root);
  const owner = ownerOf(input.as ?? config.owner_agent ?? "stint");
  const { plan, problems } = lintManifest(text, limitsOf(config));
  refuseErrors(input.manifest, problems);

  const at = nowOf(system);
  const project_id = newProjectId((count) => system.host.randomBytes(count));
  const projectsFolder = `${config.root ?? "agents"}/${owner}/projects`;
  const { root } = repository;
  const copy = (await unknownCopies(system, root)).find(
    ({ state }) => state.manifest.path === path,
  );
  if (copy !== undefined) throw withoutShadow(root, copy);
  excludeFromCommits(repository, `/${projectsFolder}/`);
  const created = system.store.create({
    entry: { project_id, owner_agent: owner, root, manifest: path, created_at: at },
    slug: slugify(stemOf(path), "project" as Slug),
    projectsFolder,
    manifestText: text,
    firstState: (slug) =>
      planToState(plan, { slug, root, path, text, owner, at, config, project_id }),
    happening: {
      at,
      kind: "project-created",
      by: system.user,
      summary: `created from ${path} with ${plan.tasks.length} tasks`,
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
    next: `stint status ${entry.project_id}`,
  };
}

interface Placing {
  readonly slug: Slug;
  readonly root: string;
  readonly path: string;
  readonly text: string;
  readonly owner: AgentId;
  readonly at: Instant;
  readonly config: Config;
  readonly project_id: ProjectState["project_id"];
}

/** The first state of a project from its plan. */
export function planToState(plan: Plan, placing: Placing): ProjectState {
  const { ids } = assignIds([], plan.tasks, 1);
  const intents = toIntents(plan.tasks, ids);
  return createProject({
    project_id: placing.project_id,
    slug: placing.slug,
    repo_id: basename(placing.root) || "repository",
    owner_agent: placing.owner,
    goal: plan.goal,
    success_criteria: plan.successCriteria,
    tasks: intents.map((intent, index) => ({
      intent,
      checked: plan.tasks[index]?.box.checked ?? false,
    })),
    manifest: { path: placing.path, digest: sha256Of(placing.text) },
    at: placing.at,
    limits: limitsOf(placing.config),
    strict: areLimitsStrict(plan),
    budgets: {
      ...budgetsIn(placing.config.budgets),
      ...budgetsIn(plan.settings["budgets"] as Config["budgets"]),
    },
  });
}

/** Judged when they were read. */
function budgetsIn(written: Config["budgets"]): BudgetsSet {
  const texts = Object.entries(written ?? {}).map(([kind, value]) => [kind, String(value)]);
  return readBudgets(Object.fromEntries(texts) as BudgetTexts).set;
}

function refuseErrors(file: string, problems: readonly Problem[]): void {
  const errors = problems.filter((problem) => problem.severity === "error");
  if (errors.length > 0) throw new ManifestRefused(file, problems);
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
