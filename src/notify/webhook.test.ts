import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Answering,
  type LoopbackServer,
  loopbackServer,
} from "../../test/support/loopback-server.ts";
import { sampleNotice } from "../../test/support/sample-notice.ts";
import { webhookChannel } from "./channels.ts";

let server: LoopbackServer;
let answer: Answering;
let slept: number[];

beforeEach(async () => {
  slept = [];
  answer = (_, response) => void response.end();
  server = await loopbackServer((asked, response) => answer(asked, response));
});
afterEach(() => server.stop());

const never = new AbortController().signal;

function deliver(signal: AbortSignal = never, notice = sampleNotice()): Promise<void> {
  const channel = webhookChannel({
    url: `${server.origin}/hook`,
    secret: "s3cret",
    nowMs: () => 1_700_000_000_500,
    sleep: async (ms) => void slept.push(ms),
  });
  return channel.deliver(notice, signal);
}

function statuses(...codes: number[]): Answering {
  return (_, response) => {
    response.writeHead(codes.shift() ?? 200, { location: "/elsewhere" });
    response.end("thanks");
  };
}

describe("a webhook", () => {
  it("receives the notice as JSON, signed with its time", async () => {
    await deliver();
    const [asked] = server.asked;
    expect(asked).toMatchObject({ method: "POST", path: "/hook" });
    expect(JSON.parse(asked?.body ?? "")).toEqual(sampleNotice());
    const digest = createHmac("sha256", "s3cret").update(`1700000000.${asked?.body}`).digest("hex");
    expect(asked?.headers).toMatchObject({
      "content-type": "application/json",
      "stint-event": "done",
      "idempotency-key": sampleNotice().id,
      "stint-signature": `t=1700000000,v1=${digest}`,
    });
    expect(JSON.stringify(asked)).not.toContain("s3cret");
  });

  it("is told in a header when it is to keep still, and does not have its answer read", async () => {
    answer = (_, response) => {
      response.writeHead(200);
      // More would come, for ever.
      response.write("thanks");
    };
    await deliver(never, sampleNotice({ quiet: true }));
    await deliver();
    expect(server.asked.map(({ headers }) => headers["stint-quiet"])).toEqual(["true", undefined]);
  });

  it("is tried three times where another try may help, with a longer wait each time", async () => {
    answer = statuses(500, 429, 200);
    await deliver();
    expect(server.asked).toHaveLength(3);
    expect(slept).toEqual([1_000, 5_000]);
    expect(new Set(server.asked.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
  });

  it("is given up after three", async () => {
    answer = statuses(500, 502, 503, 200);
    await expect(deliver()).rejects.toThrow(`POST ${server.origin}/hook: HTTP 503 (3 tries)`);
  });

  it.each([400, 401, 404, 302])("is given up at once for %i", async (status) => {
    answer = statuses(status);
    await expect(deliver()).rejects.toThrow(`HTTP ${status} (1 try)`);
    expect(server.asked.map(({ path }) => path)).toEqual(["/hook"]);
  });

  it("that nobody answers is tried again, and told so", async () => {
    await server.stop();
    await expect(deliver()).rejects.toThrow(/no answer: .*ECONNREFUSED.* \(3 tries\)/);
  });

  it("is not waited for once the run is to end", async () => {
    const stop = new AbortController();
    answer = () => stop.abort(new Error("the run is over"));
    await expect(deliver(stop.signal)).rejects.toThrow("(1 try)");
  });
});
