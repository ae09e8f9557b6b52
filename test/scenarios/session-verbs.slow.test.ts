// An agent that speaks to its run from its shell, with nothing but what its environment says: the built executable, an
// agent that is a shell script, isolation on and off, and a run that is killed between a word and the session's end.
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { availableKinds } from "../support/available-kinds.ts";
import { type RunResult, Scenario } from "../support/scenario.ts";

const scenes: Scenario[] = [];

afterAll(() => {
  for (const made of scenes) made.close();
});

const WAYS = availableKinds().length > 1 ? (["on", "off"] as const) : (["off"] as const);

class Spoken extends Scenario {
  constructor(manifest?: string) {
    super(manifest === undefined ? {} : { manifest });
    scenes.push(this);
    mkdirSync(join(this.path, "told"));
  }

  /** What a script that plays the agent wrote down. */
  told(name: string): string {
    const file = join(this.path, "told", name);
    return existsSync(file) ? readFileSync(file, "utf8") : "never tried";
  }

  agent(...lines: string[]): string[] {
    const head = ["#!/bin/sh", `HERE="${this.path}"`, `TOLD="${join(this.path, "told")}"`];
    return ["--agent", `command:${this.program("agent.sh", [...head, ...lines, ""].join("\n"))}`];
  }

  async act(isolation: string, ...lines: string[]): Promise<RunResult> {
    return await this.run(...this.agent(...lines), "--isolation", isolation, "--no-wait");
  }

  inbox(): string[] {
    return readdirSync(join(this.root, "agents/stint/projects/prompt/inbox"));
  }

  kinds(kind: string): number {
    return this.journal().split(`"kind":"${kind}"`).length - 1;
  }

  brief(session: number): string {
    return this.read(`agents/stint/projects/prompt/logs/sessions/${session}/brief.md`);
  }
}

const WORK = [
  '[ "$STINT_TASK" = t1 ] && echo Hello > hello.txt',
  '[ "$STINT_TASK" = t2 ] && echo Hallo > hallo.txt',
  "exit 0",
];

