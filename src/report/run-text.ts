// A run as it happens and as it ended, for people: one line a piece of news.
import type { StatusView } from "../core/schema/views.ts";
import type { Paint } from "./paint.ts";
import { paintStatus } from "./status-text.ts";
import { shorten, visibleLine } from "./visible.ts";

type RunNews =
  | { readonly kind: "persisted"; readonly event: string; readonly summary: string }
  | { readonly kind: "session"; readonly session: number; readonly line: string }
  | {
      readonly kind: "check";
      readonly check: string;
      readonly passed: boolean;
      readonly when: "before" | "after";
    }
  | { readonly kind: "notice"; readonly text: string };

const QUIET = new Set(["spending-recorded", "commit-recorded", "session-ended"]);

/** One line, or null for what a person need not read. */
export function newsText(news: RunNews, paint: Paint): string | null {
  switch (news.kind) {
    case "persisted":
      return QUIET.has(news.event) ? null : `${paint.cyan("•")} ${visibleLine(news.summary)}`;
    case "session":
      return paint.dim(`    ${shorten(visibleLine(news.line), 110)}`);
    case "check": {
      if (news.when === "before") return null;
      const sign = news.passed ? paint.green("✓") : paint.red("✗");
      return `  ${sign} ${visibleLine(news.check)}`;
    }
    case "notice":
      return `${paint.yellow("!")} ${visibleLine(news.text)}`;
    default:
      return news satisfies never;
  }
}

export function runText(
  { why, status }: { readonly why: string; readonly status: StatusView },
  paint: Paint,
): string {
  const { project, progress } = status;
  return [
    "",
    `${paint.bold(project.slug)}  ${project.id}  ${paintStatus(status.status, paint)}: ${visibleLine(why)}`,
    `  ${progress.done} of ${progress.total} tasks done`,
    `  Next: ${visibleLine(status.next_action)}`,
    `  See: stint status ${project.id}`,
  ].join("\n");
}
