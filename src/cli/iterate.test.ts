import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLineBench } from "../../test/support/command-line.ts";
import { type ConfigView, type IterateView, planView } from "../core/schema/views.ts";
import { asCode } from "../operations/iterate.ts";
import { parseCheck } from "../manifest/parse-check.ts";

let bench: CommandLineBench;
let flows: string;

beforeEach(() => {
  bench = new CommandLineBench();
  flows = join(bench.path, "flows");
});
afterEach(() => bench.close());

async function config(...words: string[]): Promise<Record<string, [unknown, string]>> {
  const { out } = await bench.run("config", "--json", ...words);
  const { values } = JSON.parse(out) as ConfigView;
  return Object.fromEntries(values.map(({ key, value, from }) => [key, [value, from]]));
}

async function iterate(request: string, ...words: string[]) {
  return await bench.run(
    "iterate",
    request,
    "--workflow-dir",
    flows,
    "--agent",
    "scripted",
    ...words,
  );
}

describe("stint config", () => {
  it("S2-1 says each value and where it came from; what is typed wins over what is written", async () => {
    bench.write(
      "stint.config.yaml",
      "iteration:\n  task_id: from-file\n  workflow_dir: flows\n  check: [make test, make lint]\nlimits:\n  files_per_task: 12\n",
    );
    const values = await config("--task-id", "typed", "--review-log", "REVIEW.md");
    const isOfIterations = (key: string): boolean => /^(?:iteration|limits)\./u.test(key);
    expect(
      Object.fromEntries(Object.entries(values).filter(([key]) => isOfIterations(key))),
    ).toEqual({
      "iteration.repo_id": ["repo", "repository"],
      "iteration.workflow_dir": [join(bench.root, "flows"), "stint.config.yaml"],
      "iteration.task_id": ["typed", "option"],
      "iteration.review_log": ["REVIEW.md", "option"],
      "iteration.subtask_log": ["tasks/<task-id>/feedback.md", "default"],
      "iteration.check": [["make test", "make lint"], "stint.config.yaml"],
      "limits.tasks_per_session": [6, "default"],
      "limits.files_per_task": [12, "stint.config.yaml"],
      "limits.new_files_per_session": [3, "default"],
      "limits.moves_per_task": [0, "default"],
      "limits.extract": [true, "default"],
    });
    expect((await config("--check", "go test"))["iteration.check"]).toEqual([
      ["go test"],
      "option",
    ]);
  });

  it.each([true, false])("S2-13 says whether work is split, as written: %s", async (extract) => {
    bench.write("stint.config.yaml", `limits:\n  extract: ${extract}\n`);
    expect((await config())["limits.extract"]).toEqual([extract, "stint.config.yaml"]);
    const { out } = await bench.run("config");
    expect(out).toMatch(
      new RegExp(`^  limits\\.extract +stint\\.config\\.yaml +${extract}$`, "mu"),
    );
  });

  it("finds the tests of a package, and takes what npm writes into a new one for none", async () => {
    expect((await config())["iteration.check"]).toEqual([[], "default"]);
    const script = (test: string): string => JSON.stringify({ scripts: { test } });
    bench.write("package.json", script('echo "Error: no test specified" && exit 1'));
    expect((await config())["iteration.check"]).toEqual([[], "default"]);
    bench.write("package.json", "{");
    expect((await config())["iteration.check"]).toEqual([[], "default"]);
    bench.write("package.json", script("vitest run"));
    expect((await config())["iteration.check"]).toEqual([["npm test"], "repository"]);
  });

  it.each([
    ["review_log: ../x.md", "a path below the root, such as docs/_feedback.md"],
    ["task_id: a/b", "a name without separators, such as big-change"],
    ["workflow_dir: a/../../b", "a folder: absolute, ~/…, or below the root of the repository"],
  ])("refuses %s in stint.config.yaml, and the same as an option", async (written, expected) => {
    const [key = "", value = ""] = written.split(": ");
    const flag = `--${key.replace("_", "-")}`;
    expect(await bench.run("config", flag, value)).toEqual({
      code: 2,
      out: "",
      err: `stint: ${flag} "${value}": expected ${expected}\n  See the current values and their origin: stint config`,
    });
    bench.write("stint.config.yaml", `iteration:\n  ${written}\n`);
    const { code, err } = await bench.run("config");
    expect([code, err]).toEqual([
      2,
      expect.stringContaining(`stint.config.yaml: iteration.${key}: expected ${expected}`),
    ]);
  });
});

