// What a person's yes covers, and what it does not: the gates in whole runs of the engine.
import {
  type Behaviour,
  EngineWorld,
  type PlannedTask,
  type Scenario,
} from "../../../test/support/engine-world.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { afterAll, describe, expect, it } from "vitest";
import type { Answer } from "../../core/answers.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { startApproval, startGate } from "./consent.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const session = (more: Partial<PlannedTask> = {}): PlannedTask =>
  ({ kind: "session", behaviours: ["works"], ...more }) as PlannedTask;

function world(tasks: readonly PlannedTask[], more: Partial<Scenario> = {}): EngineWorld {
  return new EngineWorld({ tasks, batch: 1, ...more }, folder.path);
}

const statuses = ({ state }: EngineWorld): string[] => state.tasks.map(({ status }) => status);
const items = ({ state }: EngineWorld): string[] =>
  state.approval_items.map(({ id, kind, status }) => `${id} ${kind} ${status}`);
const executed = (all: EngineWorld): string[] => all.executed.map(({ task }) => task);

const AFTER = ["approve: after"];

describe("S2-13 a yes to what a task executes", () => {
  it("is asked before it is split, and counts for its chunks", async () => {
    const keys = ["child: two", "actions: Lay it", "actions: Paint it"];
    const one = world([session(), session({ keys })]);
    one.whileWorking = () => {
      one.whileWorking = () => {};
      one.manifest = one.manifest.replace("`check n2`", "`check n2`\n  - check: `check n2 again`");
    };
    await one.run();
    expect(items(one)).toEqual(["a1 command open"]);
    expect(one.state.tasks.map(({ name }) => name)).toEqual(["n1", "n2"]);
    one.approve("a1");
    await one.run();
    expect([one.state.status, items(one)]).toEqual(["Done", ["a1 command granted"]]);
    expect(executed(one)).toEqual(["n1", "n2-1", "n2-2"]);
  });

  it("before it starts is asked before it is split, once", async () => {
    const keys = ["child: two", "actions: Lay it", "actions: Paint it", "approve: before"];
    const one = world([session({ keys })]);
    await one.run();
    expect([items(one), one.state.tasks.length]).toEqual([["a1 task-before open"], 1]);
    one.approve("a1");
    await one.run();
    expect([one.state.status, items(one).length]).toEqual(["Done", 1]);
  });
});

describe("one yes to a changed command is one yes", () => {
  /** What a person writes while the first session is at work. */
  const rewriting = (one: EngineWorld, edit: (text: string) => string): void => {
    one.whileWorking = () => {
      one.whileWorking = () => {};
      one.manifest = edit(one.manifest);
    };
  };
  const subjects = ({ state }: EngineWorld): string[] =>
    state.approval_items.map(({ kind, subject }) => `${kind}: ${subject}`);

  it("for every task that has the same one", async () => {
    const one = world([session(), session(), session()]);
    rewriting(one, (text) =>
      text.replaceAll(
        /`check (n[23])`/g,
        "`check $1`\n  - check: `check n1`\n  - check: `check n1 so`",
      ),
    );
    await one.run();
    expect(items(one)).toEqual(["a1 command open"]);
    expect(one.state.approval_items[0]?.on_yes).toBe(
      "Stint may execute exactly this in every task that has it: t2, t3",
    );
    one.approve("a1");
    await one.run();
    expect([one.state.status, items(one)]).toEqual(["Done", ["a1 command granted"]]);
  });

  it("where the start of its task is asked about, with the command in it", async () => {
    const one = world([session(), session({ keys: ["approve: before"] })]);
    rewriting(one, (text) => text.replace("`check n2`", "`check n2 otherwise`"));
    await one.run();
    expect(subjects(one)).toEqual([expect.stringContaining("`check n2 otherwise`")]);
    one.approve("a1");
    await one.run();
    expect([one.state.status, items(one)]).toEqual(["Done", ["a1 task-before granted"]]);
  });

  it("also where another one comes after it: only that is asked about", async () => {
    const one = world([session(), session()]);
    rewriting(one, (text) => text.replace("`check n2`", "`check n2 first`"));
    await one.run();
    expect(subjects(one)).toEqual(["command: check n2 first"]);
    one.approve("a1");
    one.manifest = one.manifest.replace(
      "`check n2 first`",
      "`check n2 first`\n  - check: `check n2 second`",
    );
    await one.run();
    expect(subjects(one)).toEqual(["command: check n2 first", "command: check n2 second"]);
    one.approve("a2");
    await one.run();
    expect([one.state.status, items(one).length]).toEqual(["Done", 2]);
  });
});

