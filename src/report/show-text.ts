// One task with its attempts, or one session, for people: a heading, a few facts, then each session, newest first.
// Paths can be pasted: they are as somebody in the folder `cwd` types them.
import { isAbsolute, join, relative } from "node:path";
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

/** How a path below the project folder is typed. */
type Typed = (path: string) => string;

export function showText(view: ShowView, paint: Paint, cwd: string): Block[] {
  const typed = typedFrom(cwd, view.folder);
  const { task, sessions, sessions_left_out: left } = view;
  const more = `… ${counted(left, "earlier session")}: stint log ${view.project_id}`;
  return [
    ...(task === null ? [] : taskBlocks(view, task, { paint, typed })),
    ...sessions.flatMap((session, index) => [
      ...(task === null && index === 0 ? [] : [""]),
      ...sessionBlocks({ view, above: sessions[index - 1], typed }, session, paint),
    ]),
    ...(left > 0 ? ["", paint.dim(more)] : []),
    ...(view.next.length > 0 ? [""] : []),
    ...nextFacts(view.next, paint, "Or"),
  ];
}

/** Relative where that is below, whole anywhere else. */
function typedFrom(cwd: string, folder: string): Typed {
  return (path) => {
    const whole = join(folder, path);
    const from = relative(cwd, whole);
    return from.startsWith("..") || isAbsolute(from) ? whole : from;
  };
}

function taskBlocks(
  view: ShowView,
  task: Task,
  { paint, typed }: { readonly paint: Paint; readonly typed: Typed },
): Block[] {
  const spent = task.spent === null ? [] : spending(task.spent);
  const { attempts, allowed, allowed_extra: extra } = task;
  const why = `${allowed - extra}, and ${extra} more after interruptions, questions or retries`;
  const used = [
    `${attempts} of ${allowed}${extra === 0 ? "" : ` (${why})`}`,
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
    ...(task.act === null || attempts > 0 ? [fact("Attempts", used, paint)] : []),
    ...actBlocks(task.act, typed, paint),
    ...task.checks.map((check) => {
      const line = fact("Check", check, paint);
      return isCommand(check) ? { commands: line } : line;
    }),
    ...changedBlocks(task.changed, paint, "  "),
    ...failureBlocks(task, view.sessions, paint),
  ];
}

/** What Stint did itself, with its checks. */
function actBlocks(act: Task["act"], typed: Typed, paint: Paint): Block[] {
  if (act === null) return [];
  const { what, ended, ended_well: isWell, output, record, checks } = act;
  const words = visibleLine(ended ?? "not done yet");
  return [
    { commands: fact("Stint does", what, paint) },
    `  ${paint.dim("Result:")} ${ended === null || isWell ? words : paint.red(words)}`,
    ...quoted(output, paint, "    "),
    ...(record === null ? [] : [{ whole: `    ${paint.dim(visibleLine(typed(record)))}` }]),
    ...checks.flatMap((check) => checkBlocks({ above: undefined, typed }, check, paint)),
  ];
}

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
    "to-check": ", not committed: kept for its checks, which run next",
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

interface Around {
  readonly view: ShowView;
  /** The session that is shown before it. */
  readonly above: Session | undefined;
  readonly typed: Typed;
}

function sessionBlocks(around: Around, session: Session, paint: Paint): Block[] {
  const { view, typed } = around;
  const own = session.tasks.find(({ task_id }) => task_id === view.task?.id);
  const tasks = session.tasks.map(({ task_id, attempt }) => `${task_id} (attempt ${attempt})`);
  const heading =
    own === undefined
      ? `Session ${session.session}  ${tasks.join(", ")}`
      : `Attempt ${own.attempt}  session ${session.session}`;
  const words = visibleLine(session.ended);
  const ended = session.ended_well || session.is_out ? words : paint.red(words);
  return [
    `${paint.bold(heading)}  ${paint.dim(whenText(session))}`,
    ...(view.task === null ? [projectBlock(view, paint)] : []),
    `  ${paint.dim(session.is_out ? "Now:" : "Ended:")} ${ended}`,
    ...(session.last_words === null || session.last_words.trim() === ""
      ? []
      : said("Last words", session.last_words, paint)),
    ...(session.stderr === "" || session.ended_well
      ? []
      : said("Standard error", session.stderr, paint)),
    ...(session.changed === null && session.measured !== null
      ? [fact("Changed", session.measured, paint)]
      : changedBlocks(session.changed, paint, "  ")),
    ...session.checks.flatMap((check) => checkBlocks(around, check, paint)),
    ...placesOf(session, typed, paint),
    ...briefBlocks(view, session, paint),
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
  { above, typed }: Pick<Around, "above" | "typed">,
  check: Session["checks"][number],
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
    { whole: `      ${paint.dim(visibleLine(typed(evidence)))}` },
  ];
}

/** Where to read on. What printed nothing has its folder. */
function placesOf({ brief, log, session }: Session, typed: Typed, paint: Paint): Block[] {
  const places = [
    ...(brief === null ? [] : [["Brief", brief.path]]),
    ...(log === null ? [] : [["Log", log]]),
    ...(brief !== null && log === null ? [["Folder", `logs/sessions/${session}`]] : []),
  ];
  return places.map(([name = "", path = ""]) => ({
    whole: `  ${paint.dim(`${name}:`)} ${visibleLine(typed(path))}`,
  }));
}

/** Whole, last of all; of a task with its many sessions only its place is told. */
function briefBlocks({ task }: ShowView, { brief }: Session, paint: Paint): Block[] {
  if (brief === null || task !== null) return [];
  const lines = visibleText(brief.text).trimEnd().split("\n");
  return ["", paint.bold("  The brief it was given"), ...lines.map((line) => `    ${line}`)];
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
