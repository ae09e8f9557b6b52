// What a real browser shows: of an address, or of a file of the work tree. The picture is kept.
import { stat } from "node:fs/promises";
import { renderProblem } from "../core/files.ts";
import { shownAddress } from "../core/written/address.ts";
import type { CheckContext, CheckPorts, Finding } from "./check-run.ts";
import { insideWorkTree } from "./file-check.ts";
import type { PageCheck, PageShown } from "./show-page.ts";

/** Unpacking a browser for the first time takes seconds of it. */
const PAGE_TIMEOUT_MS = 2 * 60_000;

/** A browser needs many times as much memory to draw it. */
const LARGEST_BYTES = 16 * 1024 * 1024;

export async function runPageCheck(
  check: PageCheck,
  ports: CheckPorts,
  context: CheckContext,
): Promise<Finding> {
  const timeoutMs = Math.min(PAGE_TIMEOUT_MS, context.timeoutMs ?? PAGE_TIMEOUT_MS);
  const isFile = check.kind === "render";
  const problem = isFile ? await fileProblem(check.path, context) : undefined;
  if (problem !== undefined) return { result: "failed", summary: problem, output: problem };
  const shown = await ports.showPage(check, { timeoutMs });
  return judge(isFile ? check.path : shownAddress(check.url), check.sees, shown);
}

async function fileProblem(path: string, context: CheckContext): Promise<string | undefined> {
  const at = await insideWorkTree(context.workTree, path);
  if (!at.found) {
    return at.reason === "outside"
      ? `${path} leads out of the work tree`
      : `${path} does not exist`;
  }
  const problem = renderProblem(path);
  if (problem !== undefined) return problem;
  // Of what it really leads to: a pipe would be read for ever.
  const found = await stat(at.path);
  if (!found.isFile()) return `${path} is no regular file`;
  if (found.size <= LARGEST_BYTES) return undefined;
  return `${path} is too large to be rendered: ${Math.ceil(found.size / 1024 ** 2)} MiB of at most ${LARGEST_BYTES / 1024 ** 2}`;
}

function judge(what: string, sees: string, shown: PageShown): Finding {
  switch (shown.kind) {
    case "unavailable":
      return {
        result: "unavailable",
        summary: `no browser can show ${what}: ${shown.why}`,
        output: "",
        hint: shown.hint,
      };
    case "not-shown": {
      const summary = `${what} could not be shown: ${shown.why}`;
      return { result: "failed", summary, output: summary };
    }
    case "shown": {
      const isError = shown.status !== null && shown.status >= 400;
      const status = isError ? ` (it answered ${shown.status})` : "";
      return {
        result: shown.isSeen ? "passed" : "failed",
        summary: `${what} ${shown.isSeen ? "shows" : "does not show"} "${sees}"${status}`,
        output: `${shown.title === "" ? "" : `${shown.title}\n\n`}${shown.text}`,
        ...(shown.picture !== undefined && { picture: shown.picture }),
      };
    }
    default:
      return shown satisfies never;
  }
}