describe("stint iterate", () => {
  const SEVERAL = "add tests, migrate the config and update the docs";

  it("S2-4 refuses a workflow without a task id, names the flag, and writes nothing", async () => {
    const before = bench.everything();
    const { code, err } = await iterate(SEVERAL);
    expect([code, err]).toEqual([
      2,
      `stint: this becomes a workflow (the request spans 3 distinct deliverables), and a workflow needs a task id\n  Name it: stint iterate '${SEVERAL}' --task-id <name>; or set iteration.task_id in stint.config.yaml`,
    ]);
    expect(bench.everything().filter((path) => !path.startsWith("state"))).toEqual(before);
  });

  it("S2-18 S2-23 writes a workflow once, shows its steps, and does nothing before a yes", async () => {
    const first = await iterate(SEVERAL, "--task-id", "tidy", "--json");
    expect(first.code).toBe(3);
    const view = JSON.parse(first.out) as IterateView;
    expect(view).toMatchObject({
      kind: "workflow",
      manifest: join(flows, "tidy/workflow.md"),
      because: ["the request spans 3 distinct deliverables"],
      steps: [
        { child: "add-tests" },
        { child: "migrate-the-config" },
        { child: "update-the-docs" },
      ],
      run: { status: { status: "Draft" }, run: { sessions: 0 } },
    });
    const id = view.run?.status.project.id;
    expect(view.response.next.join("\n")).toContain(`stint approve plan ${id}`);
    expect(view.response.next.at(-1)).toContain(`stint resume ${id}`);
    const text = readFileSync(join(flows, "tidy/workflow.md"), "utf8");
    const again = await iterate(SEVERAL, "--task-id", "tidy", "--json");
    expect(again.code).toBe(3);
    expect((JSON.parse(again.out) as IterateView).run?.status.project.id).toBe(id);
    expect(readFileSync(join(flows, "tidy/workflow.md"), "utf8")).toBe(text);
  });

  it("S2-9 S2-10 S2-11 S2-12 a workflow is shown as a tree with what is planned and left of its bounds", async () => {
    await iterate(SEVERAL, "--task-id", "tidy");
    const { out } = await bench.run("plan", "tidy");
    const bounds = "planned 1/6 tasks, 0/8 files, 0/3 new, 0/0 moves";
    expect(out).toContain("  t1 pending  Add tests\n      child add-tests\n");
    expect(out.split(`      ${bounds}\n      left 5, 8, 3, 0\n`)).toHaveLength(4);
    expect((await bench.run("status", "tidy")).out).toMatch(
      new RegExp(
        `t1  pending  Add tests \\(child add-tests\\)\\n +${bounds}\\n +left 5, 8, 3, 0\\n`,
      ),
    );
    const view = planView.parse(JSON.parse((await bench.run("plan", "tidy", "--json")).out));
    expect(view.tasks[0]).toMatchObject({
      child: "add-tests",
      bounds: { session: null, files: { limit: 8, planned: 0, used: null, left: 8 } },
    });
  });

  it("S2-10 a project without bounds of its own and without children is shown as before", async () => {
    bench.write("prompt.md");
    const plan = await bench.run("plan", "prompt.md");
    const status = await bench.run("status", "prompt.md");
    expect(`${plan.out}${status.out}`).not.toMatch(/planned|left 5/);
    const { out } = await bench.run("status", "prompt.md", "--json");
    expect(out).not.toMatch(/"(?:bounds|child|chunk_of)"/);
  });

  it("never writes over another text, and follows no link", async () => {
    const path = join(flows, "tidy/workflow.md");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "mine\n");
    const refused = await iterate(SEVERAL, "--task-id", "tidy");
    expect([refused.code, refused.err]).toEqual([
      2,
      `stint: ${path} exists already with another text; it was not overwritten\n  Continue with that text: stint run ${path}; or give this request another name: --task-id <name>`,
    ]);
    expect(readFileSync(path, "utf8")).toBe("mine\n");
    symlinkSync(bench.path, join(flows, "other"));
    const linked = await iterate(SEVERAL, "--task-id", "other");
    expect([linked.code, linked.err]).toEqual([2, expect.stringContaining("is in the way")]);
    symlinkSync(bench.path, join(bench.root, "link"));
    const inside = await bench.run(
      "iterate",
      SEVERAL,
      "--task-id",
      "a",
      "--workflow-dir",
      "link/b",
      "--agent",
      "scripted",
    );
    expect([inside.code, inside.err]).toEqual([2, expect.stringContaining("link is in the way")]);
  });

  it("S2-24 takes nothing for an unfinished iteration that is somebody's own text", async () => {
    bench.write("docs/_feedback.md", "# Review\n\n- DOC-001: Fix it\n");
    const path = join(flows, "iteration/iteration.md");
    mkdirSync(dirname(path), { recursive: true });
    for (const text of ["mine\n", '---\niteration: iteration\nrepository: "/elsewhere"\n---\n']) {
      writeFileSync(path, text);
      // Each is looked at by itself.
      // oxlint-disable-next-line no-await-in-loop
      const { code, err } = await iterate("iteration");
      expect([code, err]).toEqual([2, expect.stringContaining(`${path} exists already`)]);
      expect(readFileSync(path, "utf8")).toBe(text);
    }
  });

  it("S2-16 says that nothing is open, and makes nothing", async () => {
    bench.write("docs/_feedback.md", "# Review\n\n## Resolution Log\n\n- DOC-001: done\n");
    const before = bench.everything().filter((path) => !path.startsWith("state"));
    expect(await iterate("iteration")).toEqual({
      code: 0,
      out: "nothing is open in docs/_feedback.md",
      err: "",
    });
    expect(bench.everything().filter((path) => !path.startsWith("state"))).toEqual(before);
  });

  it("names a review log that is not there, and lines that are not read as items", async () => {
    const typo = await iterate("iteration", "--review-log", "docs/typo.md");
    expect([typo.code, typo.err]).toEqual([
      2,
      expect.stringContaining("the review log docs/typo.md does not exist in "),
    ]);
    expect(await iterate("iteration")).toMatchObject({
      code: 0,
      out: expect.stringContaining("nothing is open: there is no docs/_feedback.md") as string,
    });
    bench.write("docs/_feedback.md", "- UX1 no hyphen\n");
    const near = await iterate("iteration");
    expect(near.code).toBe(0);
    expect(near.out).toContain("nothing is open in docs/_feedback.md, and 1 warning");
    expect(near.out).toContain("stint lint docs/_feedback.md");
    mkdirSync(join(bench.root, "docs/folder.md"));
    const folder = await iterate("iteration", "--review-log", "docs/folder.md");
    expect([folder.code, folder.err]).toEqual([2, expect.stringContaining("cannot be read")]);
  });

  it("refuses an empty request", async () => {
    expect((await iterate("  ")).code).toBe(2);
  });

  it.each(["npm test", "grep -q `whoami` x", "`a`", "echo ``"])(
    "writes %s as a check that is read back as the same command",
    (command) => {
      expect(parseCheck(asCode(command))).toEqual({
        ok: true,
        check: { kind: "command", command },
      });
    },
  );
});

it("stint iterate writes nothing for an agent that is not there", async () => {
  const words = ["--workflow-dir", flows, "--task-id", "tidy", "--agent", "command:no-such-agent"];
  const { code, err } = await bench.run("iterate", "add tests, migrate the config", ...words);
  expect(code).toBe(2);
  expect(err).toContain("was not found on PATH");
  expect(existsSync(flows)).toBe(false);
});
