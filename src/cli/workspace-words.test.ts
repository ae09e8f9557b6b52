// What a person writes about workspaces, as `lint`, `plan` and `run` answer to it.
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLineBench } from "../../test/support/command-line.ts";
import { git } from "../../test/support/git.ts";
import * as views from "../core/schema/views.ts";

let bench: CommandLineBench;

beforeEach(() => {
  bench = new CommandLineBench();
});
afterEach(() => bench.close());

interface Written {
  readonly front?: string;
  readonly keys?: readonly string[];
  readonly references?: string;
}

function manifest({ front = "", keys = [], references = "" }: Written): string {
  const head = front === "" ? "" : `---\n${front}\n---\n`;
  const below = keys.map((key) => `  - ${key}\n`).join("");
  return `${head}## Goal\nSum up.\n\n## Steps\n- [ ] one - Write it\n  - check: file a.txt\n${below}- [ ] two - Read it\n  - check: file b.txt\n\n## References\n${references}\n`;
}

async function linted(written: Written): Promise<string[]> {
  bench.write("prompt.md", manifest(written));
  const { out } = await bench.run("lint", "prompt.md", "--json");
  const { files } = views.lintView.parse(JSON.parse(out));
  return files.flatMap(({ problems }) =>
    problems.map(({ line, rule, message }) => `${line} ${rule}: ${message}`),
  );
}

const unseen = (line: number, path: string): string =>
  `${line} not-committed: ${path} is not committed, and a session will not see it; commit it, or bring it with bring: in the front matter`;

