// `verify --fresh`: what is committed is proven in a fresh clone now, whatever the project is at. Needs the lease, as
// whoever opens the workspace does; what is found is recorded and changes nothing else.
import type { VerifyView } from "../../core/schema/views.ts";
import { StintError } from "../../core/stint-error.ts";
import { saveEach } from "../../engine/base/persist.ts";
import { noteProof } from "../../engine/finish/note-evidence.ts";
import { removeWhenOver } from "../../engine/finish/retry-delivery.ts";
import { proveAnyTime } from "../../engine/proof/prove.ts";
import { isSpaceGone, readSpace } from "../../engine/space/kept-space.ts";
import type { Holder } from "../../store/store.ts";
import { resolveProject } from "../resolve-project.ts";
import { type KeptLease, underLease } from "./lease.ts";
import { configToFollow, noticesTo, openContext, runSurroundings } from "./run-surroundings.ts";
import type { System } from "../system.ts";
import { verify } from "../verify.ts";

export interface VerifyFreshInput {
  readonly project?: string | undefined;
  readonly tell: (text: string) => void;
}

export async function verifyFresh(system: System, input: VerifyFreshInput): Promise<VerifyView> {
  const id = await resolveProject(system, input.project);
  const whenHeld = `A run proves the work itself before Done. To do it now: stint pause ${id}; when the run has ended (stint status ${id}): stint verify --fresh ${id}; then continue: stint resume ${id}`;
  await underLease(system, id, whenHeld, (holder, kept) => proveHeld(system, input, holder, kept));
  return await verify(system, { project: id });
}

async function proveHeld(
  system: System,
  input: VerifyFreshInput,
  holder: Holder,
  kept: KeptLease,
): Promise<void> {
  const { state, entry } = holder;
  if (state.status === "Abandoned") {
    const hint = `See what is left of it: stint status ${entry.project_id}`;
    throw new StintError("refused", `${entry.project_id} was abandoned`, hint);
  }
  const tell = noticesTo(input.tell);
  const config = await configToFollow(system, { tell }, holder);
  const surroundings = runSurroundings(system, { resumes: true }, holder, config);
  const home = readSpace(system.store, entry)?.home;
  const wasThere = home !== undefined && !isSpaceGone(system.store, entry);
  const context = await openContext(
    system,
    { tell, stopWanted: kept.stopWanted },
    { holder, config: { ...config, notify: undefined }, surroundings },
  );
  try {
    for (const text of await context.space.open()) input.tell(text);
    await saveEach(context, proveAnyTime(context, !wasThere));
    await noteProof(context);
    await removeWhenOver({ ...context, tell });
  } finally {
    context.answers.close();
  }
}
