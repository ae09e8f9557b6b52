// What a person chose on the command line. It is kept, so that whoever resumes by the id alone goes on
// as the run was begun; what they choose anew counts instead.
import type { DeliverMode } from "../../core/written/delivery-choice.ts";
import type { Permission } from "../../core/written/permission.ts";
import type { WorkspaceWord } from "../../core/written/workspace-choice.ts";
import { makeRedactor } from "../../process/text/redact.ts";
import { type Holder, keptPath, type Store } from "../../store/store.ts";

export interface RunChoices {
  readonly agent?: string | undefined;
  /** Where the agent was named; a relative program lies below it. */
  readonly called_from?: string;
  /** Agents that take over while the one before them is refused, and where they were named. */
  readonly fallback?: readonly string[] | undefined;
  readonly fallback_from?: string;
  readonly session?: string | undefined;
  readonly isolation?: "auto" | "on" | "off" | undefined;
  readonly deliver?: DeliverMode | undefined;
  readonly push?: "auto" | "ask" | "never" | undefined;
  readonly model?: string | undefined;
  readonly permission?: Permission | undefined;
  readonly workspace?: WorkspaceWord | undefined;
}

const PATH = keptPath("logs", "choices.json");

/** What counts for this run: what was chosen now, and where it resumes, what was chosen before. */
export function choicesFor(
  holder: Pick<Holder, "state">,
  store: Store,
  chosen: RunChoices,
  resumes: boolean,
): RunChoices {
  return { ...(resumes ? readChoices(holder, store) : undefined), ...withoutUnchosen(chosen) };
}

/** For the next run, once nothing is wrong with them. */
export function keepChoices(
  holder: Holder,
  store: Store,
  choices: RunChoices,
  env: Readonly<Record<string, string | undefined>>,
): void {
  const redact = makeRedactor(env);
  const { agent, fallback = [], ...others } = choices;
  // A command line may hold a secret: then it is not written down, and has to be typed again.
  const isSecret = [agent ?? "", ...fallback].some((spec) => redact(spec) !== spec);
  const text = `${JSON.stringify(isSecret ? others : choices)}\n`;
  if (store.kept(holder.state.project_id, PATH)?.toString("utf8") !== text) holder.keep(PATH, text);
}

function readChoices({ state }: Pick<Holder, "state">, store: Store): RunChoices | undefined {
  const bytes = store.kept(state.project_id, PATH);
  return bytes === undefined ? undefined : (JSON.parse(bytes.toString("utf8")) as RunChoices);
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
