// A session that tries to say yes to what it asked for, by every route there is. docs/approvals.md
// lists them with the same words; what isolation off cannot stop is said there and shown here.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { availableKinds } from "../support/available-kinds.ts";
import { STINT } from "../support/built-stint.ts";
import { type Act, english, german, Scenario } from "../support/scenario.ts";

const scenes: Scenario[] = [];

afterAll(() => {
  for (const made of scenes) made.close();
});

const MANIFEST = `## Goal

Say hello in two languages.

## Steps

- [ ] english - Write hello.txt
  - check: \`grep -q Hello hello.txt\`
  - approve: before
- [ ] german - Write hallo.txt
  - check: \`grep -q Hallo hallo.txt\`
  - after: none
`;

interface Tried {
  /** What each route printed, with its exit code in front. */
  readonly said: (route: string) => string;
  readonly scene: Scenario;
  readonly out: string;
}

/** An MCP server on standard input and output with one tool, which executes a command. */
const MCP_SERVER = `
const { execSync } = require("node:child_process");
const say = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "shell", version: "1" } });
  }
  if (method !== "tools/call") return;
  let text;
  try {
    text = execSync(params.arguments.command + " 2>&1", { encoding: "utf8" });
  } catch (error) {
    text = error.stdout;
  }
  say(id, { content: [{ type: "text", text }] });
});
`;

/** What a client says to a server to have one command executed. */
function mcpCalls(command: string): string {
  const clientInfo = { name: "session", version: "1" };
  const opening = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  return [
    { jsonrpc: "2.0", id: 1, method: "initialize", params: opening },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "shell", arguments: { command } },
    },
  ]
    .map((message) => JSON.stringify(message))
    .join("\n");
}

/** By a server that the session itself starts, as its client would. */
function mcpRoute(scene: Scenario): string {
  const command = `env -i PATH=${process.env["PATH"]} XDG_STATE_HOME=${join(scene.path, "state")} ${process.execPath} ${STINT} approve a1`;
  writeFileSync(join(scene.path, "server.cjs"), MCP_SERVER);
  writeFileSync(join(scene.path, "calls.jsonl"), `${mcpCalls(command)}\n`);
  return `${process.execPath} "$HERE/server.cjs" < "$HERE/calls.jsonl"`;
}

/** Runs a session that tries the routes, one after another, and writes down what came of each. */
async function tryRoutes(
  isolation: "on" | "off",
  routes: Readonly<Record<string, string | ((scene: Scenario) => string)>>,
  env: (scene: Scenario) => Record<string, string> = () => ({}),
): Promise<Tried> {
  const scene = new Scenario({ manifest: MANIFEST });
  scenes.push(scene);
  const told = join(scene.path, "told");
  mkdirSync(told);
  const script = Object.entries(routes).map(
    ([name, route]) =>
      `OUT="$( { ${typeof route === "string" ? route : route(scene)}; } 2>&1 )"; echo "$? $OUT" > "${join(told, name)}"`,
  );
  const file = scene.program("routes.sh", ["#!/bin/sh", ...preamble(scene), ...script].join("\n"));
  const acts: readonly Act[] = [{ act: "run", command: `sh "${file}"` }, german];
  writeFileSync(
    join(scene.path, "script.json"),
    JSON.stringify({ manifest: "prompt.md", tasks: { german: acts, english: [english] } }),
  );
  const words = ["--agent", "scripted:../script.json", "--isolation", isolation];
  const { out } = await scene.sayIn({ env: env(scene) }, "run", "prompt.md", ...words);
  return {
    scene,
    out,
    said: (route) => {
      const path = join(told, route);
      return existsSync(path) ? readFileSync(path, "utf8") : "never tried";
    },
  };
}

/** What the session knows: the program, the project, and an environment without any mark. */
function preamble(scene: Scenario): string[] {
  const state = join(scene.path, "state");
  return [
    `HERE="${scene.path}"`,
    `STATE="${state}/stint"`,
    `SHADOW="$(echo "$STATE"/shadows/*)"`,
    `STINT="${process.execPath} ${STINT}"`,
    `CLEAR="env -i PATH=$PATH HOME=$HOME XDG_STATE_HOME=${state}"`,
  ];
}

