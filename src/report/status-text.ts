// Where projects stand, for people: one of them, all of them, the journal of one.
import { dataSize } from "../core/words/amounts.ts";
import { NOT_VERIFIED } from "../core/words/task-standing.ts";
import { proofText } from "../core/words/proof-words.ts";
import type { ListView, LogView, StatusView } from "../core/schema/views.ts";
import { duration, labelsText, localTime, progressBar, spending } from "./amounts.ts";
import type { Block, Cell, Paint } from "./layout.ts";
import { nextSteps } from "./next-steps.ts";
import { boundsLines, branchSign, inTree } from "./task-tree.ts";
import { reasonText, visibleLine } from "./visible.ts";

/** What a person may have to read to its end, or to copy, is wrapped and not cut. */
const WHOLE = new Map<string, Cell["whole"]>([
  ["Next", "words"],
  ["Done when", "words"],
  ["Waits for you", "words"],
  ["Blocked by", "words"],
  ["Go on", "commands"],
  ["Folder", "commands"],
  ["Lies in", "commands"],
  ["Background", "commands"],
  ["Log", "commands"],
  ["Session", "words"],
  ["Its log", "commands"],
  ["Waits", "words"],
  ["Not promised", "words"],
  ["Not adopted", "words"],
  ["Work", "words"],
  ["Proof", "words"],
]);

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

type Fact = readonly [name: string, text: string];

export function statusText(view: StatusView, paint: Paint): Block[] {
  const { project, progress } = view;
  const heading = `${paint.bold(project.slug)}  ${project.id}  ${paintStatus(view.status, paint)}`;
  const event = view.last_event;
  const facts: Fact[] = [
    ["Goal", project.goal],
    ["Manifest", `${project.manifest} in ${project.root}`],
    ["Progress", progressLine(view)],
    ...budgetFacts(view),
    ...attemptFacts(view),
    ...sessionFacts(view),
    ...limitFacts(view),
    ["Next", view.next_action],
    ...ifAny("Done when", view.done_when),
    ...goOnFacts(view),
    ...ifAny("Checkpoint", view.next_checkpoint),
    ...view.waiting_for_a_person.map(({ id, what, expires_at }): Fact => {
      const until = expires_at === null ? "" : ` (until ${expires_at})`;
      return ["Waits for you", `${id}: ${what}${until}`];
    }),
    ...view.blockers.map(({ reason, unblock }): Fact => [
      "Blocked by",
      `${reasonText(reason)} (${unblock})`,
    ]),
    ...roleFacts(view),
    ...backgroundFacts(view),
    [
      "Revision",
      `${view.revision}, ${event === null ? "no event" : `${event.at}: ${event.summary}`}`,
    ],
    ...workspaceFacts(view),
    ...ifAny("Work", view.delivery && workText(view.delivery)),
    ...ifAny("Proof", view.proof && proofText(view.proof)),
    ...ifAny(
      "Cut short",
      view.delivery_cut_short &&
        `${view.delivery_cut_short}. stint doctor --repair ${project.id} ends it`,
    ),
    ...ifAny(
      "Not adopted",
      view.manifest_not_adopted &&
        `${project.manifest} on disk is not taken for an edit: ${view.manifest_not_adopted}. The text from before holds.`,
    ),
    ...folderFacts(view),
  ];
  const rows = facts.map(([name, text]) => [
    { text: name, paint: paint.dim },
    { text: visibleLine(text), whole: WHOLE.get(name) },
  ]);
  const tasks = progress.total > 0 ? ["", ...taskLines(view, paint)] : [];
  return [heading, { rows, indent: "  " }, ...tasks];
}

function ifAny(name: string, text: string | null): Fact[] {
  return text === null ? [] : [[name, text]];
}

/** Said once for the whole project, not for every task. */
const [UNTOLD] = spending({ tokens: null, cost_usd: null, unknown_tokens: 1, unknown_cost: 1 });

