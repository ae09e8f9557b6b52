// How an OpenAI-like provider says no, whichever of its two formats was spoken.
import { HALF_AN_HOUR, inAnHour, json, type Refusal, type Reply } from "./protocol.ts";

export function refuseLikeOpenAi(why: Refusal): Reply {
  if (why === "bad-key") {
    const message = "Incorrect API key provided.";
    return json(401, {
      error: { message, type: "invalid_request_error", param: null, code: "invalid_api_key" },
    });
  }
  if (why === "overloaded") {
    const message = "The server is currently overloaded. Please try again later.";
    return json(503, { error: { message, type: "server_error", param: null, code: null } });
  }
  if (why === "wait-long") {
    const message = "Rate limit reached for requests. Please try again in 1800s.";
    const error = { message, type: "requests", param: null, code: "rate_limit_exceeded" };
    return json(429, { error }, HALF_AN_HOUR);
  }
  const resets_at = inAnHour();
  return json(429, {
    error: {
      type: "usage_limit_reached",
      message: "The usage limit has been reached",
      plan_type: "plus",
      resets_at,
      resets_in_seconds: 3600,
    },
  });
}
