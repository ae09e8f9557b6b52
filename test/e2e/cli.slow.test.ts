// The built executable as a stranger meets it.
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BuiltStint, STINT } from "../support/built-stint.ts";
import { REPOSITORY } from "../support/generated-files.ts";
import { git } from "../support/git.ts";

let stint: BuiltStint;

beforeEach(() => {
  stint = new BuiltStint();
});
afterEach(() => stint.close());

function create(): string {
  stint.write("prompt.md");
  const { code, out, err } = stint.run("new", "prompt.md", "--json");
  if (code !== 0) throw new Error(err);
  return (JSON.parse(out) as { project: { id: string } }).project.id;
}

describe("the story of the README", () => {
  it("S0-34 S3-3 S3-11 takes the manifest it prints to Done with the commands it prints", () => {
    const readme = readFileSync(join(REPOSITORY, "README.md"), "utf8");
    const manifest = /```markdown\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
    stint.write("prompt.md", manifest);
    git(stint.root, "config", "user.name", "Ada");
    git(stint.root, "config", "user.email", "ada@example.com");
    const script = join(stint.path, "script.json");
    const tasks = {
      english: [{ act: "write", path: "hello.txt", text: "Hello\n" }],
      german: [{ act: "write", path: "hallo.txt", text: "Hallo\n" }],
    };
    writeFileSync(script, JSON.stringify({ manifest: "prompt.md", tasks }));
    const commands = [...readme.matchAll(/^stint (\S.*?)\s+#/gm)].map(([, words = ""]) => words);
    expect(commands).toEqual([
      "init --print",
      "lint prompt.md",
      "plan prompt.md",
      "run prompt.md",
      "watch",
      "status",
      "show t2",
      "approve a1",
      "deliver",
      "resume <id>",
      "verify",
      "verify --branch main",
      "list",
      "log -n 20",
      "config prompt.md",
      "doctor",
    ]);
    const planned = commands.indexOf("plan prompt.md");
    const said: { readonly code: number | null; readonly out: string; readonly err: string }[] = [];
    for (const command of commands) {
      const id = /p-[0-9a-z]{10}/.exec(said[planned]?.out ?? "")?.[0] ?? "";
      const words = command.replace("<id>", id).split(" ");
      const needsAgent = command.startsWith("run") || command.startsWith("resume");
      said.push(stint.run(...words, ...(needsAgent ? ["--agent", `scripted:${script}`] : [])));
    }
    // In this story nothing waits for anybody.
    const asked = commands.indexOf("approve a1");
    expect(said.splice(asked, 1)).toMatchObject([{ code: 2, out: "" }]);
    expect(said.map(({ code, err }) => [code, err])).toEqual(said.map(() => [0, ""]));
    const linted = said[commands.indexOf("lint prompt.md")];
    expect(linted?.out).toBe(
      [
        "prompt.md: 2 tasks, 0 errors, 0 warnings",
        "  Commits (deliver: auto): verified work goes to main",
        "  Push: nothing is pushed: the repository has no remote",
        "  Workspace: an empty folder (the repository has no commit yet)",
        "  All of it: stint plan prompt.md",
        "",
      ].join("\n"),
    );
    const id = /p-[0-9a-z]{10}/.exec(said[planned]?.out ?? "")?.[0] ?? "";
    const status = said[commands.indexOf("status")]?.out;
    expect(status).toContain(`prompt  ${id}  Done`);
    const elsewhere = stint.runWith({ cwd: stint.path }, "status", id);
    // `clean` has looked how much room the workspace takes since.
    expect(elsewhere.out.replace(/ \(\S+ \S+, measured .* UTC\)/, "")).toBe(status);
    expect(git(stint.root, "status", "--porcelain")).not.toContain("agents");
  });

  it("S0-34 every example lints without errors", () => {
    const examples = readdirSync(join(REPOSITORY, "examples")).filter((name) =>
      name.endsWith(".md"),
    );
    expect(examples).toContain("EXAMPLE_TASK_MANIFEST.md");
    for (const name of examples.filter((each) => each !== "README.md")) {
      const { code, out } = stint.run("lint", join(REPOSITORY, "examples", name));
      expect([code, out]).toEqual([0, expect.stringContaining(" 0 errors")]);
    }
  });

  it("S0-34 npm start takes an example from lint to Done in a scratch folder of its own", () => {
    const temporary = join(stint.path, "tmp");
    mkdirSync(temporary);
    const out = execFileSync(process.execPath, [join(REPOSITORY, "scripts/start.mjs")], {
      encoding: "utf8",
      cwd: stint.path,
      env: { ...stint.env(), TMPDIR: temporary },
    });
    const commands = [...out.matchAll(/^\$ stint (.*)$/gm)].map(([, words = ""]) => words);
    expect(commands).toEqual([
      "lint hello.md",
      "run hello.md --agent scripted:../hello.script.json",
      "status",
    ]);
    expect(out).toMatch(/^hello {2}p-[0-9a-z]{10} {2}Done: every task is done$/m);
    expect(out).toContain("3 of 3 done");
    expect(existsSync(stint.stateHome)).toBe(false);
    const [folder = "", ...others] = readdirSync(temporary);
    expect(others).toEqual([]);
    const cwd = join(temporary, folder, "repository");
    expect(out).toContain(`The project is in ${cwd}.`);
    // What it told works, and nothing of it runs any more.
    const state = /export XDG_STATE_HOME=(\S+)/.exec(out)?.[1];
    const verified = stint.runWith({ cwd, env: { XDG_STATE_HOME: state } }, "verify");
    expect(verified.code).toBe(0);
    const { out: seen } = stint.runWith(
      { cwd, env: { XDG_STATE_HOME: state } },
      "status",
      "--json",
    );
    expect(JSON.parse(seen)).toMatchObject({ lease: { held: false }, status: "Done" });
  });

  it("runs from a folder below, through a link to itself, and by its name", () => {
    create();
    mkdirSync(join(stint.root, "deep/er"), { recursive: true });
    expect(stint.runWith({ cwd: join(stint.root, "deep/er") }, "status").code).toBe(0);
    const link = join(stint.path, "stint");
    symlinkSync(STINT, link);
    const { status, stdout } = spawnSync(link, ["--version"], { encoding: "utf8" });
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
  });
});

describe("S3-24 a state that cannot be written", () => {
  const refused = /Nothing more was started\.\n {2}.+ Then run: stint doctor\n$/;

  it.each([
    [
      "a file",
      () => {
        writeFileSync(stint.stateHome, "");
        return stint.stateHome;
      },
      "a file is where a folder should be (EEXIST)",
    ],
    ["below a file", () => join(stint.root, "prompt.md", "x"), "(EEXIST)"],
    ["in /proc", () => "/proc/stint-cannot-be-here", "/proc"],
    ["a device", () => "/dev/null", "(EEXIST)"],
  ])("because the state folder is %s is told with reason and remedy", (_, place, reason) => {
    stint.write("prompt.md");
    const { code, out, err } = stint.runWith(
      { env: { XDG_STATE_HOME: place() } },
      "new",
      "prompt.md",
    );
    expect([code, out]).toEqual([5, ""]);
    expect(err).toContain("stint: could not make the folder ");
    expect(err).toContain(reason);
    expect(err).toMatch(refused);
    expect(existsSync(join(stint.root, "agents"))).toBe(false);
  });

  it("because a file is in the way of the project folder claims nothing, and works once it is gone", () => {
    stint.write("prompt.md");
    stint.write("agents", "in the way");
    const { code, out, err } = stint.run("new", "prompt.md");
    expect([code, out]).toEqual([5, ""]);
    expect(err).toMatch(
      /^stint: could not .*agents.*\(E(NOTDIR|EXIST)\)\. Nothing more was started/,
    );
    expect(stint.run("list").out).toContain("No projects yet");
    rmSync(join(stint.root, "agents"));
    expect(stint.run("new", "prompt.md").code).toBe(0);
  });

  it("is told as JSON to programs", () => {
    stint.write("prompt.md");
    writeFileSync(stint.stateHome, "");
    const { code, out, err } = stint.run("new", "prompt.md", "--json");
    expect([code, err]).toEqual([5, ""]);
    expect(JSON.parse(out)).toMatchObject({ error: { code: "state-unwritable" } });
  });

  it("does not stop who only reads a manifest", () => {
    stint.write("prompt.md");
    writeFileSync(stint.stateHome, "");
    expect(stint.run("lint", "prompt.md").code).toBe(0);
  });
});

describe("a manifest that is none", () => {
  it.each<[string, () => string, string]>([
    ["a folder", () => ".", ". is a directory, not a manifest"],
    [
      "a binary",
      () => {
        stint.write("x.md", Buffer.from([0x23, 0x20, 0x00, 0xff]));
        return "x.md";
      },
      "x.md is not text: byte 2 is NUL",
    ],
    [
      "not UTF-8",
      () => {
        stint.write("x.md", Buffer.from([0x23, 0x20, 0xff]));
        return "x.md";
      },
      "x.md is not valid UTF-8",
    ],
    [
      "empty",
      () => {
        stint.write("x.md", "");
        return "x.md";
      },
      "x.md is empty",
    ],
    [
      "50 MB large",
      () => {
        stint.write("x.md", Buffer.alloc(50_000_000, 0x61));
        return "x.md";
      },
      "x.md is too large for a manifest: 50000000 bytes, at most 8388608 are read",
    ],
    [
      "a pipe",
      () => {
        execFileSync("mkfifo", [join(stint.root, "x.md")]);
        return "x.md";
      },
      "x.md is not a regular file",
    ],
    ["a device", () => "/dev/null", "/dev/null is not a regular file"],
    ["absent", () => "x.md", "there is no file x.md (looked at "],
    [
      "a link in a circle",
      () => {
        symlinkSync("x.md", join(stint.root, "x.md"));
        return "x.md";
      },
      "x.md is a link that leads in a circle, and to no file",
    ],
  ])("because it is %s is refused by new and lint with exit code 2", (_, make, message) => {
    const name = make();
    for (const verb of ["new", "lint"]) {
      const { code, out, err } = stint.run(verb, name);
      expect([code, out]).toEqual([2, ""]);
      expect(err.startsWith(`stint: ${message}`)).toBe(true);
      expect(err.split("\n")).toHaveLength(3);
    }
    expect(existsSync(join(stint.root, "agents"))).toBe(false);
    expect(existsSync(stint.stateHome)).toBe(false);
  });
});

describe("the environment", () => {
  it.each([
    ["relative, which does not count", "relative/state"],
    ["empty", ""],
    ["not set", undefined],
  ])("with an XDG_STATE_HOME that is %s keeps its state in the home folder", (_, value) => {
    stint.write("prompt.md");
    const { code } = stint.runWith({ env: { XDG_STATE_HOME: value } }, "new", "prompt.md");
    expect(code).toBe(0);
    expect(existsSync(join(stint.path, "home/.local/state/stint/registry"))).toBe(true);
    expect(readdirSync(stint.root).toSorted()).toEqual([".git", "agents", "prompt.md"]);
  });

  it("without HOME works with a state folder of its own", () => {
    stint.write("prompt.md");
    expect(stint.runWith({ env: { HOME: undefined } }, "new", "prompt.md").code).toBe(0);
  });

  it.each(["", "relative"])("with a HOME of %j puts no state where one stands", (home) => {
    stint.write("prompt.md");
    const env = { HOME: home, XDG_STATE_HOME: undefined };
    const { code, out, err } = stint.runWith({ env }, "new", "prompt.md");
    expect([code, out]).toEqual([2, ""]);
    expect(err).toBe(
      "stint: there is no home folder to keep the state in: HOME is not an absolute path\n  Say where: export XDG_STATE_HOME=/path/to/state\n",
    );
    expect(readdirSync(stint.root).toSorted()).toEqual([".git", "prompt.md"]);
  });

  it("gives colour when it is forced, and none in a pipe", () => {
    create();
    const escapes = "\u001b[";
    expect(stint.run("status").out).not.toContain(escapes);
    expect(stint.runWith({ env: { FORCE_COLOR: "1" } }, "status").out).toContain(escapes);
    const both = { FORCE_COLOR: "1", NO_COLOR: "1" };
    expect(stint.runWith({ env: both }, "status").out).not.toContain(escapes);
  });
});

describe("a reader that goes away", () => {
  it("is no error: stint log | head -1", () => {
    const steps = Array.from({ length: 3000 }, (_, n) => `- [ ] Write file ${n}.txt`).join("\n");
    stint.write("prompt.md", `## Goal\nSay hello.\n\n## Steps\n${steps}\n`);
    stint.run("new", "prompt.md");
    for (const verb of ["log", "status --all", "status --all --json", "lint prompt.md"]) {
      const script = `"${process.execPath}" "${STINT}" ${verb} | head -1`;
      const { status, stderr, stdout } = spawnSync("sh", ["-c", script], {
        cwd: stint.root,
        env: stint.env(),
        encoding: "utf8",
      });
      expect([status, stderr]).toEqual([0, ""]);
      expect(stdout.split("\n")).toHaveLength(2);
    }
  });

  it("is no error on the side of errors either", () => {
    const script = `"${process.execPath}" "${STINT}" status nope 2>&1 >/dev/null | true`;
    const { status, stderr } = spawnSync("sh", ["-c", script], {
      cwd: stint.root,
      env: stint.env(),
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
  });
});

describe("an answer that cannot be written", () => {
  it("is told with its reason and repair, and is exit code 5", () => {
    create();
    for (const verb of ["status", "status --json", "log", "--help", "lint prompt.md"]) {
      const script = `"${process.execPath}" "${STINT}" ${verb} >/dev/full`;
      const options = { cwd: stint.root, env: stint.env(), encoding: "utf8" } as const;
      const { status, stderr } = spawnSync("sh", ["-c", script], options);
      expect([verb, status, stderr]).toEqual([verb, 5, FULL_OUTPUT]);
    }
  });

  it("keeps the exit code of the verb where only errors cannot be written", () => {
    const script = `"${process.execPath}" "${STINT}" status nope 2>/dev/full`;
    const options = { cwd: stint.root, env: stint.env(), encoding: "utf8" } as const;
    expect(spawnSync("sh", ["-c", script], options).status).toBe(2);
  });
});

const FULL_OUTPUT = `stint: could not write the output: the disk is full (ENOSPC). What Stint did is kept; only this output is lost.
  Free space on the disk of the output (df -h). Then look: stint status
`;

describe("processes at once", () => {
  it("S1-2 S1-17 eight that create one project make exactly one", async () => {
    stint.write("prompt.md");
    const said = await stint.runAtOnce(8, "new", "prompt.md", "--json");
    const made = said.filter(({ code }) => code === 0);
    const ids = new Set(
      said.map(({ out }) => /p-[0-9a-z]{10}/.exec(out)?.[0]).filter((id) => id !== undefined),
    );
    expect(said.map(({ code, err }) => [code === 0 || code === 2, err])).toEqual(
      said.map(() => [true, ""]),
    );
    expect(made).toHaveLength(1);
    expect(ids.size).toBe(1);
    expect(readdirSync(join(stint.root, "agents/stint/projects"))).toEqual(["prompt"]);
    expect(stint.run("list", "--ids").out).toBe(`${[...ids][0]}\n`);
    expect(stint.run("doctor").code).toBe(0);
  });

  it("four that repair one project leave it sound", async () => {
    const id = create();
    writeFileSync(join(stint.root, "agents/stint/projects/prompt/state.json"), "forged");
    const said = await stint.runAtOnce(4, "doctor", "--repair");
    expect(said.every(({ code }) => code === 0 || code === 6)).toBe(true);
    expect(said.some(({ code }) => code === 0)).toBe(true);
    expect(stint.run("doctor", "--repair").code).toBe(0);
    expect(stint.run("log", id).code).toBe(0);
  });

  it("readers and an owner do not disturb each other", async () => {
    create();
    const said = await Promise.all([
      stint.runAtOnce(3, "status"),
      stint.runAtOnce(3, "log"),
      stint.runAtOnce(1, "doctor", "--repair"),
      stint.runAtOnce(2, "list"),
    ]);
    expect(said.flat().map(({ code, err }) => [code, err])).toEqual(
      Array.from({ length: 9 }, () => [0, ""]),
    );
  });
});

describe("a look at a project", () => {
  it("loads no part of Node that only a run needs", () => {
    create();
    const list = join(stint.path, "loaded.json");
    const hook = join(stint.path, "hook.cjs");
    writeFileSync(
      hook,
      `const before = new Set(process.moduleLoadList);
process.on("exit", () => {
  const loaded = process.moduleLoadList.filter((name) => !before.has(name));
  require("node:fs").writeFileSync(${JSON.stringify(list)}, JSON.stringify(loaded));
});`,
    );
    const env = { NODE_OPTIONS: `--require ${hook}` };
    expect(stint.runWith({ env }, "status", "--json").code).toBe(0);
    const loaded = JSON.parse(readFileSync(list, "utf8")) as string[];
    expect(loaded).toContain("NativeModule crypto");
    for (const name of ["child_process", "module", "v8", "worker_threads", "zlib"]) {
      expect(loaded).not.toContain(`NativeModule ${name}`);
    }
  });
});
