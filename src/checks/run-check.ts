// Runs one check of a task and says what it found, bound to the tree it was found in. What cannot be
// run, or only a person can answer, is said to be so; nothing passes in silence.
import { constants } from "node:os";
import type { Check } from "../core/schema/task.ts";
import { filledAddress, namesPort, PORT_VARIABLE, shownAddress } from "../core/written/address.ts";
import type {
  AgentReview,
  CheckContext,
  CheckPorts,
  CheckRun,
  Finding,
  Trouble,
} from "./check-run.ts";
import { excerpt, EXCERPT_BYTES, failureSignature } from "./evidence.ts";
import { runFileCheck } from "./file-check.ts";
import { runHttpCheck } from "./http-check.ts";
import { runPageCheck } from "./page-check.ts";
import { msOf } from "../core/instant.ts";

export const CHECK_TIMEOUT_MS = 10 * 60 * 1000;

export async function runCheck(
  check: Check,
  ports: CheckPorts,
  context: CheckContext,
): Promise<CheckRun> {
  const treeHash = await ports.treeHash();
  const startedAt = ports.now();
  const troubleNow = (): Trouble | null => context.trouble?.() ?? null;
  const found =
    stoppedBy(check, troubleNow()) ??
    withTrouble(check, await find(check, ports, context, treeHash), troubleNow());
  // Secrets go before the cut, so that no half of one survives it.
  const output = excerpt(ports.redact(found.output));
  const facts = {
    ...found,
    check,
    summary: ports.redact(found.summary),
    output,
    startedAt,
    durationMs: Math.max(0, msOf(ports.now()) - msOf(startedAt)),
    treeHash,
  };
  switch (facts.result) {
    case "passed":
      return { ...facts, result: "passed", passed: true };
    case "pending":
      return { ...facts, result: "pending", passed: false };
    case "unavailable":
      return { ...facts, passed: false };
    case "failed": {
      const signature = failureSignature(check, facts.exitCode ?? null, output);
      return { ...facts, result: "failed", passed: false, signature };
    }
    default:
      return facts satisfies never;
  }
}

async function find(
  check: Check,
  ports: CheckPorts,
  context: CheckContext,
  treeHash: string,
): Promise<Finding> {
  switch (check.kind) {
    case "command":
      return runCommand(check.command, ports, context);
    case "file":
      return runFileCheck(check, context);
    case "http":
    case "browser":
      return runAddressCheck(check, ports, context);
    case "render":
      return runPageCheck(check, ports, context);
    case "review":
      return runReviewCheck(context);
    case "agent-review":
      return runAgentReview(check, treeHash, context);
    default:
      return check satisfies never;
  }
}

/** A shell reports the end of a program by a signal as 128 and its number; these are no exit codes that programs choose. */
const CRASHES = ["SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGKILL", "SIGSEGV", "SIGTERM"] as const;

function signalNamed(exitCode: number): string {
  const name = CRASHES.find((each) => constants.signals[each] === exitCode - 128);
  return name === undefined ? "" : ` (${name})`;
}

/** What an address leaves to the environment is put in here, and is not part of what is kept. */
async function runAddressCheck(
  check: Extract<Check, { kind: "http" | "browser" }>,
  ports: CheckPorts,
  context: CheckContext,
): Promise<Finding> {
  const filled = filledAddress(check.url, (name) =>
    name === PORT_VARIABLE && context.port !== undefined
      ? String(context.port)
      : ports.variable(name),
  );
  if (!filled.ok) {
    const summary = `${shownAddress(check.url)} needs ${filled.missing}, which is not set`;
    const hint =
      filled.missing === PORT_VARIABLE
        ? 'let Stint serve the work: serve: "`npm run dev` ready GET http://localhost:$STINT_PORT/"'
        : `set ${filled.missing} in the environment of the run`;
    return { result: "unavailable", summary, output: "", hint };
  }
  const { url } = filled;
  return check.kind === "http"
    ? await runHttpCheck({ ...check, url }, ports, context)
    : await runPageCheck({ ...check, url }, ports, context);
}

