import { describe, expect, it } from "vitest";
import type { Check } from "../core/schema/task.ts";
import { failureSignature } from "./failure-signature.ts";

const CHECK: Check = { kind: "command", command: "npm test" };
const sign = (output: string, exitCode: number | null = 1, check = CHECK) =>
  failureSignature(check, exitCode, output);

describe("the signature of a failure", () => {
  it.each([
    ["times", "at 2026-01-02T03:04:05.678Z in 12.3 ms", "at 2027-11-12T13:14:15Z in 4 ms"],
    ["clock times", "[10:04:11] failed after 3s", "[9:05] failed after 14s"],
    ["paths", "in /tmp/a-123/x.test.ts", "in /home/ada/repo/x.test.ts"],
    ["addresses in memory", "object at 0x7ffe12", "object at 0xdeadbeef"],
    ["addresses in the net", "connect 127.0.0.1:4312", "connect 127.0.0.1:50123"],
    ["ids", "job 3f2504e0-4f89-41d3-9a0c-0305e82c3301", "job 00000000-4f89-41d3-9a0c-0305e82c3301"],
    ["commits", "HEAD is now at ad3c4f3", "HEAD is now at 465a9fa"],
    ["colours", "\u001B[31mfail\u001B[0m", "fail"],
    ["line ends and blanks", "a\r\n\r\n  b", "a\nb"],
    ["the order of parallel output", "x failed\ny failed", "y failed\nx failed"],
  ])("is the same for other %s", (_, one, two) => {
    expect(sign(one)).toBe(sign(two));
  });

  it("is another for another message, exit code or check", () => {
    const other: Check = { kind: "command", command: "npm run lint" };
    const signatures = [sign("a"), sign("b"), sign("a", 2), sign("a", null), sign("a", 1, other)];
    expect(new Set(signatures).size).toBe(signatures.length);
  });

  it("keeps the numbers that tell failures apart", () => {
    expect(sign("expected 3 to be 4")).not.toBe(sign("expected 5 to be 4"));
  });
});
