// `diff`: what was planned against what is there, or exactly what an item asks about. Reads only.
import { approvalCommands } from "../core/asking.ts";
import { shellWord } from "../core/written/commands.ts";
import { workspaceCommands, workspaceSettings } from "../core/written/workspace-settings.ts";
import type { Approval } from "../core/schema/items.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { DiffView } from "../core/schema/views.ts";
import type { Task } from "../core/schema/task.ts";
import { StintError } from "../core/stint-error.ts";
import { openSecrets, redacted } from "../engine/base/secrets.ts";
import { isStale } from "../engine/people/carry-out-answer.ts";
import { isSpaceGone, outputDiff } from "../engine/space/kept-space.ts";
import { isAboutWork, subjectAct, subjectPaths } from "../engine/people/output-subject.ts";
import { commandsOf } from "../manifest/edit/reconcile-manifest.ts";
import { diffLines } from "../manifest/edit/line-diff.ts";
import { toIntents } from "../manifest/plan.ts";
import { assignIds } from "../manifest/edit/match-tasks.ts";
import type { Snapshot } from "../store/store.ts";
import { namedApproval } from "./answers/named-item.ts";
import { checkoutOf, planIn } from "./manifest-file.ts";
import { resolveProject } from "./resolve-project.ts";
import type { System } from "./system.ts";

export interface DiffInput {
  /** An approval; absent: the manifest. */
  readonly item?: string | undefined;
  readonly project?: string | undefined;
}

export async function diff(system: System, input: DiffInput): Promise<DiffView> {
  const id = await resolveProject(system, input.project);
  const snapshot = system.store.read(id);
  return input.item === undefined
    ? planned(system, snapshot)
    : await asked(system, snapshot, namedApproval(snapshot.state, input.item));
}

/** The text that a person approved last, against the file. */
function planned(system: System, { state, entry }: Snapshot): DiffView {
  const { project_id, manifest, plan } = state;
  const before = textOf(system, state, plan?.digest ?? manifest.digest);
  const now = checkoutOf(entry).readManifest() ?? "";
  const known = new Set(commandsIn(before));
  const since =
    plan === null ? "it was read" : `${plan.approved_by} approved it at ${plan.approved_at}`;
  return {
    project_id,
    about: `${manifest.path} since ${since}`,
    item: null,
    diff: diffLines(before, now),
    new_commands: [...new Set(commandsIn(now).filter((command) => !known.has(command)))],
    next: [`stint plan ${project_id}`],
  };
}

async function asked(
  system: System,
  { state, entry }: Snapshot,
  item: Approval,
): Promise<DiffView> {
  const { project_id } = state;
  const task = state.tasks.find(({ id }) => id === item.task_id);
  const files = checkoutOf(entry);
  const difference =
    isAboutWork(item) && task !== undefined
      ? await outputDiff(system.store, entry, task, subjectPaths(item))
      : null;
  const shown =
    difference === null ? null : redacted(openSecrets(system.env, entry.root), difference);
  const isGone = shown === null && isAboutWork(item) && isSpaceGone(system.store, entry);
  const { look: _look, yes, no } = approvalCommands(item, project_id);
  const is_current = !isStale({ store: system.store, checkout: files, holder: { state } }, item);
  const { id, kind, status, reason, subject, subject_sha256, on_yes, on_no } = item;
  return {
    project_id,
    about: `${id}: ${reason}`,
    item: {
      id,
      kind,
      status,
      reason,
      subject,
      subject_sha256,
      on_yes,
      on_no,
      expires_at: item.expires_at ?? null,
      is_current,
    },
    // What git ignores has no difference to show; then its digest is all there is to see.
    diff:
      shown === null || shown === ""
        ? [...(isGone ? [WORKSPACE_IS_GONE] : []), subject].join("\n")
        : [subjectAct(item) ?? [], shown].flat().join("\n"),
    new_commands: kind === "command" ? subject.split("\n") : [],
    next:
      status !== "open"
        ? [...(isGone ? commitOf(entry, task) : []), `stint status ${project_id}`]
        : is_current
          ? [yes, ...(no === null ? [] : [no])]
          : [`stint resume ${project_id}`],
  };
}

const WORKSPACE_IS_GONE =
  "Its workspace is gone, so the diff can no longer be shown. The digests of what was asked about:";

/** What came of it is in the repository all the same. */
function commitOf({ root }: Snapshot["entry"], task: Task | undefined): string[] {
  if (task?.status !== "done" || task.commit === undefined || task.commit === "none") return [];
  return [`git -C ${shellWord(root)} show ${task.commit}`];
}

/** A text that is gone is not guessed. */
function textOf(
  { store }: System,
  { project_id, manifest }: ProjectState,
  digest: ProjectState["manifest"]["digest"],
): string {
  try {
    return store.manifestText(project_id, digest);
  } catch (error) {
    const isGone = error instanceof StintError && error.code === "state-corrupt";
    if (!isGone || digest === manifest.digest) throw error;
    return store.manifestText(project_id, manifest.digest);
  }
}

function commandsIn(text: string): string[] {
  const { tasks, settings } = planIn(text);
  const ids = assignIds([], tasks, 1);
  const ofTasks = commandsOf(toIntents(tasks, ids)).map(({ command }) => command);
  return [...workspaceCommands(workspaceSettings(settings)), ...ofTasks];
}
