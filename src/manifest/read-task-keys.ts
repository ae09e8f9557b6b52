// A task's keys to typed values. Every key is read, so that every problem is reported at once.
import type { Limits } from "../core/written/bounds.ts";
import { parseDuration } from "../core/written/times.ts";
import { readDir } from "../core/written/workspace-settings.ts";
import {
  hasCredentials,
  shownAddress,
  webAddressProblem,
  withoutAngles,
} from "../core/written/address.ts";
import type { Check } from "../core/schema/task.ts";
import { parseAgentId, parseTaskId, type AgentId, type TaskId } from "../core/ids.ts";
import { wholeCodeSpan, joinedLines } from "./written-values.ts";
import type { KeyLine, ManifestTask, TaskKey } from "./manifest-document.ts";
import { parseCheck } from "./parse-check.ts";
import { errorAt, warningAt, type Problem } from "./problem.ts";

/** What the keys of a task say, as far as it needs no other task. */
export interface KeyValues {
  readonly checks: Check[];
  explicitId?: TaskId;
  approve?: "before" | "after";
  run?: string;
  webhook?: string;
  agent?: AgentId;
  timeoutMs?: number;
  delegate?: string;
  docsOnly: boolean;
  limit?: Partial<Limits>;
  dir?: string;
  in?: "checkout";
}

type ReadKey = (line: KeyLine, values: KeyValues) => Problem | undefined;

const READERS: Record<TaskKey, ReadKey> = {
  check: readCheck,
  approve: readApprove,
  run: readRun,
  webhook: readWebhook,
  // Names are resolved when every task is known.
  after: () => undefined,
  agent: readAgent,
  timeout: readTimeout,
  delegate: readDelegate,
  id: readId,
  "docs-only": readDocsOnly,
  limit: readLimit,
  dir: readFolder,
  in: readPlace,
};

export function readTaskKeys(task: ManifestTask, problems: Problem[]): KeyValues {
  const values: KeyValues = { checks: [], docsOnly: false };
  const seen = new Map<TaskKey, number>();
  for (const line of task.keys) {
    const firstLine = seen.get(line.key);
    if (firstLine !== undefined && line.key !== "check") {
      problems.push(
        errorAt(line.line, "key-twice", {
          message: `a task takes ${line.key} once; the first is on line ${firstLine}`,
          example: `one ${line.key} item per task`,
          found: written(line),
        }),
      );
      continue;
    }
    seen.set(line.key, line.line);
    const problem = READERS[line.key](line, values);
    if (problem !== undefined) problems.push(problem);
  }
  const placed = seen.get("in");
  if (placed !== undefined && values.in !== undefined && values.run === undefined) {
    problems.push(placeWithoutRun(placed));
  }
  return values;
}

function readCheck(line: KeyLine, values: KeyValues): Problem | undefined {
  const parsed = parseCheck(line.value);
  if (parsed === "prose") return proseCommand(line, "npm test");
  if (parsed.ok) {
    values.checks.push(parsed.check);
    return undefined;
  }
  return errorAt(line.line, "bad-check", {
    message: `this check cannot be read: ${parsed.reason}`,
    example: parsed.example,
    found: written(line),
  });
}

function readRun(line: KeyLine, values: KeyValues): Problem | undefined {
  const command = wholeCodeSpan(line.value);
  if (command === undefined) return proseCommand(line, "gh pr create --fill");
  values.run = command;
  return undefined;
}

function proseCommand(line: KeyLine, command: string): Problem {
  return warningAt(line.line, "prose-command", {
    message: `this ${line.key} is prose and is never executed; a command is one whole code span`,
    example: `${line.key}: \`${command}\``,
    found: written(line),
  });
}

function readApprove(line: KeyLine, values: KeyValues): Problem | undefined {
  const value = line.value.toLowerCase();
  if (value === "before" || value === "after") {
    values.approve = value;
    return undefined;
  }
  return bad(line, "approve is either before or after", "approve: before");
}

