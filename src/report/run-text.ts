// A run in lines: each piece of news as one fact, and how it ended with what to do next.
import type { Label } from "../core/schema/task.ts";
import type { RunView, StatusView } from "../core/schema/views.ts";
import { counted } from "../core/words/amounts.ts";
import { standingAlone } from "../core/words/session-end-words.ts";
import { MARKED_BY_YOU } from "../core/words/task-standing.ts";
import { shortCommit } from "../core/words/proof-words.ts";
import { duration, labelsText, localTime } from "./amounts.ts";
import type { Fact } from "./status/fact-rows.ts";
import { type Block, fact, nextFacts, type Paint } from "./layout.ts";
import type { News } from "../core/news.ts";
import { paintStatus, proofFacts, spentText, workText } from "./status-text.ts";
import { Said } from "./status/said.ts";
import {
  ENDED_AS_TOLD,
  failureFacts,
  interruptedFacts,
  isEndTold,
} from "./status/session-facts.ts";
import { reasonText, shorten, visibleLine } from "./visible.ts";

/** Bookkeeping that other lines say better; how the run ends is said by the lines that close it. */
const QUIET = new Set([
  "session-ended",
  "manifest-read",
  "work-started",
  "delivery-recorded",
  "blocked",
  "paused",
  "completed",
]);

function isQuiet({ event, summary, isTold }: Extract<News, { kind: "persisted" }>): boolean {
  if (isTold === true) return true;
  // Time alone is on every clock; tokens and money are worth a line.
  return QUIET.has(event) || (event === "spending-recorded" && /^spent \d+ ms$/.test(summary));
}

const SHOWN = 10;
const AGENT_LINE = 200;

/** One line for a pipe: words alone, one fact. Null for what need not be read. */
export function newsLine(news: News): string | null {
  switch (news.kind) {
    case "started":
      return `started: ${news.slug} ${news.project_id}, ${news.place.done} of ${counted(news.place.total, "task")} done`;
    case "persisted":
      return isQuiet(news) ? null : visibleLine(news.summary);
    case "session":
      return `agent${news.task === undefined ? "" : ` on ${news.task}`}: ${shorten(visibleLine(news.line), AGENT_LINE)}`;
    case "session-ended":
      return visibleLine(`${endText(news)}${news.log === undefined ? "" : `, log ${news.log}`}`);
    case "retrying":
      return news.isLine ? visibleLine(news.text) : null;
    case "measured":
      return `session ${news.session} made: ${visibleLine(news.text)}`;
    case "checking":
      return null;
    case "check":
      if (news.when === "before") return null;
      return `check ${news.passed ? "passed" : "failed"}: ${checkText(news)}`;
    case "waiting":
      return visibleLine(waitingText(news));
    case "woken":
      return "continues: the wait is over";
    case "notice":
      return `notice: ${visibleLine(news.text)}`;
    default:
      return news satisfies never;
  }
}

/** The same for a terminal, where the live view says what is passing. */
export function newsSigns(news: News, paint: Paint): string | null {
  const line = newsLine(news);
  if (line === null) return null;
  switch (news.kind) {
    case "persisted":
      if (news.event === "attempt-started") return null;
      if (news.event === "commit-recorded") return committedLine(news.summary, paint);
      return `${signOf(news, paint)} ${line}`;
    case "check":
      return `  ${news.passed ? paint.green("✓") : paint.red("✗")} ${checkText(news)}`;
    case "session-ended": {
      const log = news.log === undefined ? "" : `\n  ${paint.dim(visibleLine(`log: ${news.log}`))}`;
      return `${paint.red("✗")} ${visibleLine(endText(news))}${log}`;
    }
    case "waiting":
      return `${paint.yellow("…")} ${line}`;
    case "woken":
      return `${paint.cyan("•")} ${line}`;
    case "notice": {
      const committed = news.text.startsWith("committed ") ? committedLine(news.text, paint) : null;
      if (committed !== null) return committed;
      const sign = ORDINARY.test(news.text) ? paint.cyan("•") : paint.yellow("!");
      return `${sign} ${visibleLine(news.text)}`;
    }
    // The live view says that it waits, for as long as it does.
    case "retrying":
    case "started":
    case "session":
    case "checking":
    case "measured":
      return null;
    default:
      return news satisfies never;
  }
}

