// One task with its attempts, or one session, for people: a heading, a few facts, then each session, newest first.
import type { ShowView } from "../core/schema/views.ts";
import { counted } from "../core/words/amounts.ts";
import { givenName } from "../core/words/given-name.ts";
import { shortCommit } from "../core/words/proof-words.ts";
import { duration, labelsText, localTime, spending } from "./amounts.ts";
import { type Block, fact, nextFacts, type Paint } from "./layout.ts";
import { visibleLine, visibleText } from "./visible.ts";

type Task = NonNullable<ShowView["task"]>;
type Session = ShowView["sessions"][number];

const SHOWN_FILES = 15;
/** Of an output: its beginning and, longer, its end. */
const FIRST_LINES = 4;
const LAST_LINES = 8;
const BRIEF_LINES = 40;

export function showText(view: ShowView, paint: Paint): Block[] {
  const { task, sessions, sessions_left_out: left } = view;
  const more = `… ${counted(left, "earlier session")}: stint log ${view.project_id}`;
  return [
    ...(task === null ? [] : taskBlocks(view, task, paint)),
    ...sessions.flatMap((session, index) => [
      ...(task === null && index === 0 ? [] : [""]),
      ...sessionBlocks(view, session, sessions[index - 1], paint),
    ]),
    ...(left > 0 ? ["", paint.dim(more)] : []),
    ...(view.next.length > 0 ? [""] : []),
    ...nextFacts(view.next, paint, "Or"),
  ];
}

function taskBlocks(view: ShowView, task: Task, paint: Paint): Block[] {
  const spent = task.spent === null ? [] : spending(task.spent);
  const used = [
    `${task.attempts} of ${task.allowed}`,
    ...spent.filter((each) => !each.includes("unknown")),
  ].join(", ");
  return [
    `${paint.bold(`${task.id}  ${visibleLine(task.title)}`)}  ${taskStatus(task.status, paint)}`,
    projectBlock(view, paint),
    ...(givenName(task) === null ? [] : [fact("Name", task.name, paint)]),
    ...(task.why === null ? [] : [fact("Why", task.why, paint)]),
    ...(task.labels.length === 0
      ? []
      : [fact("Labels", labelsText(task.labels).trim().slice(1, -1), paint)]),
    fact("Attempts", used, paint),
    ...task.checks.map((check) => {
      const line = fact("Check", check, paint);
      return isCommand(check) ? { commands: line } : line;
    }),
    ...changedBlocks(task.changed, paint, "  "),
    ...failureBlocks(task, view.sessions, paint),
  ];
}

/** All other paths are below this one. */
function projectBlock({ slug, folder }: ShowView, paint: Paint): Block {
  return { whole: fact("Project", `${slug} in ${folder}`, paint) };
}

function taskStatus(status: string, paint: Paint): string {
  const words = status.replace("_", " ");
  if (status === "done") return paint.green(words);
  return status === "blocked" ? paint.red(words) : paint.cyan(words);
}

/** Only where no session below tells it. */
function failureBlocks(
  { id, last_failure: failure, status }: Task,
  sessions: readonly Session[],
  paint: Paint,
): Block[] {
  if (failure === null || status === "done") return [];
  const isTold = sessions.some(
    ({ tasks, checks }) =>
      tasks.some(({ task_id, attempt }) => task_id === id && attempt === failure.attempt) &&
      checks.some(({ result }) => result === "failed"),
  );
  if (isTold) return [];
  const what = `attempt ${failure.attempt}, ${localTime(failure.at)}: ${failure.check}`;
  return [fact("Failed last", what, paint), ...quoted(failure.excerpt, paint, "    ")];
}

function changedBlocks(changed: Task["changed"], paint: Paint, indent: string): Block[] {
  if (changed === null) return [];
  const { kind, commit, total, files } = changed;
  const how = {
    committed: `, committed as ${shortCommit(commit ?? "")}`,
    unfinished: ", not committed: kept for the next attempt",
    session: "",
  }[kind];
  const what = total === 0 ? "nothing" : `${counted(total, "file")}${how}`;
  const shown = files.slice(0, SHOWN_FILES);
  const hidden = total - shown.length;
  return [
    `${indent}${paint.dim("Changed:")} ${what}`,
    {
      rows: shown.map(({ path, change, added, removed }) => [
        { text: SIGNS[change], paint: paint.dim },
        { text: added === null ? "" : `+${added}`, paint: paint.green },
        { text: removed === null ? "" : `-${removed}`, paint: paint.red },
        { text: visibleLine(path) },
      ]),
      indent: `${indent}  `,
    },
    ...(hidden > 0 ? [paint.dim(`${indent}  … ${counted(hidden, "more file")}`)] : []),
  ];
}

