// What a person does after a run, for every way it can end: commands that exist, ready to be copied.
import { shellWord } from "../core/written/commands.ts";
import type { StatusView } from "../core/schema/views.ts";

export interface RunOptionsUsed {
  readonly agent?: string | undefined;
  readonly fallback?: readonly string[] | undefined;
}

/** Each is a command, or words that end in one. */
export function nextSteps(view: StatusView, used: RunOptionsUsed): string[] {
  const answers = view.waiting_for_a_person.map(answering);
  const steps = goingOn(view, used);
  return canGoOn(view) ? [...steps, ...answers] : [...answers, ...steps];
}

/** The same without what is to be answered first. */
export function goingOn(view: StatusView, used: RunOptionsUsed): string[] {
  const { id } = view.project;
  // Only a first run has to be told its agents: they are kept for the next ones.
  const agent = [
    ...(used.agent === undefined ? [] : [` --agent ${shellWord(used.agent)}`]),
    ...(used.fallback ?? []).map((each) => ` --fallback ${shellWord(each)}`),
  ].join("");
  const resume = `stint resume ${id}`;
  if (view.waiting_for_a_person.length > 0) {
    return canGoOn(view) ? [resume] : [`when it is answered: ${resume}`];
  }
  switch (view.status) {
    case "Done":
      return [...delivering(view), `stint verify ${id}`];
    case "Blocked":
      return unblocking(view, `${resume} --retry`);
    case "Paused":
      return [pausedStep(view, resume)];
    case "Draft":
      return [`stint run ${id}${agent}`];
    case "Abandoned":
      return ["to start again, run a copy of its manifest under another name"];
    default:
      return [resume];
  }
}

/** As the hint has it, which may say that a branch is to be named. */
function delivering({ delivery, project: { id } }: StatusView): string[] {
  if (delivery?.kind !== "waiting") return [];
  return [/stint deliver .*$/.exec(delivery.hint)?.[0] ?? `stint deliver ${id}`];
}

/** For whoever does not want to wait until a run that was asked to stop has finished its work. */
export function stopNowCommand(id: string): string {
  return `stint stop --now ${id}`;
}

/** While an answer is waited for. */
function canGoOn({ status }: StatusView): boolean {
  return status === "Running" || status === "Ready";
}

/** What is asked, by the commands that answer it. */
export function answering({ look, yes, no }: StatusView["waiting_for_a_person"][number]): string {
  const choices = no === null ? yes : `${yes}  or  ${no}`;
  return look === null ? choices : `${look}  then  ${choices}`;
}

/** Blockers name the command that clears one; here it stands last, with the id of the project. */
function unblocking({ blockers }: StatusView, retry: string): string[] {
  const tasks = new Map<string, string[]>();
  for (const { unblock, task_id } of blockers) {
    const act = unblock.replace(/(?:[,;]? ?(?:then|or): )?stint (?:run|resume)\b.*$/, "");
    // "When the remote can be reached again: " says when to do that.
    const whole = act.endsWith(": ") ? `${act}${retry}` : act;
    if (whole === "") continue;
    tasks.set(whole, [...(tasks.get(whole) ?? []), ...(task_id === undefined ? [] : [task_id])]);
  }
  // With several blocked tasks each act says which it is for.
  const acts = [...tasks].map(([act, ids]) =>
    blockers.length === 1 || ids.length === 0 ? act : `${ids.join(", ")}: ${act}`,
  );
  const isTold = acts.length > 0 && acts.every((act) => act.endsWith(retry));
  const steps = isTold ? acts : [...acts, retry];
  // A remote that goes on refusing must not hold back the other tasks.
  const isPush = blockers.some(({ kind }) => kind === "push");
  return isPush ? [...steps, `to push nothing from now on: ${retry} --no-push`] : steps;
}

/** Until when a limit holds is told above; a run that is resumed earlier waits for it. */
function pausedStep({ pause, budget }: StatusView, resume: string): string {
  return pause?.kind === "budget" ? `${resume} --grant ${enough(budget)}` : resume;
}

/** Ten more than what was used beyond the budget: a session may have ended far above it. */
function enough({ spent, wall_ms, tokens, cost_usd }: StatusView["budget"]): string {
  const kind = spent ?? "sessions";
  const beyond = {
    sessions: 0,
    hours: (wall_ms.used - wall_ms.allowed) / 3_600_000,
    tokens: (tokens.used ?? 0) - (tokens.allowed ?? 0),
    usd: (cost_usd.used ?? 0) - (cost_usd.allowed ?? 0),
  }[kind];
  const more = kind === "tokens" ? Math.max(1000, tokens.allowed ?? 0) : 10;
  return `${kind}=${Math.max(0, Math.ceil(beyond)) + more}`;
}
