// What a person writes while a run is at work. A text that cannot be adopted ends nothing that is under way: the last
// adopted one holds, and the person is told, once for each trouble. But the work is not Done by it: their change may
// be about more work, so the run pauses in place of that.
import { capitalised } from "../../core/words/plain-line.ts";
import type { Holder } from "../../store/store.ts";
import { announce } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import { adoptPersonsChanges } from "./adopt-manifest.ts";
import { NotAdopted } from "./persons-edit.ts";

/** What this run found last. */
const troubles = new WeakMap<Holder, NotAdopted>();

export async function adoptWhileRunning(
  context: RunContext,
): Promise<Awaited<ReturnType<typeof adoptPersonsChanges>>> {
  const { holder } = context;
  try {
    const adoption = await adoptPersonsChanges(context);
    troubles.delete(holder);
    return adoption;
  } catch (error) {
    if (!(error instanceof NotAdopted)) throw error;
    const isNew = troubles.get(holder)?.message !== error.message;
    troubles.set(holder, error);
    if (isNew) {
      const text = `${error.inShort}. The run continues with the last adopted text. ${capitalised(error.hint)}`;
      announce(context, "manifest-not-adopted", text);
    }
    return null;
  }
}

/** Why what is in the person's file is not the plan of this run; null where it is. */
export function troubleWithManifest({ holder }: RunContext): string | null {
  const trouble = troubles.get(holder);
  return trouble === undefined ? null : `${trouble.inShort}. ${capitalised(trouble.hint)}`;
}
