import { expect, it } from "vitest";
import { Said } from "./said.ts";

it("has said a text, whole or as a part of a longer one", () => {
  const said = new Said(["It stopped: there is no key in here. Fix it."]);
  expect(said.has("there is no key in here")).toBe(true);
  expect(said.has("There is no key in here.")).toBe(true);
  expect(said.has("there is no lock in here")).toBe(false);
});

it("has said a few words only where they stand for themselves", () => {
  const said = new Said([
    "its price is unknown",
    "All is done except skipped ones: t2 (no), t3 (not now).",
  ]);
  expect(said.has("not now")).toBe(true);
  expect(said.has("no")).toBe(true);
  expect(new Said(["its price is unknown; no change"]).has("no")).toBe(false);
  expect(new Said(["Not now."]).has("not now")).toBe(true);
});
