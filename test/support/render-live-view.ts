// The live view of a run as a picture, drawn from the same functions that draw it in a terminal.
import { liveFrame, liveModel, withNews } from "../../src/report/live-frame.ts";
import type { Paint } from "../../src/report/layout.ts";
import { newsSigns } from "../../src/report/run-text.ts";
import type { News, RunPlace } from "../../src/core/news.ts";

const COLUMNS = 80;
const COLUMN = 8.4;
const LINE = 20;
const MARGIN = 16;
const COLOURS = {
  plain: "#d7dae0",
  dim: "#8a919e",
  green: "#7ec699",
  yellow: "#e5c07b",
  red: "#e06c75",
  cyan: "#6cc7d9",
};

/** Spans as the text itself, so that widths are counted as they are in a terminal without colours. */
const OPEN = "\u{E000}";
const CLOSE = "\u{E001}";
type Name = keyof typeof COLOURS | "bold";
const NAMES: readonly Name[] = ["plain", "dim", "green", "yellow", "red", "cyan", "bold"];

function colour(name: Name): (text: string) => string {
  return (text) => `${OPEN}${NAMES.indexOf(name)}${text}${CLOSE}`;
}

const PAINT: Paint = {
  bold: colour("bold"),
  dim: colour("dim"),
  green: colour("green"),
  yellow: colour("yellow"),
  red: colour("red"),
  cyan: colour("cyan"),
};

const SPENT = { wall_ms: 511_000, tokens: null, cost_usd: 1.37 };
const TASK = {
  id: "t4",
  title: "Move the settings page to the new router",
  status: "validating",
  attempt: 2,
  attempts: 3,
};

function place(more: Partial<RunPlace>): RunPlace {
  return {
    done: 3,
    total: 7,
    sessions: 5,
    task: TASK,
    spent: SPENT,
    allowed: { tokens: null, cost_usd: 20 },
    ...more,
  };
}

function persisted(event: string, summary: string): News {
  return { kind: "persisted", revision: 1, event, summary, status: "Running", place: place({}) };
}

const NEWS: readonly News[] = [
  {
    kind: "started",
    project_id: "p-7c1r0k2m9d",
    slug: "router",
    place: place({ done: 2, task: null }),
  },
  { kind: "check", check: "`npm test -- routes`", passed: true, when: "after" },
  persisted("checks-recorded", 'done t3 "Move the account page to the new router"'),
  persisted("commit-recorded", "t3 is committed as 4be02a91c7d3"),
  persisted("attempt-started", "attempt 2 at t4"),
  { kind: "session", session: 5, line: "Edit src/settings/routes.ts" },
  { kind: "check", check: "`npm test -- routes`", passed: true, when: "after" },
  { kind: "checking", check: "`npm run build`", when: "after" },
];

export function renderLiveView(): string {
  const told = NEWS.slice(0, 4).flatMap((news) => newsSigns(news, PAINT) ?? []);
  const model = NEWS.reduce(withNews, liveModel(0));
  const frame = liveFrame(model, { nowMs: SPENT.wall_ms, width: COLUMNS, paint: PAINT });
  const lines = [`${PAINT.dim("$")} stint run router.md`, ...told, "", ...frame];
  const width = COLUMNS * COLUMN + 2 * MARGIN;
  const height = lines.length * LINE + 2 * MARGIN;
  const texts = lines.map((line, row) => textAt(line, row)).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="stint run in a terminal">
  <rect width="100%" height="100%" rx="8" fill="#1e2127"/>
  <g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="${COLOURS.plain}">
${texts}  </g>
</svg>
`;
}

function textAt(line: string, row: number): string {
  const y = MARGIN + (row + 0.75) * LINE;
  return `    <text x="${MARGIN}" y="${y}" xml:space="preserve">${spans(line)}</text>\n`;
}

function spans(line: string): string {
  const pattern = new RegExp(`${OPEN}(\\d)([^${CLOSE}]*)${CLOSE}`, "gu");
  return escaped(line).replace(pattern, (_, index: string, text: string) => {
    const name = NAMES[Number(index)] ?? "plain";
    const style = name === "bold" ? `font-weight="bold"` : `fill="${COLOURS[name]}"`;
    return `<tspan ${style}>${text}</tspan>`;
  });
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