async function runCommand(
  command: string,
  ports: CheckPorts,
  context: CheckContext,
): Promise<Finding> {
  const timeoutMs = context.timeoutMs ?? CHECK_TIMEOUT_MS;
  const { start, port } = context;
  if (start !== undefined && start.problem !== null) {
    return { result: "failed", summary: start.problem, output: "" };
  }
  const ran = await ports.runShell(command, {
    timeoutMs,
    maxOutputBytes: EXCERPT_BYTES,
    ...(start === undefined ? {} : { dir: start.dir }),
    ...(port === undefined ? {} : { env: { [PORT_VARIABLE]: String(port) } }),
  });
  const { exitCode, timedOut, output } = ran;
  if (timedOut) {
    const summary = `it did not end within ${Math.round(timeoutMs / 1000)} s`;
    return { result: "failed", summary, output, exitCode };
  }
  return {
    result: exitCode === 0 ? "passed" : "failed",
    summary:
      exitCode === null
        ? "it was ended by a signal"
        : `it exited with code ${exitCode}${signalNamed(exitCode)}`,
    output,
    exitCode,
  };
}

/**
 * The two checks that somebody else answers: a person, and a second agent. Neither is asked before a session, when there
 * is nothing to look at yet.
 */
export function runReviewCheck({ approved }: CheckContext): Finding {
  if (approved === undefined) {
    return { result: "pending", summary: "a person has not approved it yet", output: "" };
  }
  const summary = `${approved.by} approved it at ${approved.at} (${approved.approval_id})`;
  return { result: "passed", summary, output: summary };
}

export async function runAgentReview(
  check: AgentReview,
  tree: string,
  { askAgent }: CheckContext,
): Promise<Finding> {
  const { agent } = check;
  const answer = await (askAgent?.(check, tree) ?? ({ kind: "not-asked" } as const));
  switch (answer.kind) {
    case "not-asked":
      return { result: "pending", summary: `${agent} has not reviewed it yet`, output: "" };
    case "unavailable":
      return {
        result: "unavailable",
        summary: `${agent} cannot review it: ${answer.why}`,
        output: "",
        hint: answer.hint,
      };
    case "no-answer": {
      const summary = `${agent} gave no valid answer: ${answer.why}`;
      return { result: "failed", summary, output: answer.said };
    }
    case "answered": {
      const reasons = answer.reasons.map((reason) => `- ${reason}`).join("\n");
      return {
        result: answer.verdict === "pass" ? "passed" : "failed",
        summary: `${agent} answers ${answer.verdict}: ${answer.reasons[0]}`,
        output: `${check.question}\n\n${answer.verdict}\n${reasons}`,
      };
    }
    default:
      return answer satisfies never;
  }
}

/** The finding of a check that cannot pass, and so is not run. */
export function stoppedBy(check: Check, trouble: Trouble | null): Finding | null {
  if (trouble === null || !needs(check, trouble)) return null;
  return { result: "failed", summary: trouble.summary, output: told(trouble) };
}

/** A command that failed may have needed the server: nobody can tell, so both are told. */
export function withTrouble(check: Check, found: Finding, trouble: Trouble | null): Finding {
  if (trouble === null || found.result !== "failed" || !mayNeed(check)) return found;
  return { ...found, output: `${found.output.trimEnd()}\n\n${told(trouble)}`.trimStart() };
}

function needs(check: Check, { of }: Trouble): boolean {
  if (of === "setup") return check.kind === "command" || isCall(check);
  return isCall(check) && namesPort(check.url);
}

function mayNeed(check: Check): boolean {
  return check.kind === "command" || isCall(check);
}

function isCall(check: Check): check is Extract<Check, { kind: "http" | "browser" }> {
  return check.kind === "http" || check.kind === "browser";
}

function told({ summary, output }: Trouble): string {
  return `${summary}\n${output.trimEnd()}`.trimEnd();
}
