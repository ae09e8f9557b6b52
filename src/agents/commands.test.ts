// The command lines of the coding agents: what a person would have to type.
import { describe, expect, it } from "vitest";
import { request } from "../../test/support/session-fixture.ts";
import type { Agent, McpServer, SessionRequest } from "./agent.ts";
import { CODING_AGENTS } from "./agents.ts";
import { DESTRUCTIVE_COMMANDS, isDestructive, refusedGlobs } from "./session-command.ts";

const SERVER: McpServer = {
  name: "stint",
  command: "/usr/bin/stint",
  args: ["mcp"],
  env: { STINT_PROJECT: "p-1" },
};

function agent(name: string): Agent {
  return CODING_AGENTS.find((one) => one.name === name) as Agent;
}

function build(name: string, changes: Partial<SessionRequest> = {}) {
  const { args, env, files = [] } = agent(name).buildCommand(request(changes));
  return { line: args.join(" "), args, env, files };
}

describe("a session that starts in a folder below the top", () => {
  const below = { root: "/work/tree", workTree: "/work/tree/packages/web" };

  it.each([
    ["claude", "--add-dir /work/tree "],
    ["copilot", "--add-dir /work/tree "],
    ["gemini", "--include-directories /work/tree "],
    ["qwen", "--include-directories /work/tree "],
    ["codex", '-c sandbox_workspace_write.writable_roots=["/work/tree"]'],
  ])("may write in all of it with %s", (name, words) => {
    expect(build(name, below).line).toContain(words);
    const { line } = build(name, { root: "/work/tree", workTree: "/work/tree" });
    expect(line).not.toContain("/work/tree");
  });
});

describe("a model and a session id", () => {
  it.each([
    ["claude", "--model m-1 --session-id"],
    ["gemini", "--model m-1 --session-id"],
    ["copilot", "--model m-1 --session-id"],
    ["qwen", "--model m-1 --session-id"],
  ])("are given to %s", (name, words) => {
    expect(build(name, { model: "m-1", sessionId: "u-u-i-d" }).line).toContain(`${words} u-u-i-d`);
  });

  it.each([
    ["codex", "-m m-1"],
    ["opencode", "--model m-1"],
  ])("%s takes the model only", (name, words) => {
    const { line } = build(name, { model: "m-1", sessionId: "u-u-i-d" });
    expect(line).toContain(words);
    expect(line).not.toContain("u-u-i-d");
  });
});

describe("what is left of a budget", () => {
  const rest = { budgetUsd: 1.2345678, wallMs: 95_900 };

  it.each([
    ["claude", "--max-budget-usd 1.2346"],
    ["copilot", "--max-ai-credits 123"],
    ["qwen", "--max-wall-time 95s"],
  ])("is given to %s", (name, words) => {
    expect(build(name, rest).line).toContain(words);
    expect(build(name).line).not.toContain("--max-");
  });

  it("is at least what the agent takes", () => {
    const least = { budgetUsd: 0, wallMs: 1 };
    expect(build("claude", least).line).toContain("--max-budget-usd 0.0001");
    expect(build("copilot", least).line).toContain("--max-ai-credits 30");
    expect(build("qwen", least).line).toContain("--max-wall-time 1s");
  });

  it.each(["codex", "gemini", "opencode", "cline"])("%s takes none", (name) => {
    expect(build(name, rest).line).toBe(build(name).line);
  });
});

describe("an MCP server", () => {
  const mcp = [SERVER];
  const entry = { command: "/usr/bin/stint", args: ["mcp"], env: { STINT_PROJECT: "p-1" } };

  it.each([
    ["claude", "--mcp-config", { ...entry, alwaysLoad: true }],
    ["copilot", "--additional-mcp-config", entry],
    ["qwen", "--mcp-config", { ...entry, trust: true }],
  ])("is given to %s as JSON", (name, flag, wanted) => {
    const { args } = build(name, { mcp });
    const json = args[args.indexOf(flag) + 1] ?? "";
    expect(JSON.parse(json)).toEqual({ mcpServers: { stint: wanted } });
  });

  it("is given to codex as a setting", () => {
    expect(build("codex", { mcp }).args).toContain(
      'mcp_servers.stint={command="/usr/bin/stint",args=["mcp"],env={STINT_PROJECT="p-1"}}',
    );
  });

  it("is given to opencode beside what the person has configured", () => {
    const inherited = JSON.stringify({ model: "a/b", mcp: { own: { enabled: true } } });
    const { env } = build("opencode", {
      mcp,
      inheritedEnv: { OPENCODE_CONFIG_CONTENT: inherited },
    });
    expect(JSON.parse(env["OPENCODE_CONFIG_CONTENT"] ?? "")).toEqual({
      model: "a/b",
      mcp: {
        own: { enabled: true },
        stint: {
          type: "local",
          command: ["/usr/bin/stint", "mcp"],
          environment: { STINT_PROJECT: "p-1" },
          enabled: true,
        },
      },
    });
    const damaged = { OPENCODE_CONFIG_CONTENT: "{not json" };
    expect(build("opencode", { mcp, inheritedEnv: damaged }).env).not.toHaveProperty(
      "OPENCODE_CONFIG_CONTENT",
    );
  });

  it("is not given to gemini, which has no way to take one for a session", () => {
    expect(build("gemini", { mcp })).toEqual(build("gemini"));
  });
});

