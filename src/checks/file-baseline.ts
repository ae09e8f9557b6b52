// The files that `changed` checks ask about, as they are before a session.
import type { Check } from "../core/schema/task.ts";
import type { Sha256 } from "../core/schema/scalar.ts";
import { fileDigest } from "./file-check.ts";

/** Digests of the files that `changed` checks ask about, before the session. */
export async function fileBaseline(
  root: string,
  checks: readonly Check[],
): Promise<Map<string, Sha256 | null>> {
  const digests = new Map<string, Sha256 | null>();
  for (const check of checks) {
    if (check.kind !== "file") continue;
    // oxlint-disable-next-line no-await-in-loop
    digests.set(check.path, await fileDigest(root, check.path));
  }
  return digests;
}
