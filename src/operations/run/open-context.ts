// The context of a run under a lease that is held: for a run itself, and for a verb that does one act of it.
import type { Config } from "../../core/schema/config.ts";
import { type OpenRun, openRun } from "../../engine/run/open-run.ts";
import type { RunSettings } from "../../engine/base/run-context.ts";
import type { Holder } from "../../store/store.ts";
import type { RunInput } from "./run-input.ts";
import type { Surroundings } from "./run-surroundings.ts";
import type { System } from "../system.ts";

export interface ContextOptions {
  readonly holder: Holder;
  readonly config: Config;
  readonly surroundings: Surroundings;
  /** What this run has beyond what is chosen. */
  readonly settings?: Partial<RunSettings>;
}

export async function openContext(
  system: System,
  { tell, stopWanted }: Pick<RunInput, "tell" | "stopWanted">,
  { holder, config, surroundings, settings }: ContextOptions,
): Promise<OpenRun> {
  const { chosen, agents, space } = surroundings;
  return await openRun({
    holder,
    store: system.store,
    host: system.host,
    person: system.user,
    env: system.env,
    allow: config.env?.allow,
    stateHome: system.stateHome,
    ...chosen,
    space,
    browser: { configured: config.browser, program: system.browserProgram },
    notify: config.notify,
    settings: { ...chosen.settings, ...settings },
    agents,
    tell,
    stopWanted,
    mailbox: system.mailbox,
  });
}
