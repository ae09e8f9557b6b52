// Which commands of the manifest a person allowed: those of the text they approved, and single ones
// they said yes to since. A command that came later is not executed before somebody says so.
import { actText } from "../../core/acts.ts";
import { workspaceCommands, workspaceSettings } from "../../core/written/workspace-settings.ts";
import type { ProjectId } from "../../core/ids.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { Sha256 } from "../../core/schema/scalar.ts";
import type { Task } from "../../core/schema/task.ts";
import { StintError } from "../../core/stint-error.ts";
import { hasGrant } from "../../core/step/task-moves.ts";
import { commandsOf } from "../../manifest/edit/reconcile-manifest.ts";
import { frontMatterOf } from "../../manifest/settings.ts";
import { normaliseManifest } from "../../manifest/normalise-manifest.ts";
import { parseManifest } from "../../manifest/parse-manifest.ts";
import { sha256Of } from "../../store/digest.ts";
import type { Store } from "../../store/store.ts";

export interface Consent {
  /** The commands of a task that nobody has allowed yet, and those of the workspace it needs. */
  readonly missing: (task: Task) => readonly string[];
  /** The commands of the workspace alone: its setup and its server, as the manifest names them. */
  readonly missingOfWorkspace: () => readonly string[];
}

export function consentOf(store: Store, state: ProjectState): Consent {
  const { plan, project_id } = state;
  const allowed = plan === null ? NONE : allowedBy(store, project_id, plan.digest);
  const ofWorkspace = commandsOfWorkspace(store, state).filter((command) => !allowed.has(command));
  const ownOf = (task: Task): string[] =>
    commandsOfTask(task).filter((each) => !allowed.has(each) && !ofWorkspace.includes(each));
  const isGranted = (task: Task, commands: readonly string[]): boolean =>
    commands.length === 0 || hasGrant(task, "command", sha256Of(commandSubject(commands)));
  const hasAll = (task: Task): boolean => isGranted(task, [...ofWorkspace, ...ownOf(task)]);
  // A yes for one task counts for the workspace, which is the same for all of them.
  const missingOfWorkspace = (): readonly string[] =>
    state.tasks.some((task) => task.grants !== undefined && hasAll(task)) ? [] : ofWorkspace;
  return {
    missingOfWorkspace,
    missing(task) {
      if (hasAll(task)) return [];
      const own = ownOf(task);
      const others = missingOfWorkspace();
      return others.length === 0 && isGranted(task, own) ? [] : [...others, ...own];
    },
  };
}

/** What the manifest has executed for the workspace, whatever is allowed. */
export function commandsOfWorkspace(store: Store, state: ProjectState): readonly string[] {
  const settings = frontMatterOf(textOf(store, state.project_id, state.manifest.digest));
  return workspaceCommands(workspaceSettings(settings));
}

/** What a person is shown, and what their yes is bound to. */
export function commandSubject(commands: readonly string[]): string {
  return commands.join("\n");
}

export function commandsOfTask(
  task: Pick<Task, "id" | "name" | "title" | "checks" | "run" | "in" | "webhook">,
): string[] {
  return commandsOf([task]).map(asExecuted);
}

function asExecuted({ key, command }: ReturnType<typeof commandsOf>[number]): string {
  return key === "webhook" ? `POST ${command}` : command;
}

const NONE: ReadonlySet<string> = new Set();

/** A text never changes under its digest, so it is read once. */
const read = new WeakMap<Store, Map<Sha256, ReadonlySet<string>>>();

function allowedBy(store: Store, id: ProjectId, digest: Sha256): ReadonlySet<string> {
  const known = read.get(store) ?? new Map<Sha256, ReadonlySet<string>>();
  read.set(store, known);
  let commands = known.get(digest);
  if (commands === undefined) {
    const { plan } = normaliseManifest(parseManifest(textOf(store, id, digest)));
    const written = plan.tasks.flatMap((task) => {
      const act = actText(task);
      return [
        ...task.checks.flatMap((check) => (check.kind === "command" ? [check.command] : [])),
        ...(act === null ? [] : [act]),
      ];
    });
    commands = new Set([...workspaceCommands(workspaceSettings(plan.settings)), ...written]);
    known.set(digest, commands);
  }
  return commands;
}

/** A text that is lost, as after a project was adopted from its folder, allows nothing. */
function textOf(store: Store, id: ProjectId, digest: Sha256): string {
  try {
    return store.manifestText(id, digest);
  } catch (error) {
    if (error instanceof StintError && error.code === "state-corrupt") return "";
    throw error;
  }
}
