// A person may be in the middle of saving: editors empty, rename or delete a file before it is whole
// again. A change is judged once two looks in a row find the same text.
import { sha256Of } from "../store/digest.ts";
import type { RunContext } from "./run-context.ts";

const BETWEEN_LOOKS_MS = 200;
/** A file that stays empty or away is meant so. */
const MOST_LOOKS = 15;
const NEVER = new AbortController().signal;

/** At once where nobody changed anything. */
export async function untilStill({
  holder,
  tree,
  host,
}: Pick<RunContext, "holder" | "host"> & {
  readonly tree: Pick<RunContext["tree"], "readManifest">;
}): Promise<void> {
  let seen = tree.readManifest();
  if (seen !== undefined && sha256Of(seen) === holder.state.manifest.digest) return;
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    // oxlint-disable-next-line no-await-in-loop
    await host.sleep(BETWEEN_LOOKS_MS, NEVER);
    const now = tree.readManifest();
    if (now === seen && (now ?? "").trim() !== "") return;
    seen = now;
  }
}
