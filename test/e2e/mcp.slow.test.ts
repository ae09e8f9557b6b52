// The MCP server as a client meets it: the built executable, spoken with by the official client.
import { createHash } from "node:crypto";
import { spawn } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256Of } from "../../src/store/digest.ts";
import { BuiltStint, STINT } from "../support/built-stint.ts";
import { TWO_TASKS } from "../support/command-line.ts";
import { git } from "../support/git.ts";
import { McpClient } from "../support/mcp-client.ts";

let stint: BuiltStint;
let opened: McpClient[];

beforeEach(() => {
  stint = new BuiltStint();
  mkdirSync(join(stint.path, "home"));
  opened = [];
});
afterEach(async () => {
  for (const each of opened) await each.close();
  stint.close();
});

async function connect(env: Record<string, string> = {}, cwd = stint.root): Promise<McpClient> {
  const client = await McpClient.connect(cwd, stint.env(env));
  opened.push(client);
  return client;
}

/** One digest of every path, kind and byte in the work tree, the home and the state folder. */
function everything(folder = stint.path): string {
  const digest = createHash("sha256");
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted()) {
    const path = join(folder, name);
    const facts = lstatSync(path);
    digest.update(`${name}\0${facts.mode}\0`);
    if (facts.isFile()) digest.update(readFileSync(path));
    else if (facts.isSymbolicLink()) digest.update(readlinkSync(path));
  }
  return digest.digest("hex");
}

function project(name = "prompt.md"): string {
  stint.write(name);
  const { code, out, err } = stint.run("new", name, "--json");
  if (code !== 0) throw new Error(err + out);
  return (JSON.parse(out) as { project: { id: string } }).project.id;
}

const SESSION_TOOLS = ["brief", "report", "ask", "block", "propose", "dispatch", "results"];
const OUTSIDE_TOOLS = [
  ...SESSION_TOOLS.slice(0, -1),
  "create",
  "status",
  "log",
  "results",
  "questions",
];

const PERSONS = [
  "approve",
  "deny",
  "answer",
  "accept",
  "skip",
  "retry",
  "reopen",
  "abandon",
  "run",
  "edit",
];
const TOO_LONG = "x".repeat(10 * 1024 * 1024);
const BELL = "ring\u0007";