function readWebhook(line: KeyLine, values: KeyValues): Problem | undefined {
  const address = withoutAngles(wholeCodeSpan(line.value) ?? line.value);
  const problem = webAddressProblem(address);
  if (problem !== undefined) {
    return bad(line, `webhook needs an address: ${problem}`, "webhook: https://example.com/hook");
  }
  if (hasCredentials(address)) {
    // It is shown before it is called, and what was called is kept.
    return errorAt(line.line, "bad-webhook", {
      message: "webhook needs an address without a password; name a variable of the environment",
      example: "webhook: https://ada:$HOOK_PASSWORD@example.com/hook",
      found: `webhook: ${shownAddress(address)}`,
    });
  }
  values.webhook = address;
  return undefined;
}

function readAgent(line: KeyLine, values: KeyValues): Problem | undefined {
  const agent = parseAgentId(line.value);
  if (agent !== undefined) {
    values.agent = agent;
    return undefined;
  }
  return bad(
    line,
    `"${line.value}" is no agent name: lower-case letters, digits, hyphens`,
    "agent: codex",
  );
}

function readTimeout(line: KeyLine, values: KeyValues): Problem | undefined {
  const timeoutMs = parseDuration(line.value);
  if (timeoutMs !== undefined) {
    values.timeoutMs = timeoutMs;
    return undefined;
  }
  return bad(
    line,
    `"${line.value}" is no duration: whole days, hours, minutes, seconds`,
    "timeout: 1h30m",
  );
}

function readDelegate(line: KeyLine, values: KeyValues): Problem | undefined {
  if (line.value !== "") {
    values.delegate = joinedLines(line.value);
    return undefined;
  }
  return bad(line, "delegate names who does the work", "delegate: codex");
}

function readId(line: KeyLine, values: KeyValues): Problem | undefined {
  const id = parseTaskId(line.value);
  if (id !== undefined) {
    values.explicitId = id;
    return undefined;
  }
  return bad(
    line,
    `"${line.value}" is no id: at most 64 lower-case letters, digits and inner hyphens`,
    "id: database-migration",
  );
}

function readDocsOnly(_line: KeyLine, values: KeyValues): undefined {
  values.docsOnly = true;
}

const LIMIT_WORDS: Readonly<Record<string, keyof Limits>> = {
  files: "files_per_task",
  new: "new_files_per_session",
  moves: "moves_per_task",
};

function readLimit(line: KeyLine, values: KeyValues): Problem | undefined {
  const limit: { -readonly [K in keyof Limits]?: number } = {};
  for (const part of line.value.split(",")) {
    const match = /^\s*(files|new|moves)\s+(\d{1,6})\s*$/i.exec(part);
    const field = LIMIT_WORDS[match?.[1]?.toLowerCase() ?? ""];
    if (match === null || field === undefined || limit[field] !== undefined) {
      return bad(
        line,
        `"${part.trim()}" is no limit: files, new or moves with a number, each once`,
        "limit: files 12, new 5, moves 2",
      );
    }
    limit[field] = Number(match[2]);
  }
  values.limit = limit;
  return undefined;
}

function readFolder(line: KeyLine, values: KeyValues): Problem | undefined {
  const read = readDir(wholeCodeSpan(line.value) ?? line.value);
  if (!read.ok) return bad(line, `dir: ${read.reason}`, "dir: packages/web");
  values.dir = read.value;
  return undefined;
}

function readPlace(line: KeyLine, values: KeyValues): Problem | undefined {
  if (line.value.toLowerCase() !== "checkout") {
    return bad(line, "in is checkout: your own files, instead of the workspace", "in: checkout");
  }
  values.in = "checkout";
  return undefined;
}

function placeWithoutRun(line: number): Problem {
  return errorAt(line, "in-without-run", {
    message: "in: checkout is for a command that Stint executes itself; sessions never work there",
    example: "run: `make install`\nin: checkout",
    found: "in: checkout, and no run:",
  });
}

function bad(line: KeyLine, message: string, example: string): Problem {
  return errorAt(line.line, `bad-${line.key}`, { message, example, found: written(line) });
}

function written(line: KeyLine): string {
  return line.value === "" && line.key !== "docs-only"
    ? `${line.key}: (nothing)`
    : `${line.key}: ${joinedLines(line.value)}`;
}
