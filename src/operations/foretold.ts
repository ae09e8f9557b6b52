// What `lint` tells of a manifest before there is a project of it: where commits go and are pushed, where sessions work,
// what is executed, and what is asked about. `plan` tells the same of a project. Reads only.
import { actText } from "../core/acts.ts";
import { delegatedTo } from "../core/delegation.ts";
import { shellWord } from "../core/written/commands.ts";
import type { PushPolicy } from "../core/written/delivery-choice.ts";
import { type Slug, slugify } from "../core/ids.ts";
import type { Config } from "../core/schema/config.ts";
import type { LintView, PlanView } from "../core/schema/views.ts";
import { needsReview } from "../core/step/task-moves.ts";
import type { PushedBranch } from "../engine/base/run-context.ts";
import { workPush } from "../engine/finish/push.ts";
import { whereNewWorkGoes } from "../engine/run/announce-work.ts";
import { factsOfStart } from "../engine/space/left-out.ts";
import { isRelease, type Plan, type PlannedTask } from "../manifest/plan.ts";
import { findRepository, type Repository } from "../store/repository.ts";
import { type ManifestFile, scriptsBelow } from "./manifest-file.ts";
import { chooseSettings, type ChosenSettings } from "./run/run-settings.ts";
import { freshRunId, type System } from "./system.ts";

export type Foretold = NonNullable<LintView["files"][number]["foretold"]>;

export async function foretold(
  system: System,
  named: string,
  { repository, name, path }: ManifestFile,
  { plan, chosen }: { readonly plan: Plan; readonly chosen: ChosenSettings },
): Promise<Foretold> {
  const { root } = repository;
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
      text: `${work.text}${untilDelivered(work.kind, toDo)}`,
      ...(await plannedPush(system, root, push, work.pushed)),
    },
    acts: toDo.flatMap((task) => {
      const delegated = delegatedTo(task);
      const lane = delegated?.by === "command" ? `\`${delegated.command}\`, in its own lane` : null;
      const act = actText(task) ?? lane;
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

/** What a run would work by. @throws StintError what a run would refuse: settings that contradict each other */
export function chosenFor(
  { env }: System,
  { settings }: Plan,
  config: Config,
  { root, gitFolder }: Repository,
): ChosenSettings {
  return chooseSettings({}, settings, config, {
    root,
    hasGit: gitFolder !== null,
    home: env["HOME"],
  });
}

interface Placed {
  readonly name: string;
  readonly in?: "checkout" | undefined;
  readonly run?: string | undefined;
}

/** The first of the open tasks that a run blocks, because it needs work in the checkout that waits on its own branch. */
export function taskThatWaits<T extends Placed>(
  kind: PlanView["delivery"]["kind"],
  toDo: readonly T[],
): T | undefined {
  if (kind === "deliver" || kind === "in-place") return undefined;
  const isThere = (task: T): boolean => task.run !== undefined && task.in === "checkout";
  const first = toDo.findIndex((task) => !isThere(task));
  return first === -1 ? undefined : toDo.slice(first).find(isThere);
}

export function untilDelivered(
  kind: PlanView["delivery"]["kind"],
  toDo: readonly Placed[],
): string {
  const task = taskThatWaits(kind, toDo);
  if (task === undefined) return "";
  return `; task ${task.name} runs in the checkout and cannot start before that`;
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
    push: (await push.announce(pushed, null)) ?? NO_REMOTE,
    pushed_to: await push.destination(pushed),
  };
}
