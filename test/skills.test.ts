// The skill that is shipped: held to its own rules, to the verbs that there are, and to what is packed.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MARKER_NAME, parseMarker } from "../src/core/marker.ts";
import { lintManifest } from "../src/manifest/lint/lint-manifest.ts";
import { VERBS } from "../src/cli/verbs.ts";
import { CommandLineBench } from "./support/command-line.ts";
import { REPOSITORY } from "./support/generated-files.ts";

const FOLDER = join(REPOSITORY, "skills/stint");

const texts = new Map(
  readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => [name, readFileSync(join(FOLDER, name), "utf8")]),
);

function textOf(name: string): string {
  const text = texts.get(name);
  if (text === undefined) throw new Error(`there is no ${name}`);
  return text;
}

const main = textOf("SKILL.md");
const description = /^description: '(.*)'$/m.exec(main)?.[1] ?? "";

let bench: CommandLineBench;

beforeEach(() => {
  bench = new CommandLineBench();
});
afterEach(() => bench.close());

describe("the skill", () => {
  it("S1-22 S1-24 S1-25 S1-26 S1-27 passes its own check without a warning", async () => {
    const { code, out } = await bench.run("skills", "check", join(REPOSITORY, "skills"));
    expect([code, out]).toEqual([0, `${FOLDER}: 0 errors, 0 warnings`]);
  });

  it("S0-5 S4-1 is asked for by a manifest, by the situation, and by the names people know", () => {
    for (const words of [
      "task manifest",
      "prompt.md",
      "spans several sessions or turns",
      "hands off to workers or background jobs",
      "wait for them in a state that says so",
      "outlive an interruption and continue from a durable file",
      '"cross-session-iterative"',
      '"multi-session-orchestrator"',
      '"iteration"',
      '"project loop"',
      '"long-task-coordinator"',
    ]) {
      expect(description).toContain(words);
    }
  });

  it("S4-2 says what it is not for", () => {
    const not = description.slice(description.indexOf("Not for"));
    expect(not).toMatch(
      /^Not for small tasks that one turn finishes, simple scripts, planning alone/,
    );
  });

  it("S1-25 S1-27 is short where it is always read: a page, and detail behind links", () => {
    expect(main.split("\n").length).toBeLessThan(60);
    expect(main.length).toBeLessThan(5000);
    expect([...texts.keys()].filter((name) => name.startsWith("references/")).length).toBe(7);
  });

  it("S1-23 S1-28 has reading before claiming and at most five questions among its rules", () => {
    const rules = /<critical_constraint>([^]*)<\/critical_constraint>/.exec(main)?.[1] ?? "";
    expect(rules).toContain("Say what a file contains only after you have read that file");
    expect(rules).toContain("at most five questions per session");
  });

  it("S4-18 S4-27 has workflow, state template and recovery checklist in one reference", () => {
    const workflow = textOf("references/workflow.md");
    const template = /```markdown\n([^]*?)```/.exec(workflow)?.[1] ?? "";
    const sections = [...template.matchAll(/^## (.*)$/gm)].map(([, name]) => name);
    expect(sections).toEqual([
      "Goal",
      "Success criteria",
      "Current status",
      "Current step",
      "Completed work",
      "Next action",
      "Next checkpoint",
      "Blockers",
      "Active owners or workers",
    ]);
    for (const step of ["READ", "RECOVER", "DECIDE", "PERSIST", "REPORT", "END"]) {
      expect(workflow).toContain(`| ${step} |`);
    }
    const checklist = workflow.slice(workflow.indexOf("## Recovery checklist"));
    expect(checklist.match(/^- \[ \] /gm)?.length).toBeGreaterThan(8);
    expect(main).toContain("references/workflow.md");
  });

  it("S4-18 has in its template the sections of the page that Stint keeps itself", async () => {
    bench.write("prompt.md");
    const id = await bench.create();
    const { out } = await bench.run("status", id, "--json");
    const { project } = JSON.parse(out) as { project: { folder: string } };
    const page = readFileSync(join(bench.root, project.folder, "state.md"), "utf8");
    const own = [...page.matchAll(/^## (.*)$/gm)].map(([, name = ""]) => name);
    const template = textOf("references/workflow.md");
    expect(own.length).toBe(9);
    for (const name of own) expect(template).toContain(`## ${name}`);
  });

  it("S0-34 brings the example manifest, the same as in examples", () => {
    expect(textOf("references/EXAMPLE_TASK_MANIFEST.md")).toBe(
      readFileSync(join(REPOSITORY, "examples/EXAMPLE_TASK_MANIFEST.md"), "utf8"),
    );
  });
});

describe("what the skill tells an agent to type", () => {
  const commands = [...texts].flatMap(([file, text]) =>
    [...text.matchAll(/`(stint [^`]*)`/g)].map(([, command = ""]) => ({ file, command })),
  );

  it("are verbs that there are, with options that they take", () => {
    expect(commands.length).toBeGreaterThan(40);
    const wrong = commands.filter(({ command }) => {
      const [, name = "", ...rest] = command.split(/\s+/);
      const verb = VERBS.find((each) => each.name === name);
      if (verb === undefined) return true;
      const known = (verb.options ?? []).map(({ flags }) => flags).join(" ");
      const own = rest.includes("--") ? rest.slice(0, rest.indexOf("--")) : rest;
      return own.some((word) => /^--?[a-z]/.test(word) && !known.includes(word));
    });
    expect(wrong).toEqual([]);
  });

  it("are, where they stand alone, options of the verb before them", () => {
    const lines = textOf("references/commands.md").split("\n");
    for (const line of lines) {
      const [, name = ""] = /`stint (\w+)/.exec(line) ?? [];
      const known = VERBS.find((each) => each.name === name)?.options ?? [];
      for (const [, flag = ""] of line.matchAll(/`(--[a-z-]+)[^`]*`/g)) {
        if (line.startsWith("Every verb")) continue;
        expect(known.map(({ flags }) => flags).join(" ")).toContain(flag);
      }
    }
  });

  it("are markers that a run understands", () => {
    const page = textOf("references/in-a-session.md");
    expect(page).toContain(MARKER_NAME);
    const keys = [...page.matchAll(/^\| `(\w+):/gm)].map(([, key = ""]) => key);
    expect(keys).toEqual(["remaining_steps", "reason", "question", "approval_required"]);
    for (const key of keys) {
      const { others } = parseMarker(Buffer.from(`${key}: true\n`));
      expect(others).toEqual({});
    }
  });

  it("are checks and a manifest that lint understands", () => {
    const page = textOf("references/write-a-manifest.md");
    const shape = /```markdown\n([^]*?)```/.exec(page)?.[1] ?? "";
    const second = "- [ ] other - Write b.txt\n  - check: file b.txt\n";
    const manifest = shape.replace("\n## References", `${second}\n## References`);
    expect(lintManifest(manifest).problems.filter(({ severity }) => severity === "error")).toEqual(
      [],
    );
    const spans = page.matchAll(/`` (check: .+?) ``|(?<!`)`(check: [^`]+)`(?!`)/g);
    const checks = [...spans].map(([, double, single]) => double ?? single ?? "");
    expect(checks.length).toBeGreaterThan(6);
    for (const check of checks) {
      const text = `## Goal\nG.\n\n## Steps\n- [ ] Write a.txt\n  - ${check}\n- [ ] Write b.txt\n  - check: file b.txt\n`;
      const { plan, problems } = lintManifest(text);
      expect([check, problems.filter(({ severity }) => severity === "error")]).toEqual([check, []]);
      expect([check, plan.tasks[0]?.checks.length]).toEqual([check, 1]);
    }
  });
});

describe("what is packed", () => {
  it("S0-34 S4-27 has the skill, its references and the plugin's manifest", () => {
    const out = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: REPOSITORY,
      encoding: "utf8",
    });
    const [packed] = JSON.parse(out) as { files: { path: string }[] }[];
    const paths = packed?.files.map(({ path }) => path) ?? [];
    for (const name of texts.keys()) expect(paths).toContain(`skills/stint/${name}`);
    expect(paths).toContain(".claude-plugin/plugin.json");
    expect(paths).toContain(".claude-plugin/marketplace.json");
  });

  it("is one plugin, of the name and folder that Claude Code looks for", () => {
    const read = (name: string): unknown =>
      JSON.parse(readFileSync(join(REPOSITORY, ".claude-plugin", name), "utf8"));
    const { version } = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")) as {
      version: string;
    };
    expect(read("plugin.json")).toMatchObject({ name: "stint", version, license: "MIT" });
    expect(read("marketplace.json")).toMatchObject({ plugins: [{ name: "stint", source: "./" }] });
  });
});
