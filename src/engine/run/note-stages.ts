// The stages of an iteration, written down when each is reached: one line of the journal for each fact. What is there
// already is read from the journal, so that a kill between a fact and its line leaves none out, and repeats none.
import type { ProjectEvent } from "../../core/events.ts";
import { endToNote, STAGE, type Stage, STAGES, stagesToNote } from "../../iteration/stages.ts";
import { frontMatterOf } from "../../manifest/settings.ts";
import { fact } from "../base/fact.ts";
import type { RunContext } from "../base/run-context.ts";
import { knownText } from "../people/manifest-texts.ts";

type Noting = Pick<RunContext, "holder" | "store" | "host">;

/** Events that may bring a stage; all others leave the journal unread. */
const REACHING: ReadonlySet<ProjectEvent["kind"]> = new Set([
  "work-started",
  "manifest-adopted",
  "attempt-started",
  "dispatch-sent",
  "session-ended",
  "attempt-interrupted",
  "question-asked",
  "checks-recorded",
  "output-verified",
]);

export function stageNotes(context: Noting): NonNullable<RunContext["stages"]> {
  const reached = (): void => {
    if (isIteration(context)) note(context, stagesToNote(...known(context)));
  };
  const ends = (isDone: boolean): void => {
    const last = isIteration(context) ? endToNote(...known(context), isDone) : undefined;
    if (last !== undefined) note(context, [last]);
  };
  return {
    begun: reached,
    persisted(kind) {
      if (REACHING.has(kind)) reached();
    },
    completing() {
      reached();
      ends(true);
    },
    ended() {
      // What is Done has said so before.
      if (context.holder.state.status === "Done") return;
      reached();
      ends(false);
    },
  };
}

function isIteration(context: Noting): boolean {
  const { iteration, workflow } = frontMatterOf(knownText(context));
  return iteration !== undefined || workflow !== undefined;
}

function known({ holder, store }: Noting): Parameters<typeof stagesToNote> {
  return [holder.state, store.journal(holder.state.project_id)];
}

function note(context: Noting, stages: readonly Stage[]): void {
  for (const { number, name, result, of, response } of stages) {
    context.holder.note({
      ...fact(context),
      kind: STAGE,
      summary: `stage ${number} of ${STAGES.length}, ${name}: ${result}`,
      data: {
        stage: number,
        name,
        result,
        ...(of !== undefined && { of }),
        ...(response !== undefined && { response }),
      },
    });
  }
}
