// Reads an address back and compares: status, and a text in the body. Everything about it is bounded:
// time, redirects, bytes. What it says of an address never holds the credentials in it.
import type { Check } from "../core/schema/task.ts";
import { shownAddress } from "../core/written/address.ts";
import { boundedBody, calledAddress, whyNoAnswer, withinTime } from "../process/call-server.ts";
import type { CheckContext, CheckPorts, Finding } from "./check-run.ts";

export type HttpCheck = Extract<Check, { kind: "http" }>;

const HTTP_TIMEOUT_MS = 30_000;
const MOST_REDIRECTS = 5;
/** More of a body is not searched. */
export const BODY_BYTES = 4 * 1024 * 1024;

export async function runHttpCheck(
  check: HttpCheck,
  ports: CheckPorts,
  context: CheckContext,
): Promise<Finding> {
  const timeoutMs = Math.min(HTTP_TIMEOUT_MS, context.timeoutMs ?? HTTP_TIMEOUT_MS);
  const shown = shownAddress(check.url);
  return await ports.whileWanted(`GET ${shown}`, async (unwanted) => {
    try {
      const answer = await withinTime(
        timeoutMs,
        unwanted,
        async (signal) => await readBack(check.url, signal, !isRedirect(check.status)),
      );
      return judge(check, answer);
    } catch (error) {
      if (unwanted.aborted) throw unwanted.reason;
      return failed(`${shown} gave no answer: ${whyNoAnswer(error, timeoutMs)}`, "");
    }
  });
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly isCut: boolean;
  /** The address that answered, when it was not the first. */
  readonly from: string | null;
}

async function readBack(url: string, signal: AbortSignal, follow: boolean): Promise<Answer> {
  let { address, authorization } = calledAddress(url);
  for (let redirects = 0; ; redirects++) {
    // Each address is known only from the answer before.
    // oxlint-disable-next-line no-await-in-loop
    const response = await fetch(address, {
      redirect: "manual",
      signal,
      headers: authorization === null ? {} : { authorization },
    });
    const location = response.headers.get("location");
    if (!follow || !isRedirect(response.status) || location === null) {
      return {
        status: response.status,
        type: response.headers.get("content-type") ?? "",
        // oxlint-disable-next-line no-await-in-loop
        ...(await bodyOf(response, signal)),
        from: redirects === 0 ? null : address.href,
      };
    }
    // oxlint-disable-next-line no-await-in-loop
    await response.body?.cancel();
    if (redirects === MOST_REDIRECTS) {
      throw new Error(`it redirects more than ${MOST_REDIRECTS} times`);
    }
    const next = new URL(location, address);
    if (next.protocol !== "http:" && next.protocol !== "https:") {
      throw new Error(`it redirects to ${next.protocol}, which is not a web address`);
    }
    // What is for one host is not shown to another.
    if (next.origin !== address.origin) authorization = null;
    address = calledAddress(next.href).address;
  }
}

async function bodyOf(
  response: Response,
  signal: AbortSignal,
): Promise<Pick<Answer, "body" | "isCut">> {
  const { bytes, isCut } = await boundedBody(response, BODY_BYTES, signal);
  return { body: decoderFor(response).decode(bytes), isCut };
}

/** In the characters it says it is written in; UTF-8 where it says nothing that is known. */
function decoderFor(response: Response): InstanceType<typeof TextDecoder> {
  const type = response.headers.get("content-type") ?? "";
  const charset = /charset\s*=\s*"?([\w:.-]+)/i.exec(type)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

function judge(check: HttpCheck, answer: Answer): Finding {
  const shown = shownAddress(check.url);
  const via = answer.from === null ? "" : ` (from ${shownAddress(answer.from)})`;
  const output = `HTTP ${answer.status}${via} ${answer.type}\n\n${answer.body}`;
  const found = `${shown} answered ${answer.status}${via}`;
  if (answer.status !== check.status) return failed(`${found}, not ${check.status}`, output);
  if (check.contains === undefined) return { result: "passed", summary: found, output };
  const wanted = `"${check.contains}"`;
  if (answer.body.includes(check.contains)) {
    return { result: "passed", summary: `${found} and contains ${wanted}`, output };
  }
  const where = answer.isCut ? " in the first 4 MiB" : "";
  return failed(`${found} but does not contain ${wanted}${where}`, output);
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

function failed(summary: string, output: string): Finding {
  return { result: "failed", summary, output };
}
