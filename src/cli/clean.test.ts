import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLineBench } from "../../test/support/command-line.ts";
import { git } from "../../test/support/git.ts";
import type { News } from "../core/news.ts";
import type { CleanView, DoctorView, StatusView } from "../core/schema/views.ts";
import { clean as cleanUp } from "../operations/clean.ts";
import { run } from "../operations/run/run.ts";
import type { System } from "../operations/system.ts";
import { keptPath } from "../store/store.ts";

let bench: CommandLineBench;
let id: string;

beforeEach(async () => {
  bench = new CommandLineBench();
  bench.write("prompt.md");
  git(bench.root, "add", "-A");
  git(bench.root, "commit", "-q", "-m", "start");
  id = await bench.create();
});
afterEach(() => bench.close());

const UNKNOWN = "p-zzzzzzzzzz";

const workspaces = () => join(bench.stateHome, "stint/workspaces");

/** A workspace as it lies on the disk. */
function workspace(
  project: string,
  name = "1",
  refs: readonly string[] = [],
  folder = workspaces(),
): string {
  const home = join(folder, project, name);
  mkdirSync(join(home, "tree/node_modules"), { recursive: true });
  mkdirSync(join(home, "git/refs"), { recursive: true });
  writeFileSync(join(home, "tree/node_modules/index.js"), "x".repeat(10_000));
  for (const ref of refs) {
    mkdirSync(dirname(join(home, "git", ref)), { recursive: true });
    writeFileSync(join(home, "git", ref), `${"a".repeat(40)}\n`);
  }
  return home;
}

async function clean(...words: string[]): Promise<{ code: number; view: CleanView }> {
  const { out, code, err } = await bench.run("clean", ...words, "--json");
  expect(err).toBe("");
  return { code, view: JSON.parse(out) as CleanView };
}

const brief = ({ items }: CleanView) =>
  items.map(({ kind, project_id, reason, outcome }) => [kind, project_id, reason, outcome]);

async function abandon(): Promise<void> {
  const { code, err } = await bench.run("abandon", id, "--reason", "over");
  expect([code, err]).toEqual([0, ""]);
}

