import { describe, expect, it } from "vitest";
import { agentsFor, chooseSettings } from "./run-settings.ts";

const PLACE = { root: "/work/repo", hasGit: true, home: "/home/ada" };
const pinned = { agent: "codex" as never };

describe("who may work on a task", () => {
  it.each([
    ["nobody is named", {}, {}, ["claude", "gemini"]],
    ["the task names one", pinned, {}, ["codex"]],
    ["the task names one, and fallbacks are typed", pinned, { fallback: ["qwen"] }, ["codex"]],
    ["one is typed", pinned, { agent: "qwen" }, ["qwen"]],
    ["a chain is typed", {}, { agent: "qwen", fallback: ["codex"] }, ["qwen", "codex"]],
    ["fallbacks are typed", {}, { fallback: ["codex"] }, ["claude", "gemini", "codex"]],
  ])("where %s", (_, task, typed, names) => {
    expect(agentsFor(task, typed, ["claude", "gemini"])).toEqual(names);
  });
});

describe("the agents of the files", () => {
  it.each([
    [{}, {}, ["claude"]],
    [{}, { agent: "codex" }, ["codex"]],
    [{}, { agents: ["codex", "claude"] }, ["codex", "claude"]],
    [{ agent: "gemini" }, { agents: ["codex", "claude"] }, ["gemini"]],
    [{ agents: ["gemini", "qwen"] }, { agent: "codex" }, ["gemini", "qwen"]],
  ])("%j in the manifest, %j in the settings", (front, config, agents) => {
    expect(chooseSettings({}, front, config, PLACE).agents).toEqual(agents);
  });
});