function checkText({ check, seen }: Extract<News, { kind: "check" }>): string {
  return visibleLine(seen === undefined ? check : `${check}: ${seen}`);
}

/** What is told of every run, and signs of life, are not warnings. */
const ORDINARY = /^(?:works in |may run: |spent |asks whether )|…$/;

function endText({ session, task, words }: Extract<News, { kind: "session-ended" }>): string {
  return `session ${session}${task === undefined ? "" : ` on ${task}`} ${words}`;
}

/** Until when, why, and how to leave: whoever reads it may want to go to bed. */
function waitingText({ until, now, reason, project_id }: WaitingNews): string {
  const time = `until ${localTime(until, now)} (${duration(Date.parse(until) - Date.parse(now))})`;
  return `waits ${time}: ${reason}. It continues by itself; Ctrl-C leaves, then: stint resume ${project_id}`;
}

type WaitingNews = Extract<News, { kind: "waiting" }>;

/** The line above says which task. */
function committedLine(summary: string, paint: Paint): string | null {
  const commit = / as ([0-9a-f]{7,})$/.exec(summary)?.[1];
  return commit === undefined ? null : paint.dim(`  committed as ${shortCommit(commit)}`);
}

function signOf(news: Extract<News, { kind: "persisted" }>, paint: Paint): string {
  if (news.summary.startsWith("done ")) return paint.green("✓");
  if (news.event === "checks-recorded" || news.status === "Blocked") return paint.red("✗");
  return paint.cyan("•");
}

/** How the run ended: what happened, what was made, what it took, and last of all what to do. */
export function runText(view: RunView, paint: Paint): Block[] {
  const { status } = view;
  const { project } = status;
  const blocked = blockedBy(view);
  const top = isAsking(view) ? "a person is needed" : view.why;
  const above = [top, ...blocked.map(([, reason]) => reason)];
  const facts: Fact[] = [
    ...blocked,
    ["Tasks", tasksText(view)],
    ["Commits", commitsText(view)],
    ...(status.delivery === null ? [] : [["Work", workText(status.delivery)] as const]),
    ...proofFacts(status),
    ...lookedAtFacts(view),
    ...interruptedFacts({ ...status, roles: { ...status.roles, coordinator: null } }),
    ...failureFacts(status, above),
    ...endFacts(view, above),
    ["Used", usedText(view)],
    ["In all", spentText(status)],
    ["Evidence", visibleLine(`${view.evidence} in ${project.root}`)],
    ...limitedUntil(status),
    ...waiting(status),
  ];
  const why = reasonText(top);
  const said = new Said([why]);
  const told = said.unsaid(facts.map(([name, text]) => [name, reasonText(text)] as const));
  return [
    `${paint.bold(project.slug)}  ${project.id}  ${paintStatus(status.status, paint)}: ${why}`,
    ...taskLines(view, said, paint),
    ...told.map(([name, text]) => fact(name, text, paint)),
    ...nextFacts(view.next.map(reasonText), paint),
  ];
}

/** What is asked stands below, item by item. */
function isAsking({ why, status }: RunView): boolean {
  return status.waiting_for_a_person.some(({ what }) => why.includes(what));
}

/**
 * Why a task is blocked stands above or below, where the whole project is blocked by it. Only what is done is folded:
 * what failed is what somebody looks for.
 */
function taskLines({ done, status }: RunView, said: Said, paint: Paint): Block[] {
  const own = new Set<string>(done);
  const failed = status.tasks.filter((task) => task.status === "blocked");
  const room = Math.max(0, SHOWN - failed.length);
  const finished = status.tasks.filter((task) => own.has(task.id)).slice(0, room);
  const rows = [...finished, ...failed].map((task) => {
    const isDone = task.status === "done";
    const isToSay = !isDone && task.detail !== null && !said.has(task.detail);
    const why = isToSay ? ` (${task.detail})` : "";
    return [
      { text: isDone ? "✓" : "✗", paint: isDone ? paint.green : paint.red },
      { text: task.id },
      { text: visibleLine(`${labelsText(task.labels)}${task.title}${why}`) },
    ];
  });
  const hidden = done.length - finished.length;
  const more = `  … ${counted(hidden, "more done task")}: stint status ${status.project.id} --all`;
  return [{ rows, indent: "  " }, ...(hidden > 0 ? [paint.dim(more)] : [])];
}

