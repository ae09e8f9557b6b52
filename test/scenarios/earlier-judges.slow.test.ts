// A task weakens the test of a later one: that is seen when the later task is judged, and told to whoever reads the end.
// Next to it, work of earlier tasks on the same tests that weakens nothing.
import { afterAll, describe, expect, it } from "vitest";
import { type Act, Scenario, type Script } from "../support/scenario.ts";

const scenes: Scenario[] = [];

afterAll(() => {
  for (const made of scenes) made.close();
});

const TEST = `const test = require("node:test");
const assert = require("node:assert");
const { add } = require("../add.js");
test("adds", () => { assert.equal(add(1, 2), 3); });
`;
const WEAK = TEST.replace("assert.equal(add(1, 2), 3)", "1");
const PACKAGE = '{ "private": true, "scripts": { "test": "node --test" } }\n';
const BROKEN = "exports.add = () => 0;\n";
const ADD = "exports.add = (a, b) => a + b;\n";

function write(path: string, text: string): Act {
  return { act: "write", path, text };
}

const STEPS = `- [ ] first - Say hello
  - check: \`grep -q hello NOTES.txt\`
- [ ] second - Fix add
  - check: \`npm test\`
`;

function scene(
  files: Readonly<Record<string, string>>,
  settings = "",
  steps: string = STEPS,
): Scenario {
  const manifest = `${settings}## Goal\n\nTwo tasks.\n\n## Steps\n\n${steps}`;
  const made = new Scenario({ manifest, files });
  scenes.push(made);
  return made;
}

const FILES = { "package.json": PACKAGE, "add.js": BROKEN, "test/a.test.js": TEST };
const HELLO = write("NOTES.txt", "hello\n");
const LATER = write("add.js", `${BROKEN}// later\n`);

describe("an earlier task that weakened the test of a later one", () => {
  const script: Script = { first: [HELLO, write("test/a.test.js", WEAK)], second: [LATER] };

  it("is named in the label of the later task, and at the end of the run", async () => {
    const s = scene(FILES);
    const { state, out } = await s.play(script);
    const why =
      "`npm test` failed until t1 changed test/a.test.js, and fails with that as it was before; t1 weakened test/a.test.js: 1 assertion removed";
    expect(state.status).toBe("Done");
    expect(s.task("second")).toMatchObject({
      labels: ["not-discriminating", "self-judged"],
      label_reasons: { "self-judged": why },
    });
    expect(out.replaceAll(/\s+/g, " ")).toContain(`Look at: t2 is self-judged: ${why}`);
  });

  it("stops the later task where that is strict", async () => {
    const s = scene(FILES, "---\nstrict: true\n---\n\n");
    const { state } = await s.play(script);
    expect([state.status, s.task("first").status]).toEqual(["Blocked", "done"]);
    expect(s.task("second").last_failure?.check).toBe("self-judged: `npm test`");
  });

  it("is also found if it deleted the test", async () => {
    const s = scene({ ...FILES, "test/b.test.js": 'require("node:test")("is there", () => {});\n' });
    await s.play({ ...script, first: [HELLO, { act: "delete", path: "test/a.test.js" }] });
    expect(s.task("second").label_reasons?.["self-judged"]).toContain("until t1 changed test/a.test.js");
  });

  it("is also found if the test points to a new file since", async () => {
    const s = scene(FILES);
    const fake = TEST.replace("node:assert", "../util/assert.js");
    await s.play({
      first: [
        HELLO,
        write("test/a.test.js", fake),
        write("util/assert.js", "exports.equal = () => {};\n"),
      ],
      second: [LATER],
    });
    expect(s.task("second").labels).toEqual(["not-discriminating", "self-judged"]);
  });
});

describe("one that weakened the test of a task whose work another check proves", () => {
  it("is named in the label of that task", async () => {
    const steps = STEPS.replace("Fix add\n", "Fix add\n  - check: `grep -q later add.js`\n");
    const s = scene(FILES, "", steps);
    await s.play({ first: [HELLO, write("test/a.test.js", WEAK)], second: [LATER] });
    expect(s.task("second").labels).toEqual(["self-judged"]);
  });
});