describe("a file that a manifest mentions and no commit holds", () => {
  const SUM = "check: `./sum.sh data/in.csv`";

  beforeEach(() => {
    bench.write("data/in.csv", "1\n");
    bench.write("sum.sh", "#!/bin/sh\n");
    git(bench.root, "add", "sum.sh");
    git(bench.root, "commit", "-qm", "a script");
  });

  it("is named by lint, with what brings it", async () => {
    expect(await linted({ keys: [SUM] })).toEqual([unseen(7, "data/in.csv")]);
  });

  it("is named where git ignores it, too", async () => {
    bench.write(".gitignore", "data/\n");
    expect(await linted({ keys: [SUM] })).toEqual([unseen(7, "data/in.csv")]);
  });

  it("is named where it is staged, for no commit holds it yet", async () => {
    git(bench.root, "add", "data");
    expect(await linted({ keys: [SUM] })).toEqual([unseen(7, "data/in.csv")]);
  });

  it.each([
    ["committed", {}, true],
    ["brought as a folder", { front: "bring: data/" }, false],
    ["brought by a pattern", { front: 'bring: ["**/*.csv"]' }, false],
    ["brought with everything", { front: "bring: all" }, false],
    ["in place", { front: "workspace: in-place" }, false],
  ])("is not named where it is %s", async (_, written, isCommitted) => {
    if (isCommitted) {
      git(bench.root, "add", "data");
      git(bench.root, "commit", "-qm", "data");
    }
    expect(await linted({ ...written, keys: [SUM] })).toEqual([]);
  });

  it("is not named where .worktreeinclude or the settings bring it", async () => {
    bench.write(".gitignore", "data/\n");
    bench.write(".worktreeinclude", "*.csv\n");
    expect(await linted({ keys: [SUM] })).toEqual([]);
    bench.write(".worktreeinclude", "*.txt\n");
    expect(await linted({ keys: [SUM] })).toHaveLength(1);
    bench.write("stint.config.yaml", "bring: [data]\n");
    expect(await linted({ keys: [SUM] })).toEqual([]);
    bench.write("stint.config.yaml", "");
    expect(await linted({ front: "bring: none", keys: [SUM] })).toHaveLength(1);
  });

  it("is found in every command, from the folder it runs in, and in References", async () => {
    for (const name of ["web/setup.sh", "web/run.py", "web/x.json", "notes.txt", "top.csv"]) {
      bench.write(name, "x");
    }
    const written = {
      front:
        "dir: web\nsetup: web/setup.sh --data=top.csv\nserve: web/run.py ready GET http://localhost:$STINT_PORT/",
      keys: ["check: `jq . <x.json | grep a`"],
      references: "See [the notes](notes.txt#first), data/in.csv and https://x.test/a.b.",
    };
    expect((await linted(written)).toSorted()).toEqual(
      [
        unseen(1, "web/setup.sh"),
        unseen(1, "top.csv"),
        unseen(1, "web/run.py"),
        unseen(12, "web/x.json"),
        unseen(16, "notes.txt"),
        unseen(16, "data/in.csv"),
      ].toSorted(),
    );
  });

  it.each([
    ["dependencies", "node_modules/.bin/tool", "check: `node_modules/.bin/tool`"],
    ["what a build makes", "dist/app.js", "check: `make && node dist/app.js`"],
    ["local variables", ".env.local", "check: `. ./.env.local`"],
    ["a bare word", "test", "check: `npm test`"],
    ["a file above the root", "../x.csv", "check: `cat ../x.csv`"],
    ["another repository", "sub/.git", "check: `cat sub/.git`"],
  ])("is not looked for among %s", async (_, path, key) => {
    bench.write(path, "x");
    bench.write(".gitignore", "node_modules/\n.env*\n");
    expect(await linted({ keys: [key] })).toEqual([]);
  });

  it("is named among dependencies that git does not ignore, as they are not brought then", async () => {
    bench.write("node_modules/.bin/tool", "x");
    const keys = ["check: `node_modules/.bin/tool`"];
    const named = unseen(7, "node_modules/.bin/tool");
    expect(await linted({ keys })).toEqual([named]);
    expect(await linted({ front: "bring: [default, node_modules/]", keys })).toEqual([]);
  });

  it("is named where a list brings the default without it", async () => {
    bench.write(".env", "x");
    bench.write(".gitignore", ".env*\n");
    const keys = ["check: `. ./.env`"];
    expect(await linted({ front: "bring: [default, data/]", keys })).toEqual([]);
    expect(await linted({ front: 'bring: [default, "!.env"]', keys })).toHaveLength(1);
    expect(await linted({ front: "bring: [data/]", keys })).toHaveLength(1);
  });

  it("is not the manifest itself, and a link is not followed", async () => {
    mkdirSync(join(bench.path, "outside"));
    symlinkSync("../outside", join(bench.root, "link"));
    expect(await linted({ keys: ["check: `grep x prompt.md link/none`"] })).toEqual([]);
    expect(await linted({ keys: ["check: `ls ./link`"] })).toEqual([unseen(7, "link")]);
  });

  it("is named before the first commit, and not outside a repository", async () => {
    git(bench.root, "update-ref", "-d", "HEAD");
    expect(await linted({ keys: [SUM] })).toEqual([unseen(7, "sum.sh"), unseen(7, "data/in.csv")]);
    rmSync(join(bench.root, ".git"), { recursive: true });
    expect(await linted({ keys: [SUM] })).toEqual([
      "1 no-repository: this manifest is in no git repository; to run it, name the work tree with --dir or in the front matter",
    ]);
  });

  it("stands in the plan", async () => {
    bench.write("prompt.md", manifest({ keys: [SUM] }));
    const { out } = await bench.run("plan", "prompt.md");
    expect(out).toContain("  Not committed: data/in.csv; a session will not see it\n");
  });
});

