// Whether the records that make tasks done are where they were kept, unchanged.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { completionOf } from "../../core/history.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { sha256Of } from "../../store/digest.ts";
import { shadowLayout } from "../../store/layout.ts";
import { type RegistryEntry, keptPath } from "../../store/store.ts";
import type { System } from "../system.ts";

export interface EvidenceCopies {
  readonly task_id: string;
  readonly path: string;
  /** The durable one, and the one in the project folder. */
  readonly shadow: Copy;
  readonly folder: Copy;
  /** Brings the copy in the folder back from the durable one. */
  readonly mend: string;
}

type Copy = "same" | "changed" | "missing";

/** Every record of a check that a done task names. */
export function examineEvidence(
  system: System,
  entry: RegistryEntry,
  state: ProjectState,
): EvidenceCopies[] {
  const { kept } = shadowLayout(system.stateHome, entry.project_id);
  return state.tasks.flatMap((task) =>
    (completionOf(task) ?? []).flatMap((evidence): EvidenceCopies[] => {
      if (evidence.kind !== "check") return [];
      const { path, sha256 } = evidence;
      const judge = (bytes: Buffer | undefined): Copy => {
        if (bytes === undefined) return "missing";
        return sha256Of(bytes) === sha256 ? "same" : "changed";
      };
      const copy = join(entry.root, entry.folder, path);
      return [
        {
          task_id: task.id,
          path,
          shadow: judge(system.store.kept(entry.project_id, keptPath(...path.split("/")))),
          folder: judge(readIfThere(copy)),
          mend: `cp ${join(kept, path)} ${copy}`,
        },
      ];
    }),
  );
}

export function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
