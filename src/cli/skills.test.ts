import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLineBench, type Said } from "../../test/support/command-line.ts";
import { CODING_AGENTS } from "../agents/agents.ts";
import { type SkillsView, skillsView } from "../core/schema/views.ts";

let bench: CommandLineBench;
let home: string;

beforeEach(() => {
  bench = new CommandLineBench();
  home = join(bench.path, "home");
  mkdirSync(home);
});
afterEach(() => bench.close());

async function skills(...words: string[]): Promise<Said> {
  return await bench.runWith({ env: { HOME: home } }, "skills", ...words);
}

async function seen(...words: string[]): Promise<SkillsView> {
  return skillsView.parse(JSON.parse((await skills(...words, "--json")).out));
}

function outcomes({ installed }: SkillsView): string[] {
  return installed.map(({ state, outcome }) => `${outcome} ${state}`);
}

const CLAUDE = ".claude/skills/stint";
const SHARED = ".agents/skills/stint";

function inTree(path: string): string {
  return join(bench.root, path);
}

/** Every path with its content, links as where they lead. */
function everything(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  return Object.fromEntries(
    names.map((name) => {
      const facts = lstatSync(join(folder, name));
      return [name, facts.isFile() ? readFileSync(join(folder, name), "utf8") : "no file"];
    }),
  );
}

describe("stint skills install", () => {
  it("S0-5 S1-22 puts the skill, whole, where each agent reads it, and says for whom", async () => {
    const { code, out } = await skills("install");
    expect(code).toBe(0);
    expect(out).toBe(
      [
        `installed  stint  ${inTree(CLAUDE)}`,
        "  read by: claude",
        `installed  stint  ${inTree(SHARED)}`,
        "  read by: codex, gemini, opencode, copilot, qwen, cline, kimi, qodercli, auggie",
      ].join("\n"),
    );
    for (const folder of [CLAUDE, SHARED]) {
      expect(readFileSync(inTree(`${folder}/SKILL.md`), "utf8")).toContain("name: stint");
      expect(existsSync(inTree(`${folder}/references/EXAMPLE_TASK_MANIFEST.md`))).toBe(true);
    }
    expect(readdirSync(home)).toEqual([]);
  });

  it("knows where every agent reads that Stint can start", async () => {
    const { installed } = await seen("install");
    const readers = installed.flatMap(({ agents }) => agents);
    expect(readers.toSorted()).toEqual(CODING_AGENTS.map(({ name }) => name).toSorted());
  });

  it("changes nothing the second time", async () => {
    await skills("install");
    const before = everything(bench.root);
    expect(outcomes(await seen("install"))).toEqual(["unchanged current", "unchanged current"]);
    expect(everything(bench.root)).toEqual(before);
    expect((await skills("install")).out).toContain("already installed  stint");
  });

  it("installs for one agent, and for a person", async () => {
    expect(await seen("install", "--user", "--agent", "claude")).toMatchObject({
      installed: [{ scope: "user", agents: ["claude"], folder: join(home, CLAUDE) }],
    });
    expect(existsSync(join(home, ".agents"))).toBe(false);
    const twice = await seen("install", "--user", "--agent", "codex", "--agent", "qwen");
    expect(twice.installed).toMatchObject([{ agents: ["codex", "qwen"] }]);
    expect(existsSync(inTree(".claude"))).toBe(false);
  });

  it("goes where a person moved Claude Code's folder to", async () => {
    const moved = join(bench.path, "claude-config");
    mkdirSync(moved);
    const env = { HOME: home, CLAUDE_CONFIG_DIR: moved };
    await bench.runWith({ env }, "skills", "install", "--user");
    expect(readdirSync(join(moved, "skills"))).toEqual(["stint"]);
    expect(readdirSync(home)).toEqual([".agents"]);
    await bench.runWith({ env }, "skills", "remove", "--user");
    expect([readdirSync(moved), readdirSync(home)]).toEqual([[], []]);
  });

  it("goes to the root, wherever in the work tree a person stands", async () => {
    mkdirSync(inTree("src"));
    await bench.runWith({ cwd: inTree("src"), env: { HOME: home } }, "skills", "install");
    expect(existsSync(inTree(CLAUDE))).toBe(true);
  });

  it("brings an earlier version up to date, and takes away what is no longer part of it", async () => {
    await skills("install", "--agent", "claude");
    const folder = inTree(CLAUDE);
    // As an earlier Stint left it: other texts, one file more, and a record of them.
    const earlier = { "SKILL.md": "old\n", "references/old.md": "old\n" };
    const record = JSON.parse(readFileSync(join(folder, ".stint-skill.json"), "utf8")) as {
      files: Record<string, string>;
    };
    for (const [name, text] of Object.entries(earlier)) {
      writeFileSync(join(folder, name), text);
      record.files[name] = "e1a4c6ad7e9bb40ba1f5b9a8a2f6fd4c0ab1ea8f9b1a3f6b0f9d2e6a0f7e3c11";
    }
    writeFileSync(join(folder, ".stint-skill.json"), JSON.stringify(record));
    expect(outcomes(await seen("install", "--agent", "claude"))).toEqual(["left edited"]);
    for (const name of Object.keys(earlier)) record.files[name] = OLD_DIGEST;
    writeFileSync(join(folder, ".stint-skill.json"), JSON.stringify(record));
    expect(outcomes(await seen("list", "--project", "--agent", "claude"))).toEqual([
      "shown outdated",
    ]);
    expect(outcomes(await seen("install", "--agent", "claude"))).toEqual(["updated current"]);
    expect(existsSync(join(folder, "references/old.md"))).toBe(false);
    await skills("remove");
    expect(readdirSync(bench.root)).toEqual([".git"]);
  });

  it("completes what a killed installation began, and removes what it left", async () => {
    await skills("install");
    const whole = everything(bench.root);
    rmSync(inTree(`${CLAUDE}/SKILL.md`));
    rmSync(inTree(`${SHARED}/.stint-skill.json`));
    writeFileSync(inTree(`${SHARED}/references/.stint-tmp-1-commands.md`), "half");
    expect(outcomes(await seen("install"))).toEqual(["updated current", "updated current"]);
    const { [`${SHARED}/.stint-skill.json`]: _, ...now } = everything(bench.root);
    const { [`${SHARED}/.stint-skill.json`]: __, ...then } = whole;
    expect(now).toEqual(then);
  });
});

