import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { sayInSession } from "../cli/session-verbs.ts";
import { sha256Of } from "../store/digest.ts";
import { isForSession } from "./in-session.ts";

const SEAL = "0123456789abcdef0123456789abcdef";
let folder: TemporaryFolder;
let inbox: string;
let logs: string;
let env: Record<string, string>;

const STATE = {
  project_id: "p-0000000001",
  slug: "prompt",
  tasks: [
    { id: "t1", status: "done", attempts: 1 },
    { id: "t2", status: "in_progress", attempts: 2, attempt: { number: 2, session: 3 } },
    { id: "t3", status: "pending", attempts: 0 },
  ],
  dispatches: [],
  questions: [{ id: "q1", status: "open" }],
  approval_items: [],
};

beforeEach(() => {
  folder = temporaryFolder();
  inbox = join(folder.path, "inbox");
  logs = join(folder.path, "logs/sessions/3");
  mkdirSync(inbox);
  mkdirSync(logs, { recursive: true });
  const put = (path: string, value: unknown): void => writeFileSync(path, JSON.stringify(value));
  put(join(folder.path, "state.json"), STATE);
  put(join(logs, "seal.json"), { seal_sha256: sha256Of(SEAL) });
  const checks = [
    { kind: "command", command: "npm test" },
    { kind: "file", path: "a.txt", expect: { is: "exists" } },
  ];
  put(join(logs, "start.json"), { tasks: [{ task_id: "t2", checks }] });
  writeFileSync(join(logs, "brief.md"), "# Session 3\n\nDo it.\n");
  env = {
    STINT_INBOX: inbox,
    STINT_SEAL: SEAL,
    STINT_PROJECT: "p-0000000001",
    STINT_SESSION: "3",
    STINT_TASK: "t2",
  };
});
afterEach(() => folder.remove());

function say(...words: string[]) {
  const said = sayInSession({ words, env, cwd: folder.path });
  if (said === null) throw new Error("it is not for the session");
  return said;
}

function words(): Record<string, unknown>[] {
  return readdirSync(inbox)
    .toSorted()
    .map((name) => JSON.parse(readFileSync(join(inbox, name), "utf8")) as Record<string, unknown>);
}

