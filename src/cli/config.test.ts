import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLineBench } from "../../test/support/command-line.ts";
import { keysAt } from "../core/schema/config.ts";
import type { ConfigView } from "../core/schema/views.ts";
import { SETTING_NAMES } from "../manifest/settings.ts";
import { KNOWN_SETTINGS, MANIFEST_SETTINGS } from "../operations/settings/known-settings.ts";
import { columnsOf } from "../report/visible.ts";

let bench: CommandLineBench;

beforeEach(() => {
  bench = new CommandLineBench();
});
afterEach(() => bench.close());

async function values(env: NodeJS.ProcessEnv, ...words: string[]) {
  const { out, err } = await bench.runWith({ env }, "config", ...words, "--json");
  expect(err).toBe("");
  const view = JSON.parse(out) as ConfigView;
  return new Map(view.values.map(({ key, value, from }) => [key, [value, from]]));
}

const MANIFEST = `---
agent: gemini
timeout: 5m
plan: review
budgets: { cost: 7 }
proof: { when: always }
workspace: own-path
limits: strict
---
## Goal
Say hello.

## Steps
- [ ] Write hello.txt
- [ ] Write hallo.txt
`;

const SETTINGS = `agents: [codex, claude]
models: { claude: opus, codex: gpt-5.5 }
budgets: { cost: 20, wall: 8h }
workspace: { kind: copy, dir: /big/disk }
proof: { when: never, budget: 10m }
setup: npm ci
serve: { run: npm run dev, ready: "http://localhost:$STINT_PORT/" }
notify: { quiet: "22:00-07:00", webhook: { url: "https://example.com/", secret_env: SECRET } }
timeouts: { session: 2h, idle: 1m }
`;

function leaves(path: readonly string[] = []): string[] {
  const keys = keysAt(path);
  return keys.length === 0 ? [path.join(".")] : keys.flatMap((key) => leaves([...path, key]));
}

describe("the list of settings", () => {
  it("has every key of the schema once, and no other but parts of two", () => {
    const parts = ["workspace.dir", "proof.budget"];
    const known = KNOWN_SETTINGS.map(({ key }) => key);
    expect(known.filter((key) => !parts.includes(key)).toSorted()).toEqual(leaves().toSorted());
    expect(new Set(known).size).toBe(known.length);
  });

  it("has every key of the front matter that says how a run works", () => {
    const about = ["title", "repository", "workflow", "iteration", "parent"];
    const fronts = [...KNOWN_SETTINGS, ...MANIFEST_SETTINGS].flatMap(
      ({ front }) => front?.split(".")[0] ?? [],
    );
    expect([...new Set([...fronts, ...about])].toSorted()).toEqual(SETTING_NAMES.toSorted());
  });
});

describe("stint config", () => {
  it("shows the default of everything where nothing is set", async () => {
    const found = await values({ XDG_STATE_HOME: undefined });
    const set = [...found].filter(([, [, from]]) => from !== "default");
    expect(set).toEqual([["iteration.repo_id", ["repo", "repository"]]]);
    expect(found.get("timeouts.session")).toEqual(["1h", "default"]);
    expect(found.has("plan")).toBe(false);
  });

  it("shows what stint.config.yaml sets, keys of keys included", async () => {
    bench.write("stint.config.yaml", SETTINGS);
    const found = await values({});
    const set = [...found].filter(([, [, from]]) => from === "stint.config.yaml");
    expect(Object.fromEntries(set.map(([key, [value]]) => [key, value]))).toEqual({
      agents: ["codex", "claude"],
      models: "claude: opus, codex: gpt-5.5",
      "notify.quiet": "22:00-07:00",
      "notify.webhook.url": "https://example.com/",
      "notify.webhook.secret_env": "SECRET",
      "budgets.wall": "8h",
      "budgets.cost": 20,
      workspace: "copy",
      "workspace.dir": "/big/disk",
      setup: "npm ci",
      serve: "run: npm run dev, ready: http://localhost:$STINT_PORT/",
      proof: "never",
      "proof.budget": "10m",
      "timeouts.session": "2h",
      "timeouts.idle": "1m",
    });
    expect(found.get("agent")).toEqual([null, "default"]);
    expect((await bench.run("config")).out).toMatch(/^ {2}agent +default +agents says it$/m);
  });

  it("lets the front matter of the manifest that is named win, and shows what only it says", async () => {
    bench.write("stint.config.yaml", SETTINGS);
    bench.write("docs/prompt.md", MANIFEST);
    const found = await values({}, "docs/prompt.md");
    const set = [...found].filter(([, [, from]]) => from === "manifest");
    expect(Object.fromEntries(set.map(([key, [value]]) => [key, value]))).toEqual({
      agent: "gemini",
      "budgets.cost": 7,
      workspace: "own-path",
      proof: "always",
      "timeouts.session": "5m",
      plan: "review",
      limits: "strict",
    });
    expect(found.get("agents")).toEqual([null, "default"]);
    expect(found.get("workspace.dir")).toEqual(["/big/disk", "stint.config.yaml"]);
    expect(found.get("session")).toEqual(["one-task", "default"]);
    const { out } = await bench.run("config", "docs/prompt.md");
    expect(out.split("\n")[0]).toBe(`Settings of ${bench.root}, for docs/prompt.md`);
  });

  it("refuses a manifest whose front matter has an error, as a run does", async () => {
    bench.write("prompt.md", "---\npush: no\n---\n# Goal\nx\n# Steps\n- [ ] a\n");
    const { code, err } = await bench.run("config", "prompt.md");
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("prompt.md:2: push is auto, ask or never"),
    ]);
  });

  it("shows the budgets and limits that a project was made with", async () => {
    const text = "# Goal\nx\n# Steps\n- [ ] a\n";
    bench.write("prompt.md", `---\nbudgets: { cost: 3 }\n---\n${text}`);
    bench.write("stint.config.yaml", "limits: { files_per_task: 4 }\n");
    await bench.run("new", "prompt.md");
    bench.write("prompt.md", `---\nbudgets: { cost: 9 }\n---\n${text}`);
    bench.write("stint.config.yaml", "limits: { files_per_task: 8 }\n");
    const found = await values({}, "prompt.md");
    expect(found.get("budgets.cost")).toEqual([3, "project"]);
    expect(found.get("budgets.wall")).toEqual(["1d", "project"]);
    expect(found.get("limits.files_per_task")).toEqual([4, "project"]);
    expect(found.get("limits.extract")?.[1]).toBe("default");
  });

  it("names the file that is there, and what the environment sets", async () => {
    bench.write("stint.config.json", '{ "push": "never" }');
    const found = await values({ CHROME_PATH: "/opt/chrome", VISUAL: "code --wait" });
    expect(found.get("push")).toEqual(["never", "stint.config.json"]);
    expect(found.get("browser")).toEqual(["/opt/chrome", "environment"]);
    expect(found.get("EDITOR")).toEqual(["code --wait", "environment"]);
    expect(found.get("XDG_STATE_HOME")).toEqual([bench.stateHome, "environment"]);
  });

  it("fits 80 columns, and says of a manifest that is not there how one is begun", async () => {
    bench.write("stint.config.yaml", SETTINGS);
    const { out } = await bench.runWith({ width: 80 }, "config");
    const wide = out.split("\n").filter((line) => columnsOf(line) > 80);
    expect(wide.filter((line) => !line.includes(bench.path))).toEqual([]);
    const { code, err } = await bench.run("config", "nope.md");
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("a manifest to start from: stint init"),
    ]);
  });
});
