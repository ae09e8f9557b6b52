// Every operation has its door, every verb its schema; and what verbs really print satisfies them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type * as z from "zod/mini";
import { VERBS } from "../src/cli/verbs.ts";
import { journalEntry, projectState, lease } from "../src/core/schema/project.ts";
import * as views from "../src/core/schema/views.ts";
import { ANSWER_VERBS } from "../src/operations/answers/answer-verbs.ts";
import { CommandLineBench, TWO_TASKS } from "./support/command-line.ts";
import { REPOSITORY } from "./support/generated-files.ts";

/** Verb → the file of its operation; the verbs that answer have one operation, and a list of their own. */
const DOORS: Record<string, string> = {
  agents: "doctor/doctor.ts",
  ask: "in-session.ts",
  block: "in-session.ts",
  brief: "in-session.ts",
  clean: "clean.ts",
  config: "settings/config.ts",
  deliver: "deliver.ts",
  demo: "demo.ts",
  diff: "diff.ts",
  dispatch: "dispatch.ts",
  doctor: "doctor/doctor.ts",
  done: "in-session.ts",
  edit: "edit.ts",
  init: "init/init.ts",
  iterate: "iterate.ts",
  lint: "lint.ts",
  list: "status.ts",
  log: "status.ts",
  mcp: "mcp-install.ts",
  new: "new-project.ts",
  note: "in-session.ts",
  plan: "plan.ts",
  propose: "in-session.ts",
  results: "dispatch.ts",
  run: "run/run.ts",
  shell: "shell.ts",
  show: "look/show.ts",
  skills: "skills.ts",
  status: "status.ts",
  verify: "verify.ts",
  watch: "run/watch-run.ts",
  watchdog: "watchdog/watchdog.ts",
};

/** Files of operations/ that are no operation, and why. */
const PARTS: Record<string, string> = {
  "answers/answer-verbs.ts": "the list of the verbs that answer",
  "answers/named-item.ts": "finds what an answer names",
  "answers/send-answer.ts": "the operation of all verbs that answer",
  "bare-session.ts": "the verbs of a session where no run has started it",
  "bounds-view.ts": "the part of plan and status that only work with bounds has",
  "doctor/checkout-findings.ts": "what doctor finds of git, the repository and the manifest",
  "doctor/registry-findings.ts": "what doctor finds of the registry, and repairs there",
  "doctor/machine-findings.ts": "what doctor finds of the machine itself",
  "doctor/records-beside.ts":
    "what clean and doctor find beside a project: runs in the background, recoveries",
  "foretold.ts": "the part of plan and lint that tells where work goes",
  "gates.ts": "which starts a person can approve ahead",
  "evidence/verify-branch.ts": "verify, of a branch by its notes alone",
  "evidence/since-then.ts": "the part of verify about what came after the work",
  "faults.ts": "errors, and what several take for an answer instead of an error",
  "init/found-commands.ts": "which commands a repository has",
  "manifest-file.ts": "what several read of a manifest",
  "look/offers.ts": "what a shell may offer to complete",
  "resolve-project.ts": "finds the project that several mean",
  "run/by-hand.ts": "what a verb works in where no run is above it",
  "run/choose-workspace.ts": "where the sessions of a run work, as a person chose it",
  "run/known-agents.ts": "refuses agents that nobody has",
  "run/detach.ts": "how a run goes on in the background",
  "run/enter-run.ts": "how a person begins a run, and what every run makes sure of first",
  "run/lease.ts": "how a run comes by its project and keeps it, and what other verbs work under",
  "run/new-advice.ts": "what lint warns of that it did not warn of before",
  "run/read-config.ts": "reads settings for several",
  "run/lost-work.ts": "what a run does about work whose commits are gone",
  "run/rounds.ts": "the rounds of a run, and of work by hand",
  "run/run-settings.ts": "what a run is asked for, and works by",
  "run/run-surroundings.ts": "what a run, a delivery by hand and a shell in its workspace find",
  "run/verify-fresh.ts": "what verify --fresh does before it answers",
  "run/work-period.ts": "what run does between two waits",
  "settings/known-settings.ts": "the list of settings",
  "space-status.ts": "the part of status that only a project with a workspace has",
  "system.ts": "the ports that all are given",
  "watchdog/escalate.ts": "how a tick tells a person",
  "watchdog/start-resume.ts": "how a tick goes on with a project",
  "watchdog/tick.ts": "one pass of the watchdog",
  "watchdog/timers.ts": "what ticks by itself, one kind after another",
};

