import { describe, expect, it } from "vitest";
import {
  childEnvironment,
  type EnvironmentOptions,
  heldBack,
  missedCredentials,
} from "./child-environment.ts";

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

describe("credentials", () => {
  const token = ["ghp", "A1b2C3d4E5f6G7h8I9j0K1l2"].join("_");
  const given = {
    PATH: "/bin",
    GITHUB_TOKEN: token,
    AWS_SECRET_ACCESS_KEY: "abc/def",
    ANTHROPIC_API_KEY: "key",
    UPSTREAM: `https://me:${token}@example.com/x.git`,
    DATABASE_URL: "postgres://postgres:postgres@localhost:5432/test",
    HTTPS_PROXY: "http://me:word@proxy:8080",
    TOKEN_LIMIT: "100",
    USE_AUTH: "true",
    SSH_AUTH_SOCK: "/run/agent",
  };
  const plain = ["PATH", "DATABASE_URL", "HTTPS_PROXY", "TOKEN_LIMIT", "USE_AUTH", "SSH_AUTH_SOCK"];
  const names = (options: Partial<EnvironmentOptions>): string[] =>
    Object.keys(childEnvironment(given, { extra: {}, ...options }));

  it("that nobody names stay outside; what is none of them, or is for this machine alone, goes in", () => {
    expect(names({ credentials: [] }).toSorted()).toEqual(plain.toSorted());
  });

  it("go in where what is started needs them, or the person names them", () => {
    expect(names({ credentials: ["ANTHROPIC_*"] })).toContain("ANTHROPIC_API_KEY");
    expect(names({ credentials: ["ANTHROPIC_*"] })).not.toContain("GITHUB_TOKEN");
    expect(names({ credentials: [], allow: ["AWS_*", "GITHUB_TOKEN"] }).toSorted()).toEqual([
      "AWS_SECRET_ACCESS_KEY",
      "GITHUB_TOKEN",
      "PATH",
    ]);
  });

  it("are not named by a lone star, which names everything else", () => {
    const found = names({ credentials: [], allow: ["*", "GITHUB_TOKEN"] });
    expect(found.toSorted()).toEqual([...plain, "GITHUB_TOKEN"].toSorted());
  });

  it("all go to what a person wrote to act in their name", () => {
    expect(names({})).toEqual(Object.keys(given));
  });

  it("that were held back are named where words of a failure name them", () => {
    const held = heldBack(given, { credentials: [] });
    expect(missedCredentials("npm error: set GITHUB_TOKEN first", held)).toBe(
      "GITHUB_TOKEN is a credential and not passed on; if it is needed, add it to env.allow in stint.config.yaml",
    );
    expect(missedCredentials("no GITHUB_TOKEN, no ANTHROPIC_API_KEY", held)).toContain(
      "GITHUB_TOKEN, ANTHROPIC_API_KEY are credentials and not passed on; if they are needed, add them",
    );
    expect(missedCredentials("PATH is wrong", held)).toBe("");
  });
});
