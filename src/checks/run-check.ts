// Runs one check of a task and says what it found, bound to the tree it was found in. What cannot be
// run, or only a person can answer, is said to be so; nothing passes in silence.
import type { Check } from "../core/schema/task.ts";
import { filledAddress, shownAddress, PORT_VARIABLE } from "../core/written/address.ts";
import type { CheckContext, CheckPorts, CheckRun, Finding } from "./check-run.ts";
import { EXCERPT_BYTES, excerpt } from "./excerpt.ts";
import { failureSignature } from "./failure-signature.ts";
import { runFileCheck } from "./file-check.ts";
import { runHttpCheck } from "./http-check.ts";
import { runPageCheck } from "./page-check.ts";
import { runAgentReview, runReviewCheck } from "./review-check.ts";
import { stoppedBy, type Trouble, withTrouble } from "./trouble.ts";
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
    check,
    summary: ports.redact(found.summary),
    ...(found.exitCode === undefined ? {} : { exitCode: found.exitCode }),
    output,
    ...(found.attachments === undefined ? {} : { attachments: found.attachments }),
    startedAt,
    durationMs: Math.max(0, msOf(ports.now()) - msOf(startedAt)),
    treeHash,
  };
  switch (found.result) {
    case "passed":
      return { ...facts, result: "passed", passed: true };
    case "pending":
      return { ...facts, result: "pending", passed: false };
    case "unavailable":
      return { ...facts, result: "unavailable", passed: false, hint: found.hint };
    case "failed": {
      const signature = failureSignature(check, found.exitCode ?? null, output);
      return { ...facts, result: "failed", passed: false, signature };
    }
    default:
      return found satisfies never;
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
        ? 'have Stint serve the work: serve: "`npm run dev` ready GET http://localhost:$STINT_PORT/"'
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
    summary: exitCode === null ? "it was ended by a signal" : `it exited with code ${exitCode}`,
    output,
    exitCode,
  };
}
