// Every operation has its door, every verb its schema; and what verbs really print satisfies them.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type * as z from "zod/mini";
import { VERBS } from "../src/cli/verbs.ts";
import { journalEntry, projectState, lease } from "../src/core/schema/project.ts";
import * as views from "../src/core/schema/views.ts";
import { ANSWER_VERBS } from "../src/operations/answers/answer-verbs.ts";
import { CommandLineBench, TWO_TASKS } from "./support/command-line.ts";
import { REPOSITORY } from "./support/generated-files.ts";

/** Operation → verb; the verbs that answer have one operation, and a list of their own. */
const DOORS: Record<string, string> = {
  agents: "agents",
  clean: "clean",
  deliver: "deliver",
  demo: "demo",
  diff: "diff",
  doctor: "doctor",
  edit: "edit",
  lint: "lint",
  list: "list",
  log: "log",
  "new-project": "new",
  plan: "plan",
  run: "run",
  shell: "shell",
  status: "status",
  verify: "verify",
};

/** Files of operations/ that are no operation, and why. */
const PARTS: Record<string, string> = {
  "assert-person": "who may answer",
  "machine-problems": "what lint says of checks that this machine cannot run",
  "enter-run": "how a person begins a run",
  "examine-evidence": "a part of verify and of every run",
  "accepted-change": "what accept takes over",
  "answer-verbs": "the list of the verbs that answer",
  "give-answer": "the operation of all of these",
  "send-answer": "what every answer of a person goes through",
  grant: "what a person adds to the budgets of a run",
  "keep-lease": "what every run does all the while",
  "manifest-file": "reads a manifest for new, lint and doctor",
  "manifest-refused": "an error",
  "named-item": "finds what an answer names",
  "or-fault": "what several take for an answer instead of an error",
  "project-for": "the project of a manifest, made if there is none",
  "project-manifest": "what several read of a manifest",
  "project-view": "a part of several outputs",
  "read-config": "reads settings for several",
  "resolve-project": "finds the project that several mean",
  "notices-to": "what a verb tells of one act of a run",
  "open-context": "what a run and a delivery by hand work with",
  "run-input": "what run is asked for",
  "run-surroundings": "what a run and a shell in its workspace find",
  "run-settings": "what a run works by, from three places",
  "run-view": "the output of run",
  "typed-words": "the options that plan was given, for its next command",
  system: "the ports that all are given",
  "under-lease": "what deliver and shell work under",
  "unknown-copies": "the refusal that several share",
  "verify-before-work": "what every run makes sure of first",
  "take-lease": "how a run comes by its project",
  "while-held": "what an answer, a plan and a repair work under",
  "wait-for-agents": "what run does while every agent is limited",
  "work-period": "what run does between two waits",
  "choose-workspace": "where the sessions of a run work, as a person chose it",
  "workspace-dirs": "which folders hold workspaces, for clean",
  "workspace-problems": "what doctor says about workspaces",
};

/** Verbs that run no operation, and why. */
const WITHOUT_OPERATION: Record<string, string> = {
  completion: "is about the command line itself",
  resume: "is run, for a project that is there",
};

/** Verbs that print no document of their own, and why. */
const WITHOUT_DOCUMENT: Record<string, string> = { shell: "has the terminal to itself" };

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
  verify: { schema: views.verifyView, words: ["prompt.md"] },
  plan: { schema: views.planView, words: ["prompt.md"] },
  deliver: { schema: views.deliverView, words: ["prompt.md"] },
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
    expect(operations.map((name) => basename(name, ".ts")).toSorted()).toEqual(
      [...Object.keys(DOORS), ...Object.keys(PARTS)].toSorted(),
    );
    expect(VERBS.map(({ name }) => name).toSorted()).toEqual(
      [
        ...Object.values(DOORS),
        ...Object.keys(ANSWER_VERBS),
        ...Object.keys(WITHOUT_OPERATION),
      ].toSorted(),
    );
    for (const [operation, verb] of Object.entries({ ...DOORS, "give-answer": "answer" })) {
      const door = readFileSync(join(REPOSITORY, `src/cli/verbs/${verb}.ts`), "utf8");
      const path = operations.find((name) => basename(name, ".ts") === operation);
      expect(door).toContain(`from "../../operations/${path}"`);
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
      const published = readFileSync(join(REPOSITORY, `schemas/${verb}.schema.json`), "utf8");
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