/** Speaks to `stint mcp` until it has answered, or for a minute: which file its answers go to, how it is started, and calls. */
function overMcp(file: string, start: string, ...calls: readonly [tool: string, args: object][]) {
  const clientInfo = { name: "agent", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const messages = [
    { id: 1, method: "initialize", params },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/list" },
    ...calls.map(([name, args], index) => ({
      id: index + 3,
      method: "tools/call",
      params: { name, arguments: args },
    })),
  ].map((message) => `'${JSON.stringify({ jsonrpc: "2.0", ...message })}'`);
  const answers = calls.length + 2;
  return [
    `: > "$TOLD/${file}"`,
    `{ printf '%s\\n' ${messages.join(" ")}; n=0; while [ "$(grep -c . "$TOLD/${file}")" -lt ${answers} ] && [ $n -lt 600 ]; do n=$((n+1)); sleep 0.1; done; } | ${start} > "$TOLD/${file}"`,
  ].join("\n");
}

describe.each(WAYS)("with isolation %s", (isolation) => {
  it("the MCP server says what the verbs say, and nothing by which an agent could approve", async () => {
    const s = new Spoken("---\nplan: review\n---\n\n## Goal\n\nSay hello.\n\n## Steps\n\n- [ ] english - Write hello.txt\n  - check: `grep -q Hello hello.txt`\n  - approve: after\n");
    const persons: [string, object][] = ["approve", "accept", "answer", "skip"].map((name) => [
      name,
      { item: "a1", task: "t1", project: "prompt.md" },
    ]);
    const agent = s.agent(
      overMcp("own", "stint mcp", ["report", { kind: "note", text: "over MCP" }], ...persons),
      overMcp("bare", "env -u STINT_INBOX -u STINT_SEAL stint mcp", ["brief", {}], ...persons),
      ...WORK,
    );
    const words = [...agent, "--isolation", isolation, "--no-wait", "--approve-plan"];
    const { code, state } = await s.run(...words);
    expect([code, state.status]).toEqual([3, "AwaitingApproval"]);
    expect(state.approval_items.filter(({ status }) => status === "open")).toHaveLength(1);
    const own = s.told("own");
    expect(own).toContain("Noted. It will be in the next session's brief, below Notes.");
    const bare = s.told("bare");
    expect(bare).toContain("started this process; it starts every session itself");
    for (const told of [own, bare]) {
      for (const [name] of persons) expect(told).toContain(`Tool ${name} not found`);
      expect(told).not.toMatch(/"name":"(?:approve|accept|answer|skip)"/);
    }
    expect(s.read("agents/stint/projects/prompt/logs/sessions/1/words.json")).toContain("over MCP");
  });

  it("a note reaches the next session's brief, done says what is checked, and the checks decide", async () => {
    const s = new Spoken();
    const result = await s.act(
      isolation,
      'stint note "the tests need port 8080" > "$TOLD/note"; echo $? >> "$TOLD/note"',
      'stint done > "$TOLD/done-$STINT_SESSION"; stint status > "$TOLD/status"; stint brief > "$TOLD/brief"',
      // Said to be done, and not done.
      '[ "$STINT_SESSION" = 1 ] && exit 0',
      ...WORK,
    );
    expect([result.code, result.state.status]).toEqual([0, "Done"]);
    expect(s.told("note")).toBe("Noted. It will be in the next session's brief, below Notes.\n0\n");
    expect(s.told("done-1")).toContain("by: `grep -q Hello hello.txt`. Exit now.");
    expect(s.task("english").attempts).toBe(2);
    expect(s.told("status")).toContain("session 3: t2, attempt 1. Done: 1 of 2.");
    expect(s.told("brief")).toBe(s.brief(3));
    expect(s.brief(1)).not.toContain("8080");
    expect(s.brief(2)).toContain("- Session 1: the tests need port 8080");
    expect(s.git("show", "main:prompt.md")).toContain("- Session 1: the tests need port 8080");
    expect(s.inbox()).toEqual([]);
  });

  it("S1-23 ask ends in the same question as the marker, and its answer is in the next brief", async () => {
    const s = new Spoken();
    const agent = s.agent(
      '[ "$STINT_ATTEMPT$STINT_TASK" = 1t1 ] && [ ! -e "$HERE/asked" ] && { touch "$HERE/asked"; stint ask "Which colour?"; exit 0; }',
      ...WORK,
    );
    const words = [...agent, "--isolation", isolation, "--no-wait"];
    const { code, state } = await s.run(...words);
    expect([code, state.status]).toEqual([3, "AwaitingApproval"]);
    expect(state.questions).toMatchObject([{ id: "q1", task_id: "t1", session: 1, text: "Which colour?", status: "open" }]);
    expect([s.inbox(), s.kinds("question-asked")]).toEqual([[], 1]);
    await s.say("answer", "q1", "Blue.");
    expect((await s.say("resume")).code).toBe(0);
    expect(s.brief(2)).toContain("Blue.");
  });

  it("sessions beside each other speak each for itself, into one inbox", async () => {
    const free = "  - after: none\n";
    const s = new Spoken(
      `## Goal\n\nSay hello.\n\n## Steps\n\n- [ ] english - Write hello.txt\n  - check: \`grep -q Hello hello.txt\`\n${free}- [ ] german - Write hallo.txt\n  - check: \`grep -q Hallo hallo.txt\`\n${free}`,
    );
    const agent = s.agent(
      'stint note "from $STINT_TASK"; stint status > "$TOLD/$STINT_TASK"',
      // Both are at work at once.
      'touch "$HERE/at-$STINT_TASK"; until [ -e "$HERE/at-t1" ] && [ -e "$HERE/at-t2" ]; do sleep 0.05; done',
      ...WORK,
    );
    const { code } = await s.run(...agent, "--isolation", isolation, "--parallel", "2");
    expect(code).toBe(0);
    for (const task of ["t1", "t2"]) {
      expect(s.told(task)).toContain(`: ${task}, attempt 1. Done: 0 of 2.`);
      expect(s.read("prompt.md")).toMatch(new RegExp(`- Session \\d: from ${task}\n`));
    }
    expect([s.inbox(), s.kinds("words-ignored")]).toEqual([[], 0]);
  });

  it("block ends in the same reason, dispatch in the same dispatch, propose in the same proposal", async () => {
    const s = new Spoken();
    await s.act(isolation, 'stint block "there is no network"', "exit 0");
    expect(s.task("english")).toMatchObject({ status: "blocked" });
    expect(JSON.stringify(s.task("english"))).toContain("there is no network");

    const sent = new Spoken();
    const { state } = await sent.act(
      isolation,
      '[ "$STINT_TASK" = t1 ] && stint dispatch "the design team" --returns message --deadline 3d',
      "exit 0",
    );
    expect(state.dispatches[0]).toMatchObject({ owner: "the design team", status: "sent", task_id: "t1", returns: { kind: "message" } });

    const one = new Spoken();
    const proposed = await one.act(isolation, '[ "$STINT_TASK" = t1 ] && stint propose "french - Write salut.txt"', ...WORK);
    expect(proposed.state.approval_items).toMatchObject([{ kind: "proposal", about: "session-1", status: "open" }]);
    expect(proposed.state.approval_items[0]?.subject).toContain("+- [ ] french - Write salut.txt");
    expect(one.read("prompt.md")).not.toContain("french");
    await one.say("accept", "a1");
    expect(one.read("prompt.md")).toContain("- [ ] french - Write salut.txt");

    const whole = new Spoken();
    const text = 'sed "s/two languages/three/" prompt.md > "$HERE/new.md"; stint propose --file "$HERE/new.md"';
    const { state: other } = await whole.act(isolation, `[ "$STINT_TASK" = t1 ] && { ${text}; }`, ...WORK);
    expect(other.approval_items[0]?.subject).toContain("+Say hello in three.");
    expect(whole.read("prompt.md")).toContain("two languages");
  });

  it("S2-23 no verb can approve, skip, accept or answer, nor can a word that is put into the inbox by hand", async () => {
    const s = new Spoken(`## Goal

Say hello in two languages.

## Steps

- [ ] english - Write hello.txt
  - check: \`grep -q Hello hello.txt\`
  - approve: before
- [ ] german - Write hallo.txt
  - check: \`grep -q Hallo hallo.txt\`
  - after: none
`);
    const verbs = ["approve a1", "deny a1 --reason x", "accept a1", "answer a1 yes", "skip t1 --reason x", "retry t1", "reopen t1 --reason x", "dispatch send t1 --to me --returns message", "dispatch cancel d1 --reason x", "dispatch adopt", "approve plan", "abandon --reason x", "stop", "pause"];
    const forged = ["approve", "answer", "accept", "skip", "deny"].map(
      (verb, n) => `printf '{"verb":"${verb}","text":"a1","seal":"%s"}' "$STINT_SEAL" > "$STINT_INBOX/s$STINT_SESSION-00000000000${n}-aaaaaaaa.json"`,
    );
    const result = await s.act(
      isolation,
      "N=0",
      ...verbs.map((verb) => `N=$((N+1)); stint ${verb} > "$TOLD/$N" 2>&1; echo "rc $?" >> "$TOLD/$N"`),
      ...forged,
      // A session that is another, with the own seal; a link; a pipe.
      `printf '{"verb":"ask","text":"forged?","seal":"%s"}' 00 > "$STINT_INBOX/s$STINT_SESSION-000000000006-aaaaaaaa.json"`,
      'printf \'{"verb":"ask","text":"later?","seal":"%s"}\' "$STINT_SEAL" > "$STINT_INBOX/s9-000000000006-aaaaaaaa.json"',
      'ln -s /etc/passwd "$STINT_INBOX/s$STINT_SESSION-000000000007-aaaaaaaa.json"',
      'mkfifo "$STINT_INBOX/s$STINT_SESSION-000000000008-aaaaaaaa.json"',
      'STINT_SESSION=9 stint note x > "$TOLD/other" 2>&1; echo "rc $?" >> "$TOLD/other"',
      'STINT_SEAL=00 stint note x > "$TOLD/unsealed" 2>&1; echo "rc $?" >> "$TOLD/unsealed"',
      'head -c 10000000 /dev/zero | tr "\\0" x | stint note - > "$TOLD/large" 2>&1; echo "rc $?" >> "$TOLD/large"',
      "echo Hallo > hallo.txt",
      "exit 0",
    );
    for (const [index, verb] of verbs.entries()) {
      expect(`${verb}: ${s.told(String(index + 1))}`).toMatch(/rc [26]\n$/);
    }
    expect(s.told("other")).toMatch(/is not the seal of session 9[^]*rc 2\n$/);
    expect(s.told("unsealed")).toMatch(/is not the seal of session 1[^]*rc 2\n$/);
    expect(s.told("large")).toMatch(/it is longer than 4000 characters[^]*rc 2\n$/);
    expect(result.state.approval_items).toMatchObject([{ id: "a1", status: "open" }]);
    expect(s.task("english").status).toBe("awaiting_approval");
    expect([s.task("german").status, result.state.questions]).toEqual(["done", []]);
    expect(s.kinds("words-ignored")).toBe(9);
    expect(s.inbox().filter((name) => !name.startsWith(".aside-"))).toEqual([]);
  });

  it("a run that is killed between a word and the session's end hears it once when it resumes", async () => {
    const s = new Spoken();
    const agent = s.agent(
      '[ -e "$HERE/asked" ] || { stint ask "Which colour?"; stint note "red is taken"; touch "$HERE/asked"; echo waiting; exec sleep 600; }',
      ...WORK,
    );
    const live = s.start("run", "prompt.md", ...agent, "--isolation", isolation, "--no-wait");
    await live.until("waiting");
    expect(s.inbox()).toHaveLength(2);
    live.kill();
    await live.ended;
    expect((await s.say("resume", "--no-wait")).code).toBe(3);
    expect(s.state().questions).toMatchObject([{ id: "q1", text: "Which colour?", session: 1 }]);
    await s.say("answer", "q1", "Blue.");
    expect((await s.say("resume")).code).toBe(0);
    expect([s.kinds("question-asked"), s.inbox()]).toEqual([1, []]);
    expect(s.brief(2).split("red is taken")).toHaveLength(2);
    expect(s.read("prompt.md").split("red is taken")).toHaveLength(2);
  });
});

it("outside of a session a verb is about the session in hand, and refused where there is none", async () => {
  const s = new Spoken();
  await s.say("new", "prompt.md");
  const verbs = ["note x", "ask x", "block x", "propose x", "dispatch x --returns message", "done"];
  for (const verb of verbs) {
    const { code, err } = await s.say(...verb.split(" "));
    expect([code, err]).toEqual([2, expect.stringContaining("needs an open session, and p-")]);
    expect(err).toMatch(/\(Draft\) has none\n {2}Begin one: stint brief p-\w+\n$/);
  }
  expect((await s.say("brief")).code).toBe(3);
});
