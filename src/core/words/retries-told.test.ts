import { describe, expect, it } from "vitest";
import { afterAnswer, afterRetry, NO_RETRIES } from "./retries-told.ts";

const MINUTE_MS = 60_000;
const retry = (attempt: number | null, cause: string | null = "overloaded", message = "529") => ({
  attempt,
  cause,
  message,
});

describe("a provider's retries", () => {
  it("are one line at first, and then at growing intervals", () => {
    let told = NO_RETRIES;
    const lines: string[] = [];
    for (let second = 0; second <= 600; second += 5) {
      const next = afterRetry(told, 2, retry(second / 5 + 1), second * 1000);
      ({ told } = next);
      if (next.isLine) lines.push(`${second} s: ${next.text}`);
    }
    expect(lines).toEqual([
      "0 s: session 2 waits for its provider (retry 1, overloaded): 529",
      "30 s: session 2 waits for its provider (retry 7, overloaded): 529",
      "90 s: session 2 waits for its provider (retry 19, overloaded): 529",
      "210 s: session 2 waits for its provider (retry 43, overloaded): 529",
      "450 s: session 2 waits for its provider (retry 91, overloaded): 529",
    ]);
    expect(told.times).toBe(121);
  });

  it("are a line again where the cause is another, and none where it is only not told", () => {
    const first = afterRetry(NO_RETRIES, 1, retry(null), 0);
    const untold = afterRetry(first.told, 1, retry(null, null, ""), 1000);
    expect(untold).toMatchObject({
      isLine: false,
      text: "session 1 waits for its provider (retry 2)",
    });
    const other = afterRetry(untold.told, 1, retry(null, "rate-limit", "slow\ndown"), 2000);
    expect(other).toMatchObject({
      isLine: true,
      text: "session 1 waits for its provider (retry 3, rate limit): slow down",
    });
  });

  it("end with a line where one said that it waits", () => {
    expect(afterAnswer(NO_RETRIES, 1)).toBeNull();
    const { told } = afterRetry(NO_RETRIES, 1, retry(1), 0);
    const answered = afterAnswer(told, 1);
    expect(answered?.text).toBe("session 1 continues: its provider answered after 1 retry");
    const again = afterRetry(answered?.told ?? NO_RETRIES, 1, retry(1), 1000);
    expect(again.isLine).toBe(false);
    expect(afterAnswer(again.told, 1)).toBeNull();
    expect(afterRetry(again.told, 1, retry(1), MINUTE_MS).isLine).toBe(true);
  });

  it("say no more than a line of what the provider said", () => {
    const { text } = afterRetry(NO_RETRIES, 1, retry(1, null, "<html>".repeat(100_000)), 0);
    expect(text.length).toBeLessThan(220);
  });
});