const CLI_ROUTES = {
  cli: "$STINT approve a1",
  cleared: "$CLEAR $STINT approve a1",
  pty: 'script -qec "$CLEAR $STINT approve a1" /dev/null',
  setsid: "setsid -w $STINT approve a1",
  plan: "$CLEAR $STINT approve plan",
  run: "$CLEAR $STINT run prompt.md --approve-plan --agent scripted",
} as const;

const FILE_ROUTES = {
  folder: `for F in "$HERE"/repo/agents/*/projects/*/state.json; do sed 's/"status": *"open"/"status":"granted"/g' "$F" > "$F.new" && mv "$F.new" "$F"; done; echo forged`,
  shadow: `for F in "$SHADOW"/state/*.json; do sed 's/"status": *"open"/"status":"granted"/g' "$F" > "$F.new" && mv "$F.new" "$F"; done; echo forged`,
  letter: `mkdir -p "$SHADOW/answers" && echo '{"letter":"{}","seal":"00"}' > "$HERE/told/.letter" && mv "$HERE/told/.letter" "$SHADOW/answers/n-0123456789.json" && echo dropped`,
} as const;

/** In the repository that the session finds. */
const PLANTED = `printf '#!/bin/sh\\n%s approve a1 > "%s" 2>&1; exit 0\\n' "$STINT" "$HERE/told/hooked" > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit && echo planted`;

/** As if the person had been talked into it. */
function personsHook(scene: Scenario): string {
  const told = join(scene.path, "told", "hooked");
  const text = `#!/bin/sh\n${process.execPath} ${STINT} approve a1 > "${told}" 2>&1; exit 0\n`;
  scene.write(".git/hooks/pre-commit", text, 0o755);
  return "true";
}

/** Waits until nobody that it is under is left, then answers. */
const LOST = `( cd "$HERE/repo"; setsid $CLEAR sh -c 'for I in 1 2 3 4 5 6 7 8; do kill -0 $PPID 2>/dev/null && sleep 0.05; done; exec "$@"' sh $STINT approve a1 > "$HERE/told/lost-said" 2>&1 & ) ; N=0; until test -s "$HERE/told/lost-said" || test $N = 200; do N=$((N+1)); sleep 0.1; done; echo tried`;

function isStillOpen({ scene, out }: Tried): void {
  expect(scene.state().approval_items[0]).toMatchObject({ id: "a1", status: "open" });
  expect(scene.task("english").status).toBe("awaiting_approval");
  expect(out).not.toContain("granted approval");
}