describe("one that brought new settings to what a later task is judged by", () => {
  it("is named in the label of that task", async () => {
    const makefile = "SAY = grep -q add add.js && grep -q 'a + b' add.js\n-include *.mk\ncheck:\n\t$(SAY)\n";
    const s = scene({ ...FILES, Makefile: makefile }, "", STEPS.replace("npm test", "make check"));
    await s.play({ first: [HELLO, write("own.mk", "SAY = true\n")], second: [LATER] });
    expect(s.task("second").label_reasons?.["self-judged"]).toBe(
      "`make check` failed until t1 changed own.mk, and fails with that as it was before",
    );
  });
});

describe("a task whose check was red, and that another task turned green meanwhile", () => {
  const steps = `- [ ] fix - Fix add
  - after: none
  - check: \`npm test\`
- [ ] other - Say hello
  - after: none
  - check: \`grep -q hello NOTES.txt\`
`;
  const why =
    "`npm test` failed until t2 changed test/a.test.js, and fails with that as it was before; t2 weakened test/a.test.js: 1 assertion removed";
  /** The first one is blocked before the other does this, and is tried again after it. */
  const retried = async (other: readonly Act[], settings = "", fix: readonly Act[] = []) => {
    const s = scene(FILES, settings, steps);
    await s.play({ fix: [[], [], []], other: [HELLO, ...other] });
    expect([s.task("fix").status, s.task("other").status]).toEqual(["blocked", "done"]);
    const sessions = s.state().counters.sessions;
    const script = s.program("again.json", JSON.stringify({ tasks: { fix } }));
    await s.say("resume", s.state().project_id, "--retry", "--agent", `scripted:${script}`);
    return { s, sessions: s.state().counters.sessions - sessions };
  };

  it("is self-judged if that one weakened the test", async () => {
    const { s, sessions } = await retried([write("test/a.test.js", WEAK)]);
    expect(sessions).toBe(0);
    expect(s.task("fix")).toMatchObject({
      status: "done",
      labels: ["self-judged"],
      label_reasons: { "self-judged": why },
    });
    expect((await s.say("verify")).code).toBe(0);
  });

  it("stays to be done where it is strict, and can be done", async () => {
    const strict = "---\nstrict: true\n---\n\n";
    const idle = await retried([write("test/a.test.js", WEAK)], strict);
    expect([idle.sessions, idle.s.task("fix").status]).toEqual([1, "blocked"]);
    expect(idle.s.task("fix").last_failure?.excerpt).toContain(why);
    const worked = await retried([write("test/a.test.js", WEAK)], strict, [write("add.js", ADD)]);
    expect(worked.s.task("fix")).toMatchObject({ status: "done" });
    expect(worked.s.task("fix").labels ?? []).toEqual([]);
  });

  it("needs no session and gets no label if that one did the work", async () => {
    const improved = TEST.replace("1, 2), 3", "2, 2), 4");
    const { s, sessions } = await retried([
      write("add.js", ADD),
      write("test/a.test.js", improved),
    ]);
    expect([sessions, s.task("fix").status, s.task("fix").labels ?? []]).toEqual([0, "done", []]);
  });
});

describe("an earlier task on the same tests", () => {
  const SECOND: readonly [string, Readonly<Record<string, string>>, readonly Act[]][] = [
    ["did the work that they ask for", FILES, [HELLO, write("add.js", ADD)]],
    [
      "did that work and improved them",
      FILES,
      [HELLO, write("add.js", ADD), write("test/a.test.js", TEST.replace("1, 2), 3", "2, 2), 4"))],
    ],
    [
      "changed what they ask for while they were green",
      { ...FILES, "add.js": ADD },
      [
        HELLO,
        write("add.js", "exports.add = (a, b) => a + b + 1;\n"),
        write("test/a.test.js", TEST.replace("1, 2), 3", "1, 2), 4")),
      ],
    ],
    [
      "set them up",
      { "package.json": '{ "private": true }\n', "add.js": ADD },
      [HELLO, write("package.json", PACKAGE), write("test/a.test.js", TEST)],
    ],
  ];

  it.each(SECOND)("%s: the later one is not called self-judged", async (_, files, first) => {
    const s = scene(files);
    const { state } = await s.play({ first, second: [write("src/more.js", "exports.more = 1;\n")] });
    expect(state.status).toBe("Done");
    expect(s.task("second").labels).toEqual(["not-discriminating"]);
  });
});