function taskLines(view: StatusView, paint: Paint): Block[] {
  const rows = inTree(view.tasks).flatMap(({ task, depth }): Cell[][] => {
    const colour = taskColour(task.status, paint);
    const spent = task.spent === null ? "" : spending(task.spent).join(", ");
    const child = task.child === undefined ? "" : `child ${task.child}`;
    const notes = [child, task.detail ?? "", spent === UNTOLD ? "" : spent].filter(
      (note) => note !== "",
    );
    const detail = notes.length === 0 ? "" : ` (${notes.join("; ")})`;
    const bounds = task.bounds === undefined ? [] : boundsLines(task.bounds);
    const reasons = Object.entries(task.label_reasons ?? {}).map(([label, why]) =>
      visibleLine(`${label}: ${why}`),
    );
    return [
      [
        { text: SIGNS[task.status] ?? "?", paint: colour },
        { text: `${branchSign(depth)}${task.id}` },
        { text: task.status.replace("_", " "), paint: colour },
        { text: visibleLine(`${labelsText(task.labels)}${task.title}${detail}`) },
      ],
      ...[...reasons, ...bounds].map((text): Cell[] => [
        { text: "" },
        { text: "" },
        { text: "" },
        { text, paint: paint.dim, whole: "words" },
      ]),
    ];
  });
  const more = `  … ${view.tasks_left_out} more tasks: stint status ${view.project.id} --all`;
  return [{ rows, indent: "  " }, ...(view.tasks_left_out > 0 ? [paint.dim(more)] : [])];
}

function limitFacts({ pause, agent_limits }: StatusView): Fact[] {
  const until = pause?.resume_at === undefined ? "" : `until ${localTime(pause.resume_at)}: `;
  return [
    ...ifAny("Paused", pause && `${until}${pause.reason}`),
    ...agent_limits.map(({ agent, reason, until: end, in_a_row }): Fact => {
      const when = end === undefined ? "until you did something" : `until ${localTime(end)}`;
      const times = in_a_row.usage + in_a_row.provider;
      const often = times > 1 ? `, ${times} times in a row` : "";
      return ["Limited", `${agent} ${when}: ${reason}${often}`];
    }),
  ];
}

function budgetFacts({ budget }: StatusView): Fact[] {
  const { sessions, wall_ms: time } = budget;
  const left = Math.max(0, sessions.allowed - sessions.used);
  const more = sessions.refused === 0 ? "" : `, ${sessions.refused} refused by a provider`;
  const timeLeft = duration(Math.max(0, time.allowed - time.used));
  // Nothing before the first session where nothing is limited.
  const spent = budgetSpending(budget);
  return [
    ["Sessions", `${sessions.used} used, ${left} of ${sessions.allowed} left${more}`],
    ["Time", `${duration(time.used)} used, ${timeLeft} of ${duration(time.allowed)} left`],
    ...(spent.length === 0 ? [] : [["Spent", spent.join(", ")] as const]),
  ];
}

export function budgetSpending({ tokens, cost_usd }: StatusView["budget"]): string[] {
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

function attemptFacts({ current_attempt: now, last_failure: failed }: StatusView): Fact[] {
  const said = failed === null || failed.line === "" ? "" : `: ${failed.line}`;
  return [
    ...ifAny(
      "Current",
      now &&
        `${now.task_id}, attempt ${now.number} of ${now.allowed}, session ${now.session} since ${now.started_at}`,
    ),
    ...ifAny(
      "Last failure",
      failed && `${failed.task_id}, attempt ${failed.attempt}, ${failed.check}${said}`,
    ),
  ];
}

const SHOWN_ENDS = 3;

/** What the sessions of unfinished tasks came to, and which wait for their provider now. */
function sessionFacts({ session_ends, provider_waits }: StatusView): Fact[] {
  return [
    ...provider_waits.map(({ text }): Fact => ["Waits", text]),
    ...session_ends
      .slice(-SHOWN_ENDS)
      .flatMap(({ session, task_id, words, log }): Fact[] => [
        ["Session", `${session} ${words} (${task_id})`],
        ...ifAny("Its log", log),
      ]),
  ];
}

/** Work remains and nobody is at it. */
function goOnFacts(view: StatusView): Fact[] {
  if (view.roles.coordinator !== null || view.round_status === "complete") return [];
  return nextSteps(view, {}).map((step) => ["Go on", step]);
}

/** Where nothing is delegated the roles collapse into the run: it works, and recovers first. */
function roleFacts({ roles }: StatusView): Fact[] {
  const noWorker = roles.collapsed && roles.coordinator !== null ? "the coordinator" : "none";
  return [
    ["Origin", roles.origin],
    ["Coordinator", roles.coordinator ?? "nobody: no run is active"],
    ["Worker", roles.workers.join(", ") || noWorker],
    ["Watchdog", roles.watchdog ?? "none: every run recovers first"],
  ];
}

function backgroundFacts({ background, project }: StatusView): Fact[] {
  if (background === null) return [];
  return [
    ["Background", `pid ${background.pid}; stint watch ${project.id} shows it`],
    ["Log", background.log],
  ];
}

function progressLine({ progress, round_status }: StatusView): string {
  const { done, total, skipped, blocked, marked } = progress;
  const notes = [
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(blocked > 0 ? [`${blocked} blocked`] : []),
    `last round: ${round_status}`,
  ];
  const apart = marked > 0 ? `; ${marked} marked by you, ${NOT_VERIFIED}` : "";
  return `${progressBar(done, total)} ${done} of ${total} done${apart} (${notes.join(", ")})`;
}

function workspaceFacts({ workspace }: StatusView): Fact[] {
  if (workspace === null) return [];
  const { name, isolation, path, missing, bytes, measured_at } = workspace;
  const size =
    bytes === null || measured_at === null
      ? ""
      : ` (${dataSize(bytes)}, measured ${measured_at.slice(0, 16).replace("T", " ")} UTC)`;
  const kept = isolation === "group" ? "no namespace" : `isolation by ${isolation}`;
  return [
    ["Workspace", `${name}, ${kept}`],
    ["Lies in", `${path}${size}`],
    ...missing.map((text): Fact => ["Not promised", text]),
  ];
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
    default:
      return delivery satisfies never;
  }
}