describe.concurrent("S2-23 a session says yes to its own request, isolation off", () => {
  it("by the command line in any disguise: refused, because a run started it", async () => {
    const tried = await tryRoutes("off", CLI_ROUTES);
    for (const route of ["cli", "cleared", "pty", "setsid", "plan"]) {
      const said = tried.said(route).replaceAll(/\s+/g, " ");
      expect(`${route}: ${said}`).toMatch(
        new RegExp(`^${route}: 2 .*is for a person, and this process was started by a run`),
      );
    }
    expect(tried.said("run")).toMatch(/^6 .*is at work here and started this process/);
    isStillOpen(tried);
  });

  it("by editing state.json, the shadow, or leaving a letter without the key: nothing of it counts", async () => {
    const tried = await tryRoutes("off", FILE_ROUTES);
    expect(tried.said("folder")).toBe("0 forged\n");
    expect(tried.said("shadow")).toBe("0 forged\n");
    expect(tried.said("letter")).toBe("0 dropped\n");
    isStillOpen(tried);
    expect(tried.scene.journal()).toContain("answer-foreign");
  });

  it("by an MCP server that the session starts: refused, because a run started that too", async () => {
    const tried = await tryRoutes("off", { mcp: mcpRoute });
    expect(tried.said("mcp")).toMatch(/^0 .*"serverInfo"[^]*this process was started by a run/);
    isStillOpen(tried);
  });

  it("by a server that a person runs outside, and that executes what it is asked: not stopped, for it is the person's", async () => {
    const children: ChildProcess[] = [];
    const tried = await tryRoutes("off", {
      outside(scene) {
        // As a person would: from a terminal of their own.
        const server = spawn(
          process.execPath,
          ["-e", `require("node:net").createServer((client) => { client.on("data", (line) => client.end(require("node:child_process").execSync(String(line), { encoding: "utf8" }))); }).listen(${JSON.stringify(join(scene.path, "door"))})`],
          { cwd: scene.root, env: scene.env(), stdio: "ignore" },
        );
        children.push(server);
        const call = `const c = require("node:net").connect(${JSON.stringify(join(scene.path, "door"))}, () => c.write(process.argv[1])); c.pipe(process.stdout)`;
        return `${process.execPath} -e '${call}' '${process.execPath} ${STINT} approve a1'`;
      },
    });
    for (const child of children) child.kill("SIGKILL");
    expect(tried.said("outside")).toContain("granted approval a1");
  });

  it("S2-23 by editing Stint's settings for the next run: not followed before a person says yes to them", async () => {
    const tried = await tryRoutes("off", { settings: "echo 'push: never' > stint.config.yaml" });
    const { scene } = tried;
    expect(scene.state().approval_items).toMatchObject([
      { id: "a1", status: "open" },
      { id: "a2", kind: "settings", status: "open", subject: "stint.config.yaml\n@@ line 1 @@\n+push: never" },
    ]);
    const { out } = await scene.say("resume");
    expect(out).toContain("this run uses the earlier ones");
    expect((await scene.say("approve", "a2")).code).toBe(0);
    expect((await scene.say("resume")).out).not.toContain("this run uses the earlier ones");
    isStillOpen(tried);
  });

  it("by a hook of git that it plants: never started", async () => {
    const tried = await tryRoutes("off", { hook: PLANTED });
    expect([tried.said("hook"), tried.said("hooked")]).toEqual(["0 planted\n", "never tried"]);
    isStillOpen(tried);
  });

  it("by a hook of git that the person has: refused, because it belongs to the run", async () => {
    const tried = await tryRoutes("off", { hook: personsHook });
    expect(tried.said("hooked")).toContain("this process was started by a run");
    isStillOpen(tried);
  });

  it("by a process that cleared its environment and lost its parents: not stopped, and told in the journal", async () => {
    const tried = await tryRoutes("off", {
      lost: LOST,
    });
    expect(tried.said("lost")).toBe("0 tried\n");
    expect(tried.said("lost-said")).toContain("granted approval a1");
    expect(tried.scene.state().approval_items[0]).toMatchObject({
      status: "granted",
      by: tried.scene.person,
      channel: "command line",
    });
  });

  it("by reading the key: it can be read", async () => {
    const tried = await tryRoutes("off", {
      key: `test -e "$STATE/approver.key" && wc -c < "$STATE/approver.key"`,
    });
    expect(tried.said("key")).toMatch(/^0 +65\n$/);
  });
});

const canHide = availableKinds().length > 1;