describe("a verb in a session", () => {
  it("leaves its words in the inbox, sealed, and says in a line what comes next", () => {
    const said = [
      say("note", "tests", "need port 8080"),
      say("ask", "Which colour?"),
      say("block", "no network"),
      say("propose", "french - Write salut.txt"),
      say("dispatch", "the design team", "--returns", "file logo.svg", "--look=5m"),
      say("done"),
    ];
    expect(said.map(({ code, err }) => [code, err])).toEqual(said.map(() => [0, ""]));
    // Within one millisecond their names say no order.
    expect(words().toSorted((a, b) => orderOf(a) - orderOf(b))).toEqual(
      [
        { verb: "note", text: "tests need port 8080" },
        { verb: "ask", text: "Which colour?" },
        { verb: "block", text: "no network" },
        { verb: "propose", text: "french - Write salut.txt" },
        { verb: "dispatch", text: "the design team", returns: "file logo.svg", look: "5m" },
        { verb: "done", text: "" },
      ].map((word) => ({ ...word, seal: SEAL })),
    );
  });

  it("answers in at most 60 tokens, the largest there are included", () => {
    const long = { kind: "command", command: "x ".repeat(400) };
    const tasks = [{ task_id: "t2", checks: [long, long, long] }];
    writeFileSync(join(logs, "start.json"), JSON.stringify({ tasks }));
    const many = Array.from({ length: 90 }, (_, n) => ({
      id: `a-long-task-name-${n}`,
      status: "pending",
    }));
    const state = { ...STATE, tasks: [...STATE.tasks, ...many] };
    writeFileSync(join(folder.path, "state.json"), JSON.stringify(state));
    for (const call of [
      ["note", "x"],
      ["ask", "x?"],
      ["block", "x"],
      ["propose", "x"],
      ["dispatch", "x", "--returns", "message"],
      ["done"],
      ["status"],
    ]) {
      const { out, code } = say(...call);
      expect(code).toBe(0);
      // About four characters are a token.
      expect(`${call[0]} ${Math.ceil(out.length / 4) <= 60}`).toBe(`${call[0]} true`);
    }
  });

  it("says by done what will be checked, by status where the project stands, by brief its brief", () => {
    expect(say("done").out).toBe(
      "Noted. When you exit, Stint decides by: `npm test`; file a.txt exists. Exit now.\n",
    );
    expect(say("status").out).toBe(
      "p-0000000001, session 3: t2, attempt 2. Done: 1 of 3.\nLater: t3. Waits for a person: q1.\n",
    );
    expect(say("status", "prompt").code).toBe(0);
    // Beside others it is a dispatch that says who is at work.
    const tasks = STATE.tasks.map((each) =>
      each.id === "t2" ? { ...each, status: "dispatched" } : each,
    );
    const dispatches = [
      { id: "d1", status: "sent", worker: { kind: "session", session: 3, lane: 1 } },
    ];
    writeFileSync(join(folder.path, "state.json"), JSON.stringify({ ...STATE, tasks, dispatches }));
    expect(say("status").out).toContain("session 3: t2, attempt 2. Done: 1 of 3.");
    expect(say("brief").out).toBe("# Session 3\n\nDo it.\n");
    expect(say("ask", "x?", "--json").out).toMatch(/^\{"said":"Asked \(1 of 5\)/);
  });

  it("is one only by its name and environment; persons keep theirs", () => {
    const isOwn = (...all: string[]): boolean => isForSession({ words: all, env });
    expect(
      ["note", "ask", "block", "propose", "done", "brief", "status"].filter((verb) => !isOwn(verb)),
    ).toEqual([]);
    expect(isOwn("dispatch", "ci", "--returns", "message")).toBe(true);
    for (const act of ["list", "send", "cancel", "return", "adopt"])
      expect(isOwn("dispatch", act)).toBe(false);
    for (const verb of ["approve", "answer", "accept", "skip", "deny", "run", "retry"])
      expect(isOwn(verb)).toBe(false);
    expect([isOwn("note", "--help"), isOwn("status", "--json"), isOwn()]).toEqual([
      false,
      false,
      false,
    ]);
    expect(isForSession({ words: ["status"], env: {} })).toBe(false);
  });
});

describe("a verb of a session is refused, and changes nothing,", () => {
  const ended =
    "stint: session 3 of p-0000000001 has ended; it can no longer send messages\n  A person can see its result: stint log p-0000000001\n";

  it.each<[string, () => void, string]>([
    [
      "with the seal of another",
      () => (env["STINT_SEAL"] = "f".repeat(32)),
      "STINT_SEAL is not the seal of session 3 of p-0000000001",
    ],
    [
      "for another session",
      () => (env["STINT_SESSION"] = "4"),
      "STINT_SEAL is not the seal of session 4 of p-0000000001",
    ],
    [
      "for no session",
      () => (env["STINT_SESSION"] = "../3"),
      "STINT_SESSION was changed; the run set another value",
    ],
    [
      "for another project",
      () => (env["STINT_PROJECT"] = "p-0000000002"),
      'this inbox is that of p-0000000001, and STINT_PROJECT says "p-0000000002"',
    ],
    [
      "at another place",
      () => (env["STINT_INBOX"] = folder.path),
      "STINT_INBOX was changed; the run set another value",
    ],
    [
      "where its state cannot be read",
      () => rmSync(join(folder.path, "state.json")),
      "has no project that can be read",
    ],
    [
      "at an inbox that is a link",
      () => {
        renameSync(inbox, `${inbox}-real`);
        symlinkSync(`${inbox}-real`, inbox);
      },
      "inbox is not a folder",
    ],
    [
      "at an inbox that is a pipe",
      () => {
        rmSync(inbox, { recursive: true });
        execFileSync("mkfifo", [inbox]);
      },
      "inbox is not a folder",
    ],
  ])("%s", (_, change, why) => {
    change();
    const { code, err, out } = say("ask", "Which colour?");
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(why);
    expect(err).toContain(
      "\n  Leave STINT_* as the run set them: a session can only speak for itself.\n",
    );
    for (const place of [inbox, `${inbox}-real`]) {
      expect(listing(place)).toEqual([]);
    }
  });

  it("once its session has ended", () => {
    writeFileSync(join(logs, "result.json"), "{}");
    expect(say("note", "x")).toEqual({ code: 2, out: "", err: ended });
    rmSync(join(logs, "result.json"));
    const tasks = [{ id: "t2", status: "pending", attempts: 2 }];
    writeFileSync(join(folder.path, "state.json"), JSON.stringify({ ...STATE, tasks }));
    expect(say("note", "x")).toEqual({ code: 2, out: "", err: ended });
    expect(words()).toEqual([]);
  });

  it.each<[string[], string]>([
    [
      ["note"],
      'stint: stint note: there is no text\n  For example: stint note "tests need port 8080"\n',
    ],
    [
      ["ask", " "],
      'stint: stint ask: there is no text\n  For example: stint ask "Which colour?"\n',
    ],
    [
      ["ask", "x".repeat(5000)],
      "stint: stint ask: it is longer than 4000 characters\n  Make it shorter, and name the file with the rest.\n",
    ],
    [["block", "\u001B[2Jno"], "stint: stint block: it contains control characters\n"],
    [
      ["note", "x", "--to", "y"],
      "stint: unknown option --to\n  See all options: stint note --help\n",
    ],
    [["dispatch", "ci"], "stint: stint dispatch: --returns is missing\n"],
    [["dispatch", "ci", "--returns"], "stint: --returns needs a value\n"],
    [
      ["dispatch", "ci", "--returns", "message", "--look", "soon"],
      'stint: "soon" is not a duration such as 30m, 2h or 3d\n',
    ],
    [["propose", "--file", "none.md"], "none.md cannot be read\n"],
    [["propose", "--file", "pipe"], "pipe is not a file\n"],
    [
      ["propose", "--file", "large.md"],
      "stint: it is larger than 64 KiB\n  Change your copy of the manifest itself instead.\n",
    ],
    [["propose", "--file", "binary"], "binary: it contains control characters\n"],
    [
      ["status", "p-0000000002"],
      "stint: this is a session of p-0000000001; it cannot see other projects\n",
    ],
  ])("as %j", (call, told) => {
    writeFileSync(join(folder.path, "large.md"), "x".repeat(10 * 1024 * 1024));
    writeFileSync(join(folder.path, "binary"), Buffer.from([65, 0, 66]));
    execFileSync("mkfifo", [join(folder.path, "pipe")]);
    const { code, err } = say(...call);
    expect([code, err]).toEqual([2, expect.stringContaining(told)]);
    expect(words()).toEqual([]);
  });

  it("with a sixth question, or more words than are heard", () => {
    for (let n = 1; n <= 5; n += 1) say("ask", `${n}?`);
    expect(say("ask", "6?")).toMatchObject({
      code: 2,
      err: "stint: 5 questions are asked already, and a session has 5\n  Exit now: a person answers them before the next session on this task.\n",
    });
    for (let n = 6; n <= 50; n += 1) say("note", `${n}`);
    expect(say("note", "51").err).toContain("session 3 has sent 50 messages");
    expect(words()).toHaveLength(50);
  });
});

function listing(place: string): string[] {
  try {
    return readdirSync(place);
  } catch {
    return [];
  }
}

const ORDER = ["note", "ask", "block", "propose", "dispatch", "done"];

function orderOf(word: Readonly<Record<string, unknown>>): number {
  return ORDER.findIndex((verb) => verb === word["verb"]);
}
