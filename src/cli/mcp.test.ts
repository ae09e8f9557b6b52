import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLineBench, type Said } from "../../test/support/command-line.ts";
import { CODING_AGENTS } from "../agents/agents.ts";
import { type McpView, mcpView } from "../core/schema/views.ts";
import { VERBS } from "./verbs.ts";

let bench: CommandLineBench;
let home: string;

beforeEach(() => {
  bench = new CommandLineBench();
  home = join(bench.path, "home");
  mkdirSync(home);
});
afterEach(() => bench.close());

async function mcp(...words: string[]): Promise<Said> {
  return await bench.runWith({ env: { HOME: home } }, "mcp", ...words);
}

async function seen(...words: string[]): Promise<McpView> {
  return mcpView.parse(JSON.parse((await mcp(...words, "--json")).out));
}

/** Every path with its content and rights, links as where they lead; of the state folder whether it holds anything. */
function everything(): Record<string, string> {
  const names = readdirSync(bench.path, { recursive: true, encoding: "utf8" }).toSorted();
  const shown = names.filter((name) => name !== "state" && name !== "state/stint");
  return Object.fromEntries(
    shown.map((name) => {
      const path = join(bench.path, name);
      const facts = lstatSync(path);
      const content = facts.isFile() ? readFileSync(path, "utf8") : "no file";
      return [name, `${facts.mode.toString(8)} ${content}`];
    }),
  );
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const STINT = { command: "stint", args: ["mcp"] };
const TYPED = { mcpServers: { stint: { type: "stdio", ...STINT } } };
const SERVERS = { mcpServers: { stint: STINT } };
const CLINE = { mcpServers: { stint: { ...STINT, timeout: 3600 } } };
const KIMI = { mcpServers: { stint: { ...STINT, toolTimeoutMs: 3_600_000 } } };
const OPENCODE = { mcp: { stint: { type: "local", command: ["stint", "mcp"], enabled: true } } };
const COPILOT = { mcpServers: { stint: { type: "local", ...STINT, tools: ["*"] } } };
const CODEX = `[mcp_servers.stint]
command = "stint"
args = ["mcp"]
env_vars = ["STINT_INBOX", "STINT_SEAL", "STINT_PROJECT", "STINT_SESSION", "STINT_TASK", "STINT_MANIFEST", "STINT_RUN_ID", "XDG_STATE_HOME"]
tool_timeout_sec = 3600
`;

/** What each agent reads, as its own `mcp add` writes it or its documentation says. */
const PLACES: readonly (readonly [
  agent: string,
  scope: string,
  file: string,
  holds: object | string,
])[] = [
  ["claude", "--project", ".mcp.json", TYPED],
  ["claude", "--user", ".claude.json", TYPED],
  ["codex", "--project", ".codex/config.toml", CODEX],
  ["codex", "--user", ".codex/config.toml", CODEX],
  ["gemini", "--project", ".gemini/settings.json", SERVERS],
  ["gemini", "--user", ".gemini/settings.json", SERVERS],
  ["opencode", "--project", "opencode.json", OPENCODE],
  ["opencode", "--user", ".config/opencode/opencode.json", OPENCODE],
  ["copilot", "--project", ".mcp.json", TYPED],
  ["copilot", "--user", ".copilot/mcp-config.json", COPILOT],
  ["qwen", "--project", ".qwen/settings.json", SERVERS],
  ["qwen", "--user", ".qwen/settings.json", SERVERS],
  ["cline", "--user", ".cline/data/settings/cline_mcp_settings.json", CLINE],
  ["kimi", "--project", ".kimi-code/mcp.json", KIMI],
  ["kimi", "--user", ".kimi-code/mcp.json", KIMI],
  ["qodercli", "--project", ".mcp.json", TYPED],
  ["qodercli", "--user", ".qoder/settings.json", SERVERS],
  ["auggie", "--project", ".augment/settings.json", TYPED],
  ["auggie", "--user", ".augment/settings.json", TYPED],
];

/** Agents that take no servers at all. */
const WITHOUT_SERVERS: readonly string[] = [];

function fileOf(scope: string, path: string): string {
  return join(scope === "--user" ? home : bench.root, path);
}

describe("stint mcp install and remove", () => {
  it("knows every agent that Stint can start", () => {
    const known = new Set([...PLACES.map(([agent]) => agent), ...WITHOUT_SERVERS]);
    expect([...known].toSorted()).toEqual(CODING_AGENTS.map(({ name }) => name).toSorted());
  });

  it("names them in its help", () => {
    const { options = [] } = VERBS.find(({ name }) => name === "mcp") ?? {};
    const help = options.find(({ flags }) => flags === "--agent <agent>")?.description ?? "";
    const named = help.split(";", 1)[0]?.split(/, | or /);
    expect(named).toEqual([...new Set(PLACES.map(([agent]) => agent))]);
  });

  it.each(PLACES)(
    "writes what %s reads, %s, and takes it away without a trace",
    async (agent, scope, path, holds) => {
      const before = everything();
      const file = fileOf(scope, path);
      const installed = await mcp("install", scope, "--agent", agent);
      expect(installed).toEqual({
        code: 0,
        err: "",
        out: `installed  ${file}\n  read by: ${agent}`,
      });
      const text = readFileSync(file, "utf8");
      expect(typeof holds === "string" ? text : JSON.parse(text)).toEqual(holds);
      expect(statSync(file).mode & 0o777).toBe(scope === "--user" ? 0o600 : 0o644);
      const after = everything();
      expect(await seen("install", scope, "--agent", agent)).toMatchObject({
        servers: [{ state: "current", outcome: "unchanged", file }],
      });
      expect(everything()).toEqual(after);
      expect((await mcp("remove", scope, "--agent", agent)).out).toBe(
        `removed  ${file}\n  read by: ${agent}`,
      );
      expect(everything()).toEqual(before);
      expect(await seen("remove", scope, "--agent", agent)).toMatchObject({
        servers: [{ state: "absent", outcome: "unchanged" }],
      });
    },
  );

  it.each(PLACES)(
    "leaves all else in a file of %s, %s, byte for byte",
    async (agent, scope, path) => {
      const file = fileOf(scope, path);
      const isToml = path.endsWith(".toml");
      put(
        file,
        isToml
          ? '# mine\nmodel = "x"\n\n[mcp_servers.a]\ncommand = "a"\n'
          : '{ // mine\n  "other": [1,2],\n\n  "theme" : "dark",\n}\n',
      );
      chmodSync(file, 0o664);
      const before = everything();
      expect((await mcp("install", scope, "--agent", agent)).code).toBe(0);
      const text = readFileSync(file, "utf8");
      for (const line of isToml
        ? ["# mine", 'command = "a"']
        : ["// mine", '\n\n  "theme" : "dark",']) {
        expect(text).toContain(line);
      }
      expect(statSync(file).mode & 0o777).toBe(0o664);
      expect((await mcp("remove", scope, "--agent", agent)).code).toBe(0);
      expect(everything()).toEqual(before);
    },
  );

  it.each(PLACES)(
    "leaves an entry that a person changed for %s, %s, and says so with exit code 2",
    async (agent, scope, path) => {
      await mcp("install", scope, "--agent", agent);
      const file = fileOf(scope, path);
      writeFileSync(file, readFileSync(file, "utf8").replace('"mcp"]', '"mcp", "--mine"]'));
      const before = everything();
      for (const act of ["install", "remove"]) {
        expect(await mcp(act, scope, "--agent", agent)).toEqual({
          code: 2,
          err: "",
          out: `left  ${file}\n  read by: ${agent}\n  note: its entry stint was not written by Stint, and was left as it is`,
        });
      }
      expect(everything()).toEqual(before);
    },
  );

  it("leaves what it cannot read, and what is a link", async () => {
    put(join(bench.root, ".mcp.json"), "{ broken");
    put(join(bench.path, "dotfiles/config.toml"), "");
    mkdirSync(join(home, ".codex"));
    symlinkSync(join(bench.path, "dotfiles/config.toml"), join(home, ".codex/config.toml"));
    symlinkSync(join(bench.path, "dotfiles"), join(home, ".gemini"));
    const before = everything();
    expect(await mcp("install", "--agent", "claude")).toMatchObject({
      code: 2,
      out: expect.stringContaining("and was left as it is: line 1: this is not a value"),
    });
    const linked = await seen("install", "--user", "--agent", "codex", "--agent", "gemini");
    expect(linked.servers).toMatchObject([
      { state: "link", outcome: "left", why: expect.stringContaining("config.toml is a link to") },
      { state: "link", outcome: "left", why: expect.stringContaining(".gemini is a link to") },
    ]);
    expect(everything()).toEqual(before);
  });

  it("takes away what a killed installation left, and nothing of one that is at work", async () => {
    const { pid } = spawnSync("true");
    put(join(home, `.stint-tmp-${pid}-.claude.json`), "{");
    const others = [`.stint-tmp-${process.ppid}-.claude.json`, `.stint-tmp-${pid}-other.json`];
    for (const name of others) put(join(home, name), "{");
    await mcp("install", "--user", "--agent", "claude");
    expect(readdirSync(home).toSorted()).toEqual([".claude.json", ...others].toSorted());
  });

  it("shares a file that two agents read, and prefers the one that is there", async () => {
    const shared = await seen("install", "--agent", "claude", "--agent", "copilot");
    expect(shared.servers).toMatchObject([{ agents: ["claude", "copilot"], outcome: "installed" }]);
    put(join(bench.root, "opencode.jsonc"), "{}\n");
    await mcp("install", "--agent", "opencode");
    expect(existsSync(join(bench.root, "opencode.json"))).toBe(false);
    expect(readFileSync(join(bench.root, "opencode.jsonc"), "utf8")).toContain("stint");
  });

  it("goes where a person moved the folders of agents to", async () => {
    const moved = join(bench.path, "moved");
    const env = {
      HOME: home,
      CLAUDE_CONFIG_DIR: join(moved, "claude"),
      CODEX_HOME: join(moved, "codex"),
      XDG_CONFIG_HOME: join(moved, "config"),
    };
    for (const folder of ["claude", "codex", "config"])
      mkdirSync(join(moved, folder), { recursive: true });
    const agents = ["claude", "codex", "opencode"].flatMap((each) => ["--agent", each]);
    expect((await bench.runWith({ env }, "mcp", "install", "--user", ...agents)).code).toBe(0);
    for (const file of [
      "claude/.claude.json",
      "codex/config.toml",
      "config/opencode/opencode.json",
    ]) {
      expect(existsSync(join(moved, file))).toBe(true);
    }
    expect(readdirSync(home)).toEqual([]);
  });

  it("lists every place, and says what to do where it is nowhere", async () => {
    const { out, code } = await mcp("list");
    expect(code).toBe(0);
    const files = new Set(PLACES.map(([, scope, path]) => fileOf(scope, path)));
    expect(out.match(/^not installed {2}/gm)).toHaveLength(files.size);
    expect(out).toContain("Next: stint mcp install --agent claude");
    await mcp("install", "--agent", "qwen");
    expect((await mcp("list", "--project", "--agent", "qwen")).out).toBe(
      `installed  ${join(bench.root, ".qwen/settings.json")}\n  read by: qwen`,
    );
  });

  it.each([
    [["install"], "no agent is named"],
    [
      ["install", "--agent", "claud"],
      '"claud" is not an agent whose settings Stint knows; did you mean claude?',
    ],
    [["install", "--agent", "cline"], "cline reads no servers from a work tree"],
    [["list", "--user", "--project"], "--user and --project cannot be given together"],
    [["instal"], '"instal" is not an action of stint mcp; did you mean install?'],
  ])("refuses %j with what is right", async (words, says) => {
    const before = everything();
    const { code, err } = await mcp(...words);
    expect(code).toBe(2);
    expect(err).toContain(says);
    expect(err.split("\n").length).toBeGreaterThan(1);
    expect(everything()).toEqual(before);
  });
});