describe.skipIf(!canHide).concurrent("S2-23 the same with isolation on, where the state is hidden", () => {
  it("by the command line in any disguise: there is no project to be found", async () => {
    const tried = await tryRoutes("on", {
      ...CLI_ROUTES,
      lost: LOST,
    });
    for (const route of Object.keys(CLI_ROUTES)) expect(tried.said(route)).not.toMatch(/^0 /);
    expect(tried.said("lost-said")).not.toContain("granted");
    isStillOpen(tried);
  });

  it("by editing state.json, the shadow, or leaving a letter: nothing of it is there to be edited", async () => {
    const tried = await tryRoutes("on", {
      ...FILE_ROUTES,
      key: `cat "$STATE/approver.key"`,
      list: `ls "$STATE"`,
    });
    expect(tried.said("key")).toMatch(/^1 .*No such file/);
    expect(tried.said("list").trim()).toMatch(/^0 objects\nown-objects(\nshadows)?$/);
    isStillOpen(tried);
  });

  it("by an MCP server that the session starts: it sees no more than the session", async () => {
    const tried = await tryRoutes("on", { mcp: mcpRoute });
    expect(tried.said("mcp")).toMatch(/^0 .*"serverInfo"/);
    expect(tried.said("mcp")).not.toContain("granted");
    isStillOpen(tried);
  });

  it("S2-23 by turning the isolation off for the next run: it stays on until a person says yes", async () => {
    const scene = new Scenario({ manifest: MANIFEST.replace("approve: before", "after: none") });
    scenes.push(scene);
    const look = `ls "${join(scene.path, "state", "stint")}" > ../seen`;
    const tasks = {
      english: [{ act: "write", path: "stint.config.yaml", text: "isolation: off\n" }, english],
      german: [{ act: "run", command: look }, german],
    };
    writeFileSync(join(scene.path, "script.json"), JSON.stringify({ manifest: "prompt.md", tasks }));
    const words = ["--agent", "scripted:../script.json", "--sessions", "1"];
    await scene.say("run", "prompt.md", ...words);
    await scene.say("resume");
    expect(scene.read("../seen")).not.toContain("approver.key");
    expect(scene.state().approval_items).toMatchObject([{ kind: "settings", status: "open" }]);
  });

  it("by a hook of git: one that it plants is never started, the person's runs where the state is hidden", async () => {
    const planted = await tryRoutes("on", { hook: PLANTED });
    expect([planted.said("hook"), planted.said("hooked")]).toEqual(["0 planted\n", "never tried"]);
    const tried = await tryRoutes("on", { hook: personsHook });
    expect(tried.said("hooked")).not.toBe("never tried");
    expect(tried.said("hooked")).not.toContain("granted");
    isStillOpen(tried);
  });
});

const canUnshare = availableKinds().includes("unshare");

describe.skipIf(!canUnshare)("the same with isolation on, without bubblewrap", () => {
  const around = (scene: Scenario) => ({ PATH: withoutBubblewrap(scene) });

  it("by the command line in any disguise, also without any parent: there is no project to be found", async () => {
    const tried = await tryRoutes("on", { ...CLI_ROUTES, lost: LOST }, around);
    for (const route of Object.keys(CLI_ROUTES)) expect(tried.said(route)).not.toMatch(/^0 /);
    expect(tried.said("lost-said")).not.toContain("granted");
    isStillOpen(tried);
  });

  it("by taking the view apart, or from a namespace of its own: it stays hidden", async () => {
    const undo = `umount "$STATE"; umount -l "$STATE"; cat "$STATE/approver.key"`;
    const tried = await tryRoutes("on", { undo, nested: `STATE="$STATE" unshare --user --map-root-user --mount sh -c '${undo}'` }, around);
    for (const route of ["undo", "nested"]) expect(tried.said(route)).toMatch(/^1 .*No such file/s);
    isStillOpen(tried);
  });

  it("by a hook of git: one that it plants is never started, the person's runs where the state is hidden", async () => {
    const planted = await tryRoutes("on", { hook: PLANTED }, around);
    expect([planted.said("hook"), planted.said("hooked")]).toEqual(["0 planted\n", "never tried"]);
    const tried = await tryRoutes("on", { hook: personsHook }, around);
    expect(tried.said("hooked")).not.toBe("never tried");
    expect(tried.said("hooked")).not.toContain("granted");
    isStillOpen(tried);
  });
});

/** A PATH with the programs that are needed, and no others. */
function withoutBubblewrap(scene: Scenario): string {
  const bin = join(scene.path, "bin");
  mkdirSync(bin);
  const programs = "cat chmod env git grep ls mkdir mount mv nsenter readlink script sed setpriv setsid sh sleep test umount unshare wc";
  for (const program of programs.split(" ")) {
    const found = (process.env["PATH"] ?? "")
      .split(":")
      .map((folder) => join(folder, program))
      .find((path) => existsSync(path));
    if (found !== undefined) symlinkSync(found, join(bin, program));
  }
  return bin;
}
