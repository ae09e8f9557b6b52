// Work that somebody outside does: sent, waited for without holding anything, looked at, taken back, given up, sent
// again. Real runs, a clock that is slept away.
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { giveAnswer } from "../../src/operations/answers/send-answer.ts";
import { dispatch, results } from "../../src/operations/dispatch.ts";
import { Inbox } from "../../src/engine/base/inbox.ts";
import { until } from "../support/children.ts";
import { git } from "../support/git.ts";
import { type Acts, LimitedRun, refuse } from "../support/limited-run.ts";

const MINUTE_MS = 60_000;
const GERMAN: Acts = [{ act: "write", path: "hallo.txt", text: "Hallo\n" }];

/** One task that the design team does, and one that an agent does. */
function manifest(...terms: string[]): string {
  return `## Goal
Say hello.

## Steps
- [ ] logo - Draw the logo
  - after: none
  - check: file logo.svg
  - delegate: the design team
${terms.map((term) => `  - ${term}\n`).join("")}- [ ] german - Write hallo.txt
  - after: none
  - check: file hallo.txt
`;
}

let scene: LimitedRun;
let agent: string;

function open(...terms: string[]): void {
  scene = new LimitedRun(manifest(...terms));
  git(scene.root, "add", "-A");
  git(scene.root, "commit", "-qm", "begin");
  agent = scene.agent("a", [GERMAN]);
}

beforeEach(() => open("returns: message", "look: 10m", "deadline: 2h"));
afterEach(() => scene.close());

function inbox(): string {
  const { root, folder } = scene.snapshot.entry;
  return join(root, folder, "inbox");
}

function returns(name: string, text: object | string): void {
  const written = typeof text === "string" ? text : JSON.stringify(text);
  writeFileSync(join(inbox(), name), written);
}

const DONE = { status: "done", result: "It is in the branch." };

/** As the design team does it: a commit on the person's branch. */
function commitLogo(): void {
  writeFileSync(join(scene.root, "logo.svg"), "<svg/>\n");
  git(scene.root, "add", "logo.svg");
  git(scene.root, "commit", "-qm", "the logo");
}

function lines(kind: string): string[] {
  return scene.system.store
    .journal(scene.project)
    .filter((line) => line.kind === kind)
    .map(({ summary }) => summary);
}

function taskStatus(): (string | undefined)[] {
  return scene.snapshot.state.tasks.map(({ status }) => status);
}

