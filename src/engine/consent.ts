// Which commands of the manifest a person allowed: those of the text they approved, and single ones
// they said yes to since. A command that came later is not executed before somebody says so.
import type { ProjectId } from "../core/ids.ts";
import type { ProjectState } from "../core/schema/project.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import type { Task } from "../core/schema/task.ts";
import { StintError } from "../core/stint-error.ts";
import { hasGrant } from "../core/task-moves.ts";
import { commandsOf } from "../manifest/adopt-changes.ts";
import { normaliseManifest } from "../manifest/normalise-manifest.ts";
import { parseManifest } from "../manifest/parse-manifest.ts";
import { sha256Of } from "../store/digest.ts";
import type { Store } from "../store/store.ts";

export interface Consent {
  /** The commands of a task that nobody has allowed yet, as they would be executed. */
  readonly missing: (task: Task) => readonly string[];
}

export function consentOf(store: Store, state: ProjectState): Consent {
  const { plan, project_id } = state;
  const allowed = plan === null ? NONE : allowedBy(store, project_id, plan.digest);
  return {
    missing(task) {
      const missing = commandsOfTask(task).filter((command) => !allowed.has(command));
      if (missing.length === 0) return missing;
      return hasGrant(task, "command", sha256Of(commandSubject(missing))) ? [] : missing;
    },
  };
}

/** What a person is shown, and what their yes is bound to. */
export function commandSubject(commands: readonly string[]): string {
  return commands.join("\n");
}

export function commandsOfTask(
  task: Pick<Task, "id" | "name" | "title" | "checks" | "run" | "webhook">,
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
    const written = plan.tasks.flatMap(({ checks, run, webhook }) => [
      ...checks.flatMap((check) => (check.kind === "command" ? [check.command] : [])),
      ...(run === undefined ? [] : [run]),
      ...(webhook === undefined ? [] : [`POST ${webhook}`]),
    ]);
    commands = new Set(written);
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