/** Verbs that run no operation, and why. */
const WITHOUT_OPERATION: Record<string, string> = {
  completion: "is about the command line itself",
  resume: "is run, for a project that is there",
};

/** Verbs that print no document of their own, and why. */
const WITHOUT_DOCUMENT: Record<string, string> = {
  ...Object.fromEntries(
    ["ask", "block", "brief", "done", "note", "propose"].map((verb) => [
      verb,
      "is refused outside of a session",
    ]),
  ),
  shell: "has the terminal to itself",
};

/** Published under another name: that of the verb is the schema of the settings themselves. */
const PUBLISHED: Record<string, string> = { config: "config-values" };

/** The scripted agent without a script does nothing, successfully. */
const PLAYED = ["--agent", "scripted"];

const REASON = ["--reason", "because"];
/** Ends with a question, or with another Goal. */
const ASKING = ["run", "prompt.md", "--agent", "scripted:asks.json"];
const PROPOSING = ["run", "prompt.md", "--agent", "scripted:proposes.json"];
const PAUSED = ["run", "prompt.md", "--sessions", "1", ...PLAYED];

interface Output {
  readonly schema: z.ZodMiniType;
  readonly words: string[];
  /** What has to come before. */
  readonly first?: string[];
}

const OUTPUTS: Record<string, Output> = {
  init: { schema: views.initView, words: ["fresh.md", "Say hello"] },
  new: { schema: views.newView, words: ["other.md"] },
  lint: { schema: views.lintView, words: ["prompt.md", "bad.md"] },
  status: { schema: views.statusView, words: ["prompt.md"] },
  list: { schema: views.listView, words: [] },
  log: { schema: views.logView, words: ["prompt.md"] },
  doctor: { schema: views.doctorView, words: [] },
  clean: { schema: views.cleanView, words: [] },
  agents: { schema: views.agentsView, words: [] },
  run: { schema: views.runView, words: ["other.md", "--report", "sessions", ...PLAYED] },
  resume: { schema: views.runView, words: ["prompt.md", "--sessions", "1", ...PLAYED] },
  watch: { schema: views.watchView, words: ["prompt.md"] },
  verify: { schema: views.verifyView, words: ["prompt.md"] },
  iterate: { schema: views.iterateView, words: ["iteration"] },
  config: { schema: views.configView, words: ["--task-id", "big-change"] },
  plan: { schema: views.planView, words: ["prompt.md", "--parallel", "2"] },
  deliver: { schema: views.deliverView, words: ["prompt.md"] },
  dispatch: { schema: views.dispatchView, words: ["list", "prompt.md"] },
  results: { schema: views.resultsView, words: ["prompt.md"] },
  show: { schema: views.showView, words: ["t1", "prompt.md"], first: PAUSED },
  diff: { schema: views.diffView, words: [] },
  approve: { schema: views.answerView, words: ["plan", "prompt.md"] },
  deny: { schema: views.answerView, words: ["a1", "prompt.md", ...REASON], first: PROPOSING },
  accept: { schema: views.answerView, words: ["a1", "prompt.md"], first: PROPOSING },
  answer: { schema: views.answerView, words: ["q1", "Blue.", "prompt.md"], first: ASKING },
  edit: { schema: views.answerView, words: ["prompt.md", "--file", "edited.md"] },
  skip: { schema: views.answerView, words: ["t1", "prompt.md", ...REASON] },
  retry: { schema: views.answerView, words: ["t1", "prompt.md"] },
  reopen: { schema: views.answerView, words: ["t1", "prompt.md", ...REASON] },
  abandon: { schema: views.answerView, words: ["prompt.md", ...REASON] },
  pause: { schema: views.answerView, words: ["prompt.md"], first: PAUSED },
  stop: { schema: views.answerView, words: ["prompt.md"], first: PAUSED },
  skills: { schema: views.skillsView, words: ["install"] },
  mcp: { schema: views.mcpView, words: ["list"] },
  watchdog: { schema: views.watchdogView, words: ["tick"] },
  demo: { schema: views.demoView, words: [] },
  completion: { schema: views.completionView, words: ["bash"] },
};

