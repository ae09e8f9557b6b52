// What a person chose on the command line. It is kept, so that whoever resumes by the id alone goes on
// as the run was begun; what they choose anew counts instead.
import { type RunChoices, runChoices } from "../../core/schema/run-records.ts";
import { makeRedactor } from "../../process/text/redact.ts";
import { keptPath } from "../../store/store.ts";
import { type Keeping, keepRecord, type Kept, readKept } from "../base/kept-record.ts";

const PATH = keptPath("logs", "choices.json");

/** What counts for this run: what was chosen now, and where it resumes, what was chosen before. */
export function choicesFor(kept: Kept, chosen: RunChoices, resumes: boolean): RunChoices {
  return {
    ...(resumes ? readKept(kept, PATH, runChoices) : undefined),
    ...withoutUnchosen(chosen),
  };
}

/** For the next run, once nothing is wrong with them. */
export function keepChoices(
  kept: Keeping,
  choices: RunChoices,
  env: Readonly<Record<string, string | undefined>>,
): void {
  const redact = makeRedactor(env);
  const { agent, fallback = [], ...others } = choices;
  // A command line may hold a secret: then it is not written down, and has to be typed again.
  const isSecret = [agent ?? "", ...fallback].some((spec) => redact(spec) !== spec);
  keepRecord(kept, PATH, isSecret ? others : choices);
}

/**
 * A folder belongs to the agents named there: who names none does not move it. Who names an agent
 * anew names all: earlier fallbacks are not taken over.
 */
function withoutUnchosen(chosen: RunChoices): RunChoices {
  const { agent, called_from, fallback, fallback_from, ...others } = chosen;
  const named = Object.entries(others).filter(([, value]) => value !== undefined);
  return {
    ...(agent === undefined || called_from === undefined
      ? {}
      : { agent, called_from, fallback: [] }),
    ...(fallback === undefined || fallback_from === undefined ? {} : { fallback, fallback_from }),
    ...Object.fromEntries(named),
  };
}