describe("a check of a server on this machine", () => {
  const GET = "check: GET http://localhost:3000/health 200";
  const WARNED =
    "7 loopback-without-serve: http://localhost:3000/health is a server on this machine: one that you started serves your checkout, and not what a session changed; have Stint serve the workspace: write serve: in the front matter, and $STINT_PORT as the port of this check";

  it("is a warning that says whose files it sees", async () => {
    expect(await linted({ keys: [GET] })).toEqual([WARNED]);
    const shown = await linted({ keys: ['check: browser http://127.0.0.1:$STINT_PORT sees "a"'] });
    expect(shown.join()).toContain("loopback-without-serve");
  });

  it.each([
    [{ front: "serve: npm start ready GET http://localhost:3000/", keys: [GET] }],
    [{ front: "workspace: in-place", keys: [GET] }],
    [{ keys: ["check: GET https://example.com/ 200"] }],
  ])("is none with %j", async (written) => {
    expect(await linted(written)).toEqual([]);
  });

  it("is none where the settings serve", async () => {
    bench.write(
      "stint.config.yaml",
      "serve:\n  run: npm start\n  ready: http://localhost:$STINT_PORT/\n",
    );
    expect(await linted({ keys: [GET] })).toEqual([]);
  });
});

describe("stint plan", () => {
  beforeEach(() => {
    bench.write("sum.sh", "one\n");
    git(bench.root, "add", "-A");
    git(bench.root, "commit", "-qm", "start");
  });

  const front =
    'bring: [data/, fixtures/**]\nsetup: [npm ci, make]\nserve: "`npm run dev` ready GET http://localhost:$STINT_PORT/"\ndir: web';

  it("says first where sessions work, and what they find there", async () => {
    bench.write("prompt.md", manifest({ front, keys: ["dir: api"] }));
    const { out } = await bench.run("plan", "prompt.md");
    const id = /p-[0-9a-z]{10}/.exec(out)?.[0];
    expect(out.split("\n").slice(3, 17)).toEqual([
      `  Workspace: a copy of the last commit in ${bench.stateHome}/stint/workspaces/${id}; sessions see it at ${bench.root}`,
      "  Brings: data/, fixtures/**",
      "  Setup: npm ci",
      "  Setup: make",
      "  Serves: npm run dev, until GET http://localhost:$STINT_PORT/ answers",
      "  Starts in: web/",
      "  Commits (deliver: auto): verified work goes to main",
      "  Push: nothing is pushed: the repository has no remote",
      "",
      "  t1 pending  one - Write it",
      "      in api/",
      "      check: file a.txt exists",
      "  t2 pending  two - Read it",
      "      in web/",
    ]);
    expect(out).toContain("  May run: 3 commands above (not allowed yet)\n");
  });

  it("says what of yours sessions will not find, as a run and lint do", async () => {
    bench.write("prompt.md", manifest({}));
    bench.write("note.txt", "one\n");
    const one = "1 untracked file stays yours; --include-changes starts from it";
    for (const verb of ["lint", "plan"]) {
      // oxlint-disable-next-line no-await-in-loop
      expect((await bench.run(verb, "prompt.md")).out).toContain(`  Not in it: ${one}\n`);
    }
    bench.write("sum.sh", "other\n");
    const two =
      "1 modified file and 1 untracked file stay yours; --include-changes starts from them";
    expect((await bench.run("plan", "prompt.md")).out).toContain(`  Not in it: ${two}\n`);
    const { out } = await bench.run("run", "prompt.md", "--agent", "command:true", "--sessions=1");
    expect(out).toContain(`notice: ${two}\n`);
    const included = await bench.run("plan", "prompt.md", "--include-changes");
    expect(included.out).not.toContain("Not in it");
  });

  it("says that there is no commit to start from", async () => {
    bench.write("prompt.md", manifest({}));
    git(bench.root, "update-ref", "-d", "HEAD");
    const none = "an empty folder (the repository has no commit yet)";
    for (const verb of ["lint", "plan"]) {
      // oxlint-disable-next-line no-await-in-loop
      expect((await bench.run(verb, "prompt.md")).out).toContain(`  Workspace: ${none}`);
    }
    const { out } = await bench.run("run", "prompt.md", "--agent", "command:true", "--sessions=1");
    expect(out).toContain(
      "notice: the repository has no commit yet: sessions start without any of your files\n",
    );
  });

  it("says which dependencies are not copied, in the words of the run", async () => {
    bench.write("prompt.md", manifest({}));
    bench.write("node_modules/.bin/tool", "x");
    const words = "node_modules is not copied into the workspace: git does not ignore it";
    for (const verb of ["lint", "plan"]) {
      // oxlint-disable-next-line no-await-in-loop
      expect((await bench.run(verb, "prompt.md")).out).toContain(`  Not in it: ${words}`);
    }
    const { out } = await bench.run("run", "prompt.md", "--agent", "command:true", "--sessions=1");
    expect(out).toContain(`notice: ${words}`);
  });

  it("says the same to programs", async () => {
    bench.write("prompt.md", manifest({ front }));
    bench.write("stint.config.yaml", "workspace: { kind: own-path, dir: /big/disk }\nbring: all\n");
    const { out } = await bench.run("plan", "prompt.md", "--json");
    const { workspace, commands, project } = views.planView.parse(JSON.parse(out));
    expect(workspace).toEqual({
      kind: "own-copy",
      shown_at: "own-path",
      folder: `/big/disk/${project.id}`,
      includes_changes: false,
      bring: ["data/", "fixtures/**"],
      setup: ["npm ci", "make"],
      serve: { command: "npm run dev", ready: "http://localhost:$STINT_PORT/" },
      dir: "web",
      unseen: [],
      has_commit: true,
      left_out: ["1 untracked file stays yours; --include-changes starts from it"],
    });
    expect(commands.map(({ command }) => command)).toEqual(["npm ci", "make", "npm run dev"]);
  });

  it.each([
    ["", "dependency folders, .env files and the agents' local settings"],
    ["bring: all", "everything that is not in git, ignored files included"],
    ["bring: none", "nothing that is not in git"],
  ])("says what %j brings", async (written, words) => {
    bench.write("prompt.md", manifest({ front: written }));
    expect((await bench.run("plan", "prompt.md")).out).toContain(`  Brings: ${words}\n`);
  });

  it("says that work is in place", async () => {
    bench.write("prompt.md", manifest({ front: "workspace: in-place" }));
    const { out } = await bench.run("plan", "prompt.md");
    expect(out).toContain(`  Workspace: in place, in ${bench.root} itself\n`);
    expect(out).not.toContain("Brings:");
  });

  it("allows commands of the settings, which are a person's file", async () => {
    bench.write("prompt.md", manifest({}));
    bench.write("stint.config.yaml", "setup: npm ci\n");
    const { out } = await bench.run("plan", "prompt.md");
    expect(out).toContain("  Setup: npm ci\n");
    expect(out).toContain("  May run: 1 command above\n");
  });
});

describe("flags of run", () => {
  beforeEach(() => void bench.write("prompt.md"));

  it.each(["run", "resume"])("%s --allow-dirty says what replaces it", async (verb) => {
    expect(await bench.run(verb, "prompt.md", "--allow-dirty")).toEqual({
      code: 2,
      out: "",
      err: "stint: --allow-dirty is gone: a run never works in your checkout, and uncommitted changes do not stop a run\n  Leave it out. To start from your uncommitted changes: stint run … --include-changes",
    });
  });

  it.each([
    [
      ["--workspace", "elsewhere"],
      'stint: "elsewhere" is not a kind of workspace\n  Use copy, in-place or own-path: stint run --help',
    ],
    [
      ["--in-place", "--workspace", "own-path"],
      "stint: --in-place and --workspace own-path contradict each other\n  Use one of them: stint run --help",
    ],
    [
      ["--in-place", "--include-changes"],
      "stint: --include-changes starts a copy from your uncommitted changes, and this run works in place, among them\n  Leave out --include-changes, or work in a copy: --workspace copy",
    ],
  ])("%j are refused", async (flags, err) => {
    expect(await bench.run("run", "prompt.md", ...flags)).toMatchObject({ code: 2, err });
  });
});