describe("a yes to an output", () => {
  it("of a task without checks is followed by its box and its commit", async () => {
    const one = world([session({ keys: AFTER, isUnchecked: true })]);
    await one.run();
    one.approve("a1");
    await one.run();
    const [task] = one.state.tasks;
    expect(task).toMatchObject({
      status: "done",
      evidence: [{ kind: "diff" }, { kind: "person", who: "person" }],
      commit: "c1",
    });
    expect(one.manifest).toContain("[x] n1");
    expect(one.state.status).toBe("Done");
  });

  it("given while the project is paused is followed by them as well", async () => {
    const one = world([session({ keys: AFTER, isUnchecked: true })]);
    await one.run();
    one.answer(() => ({ verb: "pause", now: false, reason: "later" }));
    one.approve("a1");
    await one.run();
    expect([one.state.status, one.commits.length, executed(one)]).toEqual(["Done", 1, ["n1"]]);
  });

  it("is no yes to what a person committed since, which is checked with it", async () => {
    const one = world([session({ keys: AFTER })]);
    await one.run();
    one.edit("stray.js", "from somewhere else");
    const checked: boolean[] = [];
    one.whileChecking = () => checked.push(one.there.includes("stray.js"));
    one.approve("a1");
    await one.run();
    expect(one.commits.map(({ paths }) => paths)).toEqual([["n1.js"]]);
    // A check that passes at once is run once more.
    expect(checked).toEqual([true, true]);
  });

  it("is no yes to what a hook makes of it as it is committed", async () => {
    const one = world([session({ keys: AFTER })], { hookRewrites: "n1" });
    await one.run();
    one.approve("a1");
    await one.run();
    expect(one.state.tasks[0]).toMatchObject({
      status: "blocked",
      reason: expect.stringContaining("they are not what was approved (a1)"),
    });
    expect(one.manifest).toContain("[ ] n1");
  });

  it("S2-10 is no yes to an excess that `limits: strict` forbids", async () => {
    const keys = [...AFTER, "limit: files 0"];
    const one = world([session({ keys })], { settings: "limits: strict" });
    await one.run();
    one.answer(() => ({ verb: "pause", now: false, reason: "later" }));
    one.approve("a1");
    await one.run();
    expect(items(one)).toEqual(["a1 task-after granted", "a2 limit open"]);
    one.approve("a2");
    await one.run();
    expect([statuses(one), executed(one)]).toEqual([["done"], ["n1"]]);
  });

  it("S2-10 to an excess is one to what the task made, whatever a person commits beside it", async () => {
    const one = world([session({ keys: ["limit: files 0"] })], { settings: "limits: strict" });
    await one.run();
    expect(one.state.approval_items[0]?.subject).toContain('"n1.js"');
    one.edit("notes.js", "a person's");
    expect(one.approve("a1").outcome).toBe("applied");
    await one.run();
    expect([statuses(one), executed(one)]).toEqual([["done"], ["n1"]]);
    expect(one.commits.map(({ paths }) => paths)).toEqual([["n1.js"]]);
  });

  it("comes before the work on what depends on it, also within one session", async () => {
    const one = world([session({ keys: AFTER }), session(), session({ keys: ["check: review"] })], {
      batch: 3,
    });
    await one.run();
    expect(executed(one)).toEqual(["n1"]);
    one.approve("a1");
    await one.run();
    expect([executed(one), items(one)]).toEqual([
      ["n1", "n2", "n3"],
      ["a1 task-after granted", "a2 task-after open"],
    ]);
    // What nobody has said yes to is in nobody's commit.
    expect(one.commits.map(({ tasks }) => tasks)).toEqual([["t1"], ["t2"]]);
    expect(one.commits[1]?.files).not.toContain("n3.js");
  });

  it("is void once a no to something else has blocked the task", async () => {
    const keys = [...AFTER, "limit: files 0"];
    const one = world([session({ keys })], { settings: "limits: strict" });
    await one.run();
    one.approve("a1");
    await one.run();
    one.deny("a2");
    await one.run({ retry: true });
    expect([executed(one), items(one).at(-1)]).toEqual([["n1", "n1"], "a3 task-after open"]);
  });
});

