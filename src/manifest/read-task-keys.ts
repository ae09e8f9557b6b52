// A task's keys to typed values. Every key is read, so that every problem is reported at once.
import { parseAgentId, parseSlug, parseTaskId } from "../core/ids.ts";
import type { Limits } from "../core/written/bounds.ts";
import {
  hasCredentials,
  shownAddress,
  webAddressProblem,
  withoutAngles,
} from "../core/written/address.ts";
import { durationMeant, durationProblem, parseDuration } from "../core/written/times.ts";
import {
  readable,
  readDir,
  type ReadValue,
  unreadable,
} from "../core/written/workspace-settings.ts";
import { delegationProblems } from "./delegation-problems.ts";
import { isOneWord, type KeyLine, type ManifestTask, type TaskKey } from "./manifest-document.ts";
import { parseCheck, parseReturn } from "./parse-check.ts";
import type { KeyValues } from "./plan.ts";
import { errorAt, warningAt, type Problem } from "./problem.ts";
import { inBackticks, readsAsCommand } from "./unquoted-command.ts";
import { codeSpan, joinedLines, wholeCodeSpan } from "./written-values.ts";

export function readTaskKeys(task: ManifestTask, problems: Problem[]): KeyValues {
  const values: KeyValues = { checks: [], docsOnly: false };
  const seen = new Map<TaskKey, number>();
  for (const line of task.keys) {
    const firstLine = seen.get(line.key);
    if (firstLine !== undefined && line.key !== "check") {
      problems.push(
        errorAt(line.line, "key-twice", {
          message: `a task has only one ${line.key}; the first is on line ${firstLine}: keep one of them`,
          example: "",
          found: `- ${written(line)}`,
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
    problems.push(
      errorAt(placed, "in-without-run", {
        message:
          "in: checkout is for a command that Stint executes itself; sessions never work there",
        example: "- run: `make install`\n- in: checkout",
        sample: true,
        found: "in: checkout, and no run:",
      }),
    );
  }
  const called = seen.get("webhook");
  if (called !== undefined && values.run !== undefined && values.webhook !== undefined) {
    problems.push(
      errorAt(called, "run-and-webhook", {
        message:
          "a task has run: or webhook:, not both: the command would be executed, and the address never called; make two tasks of it",
        example: `- run: ${codeSpan(values.run)}`,
        found: `run: ${codeSpan(values.run)}, and webhook: ${values.webhook}`,
      }),
    );
  }
  const opened = seen.get("protect");
  if (opened !== undefined && values.protect !== undefined && values.run === undefined) {
    problems.push(
      errorAt(opened, "protect-without-run", {
        message:
          "protect: off is for a command that Stint executes itself; for sessions and checks, write it in the front matter",
        example: "- run: `make install`\n- protect: off",
        sample: true,
        found: "protect: off, and no run:",
      }),
    );
  }
  // Who did what is done is nobody's question any more.
  if (!task.box.checked) problems.push(...delegationProblems(values, seen));
  return values;
}

/** What is wrong with one key on its own. */
export function keyLineProblem(line: KeyLine): Problem | undefined {
  return READERS[line.key](line, { checks: [], docsOnly: false });
}

type ReadKey = (line: KeyLine, values: KeyValues) => Problem | undefined;

const READERS: Record<TaskKey, ReadKey> = {
  check: readCheck,
  run: readRun,
  webhook: readWebhook,
  // Names are resolved when every task is known.
  after: () => undefined,
  "docs-only": flag((values) => {
    values.docsOnly = true;
  }),
  exclusive: flag((values) => {
    values.exclusive = true;
  }),
  ignored: oneValue("ignored", "ignored: ok", (value) =>
    value.toLowerCase() === "ok"
      ? readable("ok")
      : unreadable("ignored is ok: what the task makes may be files that git ignores"),
  ),
  strict: oneValue("strict", "strict: true", (value) => {
    const word = value.toLowerCase();
    return word === "true" || word === "false"
      ? readable(word === "true")
      : unreadable("strict is either true or false");
  }),
  approve: oneValue("approve", "approve: before", (value) => {
    const when = value.toLowerCase();
    return when === "before" || when === "after"
      ? readable(when)
      : unreadable("approve is either before or after");
  }),
  agent: oneValue("agent", "agent: codex", (value) =>
    parsed(
      parseAgentId(value),
      `"${value}" is not an agent name: lower-case letters, digits, hyphens`,
    ),
  ),
  timeout: duration("timeoutMs", "timeout: 1h30m"),
  delegate: oneValue("delegate", "delegate: codex", (value) => {
    const command = wholeCodeSpan(value);
    if (command !== undefined) return readable(`\`${command}\``);
    return value === ""
      ? unreadable("delegate names who does the work")
      : readable(joinedLines(value));
  }),
  returns: readReturns,
  look: duration("lookMs", "look: 10m"),
  deadline: duration("deadlineMs", "deadline: 3d"),
  id: oneValue("explicitId", "id: database-migration", (value) =>
    parsed(
      parseTaskId(value),
      `"${value}" is not a valid id: use at most 64 lower-case letters, digits and inner hyphens`,
    ),
  ),
  limit: oneValue("limit", "limit: files 12, new 5, moves 2", readLimit),
  dir: oneValue("dir", "dir: packages/web", (value) => {
    const dir = readDir(wholeCodeSpan(value) ?? value);
    return dir.ok ? dir : unreadable(`dir: ${dir.reason}`);
  }),
  in: oneValue("in", "in: checkout", (value) =>
    value.toLowerCase() === "checkout"
      ? readable("checkout")
      : unreadable("in is checkout: your own files, instead of the workspace"),
  ),
  protect: oneValue("protect", "protect: off", (value) =>
    value.toLowerCase() === "off"
      ? readable("off")
      : unreadable("protect of a task is off: its run: may write and read what you can"),
  ),
  child: oneValue("child", "child: add-tests", (value) =>
    parsed(parseSlug(value), "child is the name of a folder: a-z, 0-9 and hyphens"),
  ),
  resolves: oneValue("resolves", "resolves: DOC-002", (value) =>
    /^[\w.-]+$/u.test(value)
      ? readable(value)
      : unreadable("resolves names one item of the review log"),
  ),
};

/** A key that says all by being there, and may say so in a word. */
function flag(set: (values: KeyValues) => void): ReadKey {
  return (line, values) => {
    const word = line.value.toLowerCase();
    if (["", "true", "yes", "on"].includes(word)) set(values);
    else if (!["false", "no", "off"].includes(word)) {
      return bad(line, `${line.key} stands alone, or is true or false`, line.key);
    }
    return undefined;
  };
}

/** A key that says one thing. */
function oneValue<Field extends keyof KeyValues>(
  field: Field,
  example: string,
  read: (value: string) => ReadValue<NonNullable<KeyValues[Field]>>,
): ReadKey {
  return (line, values) => {
    const judged = read(line.value);
    if (!judged.ok) return bad(line, judged.reason, example);
    values[field] = judged.value;
    return undefined;
  };
}

function parsed<T>(value: T | undefined, reason: string): ReadValue<T> {
  return value === undefined ? unreadable(reason) : readable(value);
}

function readCheck(line: KeyLine, values: KeyValues): Problem | undefined {
  if (line.block !== undefined) return inBlock(line, line.block);
  const check = parseCheck(line.value);
  if (check === "prose") {
    return readsAsCommand(joinedLines(line.value)) ? unquoted(line) : proseCheck(line);
  }
  if (!check.ok) return refused(line, "this check cannot be read", check);
  values.checks.push(check.check);
  return undefined;
}

function readReturns(line: KeyLine, values: KeyValues): Problem | undefined {
  const read = parseReturn(line.value);
  if (!read.ok) return refused(line, "this return condition cannot be read", read);
  values.returns = read.returns;
  return undefined;
}

/** A length of time, corrected where it is clear which is meant. */
function duration(field: "timeoutMs" | "lookMs" | "deadlineMs", form: string): ReadKey {
  return (line, values) => {
    const ms = parseDuration(line.value);
    if (ms !== undefined) {
      values[field] = ms;
      return undefined;
    }
    const meant = durationMeant(line.value);
    const reason = durationProblem(line.value) ?? "";
    if (meant === undefined) return bad(line, reason, form);
    return { ...bad(line, reason, `${line.key}: ${meant}`), sample: undefined };
  };
}

function readRun(line: KeyLine, values: KeyValues): Problem | undefined {
  if (line.block !== undefined) return inBlock(line, line.block);
  const command = wholeCodeSpan(line.value);
  if (command === undefined) return unquoted(line);
  values.run = command;
  return undefined;
}

/** A command in a code block below its key is not read; its lines are, where they follow the key. */
function inBlock(line: KeyLine, block: string): Problem {
  const commands = block
    .split("\n")
    .map((each) => each.trim().replace(/^\$ /, ""))
    .filter((each) => each !== "" && !each.startsWith("#"));
  const command = inBackticks(commands.join(" && "));
  return errorAt(line.line, "command-in-code-block", {
    message: `a code block below ${line.key}: is not read; write the command in backticks on the same line`,
    example: command === undefined ? "" : `- ${line.key}: ${command}`,
    found: `- ${written(line)}`,
  });
}

/** Nothing but a command is meant here, and it is no command without its backticks. */
function unquoted(line: KeyLine): Problem {
  if (line.value === "") return { ...nothing(line), severity: "error" };
  const command = inBackticks(joinedLines(line.value));
  return errorAt(line.line, "command-without-backticks", {
    message: `put the whole command in backticks; without them ${line.key}: executes nothing`,
    example: `- ${line.key}: ${command ?? "`npm run build`"}`,
    ...(command === undefined && { sample: true as const }),
    found: `- ${written(line)}`,
  });
}

function nothing(line: KeyLine): Problem {
  return warningAt(line.line, `bad-${line.key}`, {
    message: `this ${line.key} is empty, so nothing is executed; write the command in backticks behind it`,
    example: `- ${line.key}: \`npm test\``,
    sample: true,
    found: `- ${written(line)}`,
  });
}

function proseCheck(line: KeyLine): Problem {
  if (line.value === "") return nothing(line);
  const { value } = line;
  const command = value.includes("`") ? inBackticks(joinedLines(value)) : undefined;
  return warningAt(line.line, "prose-command", {
    message: `this ${line.key} is prose and is never executed; put the whole command in one code span`,
    example: `- ${line.key}: ${command ?? "`npm test`"}`,
    ...(command === undefined && { sample: true as const }),
    found: `- ${written(line)}`,
  });
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
      example: "- webhook: https://ada:$HOOK_PASSWORD@example.com/hook",
      sample: true,
      found: `webhook: ${shownAddress(address)}`,
    });
  }
  values.webhook = address;
  return undefined;
}

const LIMIT_WORDS: Readonly<Record<string, keyof Limits>> = {
  files: "files_per_task",
  new: "new_files_per_session",
  moves: "moves_per_task",
};

function readLimit(value: string): ReadValue<Partial<Limits>> {
  const limit: { -readonly [K in keyof Limits]?: number } = {};
  for (const part of value.split(",")) {
    const match = /^\s*(files|new|moves)\s+(\d{1,6})\s*$/i.exec(part);
    const field = LIMIT_WORDS[match?.[1]?.toLowerCase() ?? ""];
    if (match === null || field === undefined || limit[field] !== undefined) {
      return unreadable(
        `"${part.trim()}" is not a valid limit: use files, new or moves with a number, each once`,
      );
    }
    limit[field] = Number(match[2]);
  }
  return readable(limit);
}

/** The form is known, the value that is meant is not. */
function bad(line: KeyLine, message: string, form: string): Problem {
  return errorAt(line.line, `bad-${line.key}`, {
    message,
    example: `- ${form}`,
    sample: true,
    found: `- ${written(line)}`,
  });
}

function refused(
  line: KeyLine,
  what: string,
  { reason, example, sample }: Pick<Problem, "example" | "sample"> & { readonly reason: string },
): Problem {
  return { ...bad(line, `${what}: ${reason}`, example), sample };
}

function written(line: KeyLine): string {
  return line.value === "" && !isOneWord(line.key)
    ? `${line.key}: (nothing)`
    : `${line.key}: ${joinedLines(line.value)}`;
}