const SIGNS = { added: "new", modified: "changed", deleted: "gone", moved: "moved" } as const;

function sessionBlocks(
  view: ShowView,
  session: Session,
  above: Session | undefined,
  paint: Paint,
): Block[] {
  const own = session.tasks.find(({ task_id }) => task_id === view.task?.id);
  const tasks = session.tasks.map(({ task_id, attempt }) => `${task_id} (attempt ${attempt})`);
  const heading =
    own === undefined
      ? `Session ${session.session}  ${tasks.join(", ")}`
      : `Attempt ${own.attempt}  session ${session.session}`;
  const ended = session.ended_well ? session.ended : paint.red(visibleLine(session.ended));
  return [
    `${paint.bold(heading)}  ${paint.dim(whenText(session))}`,
    ...(view.task === null ? [projectBlock(view, paint)] : []),
    `  ${paint.dim("Ended:")} ${ended}`,
    ...(session.last_words === null || session.last_words.trim() === ""
      ? []
      : said("Last words", session.last_words, paint)),
    ...(session.stderr === "" || session.ended_well
      ? []
      : said("Standard error", session.stderr, paint)),
    ...(session.changed === null && session.measured !== null
      ? [fact("Changed", session.measured, paint)]
      : changedBlocks(session.changed, paint, "  ")),
    ...session.checks.flatMap((check) => checkBlocks(check, above, paint)),
    ...briefBlocks(view, session, paint),
    ...(session.log === null
      ? []
      : [{ whole: `  ${paint.dim("Log:")} ${visibleLine(session.log)}` }]),
  ];
}

/** To be copied whole; any other check is words. */
function isCommand(check: string): boolean {
  return check.startsWith("`");
}

function whenText({ agent, started_at, wall_ms, tokens, cost_usd }: Session): string {
  const spent = spending({ tokens, cost_usd });
  const took = wall_ms === null ? [] : [duration(wall_ms)];
  return [visibleLine(agent), localTime(started_at), ...took, ...spent].join(", ");
}

/** An output that was told just above is not told again. */
function checkBlocks(
  check: Session["checks"][number],
  above: Session | undefined,
  paint: Paint,
): Block[] {
  const { result, summary, evidence, output } = check;
  const isKnown = above?.checks.some(
    (each) => each.check === check.check && each.result === result && each.output === output,
  );
  const sign = { passed: "✓", failed: "✗", pending: "?", unavailable: "-" }[result];
  const colour = result === "passed" ? paint.green : result === "failed" ? paint.red : paint.yellow;
  const line = `  ${colour(sign)} ${visibleLine(check.check)}: ${visibleLine(summary)}`;
  return [
    isCommand(check.check) ? { commands: line } : line,
    ...(result === "passed" || output.trim() === summary
      ? []
      : isKnown === true
        ? [`      ${paint.dim("(the same output)")}`]
        : quoted(output, paint, "      ")),
    { whole: `      ${paint.dim(visibleLine(evidence))}` },
  ];
}

/** Whole where a session is asked for, else where it lies. */
function briefBlocks({ task }: ShowView, { brief }: Session, paint: Paint): Block[] {
  if (brief === null) return [];
  const place = { whole: `  ${paint.dim("Brief:")} ${visibleLine(brief.path)}` };
  if (task !== null) return [place];
  const lines = visibleText(brief.text).trimEnd().split("\n");
  const hidden = lines.length - BRIEF_LINES;
  return [
    place,
    ...lines.slice(0, BRIEF_LINES).map((line) => `    ${line}`),
    ...(hidden > 0 ? [paint.dim(`    … ${counted(hidden, "more line")} there`)] : []),
  ];
}

function said(name: string, text: string, paint: Paint): Block[] {
  const lines = visibleText(text).trim().split("\n");
  if (lines.length === 1) return [fact(name, lines[0] ?? "", paint)];
  return [`  ${paint.dim(`${name}:`)}`, ...quoted(text, paint, "    ")];
}

/** As it was said; of more lines the beginning and the end. */
function quoted(text: string, paint: Paint, indent: string): Block[] {
  const lines = visibleText(text)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const hidden = lines.length - FIRST_LINES - LAST_LINES;
  const shown =
    hidden <= 1
      ? lines
      : [...lines.slice(0, FIRST_LINES), `… ${hidden} lines`, ...lines.slice(-LAST_LINES)];
  return shown.map((line) => `${indent}${paint.dim(line)}`);
}