describe("a pause that a person asked for while a session worked", () => {
  it("is one also where the run then comes to a gate, which is met again", async () => {
    const one = world([session({ keys: AFTER }), session()]);
    await one.run({ pauseWanted: () => one.executed.length > 0 });
    expect([one.state.status, one.state.pause?.reason]).toEqual(["Paused", "lunch"]);
    await one.run();
    expect([one.state.status, items(one)]).toEqual(["AwaitingApproval", ["a1 task-after open"]]);
  });
});

describe("an output that others changed while it waited", () => {
  async function meddled(): Promise<EngineWorld> {
    const other = session({ behaviours: ["meddles"], keys: ["after: none"] });
    const one = world([session({ keys: AFTER, behaviours: ["works", "works-anew"] }), other]);
    await one.run();
    return one;
  }

  it("is asked about as it was made, and is in nobody else's commit", async () => {
    const one = await meddled();
    expect([statuses(one), items(one)]).toEqual([
      ["awaiting_approval", "done"],
      ["a1 task-after open"],
    ]);
    expect(one.commits.map(({ tasks }) => tasks)).toEqual([["t2"]]);
  });

  it("replaces nothing of theirs by a yes: it is worked on again, with both named, and asked anew", async () => {
    const one = await meddled();
    expect(one.approve("a1").outcome).toBe("applied");
    await one.run();
    expect([one.manifest.includes("[ ] n1"), one.files["n1.js"]]).toEqual([true, "by n2"]);
    expect(executed(one)).toEqual(["n1", "n2", "n1"]);
    expect(one.briefs.at(-1)).toContain("Others have changed these files since");
    expect(items(one)).toEqual(["a1 task-after granted", "a2 task-after open"]);
    one.approve("a2");
    await one.run();
    expect([one.state.status, one.commits.map(({ tasks }) => tasks)]).toEqual([
      "Done",
      [["t2"], ["t1"]],
    ]);
  });

  it("is in no commit after a no", async () => {
    const one = await meddled();
    one.deny("a1");
    await one.run();
    expect([one.state.status, one.commits.map(({ tasks }) => tasks)]).toEqual([
      "Blocked",
      [["t2"]],
    ]);
  });

  it("leaves what a person committed in its place as well", async () => {
    const one = world([session({ keys: AFTER })]);
    await one.run();
    one.edit("n1.js", "mended by hand");
    expect(one.approve("a1").outcome).toBe("applied");
    await one.run();
    expect([one.files["n1.js"], one.commits]).toEqual(["mended by hand", []]);
    expect(items(one)).toEqual(["a1 task-after granted", "a2 task-after open"]);
  });
});

describe("a no to an output", () => {
  it("counts for these very files, which a session leaves again", async () => {
    const one = world([session({ keys: AFTER })]);
    await one.run();
    one.deny("a1");
    await one.run({ retry: true });
    expect([items(one), statuses(one)]).toEqual([["a1 task-after denied"], ["blocked"]]);
    expect(one.state.tasks[0]?.last_failure).toMatchObject({
      check: expect.stringMatching(/^review: person denied it: ./),
      excerpt: expect.stringContaining("still the one that person denied"),
    });
  });
});