describe("work that somebody outside has", () => {
  it("S4-10 S4-11 S4-24 is sent with its terms, others go on, and the run ends waiting without a wait", async () => {
    const view = await scene.run({ agent, wait: false });
    expect(view.status).toMatchObject({ status: "AwaitingResult", round_status: "awaiting-result" });
    expect(taskStatus()).toEqual(["awaiting_result", "done"]);
    const { state, lease } = scene.snapshot;
    expect(state.dispatches).toMatchObject([
      {
        id: "d1",
        status: "sent",
        owner: "the design team",
        objective: "Draw the logo",
        worker: { kind: "outside" },
        returns: { kind: "message" },
      },
    ]);
    const [item] = state.dispatches;
    const ms = (at: string | undefined) => Date.parse(at ?? "") - Date.parse(item?.sent_at ?? "");
    expect([ms(item?.checkpoint_at), ms(item?.deadline_at)]).toEqual([
      10 * MINUTE_MS,
      120 * MINUTE_MS,
    ]);
    expect(lease.held).toBe(false);
    expect(view.why).toMatch(/^a result is awaited: the design team has t1 \(d1, next look at /);
    expect(scene.kinds).toEqual(expect.arrayContaining(["dispatch-sent", "wait-began"]));
    expect(state.last_error).toBeNull();
  });

  it("S4-3 S4-14 S4-15 S4-19 comes back after a restart, before any other work, and is judged by its checks", async () => {
    await scene.run({ agent, wait: false });
    commitLogo();
    returns("d1.json", DONE);
    const view = await scene.run({ agent, wait: false });
    expect(view.status.status).toBe("Done");
    const { kinds } = scene;
    const restart = kinds.lastIndexOf("persistence-verified");
    expect(kinds.slice(restart + 1).filter((kind) => kind !== "manifest-read")[0]).toBe(
      "result-consumed",
    );
    expect(scene.snapshot.state.dispatches).toMatchObject([
      { id: "d1", status: "returned", result: "It is in the branch." },
    ]);
    expect(readdirSync(inbox())).toEqual([]);
    expect(scene.snapshot.state.tasks[0]).toMatchObject({
      status: "done",
      attempts: 1,
      evidence: [{ kind: "check" }],
    });
  });

  it("S4-8 S4-12 is waited for without holding anything, each look is a line, and a message wakes the run", async () => {
    let looks = 0;
    scene.whileAsleep = () => {
      expect(scene.snapshot.lease.held).toBe(false);
      looks += 1;
      if (looks !== 50) return;
      commitLogo();
      returns("d1.json", DONE);
    };
    const view = await scene.run({ agent });
    expect(view.status.status).toBe("Done");
    // 50 sleeps of half a minute: two looks of ten minutes passed in vain.
    expect(lines("checkpoint-moved")).toHaveLength(2);
    expect(lines("checkpoint-moved")[0]).toMatch(
      /^the design team has not returned d1; next look at /,
    );
    expect(lines("empty-round")).toEqual([]);
    expect(scene.told("waiting")[0]?.reason).toMatch(/^a result is awaited: the design team has t1/);
  });

  it("S4-14 is given up at its deadline, sent again while attempts remain, and then blocked", async () => {
    const view = await scene.run({ agent });
    expect(view.status.status).toBe("Blocked");
    expect(lines("dispatch-timed-out")).toEqual([
      "the design team did not return d1 in time",
      "the design team did not return d2 in time",
      "the design team did not return d3 in time",
    ]);
    expect(scene.snapshot.state.tasks[0]).toMatchObject({ status: "blocked", attempts: 3 });
    const [first] = scene.snapshot.state.dispatches;
    expect(first?.status === "timed_out" && first.closed_at >= first.deadline_at).toBe(true);
  });

  it("whose worker is lost is sent again, and the late result of the first changes nothing", async () => {
    await scene.run({ agent, wait: false });
    scene.pass(121 * MINUTE_MS);
    await scene.run({ agent, wait: false });
    expect(scene.snapshot.state.dispatches).toMatchObject([
      { id: "d1", status: "timed_out" },
      { id: "d2", status: "sent" },
    ]);
    returns("d1.json", DONE);
    await scene.run({ agent, wait: false });
    expect(lines("result-ignored")).toEqual([
      expect.stringMatching(
        /^inbox\/d1\.json changes nothing: d1 was given up at .*: this is too late; d2 was sent instead, to the design team$/,
      ),
    ]);
    expect(taskStatus()).toEqual(["awaiting_result", "done"]);
    commitLogo();
    returns("d2.json", DONE);
    const view = await scene.run({ agent, wait: false });
    expect(view.status.status).toBe("Done");
    expect(scene.snapshot.state.tasks[0]?.attempts).toBe(2);
  });

  it("S4-25 whose checks fail is a failed attempt: it is sent again, and blocked after its attempts", async () => {
    scene.whileAsleep = () => {
      const out = scene.snapshot.state.dispatches.find(({ status }) => status === "sent");
      if (out !== undefined && readdirSync(inbox()).length === 0) returns(`${out.id}.json`, DONE);
    };
    const view = await scene.run({ agent });
    expect(view.status.status).toBe("Blocked");
    expect(scene.snapshot.state.dispatches.map(({ id, status }) => [id, status])).toEqual([
      ["d1", "returned"],
      ["d2", "returned"],
      ["d3", "returned"],
    ]);
    expect(scene.snapshot.state.tasks[0]).toMatchObject({
      status: "blocked",
      attempts: 3,
      last_failure: { check: "file logo.svg exists" },
    });
  });

  it("that its worker gives up is sent again at once, with what they said in the journal", async () => {
    await scene.run({ agent, wait: false });
    returns("d1.json", { status: "failed", result: "Nobody can draw here." });
    await scene.run({ agent, wait: false });
    expect(lines("dispatch-lost")).toEqual([
      "d1 was lost: the design team says: Nobody can draw here.",
    ]);
    expect(scene.snapshot.state.dispatches.at(-1)).toMatchObject({ id: "d2", status: "sent" });
  });

  it("is taken once: what its worker sends again is a second result", async () => {
    await scene.run({ agent: scene.agent("idle", [[]]), wait: false, sessions: 1 });
    commitLogo();
    returns("d1.json", DONE);
    returns("d1-again.json", DONE);
    await scene.run({ agent: scene.agent("idle", [[]]), wait: false });
    expect(lines("result-consumed")).toHaveLength(1);
    expect(lines("result-ignored")).toEqual([
      expect.stringMatching(/^inbox\/d1\.json changes nothing: d1 was returned at .*second result$/),
    ]);
    expect(taskStatus()[0]).toBe("done");
  });

  it("wakes a run that waits for its agents, and is taken before they are tried again", async () => {
    const limited = scene.agent("limited", [refuse("usage-limit", scene.in(60 * MINUTE_MS)), GERMAN]);
    let sleeps = 0;
    scene.whileAsleep = () => {
      sleeps += 1;
      if (sleeps !== 4) return;
      commitLogo();
      returns("d1.json", DONE);
    };
    const view = await scene.run({ agent: limited });
    expect(view.status.status).toBe("Done");
    const { kinds } = scene;
    expect(kinds.indexOf("result-consumed")).toBeLessThan(kinds.lastIndexOf("attempt-started"));
    const [item] = scene.snapshot.state.dispatches;
    const tookMs =
      item?.status === "returned" ? Date.parse(item.closed_at) - Date.parse(item.sent_at) : 0;
    expect(tookMs).toBeLessThan(10 * MINUTE_MS);
  });

  it("S4-16 survives everything that can happen to either machine: only its condition is looked at", async () => {
    scene.close();
    open("returns: file out/report.txt", "look: 1h", "deadline: 7d");
    await scene.run({ agent, wait: false });
    // Days later, after a reboot of both: nothing is left of a worker that could be asked, nor of the run.
    scene.pass(5 * 24 * 60 * MINUTE_MS);
    await scene.run({ agent, wait: false });
    expect(lines("checkpoint-moved")).toHaveLength(1);
    mkdirSync(join(scene.root, "out"));
    writeFileSync(join(scene.root, "out/report.txt"), "x");
    commitLogo();
    const view = await scene.run({ agent, wait: false });
    expect(view.status.status).toBe("Done");
    expect(scene.snapshot.state.dispatches).toMatchObject([{ id: "d1", status: "returned" }]);
  });

  it("is not sent where it is there already", async () => {
    commitLogo();
    const view = await scene.run({ agent, wait: false });
    expect(view.status.status).toBe("Done");
    expect(scene.snapshot.state.dispatches).toEqual([]);
  });
});

describe("what lies in the inbox", () => {
  beforeEach(async () => {
    await scene.run({ agent, wait: false });
  });

  const FACTS: readonly (readonly [name: string, text: string, why: string])[] = [
    ["d1-a.json", "done!", 'it is not a JSON object such as {"status": "done", "result": "…"}'],
    ["d1-b.json", '{"status":"maybe","result":"x"}', 'its status is neither "done" nor "failed"'],
    ["d1-c.json", '{"status":"done"}', "it has no result, in words"],
    ["d1-d.json", '{"status":"done","result":"x","dispatch":"d2"}', "its name says d1"],
    ["d1-e.json", "x".repeat(65 * 1024), "it is larger than 64 KiB"],
    ["d7.json", JSON.stringify(DONE), "there is no dispatch d7"],
    ["hello.txt", "hello", "its name is not that of a dispatch, such as d1.json"],
  ];

  it("and is no result of anything that is out is a fact, once, and changes nothing", async () => {
    for (const [name, text] of FACTS) returns(name, text);
    await scene.run({ agent, wait: false });
    const expected = FACTS.map(([name, , why]): unknown =>
      expect.stringContaining(`inbox/${name} changes nothing: ${why}`),
    );
    expect(lines("result-ignored")).toEqual(expected);
    expect(taskStatus()).toEqual(["awaiting_result", "done"]);
    await scene.run({ agent, wait: false });
    expect(lines("result-ignored")).toHaveLength(FACTS.length);
    expect(new Inbox(scene.snapshot.entry).hasMail()).toBe(false);
  });

  it("as a link or a folder is not read", async () => {
    const secret = join(scene.path, "secret.json");
    writeFileSync(secret, JSON.stringify(DONE));
    symlinkSync(secret, join(inbox(), "d1.json"));
    mkdirSync(join(inbox(), "d1-folder.json"));
    await scene.run({ agent, wait: false });
    expect(lines("result-ignored")).toEqual([
      "inbox/d1-folder.json changes nothing: it is not a file",
      "inbox/d1.json changes nothing: it is a link",
    ]);
    expect(taskStatus()).toEqual(["awaiting_result", "done"]);
    expect(existsSync(secret)).toBe(true);
  });

  it("holds no secret once it is kept", async () => {
    scene.close();
    open("returns: message");
    Object.assign(scene.system.env, { API_TOKEN: "swordfish-1234" });
    await scene.run({ agent, wait: false });
    commitLogo();
    returns("d1.json", { status: "done", result: "the token is swordfish-1234" });
    await scene.run({ agent, wait: false });
    expect(JSON.stringify(scene.snapshot.state.dispatches)).not.toContain("swordfish");
  });
});

describe("by what it comes back", () => {
  async function reopen(...terms: string[]): Promise<void> {
    scene.close();
    open(...terms);
    await scene.run({ agent, wait: false });
  }

  it("a file in the person's checkout, and not one behind a link", async () => {
    await reopen("returns: file out/report.txt", "look: 1h");
    const at = join(scene.root, "out", "report.txt");
    const elsewhere = join(scene.path, "elsewhere");
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, "report.txt"), "x");
    symlinkSync(elsewhere, dirname(at));
    await scene.run({ agent, wait: false });
    expect(taskStatus()[0]).toBe("awaiting_result");
    rmSync(dirname(at));
    mkdirSync(dirname(at));
    writeFileSync(at, "x");
    commitLogo();
    await scene.run({ agent, wait: false });
    expect(scene.snapshot.state.dispatches).toMatchObject([
      { status: "returned", result: "out/report.txt is there" },
    ]);
    expect(taskStatus()).toEqual(["done", "done"]);
  });

  it("a command that a person allowed, run as a check where sessions work", async () => {
    await reopen("returns: `grep -q svg logo.svg`", "look: 10m");
    expect(scene.told("notice").map(({ text }) => text)).toContain("may run: grep -q svg logo.svg");
    let sleeps = 0;
    scene.whileAsleep = () => {
      sleeps += 1;
      if (sleeps === 30) commitLogo();
    };
    const view = await scene.run({ agent });
    expect(view.status.status).toBe("Done");
    expect(scene.snapshot.state.dispatches[0]).toMatchObject({ status: "returned" });
  });

  it("a worker that says so where its condition says otherwise changes nothing", async () => {
    await reopen("returns: file out/report.txt");
    returns("d1.json", DONE);
    await scene.run({ agent, wait: false });
    expect(lines("result-ignored")).toEqual([
      "inbox/d1.json changes nothing: d1 is reported as back, but its return condition does not hold: file out/report.txt",
    ]);
    expect(taskStatus()[0]).toBe("awaiting_result");
  });

  it("is asked for a yes before it is sent, where its task has a gate", async () => {
    await reopen("returns: message", "approve: before");
    expect(scene.snapshot.state.status).toBe("AwaitingApproval");
    expect(scene.snapshot.state.dispatches).toEqual([]);
  });
});