let bench: CommandLineBench;

beforeEach(async () => {
  bench = new CommandLineBench();
  bench.write("prompt.md");
  bench.write("other.md");
  bench.write("bad.md", "# Nothing\n");
  bench.write("edited.md", TWO_TASKS.replace("two languages", "many"));
  const marker = { act: "marker", keys: { question: "Which colour?" } };
  bench.write("asks.json", JSON.stringify({ tasks: { "*": [marker] } }));
  const edit = { act: "edit-manifest", replace: "two languages", with: "one" };
  bench.write("proposes.json", JSON.stringify({ tasks: { "*": [edit] } }));
  await bench.create();
});
afterEach(() => bench.close());

describe("the doors", () => {
  it("are there for every operation", () => {
    const operations = readdirSync(join(REPOSITORY, "src/operations"), {
      recursive: true,
      encoding: "utf8",
    }).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
    expect(operations.toSorted()).toEqual(
      [...new Set([...Object.values(DOORS), ...Object.keys(PARTS)])].toSorted(),
    );
    expect(VERBS.map(({ name }) => name).toSorted()).toEqual(
      [
        ...Object.keys(DOORS),
        ...Object.keys(ANSWER_VERBS),
        ...Object.keys(WITHOUT_OPERATION),
      ].toSorted(),
    );
    const runners = [
      "runners.ts",
      "run-verb.ts",
      "detached-verbs.ts",
      "watchdog-verb.ts",
      "mcp-verb.ts",
    ]
      .map((name) => readFileSync(join(REPOSITORY, "src/cli", name), "utf8"))
      .join("");
    for (const file of [...Object.values(DOORS), "answers/send-answer.ts"]) {
      expect(runners).toContain(`"../operations/${file}"`);
    }
  });

  it.each(VERBS.map(({ name }) => name).filter((name) => !(name in WITHOUT_DOCUMENT)))(
    "stint %s --json prints one document of its published schema",
    async (verb) => {
      const output = OUTPUTS[verb];
      if (output === undefined) throw new Error(`${verb} has no output schema`);
      if (output.first !== undefined) await bench.run(...output.first);
      const { out, err } = await bench.run(verb, ...output.words, "--json");
      expect(err).toBe("");
      expect(output.schema.safeParse(JSON.parse(out))).toMatchObject({ success: true });
      const name = PUBLISHED[verb] ?? verb;
      const published = readFileSync(join(REPOSITORY, `schemas/${name}.schema.json`), "utf8");
      const { properties } = JSON.parse(published) as { properties: object };
      expect(Object.keys(properties).toSorted()).toEqual(Object.keys(JSON.parse(out)).toSorted());
    },
  );

  it("print every error with --json as one document of its schema", async () => {
    for (const words of [
      ["new", "prompt.md"],
      ["new", "bad.md"],
      ["status", "nope"],
      ["nope"],
      ["shell"],
    ]) {
      const { out, err, code } = await bench.run(...words, "--json");
      expect([code, err]).toEqual([2, ""]);
      expect(views.errorView.safeParse(JSON.parse(out))).toMatchObject({ success: true });
    }
  });

  it("S4-4 write files that satisfy their published schemas", async () => {
    const folder = join(bench.root, "agents/stint/projects/prompt");
    await bench.run("doctor", "--repair");
    const read = (name: string) => readFileSync(join(folder, name), "utf8");
    expect(projectState.safeParse(JSON.parse(read("state.json")))).toMatchObject({ success: true });
    expect(lease.safeParse(JSON.parse(read("lease.json")))).toMatchObject({ success: true });
    for (const line of read("logs/journal.jsonl").trimEnd().split("\n")) {
      expect(journalEntry.safeParse(JSON.parse(line))).toMatchObject({ success: true });
    }
  });
});