describe("a yes to an act", () => {
  const act = (more: Partial<PlannedTask> = {}): PlannedTask =>
    ({ kind: "act", succeeds: true, hasCheck: true, keys: AFTER, ...more }) as PlannedTask;

  it("is void once its check failed, so that a second act is asked about again", async () => {
    const one = world([act()]);
    await one.run();
    one.approve("a1");
    one.failing.add("n1");
    await one.run();
    expect(statuses(one)).toEqual(["blocked"]);
    // It fails until the act happens once more.
    one.whileChecking = () => {
      if (executed(one).length > 1) one.failing.clear();
    };
    await one.run({ retry: true });
    expect([executed(one), statuses(one)]).toEqual([["n1", "n1"], ["awaiting_approval"]]);
    expect(items(one)).toEqual(["a1 task-after granted", "a2 task-after open"]);
  });

  it("is no yes to another act that a person wrote in its place", async () => {
    const one = world([act({ hasCheck: false })]);
    await one.run();
    one.approve("a1");
    one.manifest = one.manifest.replace("succeeds", "succeeds twice");
    await one.run();
    one.approve("a2");
    await one.run();
    expect(items(one)).toEqual([
      "a1 task-after granted",
      "a2 command granted",
      "a3 task-after open",
    ]);
  });

  it("is evidence with the person's name, beside the act and its check", async () => {
    const one = world([act()]);
    await one.run();
    one.approve("a1");
    await one.run();
    expect(one.state.tasks[0]).toMatchObject({
      status: "done",
      evidence: [
        { kind: "check", path: expect.stringContaining("act.json") },
        { kind: "check" },
        { kind: "person", who: "person" },
      ],
    });
  });

  it("is asked for where `limits: strict` forbids how much it changed", async () => {
    const one = world([act({ keys: ["limit: files 0"] })], { settings: "limits: strict" });
    await one.run();
    expect([statuses(one), items(one)]).toEqual([["awaiting_approval"], ["a1 limit open"]]);
    one.approve("a1");
    await one.run();
    expect([statuses(one), executed(one)]).toEqual([["done"], ["n1"]]);
  });

  it("is no longer waited for after a no: who wants it tried again wants it done again", async () => {
    const one = world([act()]);
    await one.run();
    one.deny("a1");
    await one.run({ retry: true });
    expect([executed(one), items(one).at(-1)]).toEqual([["n1", "n1"], "a2 task-after open"]);
  });
});

describe("a yes to files that hold back a commit", () => {
  it("is one to them as the task left them, whatever a person does to theirs", async () => {
    const one = world([session({ behaviours: ["leaks"] }), session()]);
    await one.run();
    expect([items(one), one.commits]).toEqual([["a1 destructive open"], []]);
    one.edit("secret.js", "another one");
    await one.run();
    expect([items(one), one.commits]).toEqual([["a1 destructive open"], []]);
    one.approve("a1");
    await one.run();
    expect([one.state.status, one.commits.map(({ paths }) => paths)]).toEqual([
      "Done",
      [[".env", "n1.js"], ["n2.js"]],
    ]);
  });

  it("is asked for anew where another task left something else under the same name", async () => {
    const leaking = (more = {}) => session({ behaviours: ["leaks"], ...more });
    const one = world([leaking({ keys: AFTER }), leaking({ keys: ["after: none"] })]);
    await one.run();
    expect(items(one)).toEqual(["a1 task-after open", "a2 destructive open"]);
    one.approve("a1");
    await one.run();
    // The commit of the first one comes first now, and with another content.
    expect([items(one).slice(1), one.commits]).toEqual([
      ["a2 destructive withdrawn", "a3 destructive open"],
      [],
    ]);
    one.approve("a3");
    await one.run();
    expect([statuses(one), one.files[".env"]]).toEqual([["done", "blocked"], "of n1"]);
  });
});

describe("a task that another one overtook", () => {
  const overtaken = (second: Behaviour) =>
    world([
      session({ behaviours: ["asks", second], isUnchecked: true }),
      session({ keys: ["after: none"] }),
    ]);
  const answer = (one: EngineWorld): unknown => one.answerQuestion("q1", "blue");

  it("is not done by what the other one changed", async () => {
    const one = overtaken("nothing");
    await one.run();
    expect(statuses(one)[1]).toBe("done");
    answer(one);
    await one.run();
    expect([one.state.status, statuses(one)]).toEqual(["Blocked", ["blocked", "done"]]);
  });

  it("is done by what its own sessions changed", async () => {
    const one = overtaken("works");
    await one.run();
    answer(one);
    await one.run();
    expect([one.state.status, statuses(one)]).toEqual(["Done", ["done", "done"]]);
  });

  it("commits nothing that the other one left unfinished", async () => {
    const one = world([
      session({ behaviours: ["asks", "works"] }),
      session({ behaviours: ["works-and-asks", "nothing"], keys: ["after: none"] }),
    ]);
    await one.run();
    answer(one);
    await one.run();
    expect(statuses(one)[0]).toBe("done");
    expect(one.commits.map(({ tasks, paths }) => [tasks, paths])).toEqual([[["t1"], ["n1.js"]]]);
  });
});

