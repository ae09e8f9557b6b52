// Where a project stands, for people, in the order in which they ask: how far it is, what waits for them and what is in
// its way, what is next, what it cost; then where the work is, and the tasks. Nothing is said twice. Roles and internals
// come last, and only where somebody wants them (`status-details.ts`).
import { counted } from "../core/words/amounts.ts";
import { proofText } from "../core/words/proof-words.ts";
import { stopText } from "../core/words/stop-asked.ts";
import { MARKED_BY_YOU, NOT_VERIFIED } from "../core/words/task-standing.ts";
import type { StatusView } from "../core/schema/views.ts";
import { duration, labelsText, localTime, spending, withLocalTimes } from "./amounts.ts";
import { type Fact, factRows, ifAny } from "./status/fact-rows.ts";
import { type Block, breaksOf, type Cell, type Paint } from "./layout.ts";
import { answering, goingOn, stopNowCommand } from "./next-steps.ts";
import { interruptedTask, READY_TO_CONTINUE, statusWord } from "./status/idle.ts";
import { Said } from "./status/said.ts";
import { sessionFacts } from "./status/session-facts.ts";
import { detailFacts } from "./status/status-details.ts";
import { boundsLines, branchSign, inTree } from "./task-tree.ts";
import { reasonText, visibleLine } from "./visible.ts";

const SIGNS: Record<string, string> = {
  pending: "·",
  in_progress: "▶",
  validating: "▶",
  done: "✓",
  blocked: "✗",
  awaiting_result: "…",
  awaiting_approval: "?",
  skipped: "-",
  superseded: "-",
};

export interface StatusOptions {
  /** Roles, evidence and internals as well. */
  readonly verbose?: boolean;
}

export function statusText(view: StatusView, paint: Paint, options: StatusOptions = {}): Block[] {
  const { project, progress } = view;
  const isVerbose = options.verbose === true;
  const said = new Said();
  const heading = `${paint.bold(project.slug)}  ${project.id}  ${standing(view, paint)}`;
  const facts = said.unsaid([
    ...limitFacts(view),
    ...inTheWay(view),
    ...waitingFacts(view),
    ...ifAny("At work", view.roles.coordinator),
    ...stopFacts(view),
    ...sessionFacts(view),
    ...nextFacts(view),
    ...backgroundFacts(view),
    ["Spent", spentText(view)],
    ...ifAny("Work", view.delivery && workText(view.delivery)),
    ...proofFacts(view),
    ...troubleFacts(view),
    ["Manifest", `${project.manifest} in ${project.root}`],
  ]);
  const tasks = progress.total > 0 ? ["", ...taskLines(view, { said, isVerbose, paint })] : [];
  const details = isVerbose ? ["", factRows(detailFacts(view), paint)] : [];
  return [heading, factRows(facts, paint), ...tasks, ...details];
}