/** "Bring both together: git merge x" is said as the command alone. */
function bare(hint: string): string {
  return hint.replace(/^[^:]*: (?=git |stint )/, "");
}

function folderFacts({ folder, project }: StatusView): Fact[] {
  if (folder === "same") return [];
  const was = folder === "foreign" ? "is not what Stint wrote" : `is ${folder}`;
  const text = `${project.folder}/state.json ${was}; the shadow holds the truth. Restore it: stint doctor ${project.id} --repair`;
  return [["Folder", text]];
}

export function paintStatus(status: string, paint: Paint): string {
  if (status === "Done") return paint.green(status);
  if (status === "Blocked" || status === "Abandoned") return paint.red(status);
  if (status === "AwaitingApproval" || status === "Paused") return paint.yellow(status);
  return paint.cyan(status);
}

function taskColour(status: string, paint: Paint): (text: string) => string {
  if (status === "done") return paint.green;
  if (status === "blocked") return paint.red;
  if (status === "awaiting_approval" || status === "awaiting_result") return paint.yellow;
  if (status === "in_progress" || status === "validating") return paint.cyan;
  return paint.dim;
}

export function listText(view: ListView, paint: Paint): Block[] {
  if (view.projects.length === 0) return ["No projects yet. Create one: stint new <manifest.md>"];
  const header: Cell[] = ["ID", "SLUG", "STATUS", "DONE", "UPDATED (UTC)", "WHERE"].map((text) => ({
    text,
    paint: paint.dim,
  }));
  const rows = view.projects.map((project): Cell[] => {
    const where: Cell = { text: visibleLine(`${project.root}/${project.manifest}`), keeps: "end" };
    return [
      { text: project.id },
      { text: project.slug },
      ...stateCells(project.state, paint),
      where,
    ];
  });
  const unreadable = view.projects.flatMap(({ id, state }) =>
    state.readable ? [] : [`${paint.red("unreadable")} ${id}: ${visibleLine(state.reason)}`],
  );
  return [{ rows: [header, ...rows] }, ...unreadable];
}

function stateCells(state: ListView["projects"][number]["state"], paint: Paint): Cell[] {
  if (!state.readable) {
    return [{ text: "unreadable", paint: paint.red }, { text: "-" }, { text: "-" }];
  }
  const { status, progress, updated_at } = state;
  return [
    {
      text: status,
      paint: (text) => paintStatus(text.trimEnd(), paint) + text.slice(text.trimEnd().length),
    },
    { text: `${progress.done}/${progress.total}` },
    { text: updated_at.slice(0, 16).replace("T", " ") },
  ];
}

export function logText(view: LogView, paint: Paint): Block[] {
  const rows = view.lines.map((line): Cell[] => [
    { text: String(line.revision), paint: paint.dim },
    { text: `${line.at.slice(0, 19).replace("T", " ")}Z`, paint: paint.dim },
    { text: visibleLine(line.kind), paint: paint.cyan },
    { text: visibleLine(line.by) },
    { text: visibleLine(line.summary), whole: "words" },
  ]);
  const hidden = view.total - view.lines.length;
  return [...(hidden > 0 ? [paint.dim(`… ${hidden} earlier lines`)] : []), { rows }];
}
