import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLineBench, TWO_TASKS } from "../../test/support/command-line.ts";
import { git } from "../../test/support/git.ts";
import * as views from "../core/schema/views.ts";

let bench: CommandLineBench;

beforeEach(() => {
  bench = new CommandLineBench();
});
afterEach(() => bench.close());

describe("stint new", () => {
  it("S0-6 S1-2 S3-11 S4-18 makes a project of any Markdown file and tells its id, folder and next step", async () => {
    bench.write("docs/issue_7.md");
    const { code, out, err } = await bench.run("new", "docs/issue_7.md");
    const id = /p-[0-9a-z]{10}/.exec(out)?.[0];
    expect(out.split("\n")).toEqual([
      `Created issue-7 with id ${id}`,
      "  ·  t1  Write hello.txt",
      "  ·  t2  Write hallo.txt",
      "Folder  agents/stint/projects/issue-7",
      `Next    stint plan ${id}`,
    ]);
    expect([code, err]).toEqual([0, ""]);
  });

  it("S3-12 S3-13 S4-17 makes the required files where they are easy to find", async () => {
    bench.write("prompt.md");
    await bench.create();
    const files = readdirSync(join(bench.root, "agents/stint/projects/prompt"), {
      recursive: true,
      encoding: "utf8",
    });
    for (const name of ["README.md", "manifest.md", "state.json", "validation.md", "handoff.md"]) {
      expect(files).toContain(name);
    }
    expect(files).toContain(join("logs", "journal.jsonl"));
  });

  it("keeps its folder out of the person's commits", async () => {
    bench.write("prompt.md");
    await bench.create();
    expect(git(bench.root, "status", "--porcelain")).toBe("?? prompt.md\n");
  });

  it("S1-1 S3-2 S4-16 advises against one task, and creates it all the same", async () => {
    bench.write(
      "prompt.md",
      "## Goal\nSay hello.\n\n## Steps\n- [ ] Write hello.txt\n  - check: file hello.txt\n",
    );
    const { code, out } = await bench.run("new", "prompt.md");
    expect(code).toBe(0);
    expect(out).toMatch(/^prompt\.md:\d+(:\d+)?: warning: .*one task/m);
    expect(out).toContain("Created prompt with id p-");
  });

  it.each([
    ["no Steps", "## Goal\nSay hello.\n"],
    ["no Goal", "## Steps\n- [ ] Write hello.txt\n"],
    ["empty Steps", "## Goal\nSay hello.\n\n## Steps\n\nNothing yet.\n"],
  ])("S0-7 S3-2 refuses %s and makes nothing, anywhere", async (_, text) => {
    bench.write("prompt.md", text);
    const before = bench.everything();
    const exclude = readFileSync(join(bench.root, ".git/info/exclude"), "utf8");
    const { code, out, err } = await bench.run("new", "prompt.md");
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(err).toContain("stint: prompt.md has 1 error; no project was created");
    expect(err).toContain("  Fix it, then check again: stint lint prompt.md");
    expect(bench.everything()).toEqual(before);
    expect(readFileSync(join(bench.root, ".git/info/exclude"), "utf8")).toBe(exclude);
  });

  it("S0-7 tells every problem at once, with its line", async () => {
    bench.write("prompt.md", "# Nothing\n");
    const { err } = await bench.run("new", "prompt.md");
    expect(err).toContain("stint: prompt.md has 2 errors; no project was created");
    expect(err.match(/: error: /g)).toHaveLength(2);
    const json = await bench.run("new", "prompt.md", "--json");
    const { error } = views.errorView.parse(JSON.parse(json.out));
    expect(error.problems).toHaveLength(2);
    expect(json.code).toBe(2);
  });

  it("S1-17 refuses to create a project again and names the one there is", async () => {
    bench.write("prompt.md");
    const id = await bench.create();
    const { code, err } = await bench.run("new", "prompt.md");
    expect(code).toBe(2);
    expect(err).toMatch(
      new RegExp(
        `^stint: prompt\\.md already has a project: ${id}, created \\w{3} \\d+ \\w{3}, \\d\\d:\\d\\d\\. It was not created again\\.\\n  Look at it: stint status ${id}$`,
      ),
    );
  });

  it("S1-18 refuses to create over a project whose shadow is lost", async () => {
    bench.write("prompt.md");
    const id = await bench.create();
    const holder = bench.hold(id);
    holder.commit(holder.state, {
      at: holder.state.updated_at,
      kind: "worked",
      by: "test",
      summary: "worked",
    });
    holder.release();
    rmSync(join(bench.stateHome, "stint", "shadows"), { recursive: true });
    const { code, err } = await bench.run("new", "prompt.md");
    expect(code).toBe(5);
    expect(err).toBe(
      `stint: agents/stint/projects/prompt holds ${id} at revision 2, but this machine has no shadow of it (another machine, a fresh clone, a moved work tree, a lost state folder). Stint trusts nothing of it.\n  See what would be trusted: stint doctor; then, in ${bench.root}: stint doctor --adopt`,
    );
    expect((await bench.run("doctor", "--adopt")).code).toBe(0);
    const status = await bench.run("status", id, "--json");
    expect(JSON.parse(status.out)).toMatchObject({ project: { id } });
  });

  describe("from a manifest that lies in no repository", () => {
    let folder: string;
    let file: string;
    beforeEach(() => {
      folder = join(bench.path, "plain");
      mkdirSync(folder);
      file = join(folder, "prompt.md");
      writeFileSync(file, TWO_TASKS);
    });

    it.each(["new", "plan", "run"])("is refused, and leaves nothing behind: %s", async (verb) => {
      expect(await bench.run(verb, file)).toMatchObject({
        code: 2,
        err: `stint: ${file} is in no git repository and does not name one\n  Work in the repository you are in: stint ${verb} ${file} --dir ${bench.root}\n  Or write it into the front matter: repository: ${bench.root}`,
      });
      expect((await bench.runWith({ cwd: folder }, verb, "prompt.md")).err).toBe(
        `stint: prompt.md is in no git repository and does not name one\n  Name the repository: stint ${verb} prompt.md --dir /home/ada/shop\n  Or write it into the front matter: repository: /home/ada/shop\n  To work in this folder without git, where nothing is committed: stint ${verb} prompt.md --dir .`,
      );
      expect(readdirSync(folder)).toEqual(["prompt.md"]);
      expect(JSON.parse((await bench.run("list", "--json")).out)).toEqual({
        projects: [],
        damaged: [],
      });
    });

    it("works where --dir names that very folder, without git", async () => {
      const words = ["new", "prompt.md", "--dir", ".", "--json"];
      const { code, out } = await bench.runWith({ cwd: folder }, ...words);
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject({ project: { root: folder, manifest: "prompt.md" } });
    });

    it("works where --dir names a work tree, or a folder of one, and is found again without it", async () => {
      bench.write("src/a.ts", "1");
      const { out } = await bench.run("plan", file, "--dir", "src", "--json");
      const { project } = JSON.parse(out) as { project: { id: string } };
      expect(project).toMatchObject({ root: bench.root, manifest: "../plain/prompt.md" });
      const again = JSON.parse((await bench.run("plan", file, "--json")).out) as object;
      expect(again).toMatchObject({ project: { id: project.id } });
      for (const verb of ["run", "plan", "new"]) {
        // oxlint-disable-next-line no-await-in-loop
        expect((await bench.run(verb, file, "--dir", folder)).err).toBe(
          `stint: ${file} already has a project, ${project.id}, which works in ${bench.root}, not in ${folder}\n  Continue it: stint run ${project.id}; for another work tree, make a copy of the manifest`,
        );
      }
    });

    it("works where it records its repository, as workflows do", async () => {
      writeFileSync(file, `---\nrepository: ${bench.root}\n---\n${TWO_TASKS}`);
      expect(JSON.parse((await bench.run("new", file, "--json")).out)).toMatchObject({
        project: { root: bench.root },
      });
      const other = join(bench.path, "other.md");
      writeFileSync(other, `---\nrepository: ${bench.root}\n---\n${TWO_TASKS}`);
      expect((await bench.run("new", other, "--dir", folder)).err).toBe(
        `stint: ${other} says repository: ${bench.root}, and --dir names ${folder}\n  Leave out --dir, or change repository: in the manifest`,
      );
    });

    it.each([
      ["nowhere", "there is no such folder"],
      ["prompt.md", "that is not a folder"],
    ])("says what is wrong with --dir %s", async (dir, why) => {
      bench.write("prompt.md");
      expect((await bench.run("new", file, "--dir", dir)).err).toBe(
        `stint: --dir ${dir}: ${why}\n  Name the work tree to work in: --dir /home/ada/shop`,
      );
    });
  });

  it.each(["new", "plan", "run", "lint"])(
    "is refused where git keeps a repository: %s",
    async (verb) => {
      const bare = join(bench.path, "shop.git");
      git(bench.path, "init", "-q", "--bare", "shop.git");
      writeFileSync(join(bare, "prompt.md"), TWO_TASKS);
      const told = `is in a bare repository, which has no work tree: ${bare}\n  Make a work tree and put the manifest there: git clone ${bare} ../work; or: git -C ${bare} worktree add ../work`;
      for (const words of [["prompt.md"], ["prompt.md", "--dir", "."]]) {
        const { code, err } = await bench.runWith({ cwd: bare }, verb, ...words);
        const named = words.length === 1 ? "prompt.md" : "--dir .";
        expect([code, err]).toEqual([2, `stint: ${named} ${told}`]);
      }
      const inside = join(bench.root, ".git/prompt.md");
      writeFileSync(inside, TWO_TASKS);
      expect(await bench.run(verb, ".git/prompt.md")).toMatchObject({
        code: 2,
        err: `stint: .git/prompt.md is in the folder where git keeps a repository, which is not part of its work tree: ${bench.root}/.git\n  Put the manifest into the work tree: ${bench.root}`,
      });
    },
  );

  it("belongs to the work tree of the manifest, wherever the person stands", async () => {
    bench.write("docs/prompt.md");
    const { out } = await bench.runWith(
      { cwd: bench.path },
      "new",
      "repo/docs/prompt.md",
      "--json",
    );
    expect(JSON.parse(out)).toMatchObject({
      project: { root: bench.root, manifest: "docs/prompt.md" },
    });
  });

  it("keeps a linked work tree and the main one apart", async () => {
    bench.write("prompt.md");
    git(bench.root, "add", "prompt.md");
    git(bench.root, "commit", "--quiet", "-m", "manifest");
    const linked = join(bench.path, "linked");
    git(bench.root, "worktree", "add", "--quiet", linked);
    const main = await bench.create();
    const { out } = await bench.runWith({ cwd: linked }, "new", "prompt.md", "--json");
    const view = views.newView.parse(JSON.parse(out));
    expect(view.project).toMatchObject({ root: linked, slug: "prompt" });
    expect(view.project.id).not.toBe(main);
    expect(git(linked, "status", "--porcelain")).toBe("");
  });

  it.each([
    ["with spaces.md", "with-spaces"],
    ["größe 日本.md", "gro-e"],
    ["日本.md", "project"],
    ["UPPER_case.markdown", "upper-case"],
    [`${"long".repeat(50)}.md`, "long".repeat(12)],
    [".hidden.md", "hidden"],
    ["no-extension", "no-extension"],
  ])("S0-6 takes a manifest named %s", async (name, slug) => {
    bench.write(name);
    const { out } = await bench.run("new", name, "--json");
    expect(JSON.parse(out)).toMatchObject({ project: { slug, manifest: name } });
    expect((await bench.run("status", name)).code).toBe(0);
  });

  it("takes a name with a leading dash after --", async () => {
    bench.write("-x.md", "# nothing\n");
    const { err, code } = await bench.run("new", "--", "-x.md");
    expect(code).toBe(2);
    expect(err).toContain("Fix them, then check again: stint lint ./-x.md");
  });

  it("quotes a name in the command that it tells", async () => {
    bench.write("my file.md", "# nothing\n");
    const { err } = await bench.run("new", "my file.md");
    expect(err).toContain("Fix them, then check again: stint lint 'my file.md'");
  });

  it("gives a second manifest of the same stem four hex digits", async () => {
    bench.write("a/prompt.md");
    bench.write("b/prompt.md");
    await bench.create("a/prompt.md");
    const { out } = await bench.run("new", "b/prompt.md", "--json");
    expect(views.newView.parse(JSON.parse(out)).project.slug).toMatch(/^prompt-[0-9a-f]{4}$/);
  });

  it("has an owner other than stint when told so, and refuses one that is no name", async () => {
    bench.write("prompt.md");
    const { code, err } = await bench.run("new", "prompt.md", "--as", "../up");
    expect(code).toBe(2);
    expect(err).toBe(
      'stint: "../up" cannot be the owner: it becomes a folder name\n  Use lower-case letters, digits and hyphens: --as night-shift',
    );
    await bench.run("new", "prompt.md", "--as", "night-shift");
    expect(existsSync(join(bench.root, "agents/night-shift/projects/prompt/state.json"))).toBe(
      true,
    );
  });

  it("S4-9 tells nothing when the state cannot be written", async () => {
    bench.write("prompt.md");
    writeFileSync(bench.stateHome, "a file");
    const { code, out, err } = await bench.run("new", "prompt.md");
    expect([code, out]).toEqual([5, ""]);
    expect(err).toContain("Nothing more was started.");
  });
});