describe("a person", () => {
  const TWO = `## Goal
Say hello.

## Steps
- [ ] logo - Draw the logo
  - check: file logo.svg
- [ ] german - Write hallo.txt
  - check: file hallo.txt
`;

  beforeEach(() => {
    scene.close();
    scene = new LimitedRun(TWO);
    git(scene.root, "add", "-A");
    git(scene.root, "commit", "-qm", "begin");
    agent = scene.agent("a", [GERMAN]);
  });

  const SEND = { to: "ada", returns: "message", look: "10m", deadline: "1d" };

  it("sends a task that is eligible, and whoever has it returns it by the verb", async () => {
    await scene.run({ agent: scene.agent("idle", [[]]), sessions: 1 });
    expect(scene.snapshot.state.status).toBe("Paused");
    const sent = await dispatch(scene.system, { act: "send", words: ["logo"], ...SEND });
    expect(sent).toMatchObject({
      did: { outcome: "applied", what: expect.stringContaining("to ada as d1") as string },
      dispatches: [{ id: "d1", owner: "ada", returns: "message", status: "sent", result: null }],
    });
    const again = await dispatch(scene.system, { act: "send", words: ["logo"], ...SEND });
    expect(again.did).toEqual({ outcome: "given", what: "ada has t1 already, as d1" });
    await scene.run({ agent, wait: false });
    expect(scene.snapshot.state.status).toBe("AwaitingResult");
    commitLogo();
    const back = await dispatch(scene.system, { act: "return", words: ["d1", "It is drawn."] });
    expect(back.did?.outcome).toBe("left");
    const view = await scene.run({ agent, wait: false });
    expect(view.status.status).toBe("Done");
    expect(await results(scene.system, { project: undefined })).toMatchObject({
      results: [{ id: "d1", owner: "ada", status: "returned", result: "It is drawn." }],
    });
  });

  it("sends nothing that no check could judge, nor what is not eligible, nor by words that nobody can look at", async () => {
    await scene.run({ agent: scene.agent("idle", [[]]), sessions: 1 });
    const send = (words: string[], more: object) =>
      dispatch(scene.system, { act: "send", words, ...SEND, ...more });
    await expect(send(["german"], {})).rejects.toThrow("t2 waits for t1");
    await expect(send(["logo"], { returns: "exit" })).rejects.toThrow("--returns exit is only for work");
    await expect(send(["logo"], { returns: "file ../x" })).rejects.toThrow("leaves the repository");
    await expect(send(["logo"], { look: "2d" })).rejects.toThrow("the deadline is earlier than the first look");
    await expect(send(["logo"], { look: "soon" })).rejects.toThrow('"soon" is not a duration');
    await expect(send(["logo"], { to: " " })).rejects.toThrow("--to <owner>");
    await expect(send(["nothing"], {})).rejects.toThrow("has no task nothing");
    expect(scene.snapshot.state.dispatches).toEqual([]);
  });

  it("cancels it while the run waits: the task is blocked, what is returned later changes nothing", async () => {
    await scene.run({ agent: scene.agent("idle", [[]]), sessions: 1 });
    await dispatch(scene.system, { act: "send", words: ["logo"], ...SEND });
    scene.whileAsleep = async () => {
      await dispatch(scene.system, { act: "cancel", words: ["d1"], reason: "We bought one." });
    };
    const view = await scene.run({ agent });
    expect(view.status.status).toBe("Blocked");
    expect(taskStatus()).toEqual(["blocked", "pending"]);
    scene.whileAsleep = () => {};
    await dispatch(scene.system, { act: "return", words: ["d1", "Here it is."] });
    await scene.run({ agent, wait: false });
    expect(lines("result-ignored")).toEqual([
      expect.stringMatching(/changes nothing: ada cancelled d1 at /),
    ]);
  });
});

