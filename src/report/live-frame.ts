// The lines that a terminal shows at its bottom while a run works: how far it is, what is being
// done, what the agent did last, what the checks say. Pure: news in, lines out, none of them wider
// than the terminal.
import { clock, localTime, progressBar, spending } from "./amounts.ts";
import type { Paint } from "./layout.ts";
import type { News, RunPlace } from "../core/news.ts";
import { columnsOf, shorten, visibleLine } from "./visible.ts";

export interface LiveModel {
  readonly startedAtMs: number;
  readonly project: string;
  readonly place: RunPlace | null;
  /** What the agent did last. */
  readonly action: string;
  /** The same of sessions beside each other, by their numbers. */
  readonly actions: Readonly<Record<number, string>>;
  readonly checks: readonly LiveCheck[];
  /** Set once the run was asked to end. */
  readonly ending: string | null;
  /** Set while every agent is limited. */
  readonly waiting: { readonly until: string; readonly reason: string } | null;
}

interface LiveCheck {
  readonly check: string;
  readonly result: "running" | "passed" | "failed";
  readonly when: "before" | "after";
}

export function liveModel(startedAtMs: number): LiveModel {
  return {
    startedAtMs,
    project: "",
    place: null,
    action: "",
    actions: {},
    checks: [],
    ending: null,
    waiting: null,
  };
}

export function withNews(model: LiveModel, news: News): LiveModel {
  switch (news.kind) {
    case "started":
      return { ...model, project: `${news.slug} ${news.project_id}`, place: news.place };
    case "persisted": {
      const isNewAttempt = news.event === "attempt-started";
      const isBetween = news.place.task === null;
      return {
        ...model,
        place: news.place,
        action: isNewAttempt || isBetween ? "" : model.action,
        checks: isNewAttempt || isBetween ? [] : model.checks,
      };
    }
    case "session":
      return withAction(model, news, news.line);
    case "retrying":
      return withAction(model, news, news.text);
    case "session-ended":
      return withAction(model, news, news.words);
    case "checking":
      return {
        ...model,
        checks: [
          ...model.checks.filter(({ when }) => when === news.when),
          { check: news.check, when: news.when, result: "running" },
        ],
      };
    case "check": {
      const result = news.passed ? "passed" : "failed";
      const others = model.checks.filter((each) => each.result !== "running");
      return { ...model, checks: [...others, { check: news.check, when: news.when, result }] };
    }
    case "measured":
      return { ...model, action: news.text };
    case "waiting":
      return { ...model, action: "", checks: [], waiting: news };
    case "woken":
      return { ...model, waiting: null };
    case "notice":
      return model;
    default:
      return news satisfies never;
  }
}

/** What a session does now: in hand, or beside others. */
function withAction(
  model: LiveModel,
  { session, task }: { readonly session: number; readonly task?: string },
  action: string,
): LiveModel {
  return task === undefined
    ? { ...model, action }
    : { ...model, actions: { ...model.actions, [session]: action } };
}

export function liveFrame(
  model: LiveModel,
  view: { readonly nowMs: number; readonly width: number; readonly paint: Paint },
): string[] {
  // One column stays free: a line that fills the last one makes some terminals wrap.
  const width = Math.max(1, view.width - 1);
  const { place } = model;
  if (place === null) return [];
  const { paint } = view;
  const facts = [
    `${place.done} of ${place.total} done`,
    ...(place.sessions === 0 ? [] : [`session ${place.sessions}`]),
    clock(view.nowMs - model.startedAtMs),
    // What it costs is wanted sooner than its name, where a narrow terminal cuts the line.
    ...spending(place.spent, place.allowed),
    model.project,
  ];
  const lines = [
    fitted(
      [
        { text: progressBar(place.done, place.total), paint: paint.green },
        { text: ` ${facts.join(" · ")}` },
      ],
      width,
    ),
    fitted(doing(model, place, view.nowMs, paint), width),
  ];
  const { beside = [] } = place;
  for (const each of beside) lines.push(fitted(besideParts(each, model, paint), width));
  if (model.action !== "") {
    lines.push(fitted([{ text: `  ${visibleLine(model.action)}`, paint: paint.dim }], width));
  }
  const checks = model.checks.flatMap((each) => checkParts(each, paint));
  if (checks.length > 0) lines.push(fitted(checks, width));
  return lines;
}

interface Part {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

function doing(
  model: LiveModel,
  { task, beside = [] }: RunPlace,
  nowMs: number,
  paint: Paint,
): Part[] {
  if (model.ending !== null) {
    return [{ text: `■ ${visibleLine(model.ending)}`, paint: paint.yellow }];
  }
  if (model.waiting !== null) {
    const { until, reason } = model.waiting;
    const left = clock(Date.parse(until) - nowMs);
    const at = localTime(until, new Date(nowMs).toISOString());
    return [
      { text: `… waits until ${at}, ${left} left: `, paint: paint.yellow },
      { text: visibleLine(reason) },
    ];
  }
  if (task === null) {
    const { length } = beside;
    const atWork = length === 1 ? "1 session at work" : `${length} sessions at work`;
    if (length > 0 && model.checks.length === 0)
      return [{ text: `▶ ${atWork}`, paint: paint.cyan }];
    const isLooking = model.checks.some(({ when }) => when === "before");
    const text = isLooking ? "▶ checks what is there before the session" : "▶ between two tasks";
    return [{ text, paint: paint.dim }];
  }
  const verb = task.status === "validating" ? "checking" : "working on";
  const attempt =
    task.attempts === 0
      ? ""
      : `, attempt ${task.attempt} of ${Math.max(task.attempt, task.attempts)}`;
  return [
    { text: "▶ ", paint: paint.cyan },
    { text: `${verb} ${[...(task.within ?? []), task.id].join(" › ")}${attempt}: ` },
    { text: visibleLine(task.title), paint: paint.bold },
  ];
}

/** One line for each session beside the others: what it works on, and what its agent did last. */
function besideParts(
  { session, id, title, attempt, attempts }: NonNullable<RunPlace["beside"]>[number],
  { actions }: LiveModel,
  paint: Paint,
): Part[] {
  const last = actions[session];
  return [
    { text: "  ▸ ", paint: paint.cyan },
    { text: `${id}, attempt ${attempt} of ${Math.max(attempt, attempts)}: ` },
    { text: visibleLine(title), paint: paint.bold },
    ...(last === undefined ? [] : [{ text: ` · ${visibleLine(last)}`, paint: paint.dim }]),
  ];
}

function checkParts({ check, result, when }: LiveCheck, paint: Paint): Part[] {
  const sign = {
    running: { text: "  … ", paint: paint.cyan },
    passed: { text: "  ✓ ", paint: paint.green },
    failed: { text: "  ✗ ", paint: paint.red },
  }[result];
  // A check that fails before any work is what is hoped for.
  const before = when === "before" ? " (before)" : "";
  return [
    when === "before" && result === "failed" ? { text: "  · ", paint: paint.dim } : sign,
    { text: `${visibleLine(check)}${before}` },
  ];
}

/** Parts side by side, cut where the room ends; colours do not count. */
function fitted(parts: readonly Part[], width: number): string {
  let room = width;
  let line = "";
  for (const { text, paint } of parts) {
    // A cut needs room for a character and the sign of the cut.
    if (room < Math.min(2, columnsOf(text))) break;
    const shown = shorten(text, room);
    room -= columnsOf(shown);
    line += paint === undefined ? shown : paint(shown);
    if (shown !== text) break;
  }
  return line;
}
