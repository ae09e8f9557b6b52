import { describe, expect, it } from "vitest";
import { causeOfStatus, causeOfWording, readProviderAnswer } from "./provider-failure.ts";

const answer = (status: number | undefined, error: object, headers: object = {}) =>
  readProviderAnswer({
    status,
    body: JSON.stringify({ error }),
    headers: headers as Readonly<Record<string, unknown>>,
    toldAtMs: Date.parse("2026-11-15T08:00:00.000Z"),
  });

describe("why a provider refused", () => {
  it.each([
    [401, "auth"],
    [403, "auth"],
    [407, "auth"],
    [402, "usage-limit"],
    [408, "overloaded"],
    [413, "context"],
    [429, "rate-limit"],
    [500, "overloaded"],
    [529, "overloaded"],
    [400, null],
    [404, null],
    [999, null],
    [undefined, null],
  ])("status %s alone means %s", (status, cause) => {
    expect(causeOfStatus(status)).toBe(cause);
  });

  it("its code says more than the status", () => {
    expect(answer(429, { code: "insufficient_quota" }).cause).toBe("usage-limit");
    expect(answer(400, { code: "context_length_exceeded" }).cause).toBe("context");
    expect(answer(400, { type: "authentication_error" }).cause).toBe("auth");
    expect(answer(undefined, { type: "overloaded_error" }).cause).toBe("overloaded");
    expect(answer(400, { code: "budget_exceeded" }).cause).toBe("usage-limit");
  });

  it("its code says less than the status where it stands for every error", () => {
    const cause = (status: number) => answer(status, { type: "api_error" }).cause;
    expect([400, 404].map(cause)).toEqual([null, null]);
    expect([401, 402, 403, 429].map(cause)).toEqual(["auth", "usage-limit", "auth", "rate-limit"]);
    expect([408, 500].map(cause)).toEqual(["overloaded", "overloaded"]);
    expect(answer(undefined, { type: "api_error", code: 404 }).cause).toBe(null);
  });

  it("that money is missing says more than the status and the code of a missing right", () => {
    const message = "Insufficient balance";
    expect(answer(403, { type: "permission_error", message }).cause).toBe("usage-limit");
    expect(answer(429, { type: "rate_limit_error", message }).cause).toBe("usage-limit");
  });

  it("its wording says more where there is no code", () => {
    expect(answer(400, { message: "Your credit balance is too low" }).cause).toBe("usage-limit");
    expect(answer(400, { message: "prompt is too long: 3 > 2" }).cause).toBe("context");
    expect(causeOfWording("connect ECONNREFUSED 127.0.0.1:1")).toBe("overloaded");
    expect(causeOfWording("no such file")).toBeNull();
  });

  it.each([
    ["You've reached your monthly limit.", "usage-limit"],
    ["You have exceeded your weekly usage limit", "usage-limit"],
    ["Session limit reached ∙ resets 3pm", "usage-limit"],
    ["5-hour limit reached ∙ resets 3am", "usage-limit"],
    ["The free tier of qwen3 has been exhausted.", "usage-limit"],
    ["Your free daily quota has been reached", "usage-limit"],
    ["You have no credits left", "usage-limit"],
    ["You exceeded your rate limit", "rate-limit"],
    ["Sorry, you've hit a rate limit that restricts requests", "rate-limit"],
    ["You've reached your token limit", null],
    ["The run reached its limit of 10 tool calls", null],
    ["Feel free to ask. The limit is reached", null],
    ["Range of input length should be [1, 129024]", "context"],
    ["Your input exceeds the context window of this model", "context"],
    ["context length exceeded", "context"],
    ["The request is too large for gpt-5.5", "context"],
    ["Read the context window section", null],
    ["OAuth token has expired", "auth"],
    ["Your credentials have expired", "auth"],
    ["Request had invalid authentication credentials.", "auth"],
    ["The token expires in an hour", null],
    ["API Error: 401 no", "auth"],
    ["Execution failed: CAPIError: 403 forbidden", "auth"],
    ["unexpected status 407 Proxy Authentication Required", "auth"],
    ["[provider.api_error] 529 busy", "overloaded"],
    ["request failed (HTTP 503)", "overloaded"],
    ["HTTP/1.1 504 Gateway", "overloaded"],
    ["<!DOCTYPE html><html><head><title>502 Bad</title></head></html>", "overloaded"],
    ["<html>\n<body>\n<h1>503 Over quota</h1></body></html>", "overloaded"],
    ["<html><head><title>Room 503</title></head></html>", null],
    ["unexpected status 404 Not Found", null],
    ["it changed 503 files", null],
    ["self-signed certificate in certificate chain", "overloaded"],
    ["unable to get local issuer certificate", "overloaded"],
    ["certificate has expired", "overloaded"],
    ["invalid peer certificate: UnknownIssuer", "overloaded"],
    ["request failed: UNABLE_TO_VERIFY_LEAF_SIGNATURE", "overloaded"],
    ["write EPROTO 1:error:0A00010B:SSL routines", "overloaded"],
    ["the certificate of the course is missing", null],
    ["Output blocked by content filtering policy", null],
    ["You have reached your specified API usage limits.", "usage-limit"],
    ["You're out of extra usage · resets 2pm", "usage-limit"],
    ["Your workspace is out of credits. Add credits to continue.", "usage-limit"],
    ["Sorry, you've exceeded your 5 hour session limits.", "usage-limit"],
    ["You have used 100% of your weekly limit", "usage-limit"],
    ["You have used 90% of your weekly limit", null],
    ["429 week allocated quota exceeded.", "usage-limit"],
    ["Free usage exceeded, subscribe to go on", "usage-limit"],
    ["Subscription quota exceeded. Retry in 2hr 5min.", "usage-limit"],
    ["Your prepayment credits are depleted.", "usage-limit"],
    ["Quota exceeded. Check your plan and billing details.", "usage-limit"],
    ["Quota exceeded for metric: generate_requests per minute", null],
    ["Quota exceeded for limit 'Requests per day per user'", "usage-limit"],
    ["Rate limit reached for gpt-5 on requests per day (RPD): Limit 200", "usage-limit"],
    ["Rate limit reached for gpt-5 on requests per min (RPM): Limit 3", "rate-limit"],
    ["Your project has exceeded its monthly spending cap.", "usage-limit"],
    ["You have no quota", "usage-limit"],
    ["The credentials have no quota project", null],
    ["This would exceed your organization's rate limit", "rate-limit"],
    ["You've reached your weekly rate limit.", "rate-limit"],
    ["prompt token count of 140000 exceeds the limit of 128000", "context"],
    ["Input tokens exceed the configured limit of 272000 tokens.", "context"],
    ["The agent ran out of room in the model's context window.", "context"],
    ["max_tokens exceeds the limit", null],
    ["OAuth token revoked · Please run /login", "auth"],
    ["Your refresh token was revoked. Please log out and sign in again.", "auth"],
    ["This organization has been disabled.", "auth"],
    ["Not logged in", "auth"],
    ["invalid access token or token expired", "auth"],
    ["You are not authorized to use this feature", "auth"],
    ["User location is not supported for the API use.", "auth"],
    ["Country, region, or territory not supported", "auth"],
    ["Unexpected token < in JSON at position 0", null],
    ["the option of that account is gone", null],
    ["Execution failed: Error: Failed to list models: 403", "auth"],
    ["Request failed with 503 Service", "overloaded"],
    ["it failed with 503 files changed", null],
    ["Failed in line: 404", null],
    ['API Error: {"type":"error","error":{"type":"overloaded_error"}}', "overloaded"],
    ['got {\\"error\\":{\\"code\\":\\"insufficient_quota\\"}}', "usage-limit"],
    ['got {"error":{"code":"no_such_model"}}', null],
    ["Our servers are currently overloaded", "overloaded"],
    ["Selected model is at capacity.", "overloaded"],
    ["We're currently experiencing high demand", "overloaded"],
    ["SSE read timed out", "overloaded"],
    ["Stream idle timeout - partial response received", "overloaded"],
    ["Headers Timeout Error", "overloaded"],
    ["Model stream ended with an invalid chunk or missing finish reason.", "overloaded"],
    ["Model stream ended with malformed function call", null],
    ["An internal error has occurred", "overloaded"],
    ['404 {"error":{"message":"no","type":"api_error"}}', null],
    ['400 {"error":{"message":"no","type":"server_error"}}', null],
    ['401 {"error":{"message":"no","type":"api_error"}}', "auth"],
    ['429 {"error":{"message":"no","type":"api_error"}}', "rate-limit"],
    ['500 {"error":{"message":"no","type":"api_error"}}', "overloaded"],
    ['{"error":{"message":"no","type":"api_error"}}', "overloaded"],
    ['404 {"error":{"type":"overloaded_error"}}', "overloaded"],
    [
      "429 No deployments available - crossed budget: Exceeded budget for deployment",
      "usage-limit",
    ],
    ["Key limit exceeded (monthly limit).", "usage-limit"],
    ["Your account has insufficient balance", "usage-limit"],
    ["You don't have enough credits", "usage-limit"],
    ["I don't have any ideas", null],
    ["403 Request was rejected due to rate limiting.", "rate-limit"],
    ["x509: certificate signed by unknown authority", "overloaded"],
    ["MCP server disconnected", null],
    ["TypeError: terminated", "overloaded"],
    ["Cannot connect to API: terminated (cause: other side closed)", "overloaded"],
    ["terminated", "overloaded"],
    ["The hook was terminated", null],
    ["terminated the session", null],
    ["Too many tokens per day", "usage-limit"],
    ["Too many tokens", null],
    ["每天请求次数已达上限", "usage-limit"],
    ["并发数超过限制", "rate-limit"],
    ["上下文长度超出最大值", "context"],
    ["附件数量超过上限", null],
    ["Internal error: x is undefined", null],
  ])("%s: %s", (message, cause) => {
    expect(causeOfWording(message)).toBe(cause);
  });

  it("says when to come back, in its body or its headers", () => {
    const seconds = Date.parse("2026-11-15T09:30:00.000Z") / 1000;
    const at = (instant: string | null) => [{ kind: "limit", resetAt: instant }];
    const half = "2026-11-15T09:30:00.000Z";
    expect(answer(429, { resets_at: seconds }).limit).toEqual(at(half));
    expect(answer(429, { resets_in_seconds: 5400 }).limit).toEqual(at(half));
    const unified = { "anthropic-ratelimit-unified-reset": String(seconds) };
    expect(answer(429, {}, unified).limit).toEqual(at(half));
    expect(answer(429, {}, { "retry-after": "5400" }).limit).toEqual(at(half));
    const date = (text: string) => answer(429, {}, { "retry-after": text }).limit;
    expect(date("Sun, 15 Nov 2026 09:30:00 GMT")).toEqual(at(half));
    for (const wrong of [
      "Sun, 15 Nov 2026 08:01:00 GMT",
      "soon",
      "Sun, 99 Nov 2026 09:30:00 GMT",
    ]) {
      expect(date(wrong)).toEqual([]);
    }
    expect(answer(429, { message: "try again in 5400s" }).limit).toEqual(at(half));
  });

  it("says in words how long to wait", () => {
    const limit = (message: string) => answer(429, { message }).limit[0]?.resetAt;
    expect(limit("Your quota will reset after 3h20m5.5s.")).toBe("2026-11-15T11:20:05.500Z");
    expect(limit("Please retry in 1800s.")).toBe("2026-11-15T08:30:00.000Z");
    expect(limit("Please retry in 30s.")).toBeUndefined();
    expect(limit("Please try again in 2 hours 5 minutes.")).toBe("2026-11-15T10:05:00.000Z");
    expect(limit("Try again in 1 day, 2 hours and 5 mins")).toBe("2026-11-16T10:05:00.000Z");
    expect(limit("It resets in 90 min.")).toBe("2026-11-15T09:30:00.000Z");
    for (const none of ["retry in 900000ms", "try again in 2 months", "try again in 3 models"]) {
      expect(limit(none)).toBeUndefined();
    }
  });

  it("a short wait, or a failure of another kind, is no limit", () => {
    expect(answer(429, {}, { "retry-after": "2" }).limit).toEqual([]);
    expect(answer(503, {}, { "retry-after": "5400" }).limit).toEqual([]);
    expect(answer(429, { code: "insufficient_quota" }).limit).toEqual([
      { kind: "limit", resetAt: null },
    ]);
  });
});
