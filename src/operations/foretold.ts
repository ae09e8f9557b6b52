// What `lint` tells of a manifest before there is a project of it: where commits go and are pushed, where sessions work,
// what is executed, and what is asked about. `plan` tells the same of a project. Reads only.
import { actText } from "../core/acts.ts";
import { shellWord } from "../core/written/commands.ts";
import type { PushPolicy } from "../core/written/delivery-choice.ts";
import { type Slug, slugify } from "../core/ids.ts";
import type { Config } from "../core/schema/config.ts";
import type { LintView, PlanView } from "../core/schema/views.ts";
import { needsReview } from "../core/step/task-moves.ts";
import { StintError } from "../core/stint-error.ts";
import type { PushedBranch } from "../engine/base/run-context.ts";
import { workPush } from "../engine/finish/push.ts";
import { whereNewWorkGoes } from "../engine/run/announce-work.ts";
import { factsOfStart } from "../engine/space/left-out.ts";
import { isRelease, type Plan, type PlannedTask } from "../manifest/plan.ts";
import { findRepository } from "../store/repository.ts";
import { type ManifestFile, scriptsBelow } from "./manifest-file.ts";
import { chooseSettings, type ChosenSettings } from "./run/run-settings.ts";
import { freshRunId, type System } from "./system.ts";

type Foretold = NonNullable<LintView["files"][number]["foretold"]>;

/** Null where settings contradict each other: a run says which. */
export async function foretold(
  system: System,
  named: string,
  { repository, name, path }: ManifestFile,
  { plan, config }: { readonly plan: Plan; readonly config: Config },
): Promise<Foretold | null> {
  const { root, gitFolder } = repository;
  const chosen = chosenFor(system, plan, config, { root, hasGit: gitFolder !== null });
  if (chosen === null) return null;
  const { workspace, setup, serve, settings } = chosen;
  const { deliver, push } = settings;
  const slug = slugify(name, "project" as Slug);
  const work = await whereNewWorkGoes(root, slug, { kind: workspace.kind, deliver });
  const toDo = plan.tasks.filter(({ box }) => !box.checked);
  const place = workspace.kind === "own-copy" ? { root, own: [path] } : null;
  return {
    workspace: {
      kind: workspace.kind,
      setup: [...setup],
      serve: serve ?? null,
      ...(await startFacts(place, { bring: chosen.bring, includesChanges: false })),
    },
    delivery: {
      deliver,
      kind: work.kind,
      branch: work.branch,
      text: work.text,
      ...(await plannedPush(system, root, push, work.pushed)),
    },
    acts: toDo.flatMap((task) => {
      const act = actText(task);
      return act === null ? [] : [{ task: task.name, act }];
    }),
    asked: toDo.flatMap((task) =>
      askedOf(task, settings.release, root).map((when) => ({ task: task.name, when })),
    ),
    next: `stint plan ${shellWord(named)}`,
  };
}

/** What a copy of the work tree would not hold. @param place null: sessions work in the files themselves */
export async function startFacts(
  place: Parameters<typeof factsOfStart>[0] | null,
  chosen: Parameters<typeof factsOfStart>[1],
): Promise<Pick<PlanView["workspace"], "has_commit" | "left_out">> {
  if (place === null) return { has_commit: true, left_out: [] };
  const { hasCommit, leftOut } = await factsOfStart(place, chosen);
  return { has_commit: hasCommit, left_out: [...leftOut] };
}

function chosenFor(
  { env }: System,
  { settings }: Plan,
  config: Config,
  place: { readonly root: string; readonly hasGit: boolean },
): ChosenSettings | null {
  try {
    return chooseSettings({}, settings, config, { ...place, home: env["HOME"] });
  } catch (error) {
    if (error instanceof StintError) return null;
    throw error;
  }
}

function askedOf(
  task: PlannedTask,
  releases: "ask" | "auto",
  root: string,
): Foretold["asked"][number]["when"][] {
  const isReviewed = needsReview({ ...task, checks: [...task.checks] });
  const isReleaseAsked = releases === "ask" && task.approve === undefined && !isReviewed;
  return [
    ...(task.approve === "before" ? (["before"] as const) : []),
    ...(isReleaseAsked && isRelease(task, scriptsBelow(root)) ? (["release"] as const) : []),
    ...(isReviewed ? (["after"] as const) : []),
  ];
}

const NO_REMOTE = "nothing is pushed: the repository has no remote";

/** As a run would say it first; where there is no remote, a run need not say it. */
export async function plannedPush(
  system: System,
  root: string,
  policy: PushPolicy,
  pushed: PushedBranch,
): Promise<Pick<PlanView["delivery"], "push" | "pushed_to">> {
  if (findRepository(root).gitFolder === null) return { push: null, pushed_to: null };
  const runId = freshRunId(system);
  const push = workPush({ root, policy, runId, stopWanted: () => null });
  return {
    push: (await push.announce(pushed)) ?? NO_REMOTE,
    pushed_to: await push.destination(pushed),
  };
}
