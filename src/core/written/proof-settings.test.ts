// `proof:` as it is written in a manifest and in stint.config.yaml.
import { expect, it } from "vitest";
import { proofSettings, readProof } from "./proof-settings.ts";

it.each([
  ["auto", { when: "auto" }],
  ["never", { when: "never" }],
  [{ when: "always" }, { when: "always" }],
  [{ budget: "90s" }, { budgetMs: 90_000 }],
  [{}, {}],
  [
    { when: "always", budget: "10m" },
    { when: "always", budgetMs: 600_000 },
  ],
])("%j is read", (value, expected) => {
  expect(readProof(value)).toEqual({ ok: true, value: expected });
});

it.each([
  true,
  "sometimes",
  ["auto"],
  null,
  7,
  { when: "yes" },
  { budget: 10 },
  { budget: "soon" },
  { wen: "auto" },
])("%j is refused with what is expected", (value) => {
  const read = readProof(value);
  expect(read).toMatchObject({ ok: false, reason: expect.stringMatching(/^proof/) as string });
});

it("takes each key from the first that says it", () => {
  expect(proofSettings()).toEqual({ when: "auto" });
  expect(proofSettings(undefined, { when: "never", budget: "1m" })).toEqual({
    when: "never",
    budgetMs: 60_000,
  });
  expect(proofSettings("always", { when: "never", budget: "1m" })).toEqual({
    when: "always",
    budgetMs: 60_000,
  });
});