describe("a kill at any point", () => {
  /** The files in the order in which they are written: the record, the references, the main file. */
  function inOrder(): string[] {
    const names = readdirSync(inTree(CLAUDE), { recursive: true, encoding: "utf8" }).toSorted();
    const references = names.filter((name) => name.endsWith(".md") && name !== "SKILL.md");
    return [".stint-skill.json", ...references, "SKILL.md"];
  }

  it("of an installation is completed by the next, and leaves no trace after remove", async () => {
    await skills("install", "--agent", "claude");
    const whole = everything(bench.root);
    const order = inOrder();
    expect(order.length).toBe(9);
    for (const [point] of order.entries()) {
      for (const name of order.slice(point)) rmSync(inTree(`${CLAUDE}/${name}`), { force: true });
      // No agent finds half a skill.
      expect(existsSync(inTree(`${CLAUDE}/SKILL.md`))).toBe(false);
      if (point > 0) {
        expect(outcomes(await seen("list", "--project", "--agent", "claude"))).toEqual([
          "shown outdated",
        ]);
        await skills("install", "--agent", "claude");
        expect(everything(bench.root)).toEqual(whole);
        for (const name of order.slice(point)) rmSync(inTree(`${CLAUDE}/${name}`), { force: true });
        await skills("remove");
        expect(readdirSync(bench.root)).toEqual([".git"]);
      } else {
        rmSync(inTree(".claude"), { recursive: true });
      }
      await skills("install", "--agent", "claude");
      expect(everything(bench.root)).toEqual(whole);
    }
  });

  it("of an update is completed by the next: neither old nor new files are taken for edited", async () => {
    await skills("install", "--agent", "claude");
    const folder = inTree(CLAUDE);
    const files = inOrder().slice(1);
    const now = new Map(files.map((name) => [name, readFileSync(join(folder, name))]));
    const record = join(folder, ".stint-skill.json");
    const kept = JSON.parse(readFileSync(record, "utf8")) as { files: Record<string, string> };
    const old = { ...kept, files: Object.fromEntries(files.map((name) => [name, OLD_DIGEST])) };
    for (const [point] of files.entries()) {
      for (const [index, name] of files.entries()) {
        const bytes = index < point ? now.get(name) : Buffer.from("old\n");
        writeFileSync(join(folder, name), bytes ?? "");
      }
      writeFileSync(record, JSON.stringify(old));
      expect(outcomes(await seen("install", "--agent", "claude"))).toEqual(["updated current"]);
      for (const [name, bytes] of now) expect(readFileSync(join(folder, name))).toEqual(bytes);
    }
  });
});

