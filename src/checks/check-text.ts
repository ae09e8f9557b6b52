// A check in words: for people as it is written in a manifest, and as a key under which the same check
// is recognised again.
import type { Check, FileExpectation } from "../core/schema/task.ts";
import { shownAddress } from "../core/written/address.ts";

export function describeCheck(check: Check): string {
  switch (check.kind) {
    case "command":
      return `\`${check.command}\``;
    case "file":
      return `file ${check.path} ${describeExpectation(check.expect)}`;
    case "http": {
      const contains = check.contains === undefined ? "" : ` contains "${check.contains}"`;
      return `${check.method} ${shownAddress(check.url)} ${check.status}${contains}`;
    }
    case "browser":
      return `browser ${shownAddress(check.url)} sees "${check.sees}"`;
    case "render":
      return `render ${check.path} sees "${check.sees}"`;
    case "review":
      return "review";
    case "agent-review":
      return `agent ${check.agent} "${check.question}"`;
    default:
      return check satisfies never;
  }
}

/** The check as it may be kept: what it names stays, credentials do not. */
export function shownCheck(check: Check): Check {
  return check.kind === "http" || check.kind === "browser"
    ? { ...check, url: shownAddress(check.url) }
    : check;
}

/** Equal for equal checks, whatever the order of their fields. */
export function checkKey(check: Check): string {
  return `${check.kind}: ${describeCheck(check)}`;
}

function describeExpectation(expect: FileExpectation): string {
  switch (expect.is) {
    case "exists":
    case "changed":
      return expect.is;
    case "matches":
      return `matches /${expect.pattern}/${expect.flags}`;
    case "sha256":
      return `sha256 ${expect.sha256}`;
    default:
      return expect satisfies never;
  }
}