describe("the MCP server outside of a session", () => {
  it("offers a person's agent to create and to read, and says so at once", async () => {
    const client = await connect();
    expect(await client.tools()).toEqual(OUTSIDE_TOOLS);
    const { tools } = await client.client.listTools();
    for (const { description, inputSchema } of tools) {
      expect(description).toMatch(/^[A-Z].{20,}\.$/s);
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    }
    expect(client.client.getInstructions()).toBe(
      "Stint takes a Markdown list of tasks to verified Done, one fresh agent session at a time. Tools: brief, report, ask, block, propose, dispatch, create, status, log, results, questions. No tool approves, answers, skips or accepts anything: a person does, in their own terminal.",
    );
    expect(client.client.getServerVersion()).toMatchObject({ name: "stint", version: "0.1.0" });
  });

  it("creates a project from a file, and from a text, and executes nothing", async () => {
    const client = await connect();
    stint.write("prompt.md");
    expect(await client.call("create", { manifest: "prompt.md" })).toMatchObject({
      isError: false,
      text: expect.stringMatching(
        /^Created prompt with id p-[0-9a-z]{10}\n[\s\S]*\nNext {4}stint plan p-/,
      ),
    });
    const made = await client.call("create", { manifest: "next.md", text: TWO_TASKS });
    expect(made.isError).toBe(false);
    expect(readFileSync(join(stint.root, "next.md"), "utf8")).toBe(TWO_TASKS);
    const id = /p-[0-9a-z]{10}/.exec(made.text)?.[0] ?? "";
    // Nobody has consented to it.
    expect(await client.call("status", { project: id })).toMatchObject({
      isError: false,
      text: expect.stringContaining("Draft"),
    });
    expect((await client.call("log", { project: id, lines: 5 })).text).toContain("created from");
    expect((await client.call("results", { project: id })).text).toBe(
      "Nothing of this project was delegated.",
    );
    expect((await client.call("questions", { project: id })).text).toBe(
      `Nothing of ${id} waits for a person.`,
    );
  });

  it("refuses what lint refuses, with its lines, and leaves no file", async () => {
    const client = await connect();
    const before = everything();
    const text = `${TWO_TASKS}- [ ] french - Write salut.txt\n  - check: agent nobody "Is it French?"\n`;
    const refused = await client.call("create", { manifest: "bad.md", text });
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain('there is no agent "nobody" to review it');
    expect(refused.text).toContain("bad.md has 1 error; no project was created");
    expect((await client.call("create", { manifest: "bad.md", text: "# Nothing\n" })).isError).toBe(
      true,
    );
    expect(everything()).toBe(before);
  });

  it("shows what waits for a person, and cannot answer it", async () => {
    const id = project();
    const marker = { act: "marker", keys: { question: "Which colour?" } };
    stint.write("asks.json", JSON.stringify({ tasks: { "*": [marker] } }));
    expect(stint.run("run", "prompt.md", "--agent", "scripted:asks.json").code).toBe(3);
    const client = await connect();
    const { text } = await client.call("questions");
    expect(text).toMatch(/^q1 \(question, since .*\): Which colour\?\n/);
    expect(text).toContain(`For a person, in their own terminal: stint answer q1`);
    const before = everything();
    for (const name of PERSONS) {
      const refused = await client.call(name, { question: "q1", text: "Blue.", project: id });
      expect(refused).toEqual({
        isError: true,
        text: expect.stringContaining(`${name} not found`),
      });
    }
    for (const extra of [{ answer: "Blue." }, { approve: true }, { accept: "a1" }]) {
      for (const name of ["questions", "status", "results", "log"]) {
        expect((await client.call(name, extra)).text).toContain("there is no argument");
      }
      const made = await client.call("create", { manifest: "prompt.md", ...extra });
      expect(made.text).toContain("there is no argument");
    }
    expect(everything()).toBe(before);
  });

  it("reads manifest, state, validation and handoff of a project, and cuts what is long", async () => {
    const id = project();
    const client = await connect();
    const uri = (file: string): string => `stint://project/${id}/${file}`;
    expect(await client.uris()).toEqual(
      ["manifest.md", "state.json", "validation.md", "handoff.md"].map(uri),
    );
    expect(await client.read(uri("manifest.md"))).toBe(TWO_TASKS);
    expect(JSON.parse(await client.read(uri("state.json")))).toMatchObject({ project_id: id });
    expect(await client.read(uri("handoff.md"))).toContain("# Handoff");
    const folder = join(stint.root, "agents/stint/projects/prompt");
    writeFileSync(join(folder, "validation.md"), "x".repeat(300_000));
    const cut = await client.read(uri("validation.md"));
    expect(cut).toMatch(/x\n\n\[cut: 200000 of 300000 bytes; the whole is .*validation\.md\]\n$/);
    for (const wrong of [
      uri("lease.json"),
      uri("..%2Fstate.json"),
      "stint://project/p-0000000000/state.json",
      `stint://project/..%2F..%2Fetc/state.json`,
    ]) {
      await expect(client.read(wrong)).rejects.toThrow(/there is no/);
    }
    symlinkSync("/etc/hostname", join(folder, "linked"));
    await expect(client.read(uri("linked"))).rejects.toThrow("there is no linked to read");
  });
});

type Bad = readonly [what: string, tool: string, args: Record<string, unknown>, says: string];

/** What each tool takes at least. */
const RIGHT: Record<string, Record<string, unknown>> = {
  report: { kind: "done" },
  ask: { question: "Which colour?" },
  block: { reason: "no network" },
  propose: { step: "french - Write salut.txt" },
  dispatch: { owner: "ci", returns: "message" },
};

