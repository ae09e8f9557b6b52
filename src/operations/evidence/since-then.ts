// What came after the work of a project, for `verify`: a person's edit that the next run reads, and later commits that
// changed files of its tasks. Neither is damage. Only looks.
import type { ProjectState } from "../../core/schema/project.ts";
import type { DeliveryNow, VerifyView } from "../../core/schema/views.ts";
import { ownPaths } from "../../engine/base/tree-files.ts";
import { lookAtPersonsGit } from "../../engine/people/persons-git.ts";
import {
  describeChange,
  findPersonsEdit,
  type PersonsEdit,
} from "../../engine/people/persons-edit.ts";
import { projectLogs } from "../../engine/people/project-logs.ts";
import { readSpace } from "../../engine/space/kept-space.ts";
import { laterCommits } from "../../engine/space/later-commits.ts";
import { logPaths } from "../../iteration/settings.ts";
import { formatProblem, isError } from "../../manifest/problem.ts";
import type { RegistryEntry, Snapshot, Store } from "../../store/store.ts";
import { namesForManifest } from "../../agents/agents.ts";
import { faultOf } from "../faults.ts";
import { checkoutOf } from "../manifest-file.ts";
import { readConfig } from "../run/read-config.ts";
import type { System } from "../system.ts";

/** None where it cannot be read, which is told as damage, and where a session at work may have written it. */
export async function editSince(system: System, { entry, state }: Snapshot): Promise<PersonsEdit> {
  const isSessions =
    state.current_task_id !== null && readSpace(system.store, entry)?.kind === "in-place";
  if (isSessions) return { kind: "none" };
  try {
    return await findPersonsEdit({
      store: system.store,
      holder: { state },
      checkout: checkoutOf(entry),
      agents: { names: namesForManifest(system.agents) },
      personsGit: lookAtPersonsGit(entry, system.store),
    });
  } catch (error) {
    faultOf(error);
    return { kind: "none" };
  }
}

export function editView(edit: PersonsEdit, { manifest }: ProjectState): VerifyView["edit"] {
  switch (edit.kind) {
    case "none":
    case "gone":
    case "read":
      return null;
    case "by-git":
      return edit;
    case "refused": {
      const errors = edit.problems.filter(isError);
      return {
        kind: "refused",
        errors: errors.map((problem) => formatProblem(manifest.path, problem)),
      };
    }
    case "adopted": {
      const changes = edit.adopted.changes.map(describeChange);
      return { kind: "adopted", changes: changes.length === 0 ? ["its text changed"] : changes };
    }
    default:
      return edit satisfies never;
  }
}

/** `now` is where the work is. */
export async function commitsSince(
  { store }: System,
  { entry, state }: Snapshot,
  now: DeliveryNow | null,
): Promise<VerifyView["later"]> {
  const { root, manifest, folder: projectFolder } = entry;
  const paths = ownPaths({ root, manifest, projectFolder, page: state.page });
  const logs = await logsOf(store, entry, state);
  return await laterCommits({ root, own: [...paths, ...logs] }, state, now);
}

/** Where the settings or the text cannot be read, that is told elsewhere. */
async function logsOf(
  store: Store,
  { root }: RegistryEntry,
  state: ProjectState,
): Promise<string[]> {
  try {
    const logs = logPaths(await readConfig(root));
    return projectLogs({ store, holder: { state } }, logs).map(({ path }) => path);
  } catch (error) {
    faultOf(error);
    return [];
  }
}