/** These labels mean that a person is to look at what was changed. */
const TO_LOOK_AT: readonly Label[] = ["self-judged", "judge-changed"];
const MOST_LOOKED_AT = 5;

function lookedAtFacts({ done, status: { tasks } }: RunView): Fact[] {
  const own = new Set<string>(done);
  return tasks
    .filter(({ id }) => own.has(id))
    .flatMap(({ id, label_reasons: reasons = {} }) =>
      TO_LOOK_AT.flatMap((label): Fact[] => {
        const why = reasons[label];
        return why === undefined ? [] : [["Look at", visibleLine(`${id} is ${label}: ${why}`)]];
      }),
    )
    .slice(0, MOST_LOOKED_AT);
}

function tasksText({ status: { progress }, done }: RunView): string {
  const { done: all, total, marked, skipped } = progress;
  return [
    `${all} of ${total} done, ${done.length} in this run`,
    ...(marked === 0 ? [] : [`${marked} ${MARKED_BY_YOU}`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
  ].join("; ");
}

function commitsText({ commits, has_git }: RunView): string {
  if (!has_git) return "no commit: the folder is not a git repository";
  const ids = [...new Set(commits.map(({ commit }) => shortCommit(commit)))];
  if (ids.length === 0) return "none made";
  const more = ids.length > SHOWN ? `, and ${ids.length - SHOWN} before` : "";
  return `${ids.slice(-SHOWN).join(" ")}${more}`;
}

const SHOWN_ENDS = 5;

/** Its sessions that did not simply finish, the last ones. */
function endFacts({ session_ends: ends, status }: RunView, above: readonly string[]): Fact[] {
  const shown = ends.slice(-SHOWN_ENDS);
  const hidden = ends.length - shown.length;
  const more = `${counted(hidden, "earlier session")} did not finish either: stint log ${status.project.id}`;
  // Those of which the same is to be told stand in one line.
  const told = new Map<string, number[]>();
  const first = new Map<string, number>();
  for (const { session, task_id, words, log } of shown) {
    const isTold = isEndTold({ session, task_id, words }, above);
    if (log === null && isTold) continue;
    const like = first.get(words);
    if (like === undefined && !isTold) first.set(words, session);
    const isLike = like !== undefined && log !== null;
    const how = isTold
      ? ENDED_AS_TOLD
      : isLike
        ? `ended like session ${like}`
        : standingAlone(words);
    const text = `${how} (${task_id})${log === null ? "" : `, log ${log}`}`;
    told.set(text, [...(told.get(text) ?? []), session]);
  }
  return [
    ...(hidden > 0 ? [["Sessions", more] as [string, string]] : []),
    ...[...told].map(([text, sessions]): [string, string] => [
      `${sessions.length === 1 ? "Session" : "Sessions"} ${sessions.join(", ")}`,
      text,
    ]),
  ];
}

function usedText({ run: { sessions, wall_ms, retries } }: RunView): string {
  const again = retries === 0 ? "" : `; retried a provider ${counted(retries, "time")}`;
  return `${counted(sessions, "session")}; the run took ${duration(wall_ms)}${again}`;
}

function limitedUntil({ pause }: StatusView): [string, string][] {
  if (pause?.resume_at === undefined) return [];
  return [["Limited until", localTime(pause.resume_at, pause.paused_at)]];
}

/** The reason that the run ended with stands at the top. */
function blockedBy({ why, status }: RunView): Fact[] {
  const others = status.blockers.filter(({ reason }) => reason !== why);
  return others.map(({ reason }) => ["Blocked by", reason]);
}

function waiting({ waiting_for_a_person: items }: StatusView): Fact[] {
  return items.map(({ id, what }) => ["Waits for you", `${id}: ${what}`]);
}