describe("stint clean", () => {
  it("finds nothing where everything is needed", async () => {
    workspace(id);
    expect(await bench.run("clean", "--yes")).toMatchObject({
      code: 0,
      out: "Nothing to remove: everything there is needed.",
    });
    expect(existsSync(join(workspaces(), id, "1/tree"))).toBe(true);
  });

  it("shows the workspace of a project that is over, and removes it only with --yes", async () => {
    const home = workspace(id);
    await abandon();
    const { code, view } = await clean();
    expect(code).toBe(0);
    expect(brief(view)).toEqual([["workspace", id, "its project is Abandoned", "shown"]]);
    expect(view).toMatchObject({ is_applied: false, next: ["stint clean --yes"] });
    expect(view.bytes).toBeGreaterThanOrEqual(10_000);
    expect(existsSync(home)).toBe(true);

    const after = await clean("--yes");
    expect(after.code).toBe(0);
    expect(brief(after.view)).toEqual([["workspace", id, "its project is Abandoned", "removed"]]);
    expect(readdirSync(workspaces())).toEqual([]);
    expect((await clean("--yes")).view.items).toEqual([]);
    expect((await bench.run("status", id)).code).toBe(0);
  });

  it("removes the workspace of a Done project in a folder without git", async () => {
    const tasks = {
      english: [{ act: "write", path: "hello.txt", text: "x" }],
      german: [{ act: "write", path: "hallo.txt", text: "x" }],
    };
    bench.write("works.json", JSON.stringify({ tasks }));
    rmSync(join(bench.root, ".git"), { recursive: true });
    const ran = await bench.run("run", id, "--agent", "scripted:works.json");
    expect([ran.code, ran.err]).toEqual([0, ""]);
    expect(ran.out).toContain("recorded task t1");
    expect(ran.out).not.toContain("committed");
    expect(brief((await clean("--yes")).view)).toEqual([
      ["workspace", id, "its project is Done", "removed"],
    ]);
  });

  it("keeps the workspace of work whose repository lost its .git", async () => {
    const home = workspace(id);
    writeFileSync(join(home, "record.json"), JSON.stringify({ branch: null, tip: "a".repeat(40) }));
    await abandon();
    rmSync(join(bench.root, ".git"), { recursive: true });
    expect((await clean("--yes")).view.items).toMatchObject([{ outcome: "kept" }]);
  });

  it("says it in words", async () => {
    const home = workspace(id, "1", [`refs/stint/${id}/t2/1`]);
    workspace(id, "2.tmp");
    await abandon();
    const { out } = await bench.run("clean");
    const shown = out.replaceAll(/[\d.]+ kB in \d files?/g, "SIZE");
    expect(shown.split("\n")).toEqual([
      `kept workspace of ${id}, SIZE: its project is Abandoned`,
      `    ${home}`,
      "    only copy of: unfinished work of t2",
      `    this is the only copy; to remove it anyway: stint clean --yes --force ${id}`,
      `· left over of ${id}, SIZE: a process that was killed left it`,
      `    ${join(workspaces(), id, "2.tmp")}`,
      expect.stringMatching(/^Nothing was removed yet\. [\d.]+ kB can be:$/),
      "  → stint clean --yes",
    ]);
  });

  it("keeps unfinished work unless its project is named", async () => {
    const home = workspace(id, "1", [`refs/stint/${id}/t2/1`]);
    await abandon();
    const kept = await clean("--yes");
    expect(kept.code).toBe(0);
    expect(brief(kept.view)).toEqual([["workspace", id, "its project is Abandoned", "kept"]]);
    expect(existsSync(home)).toBe(true);
    const forced = await clean("--yes", "--force", id);
    expect(forced.view.items).toMatchObject([
      { outcome: "removed", only_copy_of: ["unfinished work of t2"] },
    ]);
    expect(existsSync(home)).toBe(false);
  });

  it("keeps commits that no other branch holds, and removes the workspace once one does", async () => {
    const home = workspace(id);
    await abandon();
    git(bench.root, "branch", "stint/prompt");
    git(bench.root, "update-ref", `refs/stint/${id}/base`, "HEAD");
    const tip = git(bench.root, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "work").trim();
    git(bench.root, "update-ref", "refs/heads/stint/prompt", tip);
    git(bench.root, "update-ref", `refs/stint/${id}/tip`, tip);
    expect((await clean("--yes")).view.items).toMatchObject([
      { outcome: "kept", only_copy_of: ["commits that only stint/prompt contains"] },
    ]);
    expect(existsSync(home)).toBe(true);

    git(bench.root, "branch", "merged", tip);
    expect((await clean("--yes")).view.items).toMatchObject([{ outcome: "removed" }]);
    const left = git(bench.root, "for-each-ref", "--format=%(refname)").trim().split("\n");
    expect(left).toEqual(["refs/heads/main", "refs/heads/merged", "refs/heads/stint/prompt"]);
  });

  it("leaves everything of a project that a run holds", async () => {
    await abandon();
    workspace(id);
    workspace(id, "2.gone");
    const holder = bench.hold(id);
    try {
      expect((await clean("--yes")).view.items).toEqual([]);
      const { code, err } = await bench.run("clean", "--yes", "--force", id);
      expect([code, err]).toEqual([
        6,
        `stint: ${id} is held by a run; nothing of it was removed\n  See what it does: stint status ${id}; end it: stint stop ${id}`,
      ]);
    } finally {
      holder.release();
    }
    expect(readdirSync(join(workspaces(), id)).toSorted()).toEqual(["1", "2.gone"]);
  });

  it("removes what is of no project known here, and touches nothing else there", async () => {
    workspace(UNKNOWN);
    workspace(UNKNOWN, "2.gone");
    workspace(UNKNOWN, "notes");
    const outside = join(bench.path, "outside");
    mkdirSync(outside);
    symlinkSync(outside, join(workspaces(), UNKNOWN, "3"));
    symlinkSync(outside, join(workspaces(), "p-yyyyyyyyyy"));
    mkdirSync(join(outside, "1"));
    const { view } = await clean("--yes");
    expect(brief(view)).toEqual([
      ["workspace", UNKNOWN, "its project is not known here", "removed"],
      ["litter", UNKNOWN, "a process that was killed left it", "removed"],
    ]);
    expect(readdirSync(join(workspaces(), UNKNOWN)).toSorted()).toEqual(["3", "notes"]);
    expect(readdirSync(outside)).toEqual(["1"]);
  });

  describe("where workspace.dir names another place", () => {
    const elsewhere = () => join(bench.path, "big disk");
    const reason = "its project is not known here";
    const settings = () => `workspace: { dir: ${JSON.stringify(elsewhere())} }\n`;

    it("looks there as well, by the settings of the checkout it is started in", async () => {
      const home = workspace(UNKNOWN, "1", [], elsewhere());
      workspace(UNKNOWN, "2.tmp", [], elsewhere());
      expect((await clean("--yes")).view.items).toEqual([]);
      bench.write("stint.config.yaml", settings());
      expect(brief((await clean()).view)).toEqual([
        ["workspace", UNKNOWN, reason, "shown"],
        ["litter", UNKNOWN, "a process that was killed left it", "shown"],
      ]);
      expect((await clean("--yes")).view.items).toMatchObject([
        { outcome: "removed", path: home },
        { outcome: "removed" },
      ]);
      expect(readdirSync(elsewhere())).toEqual([]);
    });

    it("looks there from anywhere, by the settings of a known project, and finds its own", async () => {
      bench.write("stint.config.yaml", settings());
      workspace(UNKNOWN, "1", [`refs/stint/${UNKNOWN}/t2/1`], elsewhere());
      const own = workspace(id, "1", [], elsewhere());
      await abandon();
      const { out } = await bench.runWith({ cwd: bench.path }, "clean", "--yes", "--json");
      expect(brief(JSON.parse(out) as CleanView)).toEqual([
        ["workspace", id, "its project is Abandoned", "removed"],
        ["workspace", UNKNOWN, reason, "kept"],
      ]);
      expect(existsSync(own)).toBe(false);
    });

    it("finds the workspace of a known project also where the settings name another place by now", async () => {
      const home = workspace(id, "1", [], elsewhere());
      const holder = bench.hold(id);
      const kept = { kind: "own-copy", home, at: bench.root, isolation: "bwrap" };
      holder.keep(keptPath("logs", "workspace.json"), JSON.stringify(kept));
      holder.release();
      await abandon();
      expect((await clean("--yes")).view.items).toMatchObject([{ outcome: "removed", path: home }]);
    });

    it("leaves what another state folder knows, as long as that is there", async () => {
      const other = join(bench.path, "other state");
      mkdirSync(other);
      const home = workspace(UNKNOWN, "1", [], elsewhere());
      writeFileSync(join(home, "state-folder"), `${other}\n`);
      bench.write("stint.config.yaml", settings());
      expect((await clean("--yes")).view.items).toEqual([]);
      rmdirSync(other);
      expect((await clean("--yes")).view.items).toMatchObject([{ outcome: "removed" }]);
    });

    it("is not kept from cleaning by settings that cannot be read", async () => {
      workspace(UNKNOWN);
      bench.write("stint.config.yaml", "workspace: [\n");
      expect(brief((await clean("--yes")).view)).toEqual([
        ["workspace", UNKNOWN, reason, "removed"],
      ]);
    });
  });

  it("takes the entry of a checkout that is gone, and the project comes back by adoption", async () => {
    await abandon();
    workspace(id);
    const moved = `${bench.root}-away`;
    renameSync(bench.root, moved);
    const run = async (...words: string[]) => await bench.runWith({ cwd: bench.path }, ...words);
    const reason = `its checkout ${bench.root} is gone`;
    const { out } = await run("clean", "--yes", "--json");
    expect(brief(JSON.parse(out) as CleanView)).toEqual([
      ["workspace", id, reason, "removed"],
      ["registry-entry", id, reason, "removed"],
    ]);
    expect((await run("list", "--ids")).out).toBe("");
    expect(existsSync(bench.root)).toBe(false);
    const adopted = await bench.runWith({ cwd: moved }, "doctor", "--adopt", "--json");
    expect((JSON.parse(adopted.out) as DoctorView).repaired).toMatchObject([{ project_id: id }]);
  });

  it("keeps the entry of unfinished work whose checkout is away", async () => {
    renameSync(bench.root, `${bench.root}-away`);
    const { out } = await bench.runWith({ cwd: bench.path }, "clean", "--yes", "--json");
    expect((JSON.parse(out) as CleanView).items).toMatchObject([
      { outcome: "kept", only_copy_of: ["the only way to reopen a project that is Draft"] },
    ]);
    expect((await bench.runWith({ cwd: bench.path }, "list", "--ids")).out).toBe(id);
  });

  it("refuses to force what is not there", async () => {
    expect(await bench.run("clean", "--force", "p-nothing")).toEqual({
      code: 2,
      out: "",
      err: "stint: p-nothing has nothing that could be removed\n  --force takes the whole id of a project, as stint clean shows it.",
    });
  });

  it("removes what a session closed to everybody", async () => {
    const home = workspace(id);
    chmodSync(join(home, "tree"), 0);
    await abandon();
    expect((await clean("--yes")).view.items).toMatchObject([{ outcome: "removed" }]);
    expect(existsSync(home)).toBe(false);
  });
});

