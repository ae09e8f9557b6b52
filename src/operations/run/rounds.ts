// The rounds of an open run, with signs of life for whoever waits for an answer; nothing is left open when they end.
import { HEARTBEAT_MS } from "../../core/lease-rules.ts";
import { giveSignOfLife } from "../../engine/people/take-answers.ts";
import type { OpenRun } from "../../engine/run/open-run.ts";
import { type RunEnd, runProject } from "../../engine/run/run-project.ts";
import type { System } from "../system.ts";

export async function workInRounds({ host }: System, context: OpenRun): Promise<RunEnd> {
  const endSigns = host.every(HEARTBEAT_MS, () => giveSignOfLife(context));
  return await runProject(context)
    .catch(async (error: unknown) => {
      // Whatever broke the run is what is to be told; a notice that cannot be kept changes nothing.
      await context.notices?.settle(() => true).catch(() => {});
      throw error;
    })
    .finally(() => {
      endSigns();
      context.answers.close();
    });
}