/** Wrong in a session and outside of one. */
const BAD_WORDS: readonly Bad[] = [
  ...Object.entries({
    report: "text",
    ask: "question",
    block: "reason",
    propose: "step",
    dispatch: "owner",
  }).flatMap(([tool, name]) =>
    (
      [
        ["empty", ""],
        ["control", BELL],
        ["control", "  "],
        ["longer than", TOO_LONG],
        ["use a string", 7],
        ["use a string", ["a"]],
      ] as const
    ).map(([says, value]): Bad => [`as ${name}`, tool, { ...RIGHT[tool], [name]: value }, says]),
  ),
  ["an unknown field", "brief", { force: true }, 'there is no argument "force"'],
  ["nothing", "report", {}, "kind is missing or wrong: use one of note, done"],
  ["an answer", "report", { kind: "approve" }, "use one of note, done"],
  ["nothing", "ask", {}, "question is missing"],
  ["nothing", "block", {}, "reason is missing"],
  ["nothing", "propose", {}, "neither step nor manifest was given"],
  ["both", "propose", { step: "a", manifest: "b" }, "both step and manifest were given"],
  [
    "too much",
    "propose",
    { manifest: "x".repeat(60_001) },
    "manifest is longer than 60000 characters",
  ],
  ["one of two", "dispatch", { owner: "ci" }, "returns is missing"],
  ["10 MB", "dispatch", { ...RIGHT["dispatch"], look: TOO_LONG }, "look is longer than 20"],
];

const BAD: readonly Bad[] = [
  ...BAD_WORDS,
  ["no arguments", "create", {}, "manifest is missing or of the wrong type: use a string"],
  [
    "an unknown field",
    "create",
    { manifest: "prompt.md", force: true },
    'there is no argument "force"',
  ],
  ["10 MB of path", "create", { manifest: TOO_LONG }, "manifest is longer than 1000 characters"],
  [
    "10 MB of text",
    "create",
    { manifest: "a.md", text: TOO_LONG },
    "text is longer than 1000000 characters",
  ],
  [
    "control characters",
    "create",
    { manifest: BELL },
    "manifest is blank, or contains control characters",
  ],
  [
    "control characters in a text",
    "create",
    { manifest: "a.md", text: BELL },
    "text is blank, or contains control",
  ],
  ["a path that leads out", "create", { manifest: "../out.md", text: TWO_TASKS }, "is not below"],
  ["an absolute path", "create", { manifest: "/tmp/out.md", text: TWO_TASKS }, "is not below"],
  [
    "a folder that is a link",
    "create",
    { manifest: "away/out.md", text: TWO_TASKS },
    "is not below",
  ],
  ["a file that is a link", "create", { manifest: "linked.md" }, "linked.md is a link"],
  [
    "no such folder",
    "create",
    { manifest: "no/such.md", text: TWO_TASKS },
    "there is no folder no",
  ],
  ["no such file", "create", { manifest: "no.md" }, "there is no file no.md"],
  [
    "a file that is there",
    "create",
    { manifest: "other.md", text: TWO_TASKS },
    "other.md exists already",
  ],
  ["a manifest that has a project", "create", { manifest: "prompt.md" }, "prompt.md"],
  ...OUTSIDE_TOOLS.filter((tool) => tool !== "create").flatMap((tool) => [
    [
      "a wrong id",
      tool,
      { ...RIGHT[tool], project: "p-0000000000" },
      'there is no project "p-0000000000"',
    ] as const,
    ["no text", tool, { ...RIGHT[tool], project: "" }, "project is empty"] as const,
    [
      "another type",
      tool,
      { ...RIGHT[tool], project: { id: "p-0000000000" } },
      "use a string",
    ] as const,
    [
      "10 MB",
      tool,
      { ...RIGHT[tool], project: TOO_LONG },
      "project is longer than 200 characters",
    ] as const,
    [
      "control characters",
      tool,
      { ...RIGHT[tool], project: BELL },
      "project is blank, or contains control",
    ] as const,
    [
      "an unknown field",
      tool,
      { ...RIGHT[tool], projekt: "x", ["y".repeat(100_000)]: 1 },
      'there is no argument "projekt"',
    ] as const,
  ]),
  ["no number", "log", { lines: "20" }, "lines is missing or of the wrong type"],
  ["too many lines", "log", { lines: 100_000 }, "lines is more than 200"],
  ["no lines", "log", { lines: 0 }, "lines is less than 1"],
  // Nobody has said yes to the plan, and no session is in hand.
  ["a plan without a yes", "brief", {}, "nobody has approved its plan"],
  ...SESSION_TOOLS.slice(1, -1).map((tool): Bad => [
    "no session in hand",
    tool,
    RIGHT[tool] ?? {},
    "has none",
  ]),
];