/** One line: its status, and how far it is. */
function standing(view: StatusView, paint: Paint): string {
  const { done, total, skipped, blocked, marked } = view.progress;
  const parts = [
    `${done} of ${counted(total, "task")} done`,
    ...(blocked > 0 ? [`${blocked} blocked`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(marked > 0 ? [`${marked} ${MARKED_BY_YOU}`] : []),
  ];
  const status = statusWord(view.status, view.roles.coordinator !== null);
  return `${paintStatus(status, paint)}: ${parts.join(", ")}`;
}

function inTheWay({ blockers }: StatusView): Fact[] {
  return blockers.map(({ reason }) => ["Blocked by", reasonText(reason)]);
}

/** What is asked, and below it the commands that answer. */
function waitingFacts({ waiting_for_a_person: items }: StatusView): Fact[] {
  return items.flatMap((item): Fact[] => {
    const until = item.expires_at === null ? "" : ` (until ${localTime(item.expires_at)})`;
    return [
      ["Waits for you", `${item.id}: ${reasonText(item.what)}${until}`],
      ["", answering(item), "commands"],
    ];
  });
}

/** What the live run was asked for, and what ends it sooner. */
function stopFacts({ stop_asked: stop, project }: StatusView): Fact[] {
  if (stop === null) return [];
  return [
    ["Stops", `${stopText(stop)} at ${localTime(stop.at)}`],
    ...(stop.now ? [] : [["At once", stopNowCommand(project.id), "commands"] as const]),
  ];
}

function limitFacts({ pause, agent_limits, blockers }: StatusView): Fact[] {
  const until = pause?.resume_at === undefined ? "" : `until ${localTime(pause.resume_at)}: `;
  // What the project waits for, or is blocked by, tells of the agent as well.
  const told = [...(pause === null ? [] : [pause]), ...blockers].map(({ reason }) => reason);
  const limits = agent_limits.filter(({ reason }) => !told.some((text) => text.includes(reason)));
  return [
    ...ifAny("Paused", pause && `${until}${pause.reason}`),
    ...limits.map(({ agent, reason, until: end, in_a_row }): Fact => {
      const when = end === undefined ? "until you did something" : `until ${localTime(end)}`;
      const times = in_a_row.usage + in_a_row.provider;
      const often = times > 1 ? `, ${times} times in a row` : "";
      return ["Limited", `${agent} ${when}: ${reason}${often}`];
    }),
  ];
}

/** What comes next is more than to continue. */
const OPEN = new Set(["Draft", "Ready", "Running", "Validating", "AwaitingResult"]);

/** In words, and the command where it needs one. */
function nextFacts(view: StatusView): Fact[] {
  const isOver = view.round_status === "complete";
  const isAtWork = view.roles.coordinator !== null;
  // What was interrupted says what comes next.
  const isOpen = OPEN.has(view.status) && interruptedTask(view) === null;
  const steps = isAtWork || isOver ? [] : goingOn(view, {});
  return [
    ...(isOpen || isOver || isAtWork ? [["Next", withLocalTimes(view.next_action)] as const] : []),
    ...steps.map((step, index): Fact => [index === 0 ? "Continue" : "Then", step, breaksOf(step)]),
  ];
}

function backgroundFacts({ background, project }: StatusView): Fact[] {
  if (background === null) return [];
  return [
    ["Background", `pid ${background.pid}; stint watch ${project.id} shows it`],
    ["Log", background.log],
  ];
}

/** Of its budget; a session that a provider refused counts for nothing, but it was one. */
export function spentText({ budget }: StatusView): string {
  const { sessions, wall_ms: time } = budget;
  const refused = sessions.refused === 0 ? "" : ` (and ${sessions.refused} refused by a provider)`;
  return [
    `${sessions.used} of ${counted(sessions.allowed, "session")}${refused}`,
    `${duration(time.used)} of ${duration(time.allowed)} in sessions`,
    ...budgetSpending(budget),
  ].join(", ");
}

/** Nothing before the first session where nothing is limited. */
function budgetSpending({ tokens, cost_usd }: StatusView["budget"]): string[] {
  return spending(
    {
      tokens: tokens.used,
      cost_usd: cost_usd.used,
      unknown_tokens: tokens.unknown,
      unknown_cost: cost_usd.unknown,
    },
    { tokens: tokens.allowed, cost_usd: cost_usd.allowed },
  );
}

/** Where the verified work is, and what brings it in where it waits. */
export function workText(delivery: NonNullable<StatusView["delivery"]>): string {
  switch (delivery.kind) {
    case "in-place":
      return "in your files";
    case "delivered":
      return visibleLine(`on ${delivery.branch} (delivered)`);
    case "waiting": {
      const { branch, why, hint } = delivery;
      return visibleLine(`waits on ${branch}: ${why}; bring it in: ${bare(hint)}`);
    }
    case "taken-out":
      return visibleLine(`delivered, but ${delivery.why}. ${delivery.hint}`);
    default:
      return delivery satisfies never;
  }
}

/** "Combine both: git merge x" is said as the command alone. */
function bare(hint: string): string {
  return hint.replace(/^[^:]*: (?=git |stint )/, "");
}

/** Where the project is blocked by it, that says what failed. */
export function proofFacts(view: StatusView): Fact[] {
  const { proof, blockers, progress, status, project, tasks } = view;
  const weak = tasks.filter(({ labels }) => labels.includes("weakly-verified"));
  const isAllWeak = weak.length > 0 && weak.length === progress.done - progress.marked;
  if (proof === null && status === "Done" && isAllWeak) {
    const why = "Not tried: no task that Stint did has a check";
    return ifAny("Proof", `${why}. Give tasks a check, for example: check: \`npm test\``);
  }
  if (
    proof === null &&
    status === "Done" &&
    progress.marked > 0 &&
    progress.marked === progress.done
  ) {
    const why = "Not tried: you had checked every box, and Stint did nothing";
    return ifAny("Proof", `${why}. Try it: stint verify --fresh ${project.id}`);
  }
  const isToldAbove = proof?.kind === "failed" && blockers.some(({ kind }) => kind === "proof");
  return isToldAbove ? [] : ifAny("Proof", proof && proofText(proof));
}

/** What should not be, and what puts it right. */
function troubleFacts(view: StatusView): Fact[] {
  const { project, folder, delivery_cut_short: cut, manifest_not_adopted: left } = view;
  const is = folder === "foreign" ? "is not what Stint wrote" : `is ${folder}`;
  return [
    ...ifAny("Cut short", cut && `${cut}. stint doctor --repair ${project.id} ends it`),
    ...ifAny(
      "Not adopted",
      left &&
        `${project.manifest} on disk does not count as your edit: ${left}. The last adopted text stays in force.`,
    ),
    ...ifAny(
      "Folder",
      folder === "same"
        ? null
        : `${project.folder}/state.json ${is}; the copy in the state folder counts. Restore it: stint doctor ${project.id} --repair`,
    ),
  ];
}

/** Said once for the whole project, not for every task. */
const [UNTOLD] = spending({ tokens: null, cost_usd: null, unknown_tokens: 1, unknown_cost: 1 });

interface TaskLines {
  readonly said: Said;
  readonly isVerbose: boolean;
  readonly paint: Paint;
}

function taskLines(view: StatusView, { said, isVerbose, paint }: TaskLines): Block[] {
  const interrupted = interruptedTask(view);
  const rows = inTree(view.tasks).flatMap(({ task, depth }): Cell[][] => {
    const isToCheck = task.status === "validating" && task.id === interrupted?.id;
    const colour = taskColour(task.status, paint);
    const spent = task.spent === null ? "" : spending(task.spent).join(", ");
    const child = task.child === undefined ? "" : `child ${task.child}`;
    const why = isVerbose ? task.detail : whyOf(task);
    const notes = [
      child,
      why === null || said.has(why) ? "" : why,
      spent === UNTOLD ? "" : spent,
    ].filter((note) => note !== "");
    const detail = notes.length === 0 ? "" : ` (${notes.join("; ")})`;
    const bounds = task.bounds === undefined ? [] : boundsLines(task.bounds);
    const reasons = Object.entries(task.label_reasons ?? {}).map(([label, reason]) =>
      visibleLine(`${label}: ${reason}`),
    );
    return [
      [
        { text: isToCheck ? "·" : (SIGNS[task.status] ?? "?"), paint: colour },
        { text: `${branchSign(depth)}${task.id}` },
        { text: isToCheck ? "to check" : task.status.replace("_", " "), paint: colour },
        { text: visibleLine(`${labelsText(task.labels)}${task.title}${detail}`) },
      ],
      ...[...reasons, ...bounds].map((text): Cell[] => [
        { text: "" },
        { text: "" },
        { text: "" },
        { text, paint: paint.dim },
      ]),
    ];
  });
  const more = `  … ${view.tasks_left_out} more tasks: stint status ${view.project.id} --all`;
  return [{ rows, indent: "  " }, ...(view.tasks_left_out > 0 ? [paint.dim(more)] : [])];
}

/** Why it is where it is; the evidence of what is done is for those who look closer. */
function whyOf({ status, detail }: StatusView["tasks"][number]): string | null {
  // What it waits for is told above.
  if (status === "awaiting_approval") return null;
  if (status !== "done" || detail === null) return detail;
  if (detail.startsWith("by exit code")) return "by exit code";
  // How many are not verified by Stint is told above as well.
  return detail.endsWith(NOT_VERIFIED) ? detail.slice(0, -`, ${NOT_VERIFIED}`.length) : null;
}

export function paintStatus(status: string, paint: Paint): string {
  if (status === "Done") return paint.green(status);
  if (status === "Blocked" || status === "Abandoned") return paint.red(status);
  if (["AwaitingApproval", "Paused", READY_TO_CONTINUE].includes(status))
    return paint.yellow(status);
  return paint.cyan(status);
}

function taskColour(status: string, paint: Paint): (text: string) => string {
  if (status === "done") return paint.green;
  if (status === "blocked") return paint.red;
  if (status === "awaiting_approval" || status === "awaiting_result") return paint.yellow;
  if (status === "in_progress" || status === "validating") return paint.cyan;
  return paint.dim;
}
