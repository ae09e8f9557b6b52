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

const EXPECTED = "expected auto, always or never, or a map such as { when: always, budget: 10m }";
const FORM = "use whole days, hours, minutes, seconds, such as 1h30m";

it.each([
  [true, EXPECTED],
  ["sometimes", EXPECTED],
  [["auto"], EXPECTED],
  [null, EXPECTED],
  [7, EXPECTED],
  [{ when: "yes" }, EXPECTED],
  [{ wen: "auto" }, EXPECTED],
  [{ budget: 10 }, `budget: "10" has no unit: ${FORM}`],
  [{ budget: "soon" }, `budget: "soon" is not a duration: ${FORM}`],
  [{ budget: null }, `budget: the duration is missing: ${FORM}`],
])("%j is refused with what is expected", (value, reason) => {
  expect(readProof(value)).toEqual({ ok: false, reason });
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
