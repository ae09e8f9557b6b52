// The size of a workspace as it was last measured, in a small file beside its tree: to measure takes
// seconds, to show must not. It may be lost or wrong without harm.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Instant } from "../../core/instant.ts";
import { diskUse } from "./disk-use.ts";

export interface MeasuredUse {
  readonly bytes: number;
  readonly files: number;
  /** False: it is at least so much. */
  readonly is_whole: boolean;
  readonly measured_at: Instant;
}

const NAME = "use.json";

export async function measureUse(home: string, at: Instant): Promise<MeasuredUse> {
  const { bytes, files, isWhole } = await diskUse(home);
  const use: MeasuredUse = { bytes, files, is_whole: isWhole, measured_at: at };
  const temp = join(home, `${NAME}.tmp`);
  try {
    writeFileSync(temp, JSON.stringify(use), { mode: 0o600 });
    renameSync(temp, join(home, NAME));
  } catch {
    // A full disk is told by whoever needs the room.
  }
  return use;
}

export function readMeasuredUse(home: string): MeasuredUse | null {
  try {
    const use = JSON.parse(readFileSync(join(home, NAME), "utf8")) as Partial<MeasuredUse>;
    return isUse(use) ? use : null;
  } catch {
    return null;
  }
}

function isUse(use: Partial<MeasuredUse> | null): use is MeasuredUse {
  if (use === null || typeof use !== "object") return false;
  const { bytes, files, is_whole, measured_at } = use;
  const numbers = [bytes, files].every((each) => Number.isSafeInteger(each) && Number(each) >= 0);
  return numbers && typeof is_whole === "boolean" && typeof measured_at === "string";
}