describe("a task that a person wants done again", () => {
  const reopen = (one: EngineWorld): unknown =>
    one.answer(({ tasks }) => ({
      verb: "reopen",
      task: tasks[0]?.id as never,
      reason: "the names are wrong",
    }));

  it("is worked on although its checks pass, and the session is told why", async () => {
    const one = world([session({ behaviours: ["works-anew"] }), session()]);
    await one.run();
    reopen(one);
    expect(one.manifest).toContain("[ ] n1");
    await one.run();
    expect([one.state.status, executed(one)]).toEqual(["Done", ["n1", "n2", "n1"]]);
    expect(one.briefs.map((brief) => brief.includes("the names are wrong"))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it("is not done by a session that changes nothing, though a check that can tell still passes", async () => {
    const one = world([session({ behaviours: ["works", "nothing"] })]);
    await one.run();
    reopen(one);
    await one.run();
    expect([one.state.status, statuses(one)]).toEqual(["Blocked", ["blocked"]]);
    expect(one.commits).toHaveLength(1);
  });

  it("without a check, it is not done by a session that changes nothing", async () => {
    const one = world([session({ behaviours: ["works", "nothing"], isUnchecked: true })]);
    await one.run();
    reopen(one);
    await one.run();
    expect([one.state.status, statuses(one)]).toEqual(["Blocked", ["blocked"]]);
  });

  it("S0-3 is the same for a box that a person unchecked", async () => {
    const one = world([
      session({ behaviours: ["works-anew"] }),
      session({ behaviours: ["nothing"] }),
    ]);
    await one.run();
    one.manifest = one.manifest.replace("[x] n1", "[ ] n1");
    await one.run();
    expect(executed(one).filter((task) => task === "n1")).toHaveLength(2);
    expect(one.state.tasks[0]).toMatchObject({ status: "done", reopened: { attempts: 1 } });
  });

  it("has lost the yes that it had", async () => {
    const one = world([session({ behaviours: ["works-anew"], keys: AFTER })]);
    await one.run();
    one.approve("a1");
    await one.run();
    reopen(one);
    await one.run();
    expect(items(one)).toEqual(["a1 task-after granted", "a2 task-after open"]);
    expect(one.state.approval_items[1]?.subject).toContain('"n1.js"');
  });
});

describe("an answer to a session that asked when its check already passed", () => {
  it.each(["works-and-asks", "works-and-wants-approval"] as const)(
    "is told to a session before the task is done: %s",
    async (asking) => {
      const one = world([session({ behaviours: [asking, "nothing"] })]);
      await one.run();
      expect(executed(one)).toEqual(["n1"]);
      if (asking === "works-and-asks") {
        one.answer(({ questions }) => ({
          verb: "answer",
          question: questions[0]?.id as never,
          text: "port 8080",
        }));
      } else one.approve("a1");
      await one.run();
      expect([one.state.status, executed(one)]).toEqual(["Done", ["n1", "n1"]]);
      expect(one.briefs[1]).toContain(asking === "works-and-asks" ? "port 8080" : "delete n1");
    },
  );

  it("is told to one also where it was a no", async () => {
    const one = world([session({ behaviours: ["works-and-wants-approval", "nothing"] })]);
    await one.run();
    one.deny("a1");
    await one.run({ retry: true });
    expect([one.state.status, executed(one)]).toEqual(["Done", ["n1", "n1"]]);
    expect(one.briefs[1]).toContain("did not approve");
  });
});

describe("a question before a task starts", () => {
  const gated = (): EngineWorld => world([session({ keys: ["approve: before"] })]);

  it("is asked anew when the task was reworded, and the old one takes no yes", async () => {
    const one = gated();
    await one.run();
    one.manifest = one.manifest.replace("number 1", "number one");
    await one.run();
    expect(items(one)).toEqual(["a1 task-before withdrawn", "a2 task-before open"]);
    expect(one.approve("a1").outcome).toBe("refused");
    expect(executed(one)).toEqual([]);
  });

  it("shows all that the task says, and a yes to it is none to other sub-steps", async () => {
    const one = world([session({ keys: ["in the staging database", "approve: before"] })]);
    await one.run();
    const [item] = one.state.approval_items;
    expect(item?.subject.split("\n")).toContain("- in the staging database");
    one.approve("a1");
    one.manifest = one.manifest.replace("staging", "production");
    await one.run();
    expect(items(one)).toEqual(["a1 task-before granted", "a2 task-before open"]);
    expect(executed(one)).toEqual([]);
    one.approve("a2");
    await one.run();
    expect(one.state.status).toBe("Done");
  });

  it("is taken back when a person takes the gate away", async () => {
    const one = gated();
    await one.run();
    one.manifest = one.manifest.replace("  - approve: before\n", "");
    await one.run();
    expect([items(one), one.state.status]).toEqual([["a1 task-before withdrawn"], "Done"]);
  });

  it("about a command is taken back when another one is there, or all were allowed", async () => {
    const one = world([session({ behaviours: ["wants-approval", "works"] })]);
    await one.run();
    one.manifest = one.manifest.replace("`check n1`", "`check n1 well`");
    one.approve("a1");
    await one.run();
    one.manifest = one.manifest.replace("`check n1 well`", "`check n1 better`");
    await one.run();
    const asked = ["a1 destructive granted", "a2 command withdrawn"];
    expect(items(one)).toEqual([...asked, "a3 command open"]);
    one.answer(({ manifest }) => ({ verb: "approve-plan", digest: manifest.digest }));
    await one.run();
    expect([items(one), one.state.status]).toEqual([[...asked, "a3 command withdrawn"], "Done"]);
  });
});

describe("a yes to every start, given ahead", () => {
  const scripts = { dirOf: () => "", trees: [() => undefined] };
  const gatesOf = (state: ProjectState): Answer => ({
    verb: "approve-gates",
    gates: state.tasks.flatMap((task) => {
      const gate = startGate(task, "ask", scripts);
      const now = { at: state.updated_at, by: "person" };
      return gate === null ? [] : [startApproval(task, gate, now).approval];
    }),
  });
  const gated = (): EngineWorld =>
    world([session({ keys: ["in staging", "approve: before"] }), session({ keys: AFTER })]);

  it("lets them start unasked; an output is asked about all the same", async () => {
    const one = gated();
    one.answer(gatesOf);
    await one.run();
    expect([items(one), statuses(one)]).toEqual([
      ["a1 task-before granted", "a2 task-after open"],
      ["done", "awaiting_approval"],
    ]);
  });

  it("is void for a task that is reworded after it", async () => {
    const one = gated();
    one.answer(gatesOf);
    one.manifest = one.manifest.replace("in staging", "in production");
    await one.run();
    expect(items(one)[1]).toBe("a2 task-before open");
    expect(executed(one)).toEqual([]);
  });

  it("is refused where a task is no longer what was shown", () => {
    const one = gated();
    one.answer((state) => {
      const { gates } = gatesOf(state) as Extract<Answer, { verb: "approve-gates" }>;
      return { verb: "approve-gates", gates: gates.map((gate) => ({ ...gate, subject: "other" })) };
    });
    expect(items(one)).toEqual([]);
    expect(one.journal.at(-1)).toMatchObject({
      kind: "answer-refused",
      summary: "t1 is no longer what you were shown; nothing was approved",
    });
  });
});

describe("a setup or a server that came into the manifest", () => {
  const front = `---\nsetup: [npm ci, make]\nserve: npm start ready GET http://localhost:1/\n---\n`;

  /** Its plan is approved, and a session asked something. */
  async function underWay(): Promise<EngineWorld> {
    const one = world([session({ behaviours: ["wants-approval", "works"] }), session()]);
    await one.run();
    one.approve("a1");
    return one;
  }

  it("is not executed before a person says yes, once for all tasks", async () => {
    const one = await underWay();
    one.manifest = front + one.manifest;
    await one.run();
    expect(items(one)).toEqual(["a1 destructive granted", "a2 command open"]);
    expect(one.state.approval_items[1]?.subject).toBe("npm ci\nmake\nnpm start");
    expect([statuses(one).includes("done"), one.inside]).toEqual([false, []]);
    one.approve("a2");
    await one.run();
    expect(one.inside.filter((command) => command !== "npm start")).toEqual(["npm ci", "make"]);
    expect(items(one)).toEqual(["a1 destructive granted", "a2 command granted"]);
    expect(statuses(one)).toEqual(["done", "done"]);
  });

  it("is asked about together with the new commands of a task, and then for no other", async () => {
    const one = await underWay();
    one.manifest = front + one.manifest.replace("`check n1`", "`check n1 well`");
    await one.run();
    expect(one.state.approval_items[1]?.subject).toBe("npm ci\nmake\nnpm start\ncheck n1 well");
    one.approve("a2");
    await one.run();
    expect(items(one)).toEqual(["a1 destructive granted", "a2 command granted"]);
    expect(statuses(one)).toEqual(["done", "done"]);
  });

  it("is allowed by a yes to the plan that has it", async () => {
    const one = world([session()]);
    one.manifest = front + one.manifest;
    await one.run();
    expect([items(one), one.inside]).toEqual([["a1 command open"], []]);
    one.answer(({ manifest }) => ({ verb: "approve-plan", digest: manifest.digest }));
    await one.run();
    expect([items(one), statuses(one)]).toEqual([["a1 command withdrawn"], ["done"]]);
  });
});

describe("gates across a crash after every effect", () => {
  const tasks: readonly PlannedTask[] = [
    session({ keys: AFTER, isUnchecked: true }),
    session({ keys: ["approve: before", "after: none"] }),
    { kind: "act", succeeds: true, hasCheck: true, keys: AFTER },
    session({ behaviours: ["leaks"], keys: AFTER }),
    session({ behaviours: ["wants-approval", "works"] }),
  ];

  /** Every question is answered with yes, once the run has come to it; one crash on the way. */
  async function story(crash: { readonly run: number; readonly at: number } | null) {
    const one = world(tasks);
    const effects: number[] = [];
    for (let run = 0; run < 20 && one.state.status !== "Done"; run += 1) {
      const crashAt = crash?.run === run ? crash.at : Number.POSITIVE_INFINITY;
      // An act that was cut short is tried again by somebody who has looked.
      const retry = one.state.status === "Blocked";
      // oxlint-disable-next-line no-await-in-loop
      effects.push(await one.run({ crashAt, retry }));
      const open = one.state.approval_items.filter(({ status }) => status === "open");
      const settled = crashAt === Number.POSITIVE_INFINITY ? open : [];
      for (const { id } of settled) expect(one.approve(id).outcome).toBe("applied");
    }
    return { one, effects };
  }

  const told = ({ state, commits, violations }: EngineWorld) => ({
    status: state.status,
    items: state.approval_items.map(({ kind, task_id, status }) => `${kind} ${task_id} ${status}`),
    commits: commits.map(({ tasks: of, paths }) => [of, paths]),
    violations,
  });

  it("S3-1 come out the same: nobody is asked twice, nothing is done before a yes", async () => {
    const whole = await story(null);
    const wanted = told(whole.one);
    expect(wanted).toMatchObject({ status: "Done", violations: [] });
    expect(wanted.items).toHaveLength(6);
    for (const [run, count] of whole.effects.entries()) {
      for (let at = 1; at <= count; at += 1) {
        // oxlint-disable-next-line no-await-in-loop
        const { one } = await story({ run, at });
        expect([run, at, told(one)]).toEqual([run, at, wanted]);
      }
    }
  });
});

describe("a manifest that a person changed while a session was cut short", () => {
  /** The session has done its work when everything is killed; then the manifest is another one. */
  async function cutShort(): Promise<EngineWorld> {
    for (let crashAt = 1; ; crashAt += 1) {
      const one = world([session()]);
      // oxlint-disable-next-line no-await-in-loop
      await one.run({ crashAt });
      if (!one.wasSessionCut || !one.there.includes("n1.js")) continue;
      one.manifest += "- [ ] n2 - Do something else\n";
      return one;
    }
  }

  it("is theirs and adopted, for no session writes there; nobody is asked whose it is", async () => {
    const one = await cutShort();
    await one.run();
    expect(items(one)).toEqual([]);
    expect(one.state.tasks.map(({ name }) => name)).toEqual(["n1", "n2"]);
    expect(one.commits[0]).toMatchObject({ tasks: ["t1"], paths: ["n1.js"] });
  });
});