describe("what runs in the background and the watchdog left", () => {
  const left = (project: string): string[] =>
    ["detached", "watchdog"].map((folder) => {
      const path = join(bench.stateHome, "stint", folder, project);
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, "resume.log"), "x".repeat(1000));
      return path;
    });

  it("is shown and removed with a project that is over, or unknown, and never before", async () => {
    const own = left(id);
    const unknown = left(UNKNOWN);
    expect(brief((await clean()).view)).toEqual([
      ["background-runs", UNKNOWN, "its project is not known here", "shown"],
      ["watchdog-notes", UNKNOWN, "its project is not known here", "shown"],
    ]);
    await abandon();
    const { out } = await bench.run("clean");
    expect(out).toMatch(
      new RegExp(
        `· logs of runs in the background of ${id}, .* in 1 file: its project is Abandoned\n    ${own[0]}`,
      ),
    );
    expect([...own, ...unknown].filter(existsSync)).toHaveLength(4);
    const { view } = await clean("--yes");
    expect(view.items.map(({ outcome }) => outcome)).toEqual(Array(4).fill("removed"));
    expect([...own, ...unknown].filter(existsSync)).toEqual([]);
    expect(brief((await clean()).view)).toEqual([]);
  });

  it("is found again after a removal that was killed, and stays while its process lives", async () => {
    const [detached = ""] = left(UNKNOWN);
    const { pid, process_start, boot_id, pid_namespace } = bench.system().host.self();
    const current = { name: "01234567", pid, process_start, boot_id, pid_namespace };
    writeFileSync(join(detached, "current.json"), JSON.stringify(current));
    expect(brief((await clean("--yes")).view)).toEqual([
      ["watchdog-notes", UNKNOWN, "its project is not known here", "removed"],
    ]);
    // What a removal leaves that was killed: some of its files.
    rmSync(join(detached, "current.json"));
    expect(brief((await clean("--yes")).view)).toEqual([
      ["background-runs", UNKNOWN, "its project is not known here", "removed"],
    ]);
    expect(existsSync(detached)).toBe(false);
  });
});

