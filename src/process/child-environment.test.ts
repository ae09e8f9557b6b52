import { expect, it } from "vitest";
import { childEnvironment } from "./child-environment.ts";

const person = {
  PATH: "/bin",
  HOME: "/home/me",
  ANTHROPIC_API_KEY: "key",
  EDITOR: "vi",
  STINT_APPROVER_KEY: "own secret",
  STINT_API_TOKEN: "own secret",
  STINT_PROJECT: "p-1",
  STINT_RUN_ID: "r-outer",
  STINT_CHILD_r_outer_0: "1",
  GONE: undefined,
};

it("a child has the person's environment without Stint's own secrets", () => {
  expect(childEnvironment(person, { extra: { STINT_PROJECT: "p-2", NEW: "x" } })).toEqual({
    PATH: "/bin",
    HOME: "/home/me",
    ANTHROPIC_API_KEY: "key",
    EDITOR: "vi",
    STINT_PROJECT: "p-2",
    STINT_RUN_ID: "r-outer",
    STINT_CHILD_r_outer_0: "1",
    NEW: "x",
  });
});

it("with an allow-list it has what is named, what programs need, and the variables of its run", () => {
  const allow = ["ANTHROPIC_*", "STINT_APPROVER_KEY"];
  expect(childEnvironment(person, { allow, extra: { NEW: "x" } })).toEqual({
    PATH: "/bin",
    HOME: "/home/me",
    ANTHROPIC_API_KEY: "key",
    STINT_PROJECT: "p-1",
    STINT_RUN_ID: "r-outer",
    STINT_CHILD_r_outer_0: "1",
    NEW: "x",
  });
});