describe("an agent that no run has started, over MCP", () => {
  it("works through a list that a person approved, and the checks decide", async () => {
    git(stint.root, "config", "user.name", "Ada");
    git(stint.root, "config", "user.email", "ada@example.com");
    stint.write("prompt.md");
    git(stint.root, "add", "--all");
    git(stint.root, "commit", "--quiet", "--message", "Begin");
    const client = await connect();
    const created = await client.call("create", { manifest: "prompt.md" });
    const id = /p-[0-9a-z]{10}/.exec(created.text)?.[0] ?? "";
    expect(await client.call("brief")).toMatchObject({
      isError: true,
      text: expect.stringContaining(`stint approve plan ${id}`),
    });
    expect(stint.run("approve", "plan", id).code).toBe(0);
    const brief = await client.call("brief");
    expect(brief.isError).toBe(false);
    expect(brief.text).toContain("Write hello.txt");
    expect((await client.call("brief")).text).toBe(brief.text);
    expect(await client.call("report", { kind: "done", task: "t2" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("t2 is not the open task"),
    });
    expect(await client.call("report", { kind: "done" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("t1 is not done"),
    });
    stint.write("hello.txt", "Hello\n");
    const noted = await client.call("report", { kind: "note", text: "greetings are short" });
    expect(noted.isError).toBe(false);
    expect(await client.call("report", { kind: "done", task: "t1" })).toMatchObject({
      isError: false,
      text: expect.stringContaining("t1 is done: its checks passed, committed as"),
    });
    expect((await client.call("brief", { project: id })).text).toContain("greetings are short");
    const asked = await client.call("ask", { question: "Which kind of German?" });
    expect(asked).toMatchObject({ isError: false, text: expect.stringContaining("Asked as q1") });
    expect((await client.call("questions")).text).toContain("Which kind of German?");
    expect(await client.call("brief")).toMatchObject({
      isError: true,
      text: expect.stringContaining("A person is needed"),
    });
    expect(stint.run("answer", "q1", "Any.", id).code).toBe(0);
    expect((await client.call("brief")).text).toContain("Any.");
    stint.write("hallo.txt", "Hallo\n");
    expect((await client.call("report", { kind: "done" })).text).toContain(`${id} is Done`);
    expect(stint.run("verify", id).code).toBe(0);
  });
});

describe("bad input outside of a session", () => {
  it("gets a clear error and changes nothing, whichever tool it is", async () => {
    project();
    stint.write("other.md", "not a manifest");
    mkdirSync(join(stint.path, "elsewhere"));
    symlinkSync(join(stint.path, "elsewhere"), join(stint.root, "away"));
    symlinkSync(join(stint.root, "other.md"), join(stint.root, "linked.md"));
    const client = await connect();
    const before = everything();
    for (const [what, tool, args, says] of BAD) {
      const { isError, text } = await client.call(tool, args);
      expect([what, tool, isError]).toEqual([what, tool, true]);
      expect(text).toContain(says);
      // What happened, then what to do; never what was given back at length.
      expect(text.split("\n").length).toBeGreaterThan(1);
      expect(text.length).toBeLessThan(1000);
    }
    expect(everything()).toBe(before);
    expect(client.err).toBe("");
    // And it goes on.
    expect((await client.call("status")).isError).toBe(false);
  });
});

/** The folder of a project as a session sees it; no run is needed to speak into it. */
function session(): { readonly env: Record<string, string>; readonly inbox: string } {
  const seal = "0123456789abcdef0123456789abcdef";
  const folder = join(stint.path, "project");
  const logs = join(folder, "logs/sessions/3");
  const inbox = join(folder, "inbox");
  for (const path of [inbox, logs]) mkdirSync(path, { recursive: true });
  const put = (path: string, value: unknown): void => writeFileSync(path, JSON.stringify(value));
  const state = {
    project_id: "p-0000000001",
    slug: "prompt",
    status: "Running",
    tasks: [{ id: "t2", status: "in_progress", attempts: 2, attempt: { number: 2, session: 3 } }],
    dispatches: [],
    questions: [],
    approval_items: [],
  };
  put(join(folder, "state.json"), state);
  put(join(logs, "seal.json"), { seal_sha256: sha256Of(seal) });
  put(join(logs, "start.json"), {
    tasks: [{ checks: [{ kind: "command", command: "npm test" }] }],
  });
  writeFileSync(join(logs, "brief.md"), "# Session 3\n\nDo it.\n");
  writeFileSync(join(folder, "handoff.md"), "# Handoff\n");
  stint.write("prompt.md");
  return {
    inbox,
    env: {
      STINT_INBOX: inbox,
      STINT_SEAL: seal,
      STINT_PROJECT: "p-0000000001",
      STINT_SESSION: "3",
      STINT_TASK: "t2",
      STINT_MANIFEST: join(stint.root, "prompt.md"),
    },
  };
}

function wordsIn(inbox: string): Record<string, unknown>[] {
  return readdirSync(inbox)
    .map((name) => JSON.parse(readFileSync(join(inbox, name), "utf8")) as Record<string, unknown>)
    .map((word) => Object.fromEntries(Object.entries(word).filter(([key]) => key !== "seal")));
}

describe("the MCP server in a session", () => {
  it("says the same words as the verbs, and answers in the same line", async () => {
    const { env, inbox } = session();
    const client = await connect(env);
    expect(await client.tools()).toEqual(SESSION_TOOLS);
    expect(client.client.getInstructions()).toContain(`Tools: ${SESSION_TOOLS.join(", ")}.`);
    const said = [
      await client.call("brief"),
      await client.call("report", { kind: "note", text: "tests need port 8080" }),
      await client.call("ask", { question: "-" }),
      await client.call("block", { reason: "no network" }),
      await client.call("propose", { step: "french - Write salut.txt" }),
      await client.call("propose", { manifest: TWO_TASKS }),
      await client.call("dispatch", { owner: "ci", returns: "file logo.svg", look: "5m" }),
      await client.call("report", { kind: "done" }),
      await client.call("results"),
    ];
    expect(said.map(({ isError }) => isError)).toEqual(said.map(() => false));
    expect(said.map(({ text }) => text.split(/[.:]/)[0])).toEqual([
      "# Session 3\n\nDo it",
      "Noted",
      "Asked (1 of 5)",
      "Kept",
      "Proposed",
      "Proposed",
      "Kept",
      "Noted",
      "Nothing of this project was delegated",
    ]);
    const order = ["note", "ask", "block", "propose", "dispatch", "done"];
    const place = ({ verb, is_whole }: Record<string, unknown>): number =>
      order.indexOf(String(verb)) + (is_whole === true ? 0.5 : 0);
    expect(wordsIn(inbox).toSorted((a, b) => place(a) - place(b))).toEqual([
      { verb: "note", text: "tests need port 8080" },
      { verb: "ask", text: "-" },
      { verb: "block", text: "no network" },
      { verb: "propose", text: "french - Write salut.txt" },
      { verb: "propose", text: TWO_TASKS, is_whole: true },
      { verb: "dispatch", text: "ci", returns: "file logo.svg", look: "5m" },
      { verb: "done", text: "" },
    ]);
  });

  it("reads its own project and no other", async () => {
    const { env } = session();
    const client = await connect(env);
    const own = "stint://project/p-0000000001";
    expect(await client.uris()).toContain(`${own}/handoff.md`);
    expect(await client.read(`${own}/handoff.md`)).toBe("# Handoff\n");
    expect(await client.read(`${own}/manifest.md`)).toBe(TWO_TASKS);
    await expect(client.read(`${own}/validation.md`)).rejects.toThrow("cannot be read");
    const other = project("other.md");
    await expect(client.read(`stint://project/${other}/state.json`)).rejects.toThrow(
      "this is a session of p-0000000001",
    );
    const results = await client.call("results", { project: other });
    expect(results).toEqual({
      isError: true,
      text: "this is a session of p-0000000001 about t2, and cannot speak for another\nCall it without a project and a task.",
    });
  });

  it("has no way to approve, answer, skip or accept", async () => {
    const { env } = session();
    const client = await connect(env);
    const before = everything();
    for (const name of [...PERSONS, "create", "status"]) {
      expect(await client.call(name, { item: "a1" })).toEqual({
        isError: true,
        text: expect.stringContaining(`${name} not found`),
      });
    }
    expect((await client.call("ask", { question: "Go on?", answer: "yes" })).text).toContain(
      'there is no argument "answer"',
    );
    expect(everything()).toBe(before);
  });

  it("bad input gets a clear error and changes nothing, whichever tool it is", async () => {
    const { env } = session();
    const client = await connect(env);
    const more: readonly Bad[] = [
      [
        "another task",
        "report",
        { kind: "done", task: "t1" },
        "a session of p-0000000001 about t2",
      ],
      ["no text", "report", { kind: "note" }, "there is no text"],
      [
        "no duration",
        "dispatch",
        { ...RIGHT["dispatch"], look: "soon" },
        '"soon" is not a duration',
      ],
      ...SESSION_TOOLS.map((tool): Bad => {
        const args = { ...RIGHT[tool], project: "p-0000000000" };
        return ["another project", tool, args, "and cannot speak for another"];
      }),
    ];
    const before = everything();
    for (const [, tool, args, says] of [...BAD_WORDS, ...more]) {
      const called = await client.call(tool, args);
      expect([tool, called.isError]).toEqual([tool, true]);
      expect(called.text).toContain(says);
      expect(called.text.length).toBeLessThan(1000);
    }
    expect(everything()).toBe(before);
  });

  it.each([
    ["another seal", { STINT_SEAL: "f".repeat(32) }, "is not the seal of session 3"],
    ["another project", { STINT_PROJECT: "p-0000000002" }, "this inbox is that of p-0000000001"],
    ["another session", { STINT_SESSION: "4" }, "is not the seal of session 4"],
    [
      "a wrong session",
      { STINT_SESSION: "../3" },
      "STINT_SESSION was changed; the run set another value",
    ],
    [
      "another folder",
      { STINT_INBOX: "/etc" },
      "STINT_INBOX was changed; the run set another value",
    ],
  ])("with %s nothing can be said or read", async (_what, change, says) => {
    const { env } = session();
    const client = await connect({ ...env, ...change });
    const before = everything();
    for (const tool of SESSION_TOOLS) {
      expect(await client.call(tool, RIGHT[tool])).toEqual({
        isError: true,
        text: expect.stringContaining(says),
      });
    }
    await expect(client.uris()).rejects.toThrow(says);
    expect(everything()).toBe(before);
  });
});

describe("the process of the MCP server", () => {
  it("ends with its client, prints nothing but the protocol, and leaves no process", async () => {
    const child = spawn(process.execPath, [STINT, "mcp"], { cwd: stint.root, env: stint.env() });
    let out = "";
    let err = "";
    child.stdout.on("data", (bytes: Buffer) => (out += bytes.toString("utf8")));
    child.stderr.on("data", (bytes: Buffer) => (err += bytes.toString("utf8")));
    const answered = new Promise<void>((resolve) => {
      child.stdout.on("data", () => void (out.trimEnd().split("\n").length >= 2 && resolve()));
    });
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    const send = (message: object): void =>
      void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    child.stdin.write("this is no message\n");
    send({
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      },
    });
    send({ method: "notifications/initialized" });
    send({ id: 2, method: "tools/list" });
    await answered;
    child.stdin.end();
    expect(await ended).toBe(0);
    const lines = out.trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([1, 2]);
    expect(err).not.toContain("bug");
  });

  it("is gone once the client has closed it", async () => {
    const client = await connect();
    const { pid } = client;
    expect(existsSync(`/proc/${pid}`)).toBe(true);
    await client.close();
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });

  it("is not served with options, and no other word is understood", () => {
    expect(stint.run("mcp", "--user")).toMatchObject({
      code: 2,
      err: expect.stringContaining("stint mcp without install, list or remove takes no options"),
    });
    expect(stint.run("mcp", "instal")).toMatchObject({
      code: 2,
      err: expect.stringContaining("did you mean install?"),
    });
  });

  it("is loaded by no other verb", () => {
    project();
    const traced = stint.runWith({ env: { NODE_DEBUG: "module" } }, "status");
    expect(traced.code).toBe(0);
    expect(traced.err).toContain("chunks/");
    expect(traced.err).not.toMatch(/chunks\/serve-|modelcontextprotocol/);
  });
});