describe("the size of a workspace", () => {
  it("is measured by doctor and shown by status, with the time", async () => {
    const status = async () =>
      JSON.parse((await bench.run("status", id, "--json")).out) as StatusView;
    expect((await status()).workspace).toBeNull();
    const path = workspace(id);
    const holder = bench.hold(id);
    const kept = { kind: "own-copy", home: path, at: bench.root, isolation: "bwrap" };
    holder.keep(keptPath("logs", "workspace.json"), JSON.stringify(kept));
    holder.release();
    const unmeasured = { kind: "own-copy", path, bytes: null, measured_at: null };
    expect((await status()).workspace).toMatchObject(unmeasured);
    expect((await bench.run("doctor")).out).toMatch(/its workspace takes \d+ kB in 1 file /);
    const { workspace: shown } = await status();
    expect(shown?.bytes).toBeGreaterThanOrEqual(10_000);
    expect(shown?.measured_at).toMatch(/^\d{4}-/);
    expect((await bench.run("status", id, "--verbose")).out).toMatch(
      /Folder .*\(\d+ kB, measured [\d-]+ /,
    );
    writeFileSync(join(path, "use.json"), readFileSync(join(path, "use.json"), "utf8").slice(3));
    expect((await status()).workspace).toMatchObject(unmeasured);
  });
});

describe("what takes longer than a second", () => {
  /** On this machine a second is over as soon as it begins. */
  function inHaste(): System {
    const system = bench.system();
    const every = (_ms: number, act: () => void) => {
      act();
      return () => {};
    };
    return { ...system, user: "person", host: { ...system.host, every } };
  }

  it("is told while workspaces are measured and removed", async () => {
    workspace(id);
    await abandon();
    const heard: string[] = [];
    const { items } = await cleanUp(inHaste(), { yes: true, tell: (text) => heard.push(text) });
    expect(items.map(({ outcome }) => outcome)).toEqual(["removed"]);
    expect(heard).toEqual([
      `measuring the workspace of ${id} …`,
      `removing the workspace of ${id} …`,
    ]);
  });

  it("is told where a run removes its workspace", async () => {
    const write = (path: string) => [{ act: "write", path, text: "x" }];
    const tasks = { english: write("hello.txt"), german: write("hallo.txt") };
    bench.write("works.json", JSON.stringify({ tasks }));
    const heard: News[] = [];
    const { status } = await run(inHaste(), {
      target: id,
      agent: "scripted:works.json",
      tell: (news) => heard.push(news),
      stopWanted: () => null,
    });
    expect(status.status).toBe("Done");
    expect(heard).toContainEqual({ kind: "notice", text: "removing the workspace …" });
    expect(readdirSync(bench.stateHome, { recursive: true }).join()).not.toContain(`${id}/1/tree`);
  });
});