describe("a session", () => {
  const ONE = `## Goal
Say hello.

## Steps
- [ ] logo - Draw the logo
  - check: file logo.svg
  - check: file sketch.txt
- [ ] german - Write hallo.txt
  - after: none
  - check: file hallo.txt
`;
  const SKETCH = { act: "write", path: "sketch.txt", text: "a circle\n" };

  function play(...logo: Acts[]): string {
    return scene.play("a", { logo, german: [GERMAN] });
  }

  beforeEach(() => {
    scene.close();
    scene = new LimitedRun(ONE);
    git(scene.root, "add", "-A");
    git(scene.root, "commit", "-qm", "begin");
  });

  it("S4-6 gives its own task to somebody else: its attempt goes on as a dispatch, with the work it left", async () => {
    const keys = { delegate: "ada", returns: "message", look: "10m", deadline: "2h" };
    agent = play([SKETCH, { act: "marker", keys }]);
    const waits = await scene.run({ agent, wait: false });
    expect(waits.status.status).toBe("AwaitingResult");
    expect(taskStatus()).toEqual(["awaiting_result", "done"]);
    expect(scene.snapshot.state.dispatches).toMatchObject([{ id: "d1", owner: "ada" }]);
    expect(scene.snapshot.state.tasks[0]?.attempts).toBe(1);
    expect(waits.status.roles).toMatchObject({ workers: ["ada (d1 on t1)"], collapsed: false });
    commitLogo();
    returns("d1.json", DONE);
    const view = await scene.run({ agent, wait: false });
    expect(view.status.status).toBe("Done");
    // What the session left before it gave the task away is part of what is committed.
    expect(git(scene.root, "show", "HEAD:sketch.txt")).toBe("a circle\n");
    expect(scene.snapshot.state.tasks[0]?.attempts).toBe(1);
  });

  it("is held to what a person is: terms that are none are said, and its checks judge as always", async () => {
    agent = play([{ act: "marker", keys: { delegate: "ada", returns: "soon" } }]);
    await scene.run({ agent, wait: false, sessions: 1 });
    expect(lines("delegation-refused")).toEqual([
      expect.stringContaining("session 1 cannot give its task to somebody else: use exit, message"),
    ]);
    expect(scene.snapshot.state.dispatches).toEqual([]);
    expect(scene.kinds).toContain("checks-recorded");
  });

  it("asks first for a command that nobody allowed, and it is not run before the yes", async () => {
    const wish = { act: "marker", keys: { delegate: "ada", returns: "`test -e logo.svg`" } };
    agent = play([wish], [wish]);
    await scene.run({ agent, wait: false });
    const { approval_items, dispatches } = scene.snapshot.state;
    expect(dispatches).toEqual([]);
    expect(approval_items).toMatchObject([{ status: "open", subject: "test -e logo.svg" }]);
    await giveAnswer(scene.system, "approve", { subject: "a1" });
    await scene.run({ agent, wait: false });
    expect(scene.snapshot.state.dispatches).toMatchObject([
      { owner: "ada", returns: { kind: "command", command: "test -e logo.svg" } },
    ]);
  });
});