/** SHA-256 of "old\n". */
const OLD_DIGEST = "01d09d19c2139a46aebfb577780d123d7396e97201bc7ead210a2ebff8239dee";

describe("what a person wrote", () => {
  it("is left by install and remove, said, and told apart from what is Stint's", async () => {
    await skills("install");
    bench.write(`${CLAUDE}/SKILL.md`, "mine\n");
    bench.write(`${CLAUDE}/references/commands.md`, "mine too\n");
    const before = everything(bench.root);
    const again = await skills("install");
    expect(again.code).toBe(1);
    expect(again.out).toContain(
      "left  stint  " +
        `${inTree(CLAUDE)}\n  read by: claude\n  note: edited since it was installed, so left as it is: SKILL.md, references/commands.md`,
    );
    expect(again.out).toContain(
      `  Next: mv ${inTree(CLAUDE)} ${inTree(CLAUDE)}.mine\n  Then: stint skills install`,
    );
    expect(everything(bench.root)).toEqual(before);
    const removed = await seen("remove");
    expect(outcomes(removed)).toEqual(["left edited", "removed absent"]);
    expect(readFileSync(inTree(`${CLAUDE}/SKILL.md`), "utf8")).toBe("mine\n");
    expect(existsSync(inTree(".agents"))).toBe(false);
  });

  it("is left where another skill has the name, or a file is in the way", async () => {
    bench.write(`${CLAUDE}/SKILL.md`, "another skill\n");
    bench.write(".agents", "a file\n");
    const before = everything(bench.root);
    for (const act of ["install", "remove"]) {
      const { code, out } = await skills(act);
      expect(code).toBe(1);
      expect(out).toContain(
        "note: not Stint's, so left as it is: SKILL.md did not come from Stint",
      );
      expect(out).toContain(
        `note: not Stint's, so left as it is: ${inTree(".agents")} is not a folder`,
      );
    }
    expect(everything(bench.root)).toEqual(before);
  });

  it("stays where it was added to the skill, and its folder with it", async () => {
    await skills("install");
    const mine = bench.write(`${SHARED}/references/mine.md`, "mine\n");
    expect(outcomes(await seen("install"))).toEqual(["unchanged current", "unchanged current"]);
    const { code, out } = await skills("remove");
    expect(code).toBe(0);
    expect(out).toContain("note: not Stint's, and still there: references/mine.md");
    expect(readFileSync(mine, "utf8")).toBe("mine\n");
    expect(readdirSync(inTree(SHARED), { recursive: true })).toEqual([
      "references",
      "references/mine.md",
    ]);
  });
});

