// Which branch gets verified work by itself.
import { describe, expect, it } from "vitest";
import {
  chooseDelivery,
  type DeliverMode,
  type TargetFacts,
  whereWorkGoes,
} from "./delivery-choice.ts";

function target(
  branch: string | null,
  upstreamRemote: string | null,
  heads: Readonly<Record<string, string>> = {},
): TargetFacts {
  return { branch, upstreamRemote, remoteDefaults: new Map(Object.entries(heads)) };
}

describe("where verified work goes", () => {
  it.each<[string, DeliverMode, TargetFacts, "deliver" | "wait" | "ask"]>([
    ["no remote at all", "auto", target("main", null), "deliver"],
    [
      "the default branch of its own remote",
      "auto",
      target("main", "origin", { origin: "main" }),
      "wait",
    ],
    [
      "a default branch of any name",
      "auto",
      target("develop", "origin", { origin: "develop" }),
      "wait",
    ],
    [
      "main beside another default branch",
      "auto",
      target("main", "origin", { origin: "develop" }),
      "deliver",
    ],
    [
      "a feature branch with an upstream",
      "auto",
      target("feature", "origin", { origin: "main" }),
      "deliver",
    ],
    [
      "a feature branch without one",
      "auto",
      target("feature", null, { origin: "main" }),
      "deliver",
    ],
    [
      "the default branch of origin, without an upstream",
      "auto",
      target("main", null, { origin: "main" }),
      "wait",
    ],
    [
      "the default branch of the only remote",
      "auto",
      target("main", null, { hub: "main" }),
      "wait",
    ],
    [
      "origin before others",
      "auto",
      target("main", null, { hub: "main", origin: "develop" }),
      "deliver",
    ],
    [
      "its own remote before origin",
      "auto",
      target("main", "hub", { hub: "main", origin: "develop" }),
      "wait",
    ],
    ["main with an upstream whose remote names none", "auto", target("main", "origin"), "wait"],
    ["master with an upstream", "auto", target("master", "origin"), "wait"],
    ["trunk with an upstream", "auto", target("trunk", "hub", { origin: "main" }), "wait"],
    ["another name with an upstream", "auto", target("maintenance", "origin"), "deliver"],
    ["main without an upstream or a named default", "auto", target("main", null), "deliver"],
    ["no branch", "auto", target(null, null), "wait"],
    ["no branch, whatever the mode", "checkout", target(null, null), "wait"],
    [
      "the shared branch, wanted",
      "checkout",
      target("main", "origin", { origin: "main" }),
      "deliver",
    ],
    ["a private branch, not wanted", "branch", target("feature", null), "wait"],
    ["a private branch, asked about", "ask", target("feature", null), "ask"],
    ["the shared branch, asked about", "ask", target("main", "origin", { origin: "main" }), "ask"],
  ])("%s (%s)", (_, mode, facts, kind) => {
    expect(chooseDelivery(mode, facts).kind).toBe(kind);
  });

  it("says why and what brings it in", () => {
    const places = { target: "main", own: "stint/x", project: "p-1" };
    const shared = chooseDelivery("auto", target("main", "origin", { origin: "main" }));
    expect(whereWorkGoes(shared, places)).toBe(
      "verified work waits on stint/x, because main is the shared default branch of origin; bring it in: stint deliver p-1",
    );
    const nowhere = chooseDelivery("auto", target(null, null));
    expect(whereWorkGoes(nowhere, { ...places, target: null })).toBe(
      "verified work waits on stint/x, because the checkout was on no branch when the work began; bring it in: stint deliver p-1 --into <branch>",
    );
    expect(whereWorkGoes({ kind: "deliver" }, places)).toBe("verified work goes to main");
    expect(whereWorkGoes({ kind: "ask" }, places)).toBe(
      "verified work waits on stint/x; you are asked at the end, before it goes to main",
    );
  });
});
