// What sessions added to the manifest, in a person's file that no commit holds: there nothing else would
// ever bring it. A tracked one gets it with the next commit.
import type { EventOf } from "../../core/events.ts";
import { isManifestTracked } from "./manifest-in-tree.ts";
import { fact } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import { writeToPersonsFile } from "./set-boxes.ts";

/** @returns what says that they are there; null at once where there is nothing to write */
export async function writeNotes(context: RunContext): Promise<EventOf<"manifest-read"> | null> {
  const { manifest, current_task_id } = context.holder.state;
  if (current_task_id !== null || manifest.seen === undefined) return null;
  if (await isManifestTracked(context, await context.space.tip())) return null;
  const { manifest_seen } = writeToPersonsFile(context, manifest.digest);
  return manifest_seen === undefined
    ? null
    : { kind: "manifest-read", ...fact(context), manifest_seen };
}