describe("what a session leaves running", () => {
  const ONE = "## Goal\nSay hello.\n\n## Steps\n- [ ] german - Write hallo.txt\n  - check: file hallo.txt\n";
  const WRITES = "while [ ! -e go.txt ]; do sleep 0.05; done; echo Hallo > hallo.txt";
  const LEAVES = { act: "background", command: WRITES };

  beforeEach(() => {
    scene.close();
    scene = new LimitedRun(ONE);
    git(scene.root, "add", "-A");
    git(scene.root, "commit", "-qm", "begin");
  });

  it("is ended with it by default, and that is said", async () => {
    agent = scene.agent("a", [[LEAVES]]);
    await scene.run({ agent, sessions: 1 });
    expect(lines("background-ended")).toEqual([
      expect.stringMatching(
        /^session 1 left \d+ process(es)? running; ended\. A marker with keep: 10m lets them finish$/,
      ),
    ]);
  });

  it("goes on where its marker says for how long, and what it makes is the work of the session", async () => {
    const marker = { act: "marker", keys: { keep: "10m" } };
    const go = { act: "write", path: "go.txt", text: "" };
    const late = { act: "background", command: `sleep 1; ${WRITES}` };
    agent = scene.agent("a", [[late, go, marker]]);
    const view = await scene.run({ agent });
    expect(view.status.status).toBe("Done");
    expect(view.run.sessions).toBe(1);
    expect(lines("background-finished")).toHaveLength(1);
    expect(git(scene.root, "show", "HEAD:hallo.txt")).toBe("Hallo\n");
  });

  it("goes on where a person says so while the session is at work", async () => {
    const inboxFolder = join(scene.root, "agents/stint/projects/prompt/inbox");
    const waits = (file: string) => `while [ ! -e ${inboxFolder}/${file} ]; do sleep 0.05; done`;
    const left = { act: "background", command: `${waits(".go")}; echo Hallo > hallo.txt` };
    agent = scene.agent("a", [[left, { act: "run", command: waits(".end") }]]);
    const running = scene.run({ agent });
    await until("the session is at work", () => scene.told("session").length > 0);
    await dispatch(scene.system, { act: "adopt", words: [], deadline: "30m" });
    await until("the run heard it", () => lines("adopt-requested").length > 0);
    writeFileSync(join(inboxFolder, ".end"), "");
    const told = () => scene.told("notice").map(({ text }) => text);
    await until("it waits", () => told().some((text) => text.includes("may run for another 30m")));
    writeFileSync(join(inboxFolder, ".go"), "");
    const view = await running;
    expect(view.status.status).toBe("Done");
    expect(view.run.sessions).toBe(1);
    await expect(dispatch(scene.system, { act: "adopt", words: [] })).rejects.toThrow(
      "no session is at work",
    );
  });
});