describe("the settings of a work tree", () => {
  it("hold: root, owner and limits", async () => {
    bench.write("prompt.md");
    bench.write(
      "stint.config.yaml",
      "root: work/robots\nowner_agent: night\nlimits:\n  files_per_task: 12\n",
    );
    const { out } = await bench.run("new", "prompt.md", "--json");
    const view = views.newView.parse(JSON.parse(out));
    expect(view.project.folder).toBe("work/robots/night/projects/prompt");
    const state = readFileSync(join(bench.root, view.project.folder, "state.json"), "utf8");
    expect(JSON.parse(state)).toMatchObject({
      scope_guardrails: { limits: { files_per_task: 12, tasks_per_session: 6 } },
    });
    expect(git(bench.root, "status", "--porcelain")).not.toContain("work/");
  });

  it.each([
    ["an unknown key", "rooot: x\n", "unknown key rooot (did you mean root?)"],
    [
      "an unknown timeout",
      "timeouts: { setpu: 1m }\n",
      "unknown key timeouts.setpu (did you mean setup?)",
    ],
    [
      "an unknown limit",
      "limits:\n  files_per_tsk: 3\n",
      "unknown key limits.files_per_tsk (did you mean files_per_task?)",
    ],
    [
      "a key like nothing",
      "zzzzzz: 1\n",
      "unknown key zzzzzz (known are root, owner_agent, limits, iteration, timeouts, attempts_per_task, budgets, agent, agents, models, parallel, parallel_per_agent, wait, watchdog, browser, notify, env, isolation, protect, writable, show, network, workspace, bring, setup, serve, dir, deliver, push, trackState, release, strict, proof, approvals)",
    ],
    [
      "two keys like nothing, which are listed once",
      "timeouts: { zzzz: 1, yyyyy: 1 }\n",
      "unknown key timeouts.zzzz (known are session, idle, retrying, grace, kill, check, setup); unknown key timeouts.yyyyy",
    ],
    [
      "a key with a dot",
      "budgets.cost: 5\n",
      "unknown key budgets.cost (write budgets: { cost: 5 })",
    ],
    [
      "a key with two dots",
      "notify.webhook.url: https://x.test/\n",
      'unknown key notify.webhook.url (write notify: { webhook: { url: "https://x.test/" } })',
    ],
    ["a root above the work tree", "root: ../up\n", "root: expected a folder inside the work tree"],
    ["an absolute root", "root: /tmp/x\n", "root: expected a folder inside the work tree"],
    ["a root by a detour", "root: a/../../b\n", "root: expected a folder inside the work tree"],
    [
      "a root with a line break",
      'root: "a\\n/../../b"\n',
      "root: expected a folder inside the work tree",
    ],
    ["a root with an empty part", "root: a//b\n", "root: expected a folder inside the work tree"],
    ["a root that is the work tree", "root: .\n", "root: expected a folder inside the work tree"],
    ["a word that is none of its words", "push: maybe\n", "push: expected auto or ask or never"],
    ["a text for a list", "agents: codex\n", "agents: expected a list"],
    ["an empty list", "agents: []\n", "agents: expected a list of at least 1"],
    ["a number too small", "attempts_per_task: 0\n", "attempts_per_task: expected at least 1"],
    ["a text for a number", "attempts_per_task: x\n", "attempts_per_task: expected a number"],
    [
      "a number too large",
      "limits:\n  tasks_per_session: 9\n",
      "limits.tasks_per_session: expected at most 6",
    ],
    ["an empty text", 'agent: ""\n', "agent: expected a text that is not empty"],
    ["no name", "owner_agent: a b\n", "owner_agent: expected a name such as night-shift"],
    ["a list for an amount", "budgets:\n  cost: []\n", "budgets.cost: expected a text or a number"],
    ["a list for everything", "- push\n", "expected keys with their values"],
    [
      "a word that is gone",
      "dirty: stash\n",
      "dirty: is gone: a run never works in your checkout. To start from your uncommitted changes: stint run … --include-changes",
    ],
    ["a path that leads up", "bring: [data/, ../x]\n", 'bring: "../x" contains ".."'],
    ["a number to bring", "bring: 3\n", "bring: expected a text, or a list of texts"],
    ["an empty setup", "setup: []\n", "setup: expected a command, or a list of them"],
    [
      "a server without an address",
      "serve: npm start\n",
      'serve: expected a command, then "ready GET" and the address that answers',
    ],
    ["an absolute dir", "dir: /srv\n", 'dir: "/srv" is absolute'],
    [
      "no kind of workspace",
      "workspace: elsewhere\n",
      'workspace: expected copy, in-place or own-path, or keys such as "{ kind: copy, dir: /big/disk/stint }" with an absolute dir',
    ],
    [
      "two keys for one thing",
      "agent: codex\nagents: [qwen]\n",
      "agent and agents mean the same; keep one",
    ],
  ])("with %s are refused, and nothing is made", async (_, text, problem) => {
    bench.write("prompt.md");
    bench.write("stint.config.yaml", text);
    const before = bench.everything();
    const { code, err } = await bench.run("new", "prompt.md");
    expect(code).toBe(2);
    expect(err).toBe(
      `stint: stint.config.yaml: ${problem}\n  For example:\n    root: agents\n    limits:\n      files_per_task: 12`,
    );
    expect(bench.everything()).toEqual(before);
  });

  it.each([
    ["a wrong type", "limits:\n  files_per_task: many\n", /limits\.files_per_task: /],
    ["too much", "limits:\n  tasks_per_session: 7\n", /limits\.tasks_per_session: /],
    ["a list", "- a\n", /yaml: expected keys/],
    [
      "a misspelt channel",
      "notify:\n  dektop: true\n",
      /unknown key notify\.dektop \(did you mean desktop\?\)/,
    ],
    ["no hours", "notify:\n  quiet: at night\n", /notify\.quiet: expected hours, as "22:00-07:00"/],
    [
      "a command line",
      "notify:\n  command: ./tell.sh --loud\n",
      /notify\.command: expected a list of words such as \[\.\/tell\.sh, --loud\]/,
    ],
    [
      "a secret in the settings",
      "notify:\n  webhook:\n    url: https://x.test\n    secret: hunter2\n",
      /notify\.webhook\.secret_env: .*unknown key notify\.webhook\.secret \(/s,
    ],
    [
      "a password in an address",
      "notify:\n  webhook:\n    url: https://a:b@x.test\n    secret_env: HOOK\n",
      /notify\.webhook\.url: expected an http or https address without a password/,
    ],
  ])("with %s are refused with the place", async (_, text, problem) => {
    bench.write("prompt.md");
    bench.write("stint.config.yaml", text);
    const { code, err } = await bench.run("lint", "prompt.md");
    expect(code).toBe(2);
    expect(err).toMatch(problem);
  });

  it("that are no YAML are refused with the reason", async () => {
    bench.write("prompt.md");
    bench.write("stint.config.yaml", "root: [\n");
    const { code, err } = await bench.run("lint", "prompt.md");
    expect(code).toBe(2);
    expect(err).toMatch(
      /^stint: stint\.config\.yaml is not YAML: .+\n {2}Edit stint\.config\.yaml$/,
    );
  });

  it("in two files are refused: which one counts must not be guessed", async () => {
    bench.write("prompt.md");
    bench.write("stint.config.yaml", "root: a\n");
    bench.write("stint.config.json", "{}");
    expect(await bench.run("lint", "prompt.md")).toEqual({
      code: 2,
      out: "",
      err: `stint: ${bench.root} has two config files: stint.config.yaml and stint.config.json\n  Keep one: mv stint.config.json stint.config.json.old`,
    });
  });

  it("in an empty file are the defaults", async () => {
    bench.write("prompt.md");
    bench.write("stint.config.yaml", "# nothing\n");
    expect((await bench.run("lint", "prompt.md")).code).toBe(0);
  });
});
