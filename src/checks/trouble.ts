// What was to be ready beside the checks and is not: the setup of the workspace, or its server. It is the
// failure of the checks that need it, with its last words, so that a session can put it right.
import type { Check } from "../core/schema/task.ts";
import { namesPort } from "../core/written/address.ts";
import type { Finding } from "./check-run.ts";

export interface Trouble {
  /** One line. */
  readonly summary: string;
  /** The last words of what is not ready. */
  readonly output: string;
  readonly of: "setup" | "server";
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
