// A project that is registered and has no state in its shadow: what is left of it, and what makes one again.
import { shellWord } from "../../core/written/commands.ts";
import type { Disk } from "../disk.ts";
import type { ProjectLayout } from "../layout.ts";
import { isFolderOnlyClaimed } from "../project-folder.ts";
import type { RegistryEntry } from "../store.ts";

interface NoState {
  readonly what: string;
  readonly fix: string;
}

export function withoutState(
  disk: Disk,
  { project_id, root, manifest }: RegistryEntry,
  layout: ProjectLayout,
): NoState {
  if (isFolderOnlyClaimed(disk, layout)) {
    return {
      what: "its creation was interrupted",
      fix: `in ${root}: stint run ${shellWord(manifest)}`,
    };
  }
  const hasCopy = disk.files.stat(layout.state) !== undefined;
  return hasCopy
    ? {
        what: "its shadow contains no state; a copy is in the work tree",
        fix: `stint doctor ${project_id} --adopt`,
      }
    : {
        what: "no copy of its state is left; only its manifest is",
        fix: `stint doctor ${project_id} --repair`,
      };
}
