// A notice as JSON to one address of the settings, signed, so that the receiver knows who sent it and
// when. Bounded: three tries, each of ten seconds, with a wait between them.
import { createHmac } from "node:crypto";
import type { Notice } from "../core/schema/notice.ts";
import { withinTime } from "../process/within-time.ts";
import type { Channel } from "./channel.ts";

export interface Webhook {
  readonly url: string;
  readonly secret: string;
  readonly nowMs: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

const ANSWER_MS = 10_000;
/** Before the second and the third try. */
const WAITS_MS = [1_000, 5_000];

export function webhookChannel(webhook: Webhook): Channel {
  return {
    name: "webhook",
    describe: `POST ${webhook.url}`,
    async deliver(notice, signal) {
      const body = JSON.stringify(notice);
      for (let attempt = 0; ; attempt++) {
        // Each try waits for the one before.
        // oxlint-disable-next-line no-await-in-loop
        const failure = await post(webhook, notice, body, signal);
        if (failure === undefined) return;
        const waitMs = WAITS_MS[attempt];
        if (!failure.mayPass || waitMs === undefined || signal.aborted) {
          const tries = attempt === 0 ? "1 try" : `${attempt + 1} tries`;
          throw new Error(`POST ${webhook.url}: ${failure.why} (${tries})`);
        }
        // oxlint-disable-next-line no-await-in-loop
        await webhook.sleep(waitMs, signal);
      }
    },
  };
}

interface Failure {
  readonly why: string;
  /** Another try could go better. */
  readonly mayPass: boolean;
}

async function post(
  { url, secret, nowMs }: Webhook,
  { id, kind, quiet }: Notice,
  body: string,
  ending: AbortSignal,
): Promise<Failure | undefined> {
  const seconds = Math.floor(nowMs() / 1000);
  try {
    const answer = await withinTime(ANSWER_MS, ending, async (signal) => {
      const response = await fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "stint-event": kind,
          ...(quiet === true ? { "stint-quiet": "true" } : {}),
          "idempotency-key": id,
          "stint-signature": signature(secret, seconds, body),
        },
        body,
        // A redirect would take the notice to an address that nobody allowed.
        redirect: "manual",
        signal,
      });
      // The status says it all; what else a receiver sends is not waited for.
      void response.body?.cancel().catch(() => {});
      return response;
    });
    if (answer.ok) return undefined;
    return { why: `HTTP ${answer.status}`, mayPass: isPassing(answer.status) };
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { message?: string } };
    return { why: `no answer: ${cause?.message ?? message}`, mayPass: true };
  }
}

/** The time is signed with the body, so that an old notice cannot be sent again as a new one. */
function signature(secret: string, seconds: number, body: string): string {
  const digest = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${digest}`;
}

function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}