describe("S2-15 destructive commands", () => {
  const refuses = (name: string, changes: Partial<SessionRequest> = {}): boolean =>
    JSON.stringify(build(name, changes)).includes("git push");

  it("are refused by these", () => {
    const refusing = CODING_AGENTS.filter(({ name }) => refuses(name, { configFolder: "/state" }));
    const names = refusing.map(({ name }) => name);
    const overAcp = ["kimi", "qodercli", "auggie"];
    expect(names).toEqual(["claude", "gemini", "opencode", "copilot", "qwen", ...overAcp]);
  });

  it("are refused by the default of every agent that can refuse", () => {
    for (const glob of refusedGlobs()) {
      expect(build("claude").args).toContain(`Bash(${glob})`);
      expect(build("qwen").args).toContain(`run_shell_command(${glob})`);
      const permissions = JSON.parse(build("opencode").env["OPENCODE_PERMISSION"] ?? "") as object;
      expect(permissions).toMatchObject({ bash: { [glob]: "deny" } });
    }
    const { line, files } = build("gemini", { configFolder: "/state/7" });
    expect(line).toContain("--policy /state/7/gemini-policy.toml");
    const rules = files[0]?.text.split("[[rule]]").filter((rule) => rule.includes('"deny"')) ?? [];
    for (const { start } of DESTRUCTIVE_COMMANDS) {
      expect(rules.some((rule) => rule.includes(`"${start}`))).toBe(true);
    }
    expect(build("copilot").args).toContain("--deny-tool=shell(git reset)");
    expect(build("codex").line).toContain("--sandbox workspace-write");
  });

  it("are recognised behind other commands, with flags anywhere", () => {
    const destructive = [
      "git reset --hard",
      "cd x && git clean -fd",
      "git push o main --force-with-lease",
    ];
    for (const command of destructive) expect(isDestructive(command)).toBe(true);
    const harmless = ["git reset file.txt", "git push origin main", "rm -rf build", "git status"];
    for (const command of harmless) expect(isDestructive(command)).toBe(false);
  });

  it("are let through when a person has approved them, and no others", () => {
    const approved = ["cd x && git push origin main --force"];
    const folder = { configFolder: "/state/7" };
    const refusing = CODING_AGENTS.filter(({ name }) => refuses(name, folder));
    for (const { name } of refusing) {
      const [all, some] = [build(name, folder), build(name, { ...folder, approved })].map((one) =>
        JSON.stringify(one),
      );
      expect(some?.length).toBeLessThan(all?.length ?? 0);
      expect(some).toContain("git clean");
    }
    expect(build("claude", { approved }).line).not.toContain("--force");
  });

  it("are not refused where the person asked for danger by name", () => {
    const dangerous = { permission: "dangerous", configFolder: "/state/7" } as const;
    expect(build("claude", dangerous).line).toContain("--dangerously-skip-permissions");
    expect(build("codex", dangerous).line).toContain("--dangerously-bypass-approvals-and-sandbox");
    expect(build("gemini", dangerous)).toMatchObject({ files: [] });
    expect(build("gemini", dangerous).line).toContain("--approval-mode yolo");
    expect(build("opencode", dangerous).line).toContain("--auto");
    expect(build("opencode", dangerous).env).not.toHaveProperty("OPENCODE_PERMISSION");
    expect(build("copilot", dangerous).line).toContain("--allow-all");
    expect(build("qwen", dangerous).line).toContain("--approval-mode yolo");
  });
});

describe("the environment", () => {
  it("tells claude that it cannot do harm only where that is so", () => {
    const dangerous = { permission: "dangerous", isolated: true } as const;
    expect(build("claude", dangerous).env).toMatchObject({ IS_SANDBOX: "1" });
    expect(build("claude", { isolated: true }).env).not.toHaveProperty("IS_SANDBOX");
    expect(build("claude", { permission: "dangerous" }).env).not.toHaveProperty("IS_SANDBOX");
  });

  it("yields to the retries a person has set", () => {
    expect(build("claude").env).toMatchObject({ CLAUDE_CODE_MAX_RETRIES: "4" });
    const inheritedEnv = { CLAUDE_CODE_MAX_RETRIES: "9" };
    expect(build("claude", { inheritedEnv }).env).not.toHaveProperty("CLAUDE_CODE_MAX_RETRIES");
  });

  it("lets gemini work in one process, in a folder it does not know", () => {
    expect(build("gemini").env).toMatchObject({
      GEMINI_CLI_NO_RELAUNCH: "true",
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    });
  });
});
