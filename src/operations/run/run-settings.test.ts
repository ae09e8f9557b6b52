import { describe, expect, it } from "vitest";
import { agentsFor, chooseSettings, granted, parseGrant } from "./run-settings.ts";
import { refusal } from "../../../test/support/refusal.ts";
import type { AgentId } from "../../core/ids.ts";
import { defaultBudgets } from "../../core/written/bounds.ts";

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

describe("sessions beside each other", () => {
  it.each([
    [{}, {}, {}, 1],
    [{}, {}, { parallel: 2 }, 2],
    [{}, { parallel: 3 }, { parallel: 2 }, 3],
    [{ parallel: 4 }, { parallel: 3 }, { parallel: 2 }, 4],
    [{ parallel: 1 }, { parallel: 3 }, {}, 1],
  ])("%j typed, %j in the manifest, %j in the settings", (typed, front, config, parallel) => {
    expect(chooseSettings(typed, front, config, PLACE).settings.parallel).toBe(parallel);
  });

  it("are bounded for each agent by the settings", () => {
    const { settings } = chooseSettings(
      {},
      {},
      { parallel_per_agent: { ["claude" as AgentId]: 2 } },
      PLACE,
    );
    expect(settings.parallelOf).toEqual({ claude: 2 });
  });

  it.each([
    [{ parallel: 17 }, "17 sessions cannot run in parallel"],
    [{ parallel: 2, session: "batch:2" }, "have one task each"],
    [{ parallel: 2, inPlace: true }, "each need their own workspace"],
  ])("are refused as %j", (typed, message) => {
    expect(refusal(() => chooseSettings(typed, {}, {}, PLACE))).toMatchObject({
      code: "bad-input",
      message: expect.stringContaining(message),
      hint: expect.stringMatching(/--parallel/u),
    });
  });
});

it.each([
  [{}, true],
  [{ limits: { extract: true } }, true],
  [{ limits: { extract: false } }, false],
])("S2-13 with %j in the settings, what goes beyond its bounds is split: %s", (config, extract) => {
  expect(chooseSettings({}, {}, config, PLACE).settings.extract).toBe(extract);
});

describe("what a person grants", () => {
  it("is added to the budgets; what was not limited stays so", () => {
    const grant = parseGrant("sessions=10, hours=1.5,tokens=5,usd=2.50");
    const budgets = { ...defaultBudgets(2), cost_usd: 1 };
    expect(granted(budgets, grant)).toEqual({
      attempts_per_task: 3,
      sessions: 26,
      wall_ms: 25.5 * 60 * 60 * 1000,
      tokens: null,
      cost_usd: 3.5,
    });
  });

  it.each(["", "sessions", "sessions=", "sessions=1.5", "beer=1", "sessions=-1", "sessions=1,"])(
    "is refused when it is %j, with a right example",
    (text) => {
      expect(refusal(() => parseGrant(text))).toMatchObject({
        code: "bad-input",
        message: `"${text}" is not a list of sessions, hours, tokens, usd with amounts`,
        hint: "For example: --grant sessions=10 or --grant hours=5,usd=20",
      });
    },
  );
});