describe("a background command", () => {
  const film = (root: string) => `## Goal
Make a film.

## Steps
- [ ] film - Render the film
  - after: none
  - check: file film.txt
  - delegate: \`while [ ! -e ${root}/agents/stint/projects/prompt/inbox/.go ]; do sleep 0.05; done; echo film > film.txt\`
- [ ] german - Write hallo.txt
  - after: none
  - check: file hallo.txt
`;

  it("S4-7 works beside the next task in a workspace of its own, and what it made is judged and committed", async () => {
    scene.close();
    scene = new LimitedRun("");
    scene.write("prompt.md", film(scene.root));
    git(scene.root, "add", "-A");
    git(scene.root, "commit", "-qm", "begin");
    // It ends only once the session of the other task has been at work.
    const go = { act: "run", command: `touch ${scene.root}/agents/stint/projects/prompt/inbox/.go` };
    agent = scene.agent("a", [[...GERMAN, go]]);
    const view = await scene.run({ agent });
    expect(view.status.status).toBe("Done");
    expect(scene.snapshot.state.dispatches).toMatchObject([
      { task_id: "t1", worker: { kind: "session" }, returns: { kind: "exit" }, status: "returned" },
    ]);
    expect(git(scene.root, "show", "HEAD:film.txt")).toBe("film\n");
    expect(git(scene.root, "show", "HEAD:hallo.txt")).toBe("Hallo\n");
    expect(scene.told("notice").map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^may run: while \[ ! -e /),
    );
  });
});
