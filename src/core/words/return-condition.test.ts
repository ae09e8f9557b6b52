import { expect, it } from "vitest";
import { backWhen } from "./return-condition.ts";

it("a sentence about an address shows no password of it", () => {
  const address = {
    kind: "url",
    url: "https://ada:hunter2@ci.example.com/7",
    status: 200,
  } as const;
  expect(backWhen(address)).toBe("GET https://[redacted]@ci.example.com/7 answers 200");
  expect(backWhen({ ...address, url: "https://ci.example.com/7", contains: "ok" })).toBe(
    'GET https://ci.example.com/7 answers 200 with "ok"',
  );
});