describe("links", () => {
  it.each([".claude", ".claude/skills", CLAUDE])("%s is not followed", async (path) => {
    const elsewhere = join(bench.path, "elsewhere");
    mkdirSync(elsewhere);
    mkdirSync(dirname(inTree(path)), { recursive: true });
    symlinkSync(elsewhere, inTree(path));
    for (const act of ["install", "remove"]) {
      const { code, out } = await skills(act, "--agent", "claude");
      expect(code).toBe(1);
      expect(out).toContain(`note: ${inTree(path)} is a link to ${elsewhere}, and is not followed`);
    }
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it.each(["SKILL.md", "references", ".stint-skill.json"])(
    "in the place of %s is left, and what it leads to",
    async (name) => {
      const elsewhere = join(bench.path, "elsewhere");
      mkdirSync(elsewhere);
      writeFileSync(join(elsewhere, "kept.md"), "kept\n");
      mkdirSync(inTree(CLAUDE), { recursive: true });
      symlinkSync(
        name === "references" ? elsewhere : join(elsewhere, "kept.md"),
        inTree(`${CLAUDE}/${name}`),
      );
      for (const act of ["install", "remove"]) {
        expect(outcomes(await seen(act, "--agent", "claude"))).toEqual(["left foreign"]);
      }
      expect(everything(elsewhere)).toEqual({ "kept.md": "kept\n" });
    },
  );

  it("from one place to the other are enough: the skill is read there", async () => {
    mkdirSync(inTree(".claude"));
    symlinkSync("../.agents/skills", inTree(".claude/skills"));
    const { code, out } = await skills("install");
    expect(code).toBe(0);
    expect(out).toContain(
      `${inTree(".claude/skills")} is a link to ../.agents/skills, where it is read too`,
    );
    expect(existsSync(inTree(`${CLAUDE}/SKILL.md`))).toBe(true);
    expect((await skills("remove")).code).toBe(0);
    expect(readdirSync(inTree(".claude"))).toEqual(["skills"]);
    expect(existsSync(inTree(".agents"))).toBe(false);
  });
});

describe("stint skills remove", () => {
  it("leaves no trace, not even of the folders it made", async () => {
    const before = bench.everything();
    await skills("install");
    await skills("install", "--user");
    expect(outcomes(await seen("remove"))).toEqual(["removed absent", "removed absent"]);
    expect((await skills("remove", "--user")).code).toBe(0);
    expect(bench.everything()).toEqual(before);
    expect(outcomes(await seen("remove"))).toEqual(["unchanged absent", "unchanged absent"]);
  });

  it("leaves folders that were there before, also empty ones", async () => {
    mkdirSync(inTree(".claude/skills"), { recursive: true });
    bench.write(".agents/notes.md", "mine\n");
    const before = bench.everything();
    await skills("install");
    await skills("remove");
    expect(bench.everything()).toEqual(before);
  });

  it("removes nothing that a forged record names outside of the skill", async () => {
    await skills("install");
    const victim = bench.write("precious.txt", "old\n");
    const file = inTree(`${SHARED}/.stint-skill.json`);
    const record = JSON.parse(readFileSync(file, "utf8")) as Record<string, object>;
    writeFileSync(
      file,
      JSON.stringify({
        ...record,
        files: { ...record["files"], "../../../precious.txt": OLD_DIGEST },
        folders_made: ["../..", ".git"],
      }),
    );
    await skills("remove");
    expect(readFileSync(victim, "utf8")).toBe("old\n");
    expect(existsSync(inTree(".git"))).toBe(true);
  });
});

describe("a record that somebody changed", () => {
  it("takes no folder along that was not made for the skill, not even an empty one", async () => {
    await skills("install");
    mkdirSync(inTree("mine"));
    const file = inTree(`${SHARED}/.stint-skill.json`);
    const record = JSON.parse(readFileSync(file, "utf8")) as { folders_made: string[] };
    record.folders_made.push("mine");
    writeFileSync(file, JSON.stringify(record));
    await skills("remove");
    expect(readdirSync(bench.root)).toEqual([".git", "mine"]);
  });
});

describe("another name", () => {
  const NAMES = [
    "cross-session-iterative",
    "multi-session-orchestrator",
    "iteration",
    "project-loop",
    "long-task-coordinator",
  ];

  it.each(NAMES)("S0-5 S1-22 %s is the whole skill, and passes the check", async (name) => {
    const before = bench.everything();
    expect((await skills("install", "--as", name)).code).toBe(0);
    expect(readdirSync(inTree(".claude/skills"))).toEqual([name]);
    expect((await skills("check")).code).toBe(0);
    expect((await skills("list")).out).toContain(`installed  ${name}  `);
    expect((await skills("remove")).code).toBe(0);
    expect(bench.everything()).toEqual(before);
  });

  it.each([
    ["stint", "iteration"],
    ["iteration", "stint"],
  ])("%s and %s go without a trace, whichever came first", async (first, second) => {
    const before = bench.everything();
    await skills("install", "--as", first);
    await skills("install", "--as", second);
    expect(readdirSync(inTree(".agents/skills")).toSorted()).toEqual(["iteration", "stint"]);
    await skills("remove", "--as", first);
    expect(readdirSync(inTree(".agents/skills"))).toEqual([second]);
    await skills("remove", "--as", second);
    expect(bench.everything()).toEqual(before);
  });

  it("of a skill that somebody has is left to them", async () => {
    bench.write(".claude/skills/iteration/SKILL.md", "theirs\n");
    expect(outcomes(await seen("install", "--as", "iteration", "--agent", "claude"))).toEqual([
      "left foreign",
    ]);
    await skills("install");
    await skills("remove");
    expect(readFileSync(inTree(".claude/skills/iteration/SKILL.md"), "utf8")).toBe("theirs\n");
  });
});

describe("stint skills list", () => {
  it("shows both places, and the next step where nothing is installed", async () => {
    const { code, out } = await skills("list");
    expect(code).toBe(0);
    expect(out.match(/^not installed {2}stint/gm)).toHaveLength(4);
    expect(out).toContain("  Next: stint skills install");
    await skills("install");
    const { installed, next } = await seen("list");
    expect(installed.map(({ scope, state }) => `${scope} ${state}`)).toEqual([
      "project current",
      "project current",
      "user absent",
      "user absent",
    ]);
    expect(next).toEqual([]);
  });
});

describe("stint skills check", () => {
  it("S1-24 S1-25 S1-27 judges anybody's skill by file and line, with exit code 2", async () => {
    bench.write(
      "tools/my-skill/SKILL.md",
      "---\nname: my-skill\ndescription: Convert files.\n---\n\nSee [more](references/more.md).\n",
    );
    const { code, out } = await skills("check", "tools/my-skill");
    expect(code).toBe(2);
    expect(out).toContain(
      'tools/my-skill/SKILL.md:3: error: its description begins with an order ("Convert")',
    );
    expect(out).toContain("    write: description: Converts files.\n");
    expect(out).toContain(
      "tools/my-skill/SKILL.md:6: error: references/more.md does not exist [broken-link]",
    );
    expect(out).toContain("tools/my-skill: 4 errors, 1 warning");
    expect((await skills("check", "tools/my-skill/SKILL.md")).out).toBe(out);
    expect((await skills("check", "tools")).out).toBe(out);
    const view = await seen("check", "tools");
    expect(view.checked).toMatchObject([{ folder: "tools/my-skill", errors: 4, warnings: 1 }]);
    expect(view.checked[0]?.problems[0]).toMatchObject({ file: "SKILL.md", line: 3 });
  });

  it("finds what is installed by itself, and says where it looked", async () => {
    const none = await skills("check");
    expect(none.code).toBe(2);
    expect(none.err).toContain(`there is no skill in ${inTree(".agents/skills")}`);
    expect(none.err).toContain("Name one: stint skills check path/to/skill");
    await skills("install");
    const { code, out } = await skills("check");
    expect(code).toBe(0);
    expect(out).toBe(`${SHARED}: 0 errors, 0 warnings\n${CLAUDE}: 0 errors, 0 warnings`);
  });

  it("judges neither what was installed into a skill nor a skill that lies in it", async () => {
    await skills("install", "--agent", "claude");
    for (const inner of ["node_modules/x", "evals/other"]) {
      bench.write(`${CLAUDE}/${inner}/SKILL.md`, "TODO\n");
      bench.write(`${CLAUDE}/${inner}/README.md`, "See [more](more.md).\n");
    }
    const { code, out } = await skills("check");
    expect([code, out]).toEqual([0, `${CLAUDE}: 0 errors, 0 warnings`]);
  });

  it("says what is no skill", async () => {
    mkdirSync(inTree("empty"));
    expect((await skills("check", "empty")).out).toContain(
      "empty/SKILL.md:1: error: there is no SKILL.md",
    );
    expect((await skills("check", "gone")).err).toContain(`${inTree("gone")} does not exist`);
  });
});

describe("wrong use", () => {
  it.each([
    [["instal"], '"instal" is not an action of stint skills; did you mean install?'],
    [["install", "--agent", "cluade"], "did you mean claude?"],
    [["install", "--user", "--project"], "--user and --project cannot be given together"],
    [["install", "--as", "iterations"], "did you mean iteration?"],
    [["install", "--as", "../stint"], '"../stint" is not a known name of the skill'],
    [["install", "docs"], "install takes no path"],
    [["check", "--user"], "check takes a path, and no --agent"],
    [[], "missing required argument 'act'"],
  ])("%j is refused with what is right", async (words, message) => {
    const before = bench.everything();
    const { code, err } = await skills(...words);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(bench.everything()).toEqual(before);
  });

  it("is told when the disk refuses", async () => {
    rmSync(home, { recursive: true });
    const { code, err } = await skills("install", "--user");
    expect(code).toBe(5);
    expect(err).toContain(`could not write ${join(home, CLAUDE)}`);
  });
});
