// The page of a child workflow, in real folders: where it lies, when it is written, and what is never touched.
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { EngineWorld, type Scenario } from "../../../test/support/engine-world.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";

const folder = temporaryFolder();

afterAll(() => folder.remove());

let homes = 0;

function scene(settings?: string) {
  const home = join(folder.path, `home-${(homes += 1)}`);
  mkdirSync(home);
  const keys = ["child: the-first", "inputs: the goal", "actions: Lay it", "actions: Paint it"];
  const scenario: Scenario = {
    tasks: [{ kind: "session", behaviours: ["works"], keys }],
    batch: 1,
    home,
    ...(settings === undefined ? {} : { settings }),
  };
  const top = join(home, ".udx/dev.kit/state/codex/workflows", basename(folder.path));
  const world = new EngineWorld(scenario, folder.path);
  return { world, scenario, home, top, page: join(top, "prompt/the-first/index.md") };
}

const DONE = `---
workflow: the-first
repository: ${JSON.stringify(folder.path)}
parent: ${JSON.stringify(join(folder.path, "prompt.md"))}
---

# Child workflow the-first

- Completes t1 of ${join(folder.path, "prompt.md")}
- The task has its own workflow
- Bounds: 6 steps an iteration, 8 files a step, 3 new files an iteration, 0 moves a step; anything beyond becomes a child workflow

## Goal

Make the thing number 1

## Steps

- [x] n1-1 - Lay it
  - inputs: the goal
  - actions: Lay it
  - outputs: a commit that passes its checks
  - status: done
- [x] n1-2 - Paint it
  - inputs: the goal
  - actions: Paint it
  - outputs: a commit that passes its checks
  - status: done
`;

describe("S2-26 the page of a child workflow", () => {
  it("lies at its exact path, in folders that are the person's alone, and is not there before the split", async () => {
    const { world, page, top } = scene();
    const seen: string[] = [];
    world.whileWorking = () => {
      const said = readFileSync(page, "utf8").matchAll(/status: .*/g);
      seen.push([...said].join());
    };
    expect(lstatSync(page, { throwIfNoEntry: false })).toBeUndefined();
    await world.run();
    expect(readFileSync(page, "utf8")).toBe(DONE);
    expect(seen).toEqual([
      "status: in_progress,status: planned",
      "status: done,status: in_progress",
    ]);
    expect(statSync(join(top, "prompt/the-first")).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(top, "prompt/the-first"))).toEqual(["index.md"]);
  });

  it("lies below the workflow that its manifest names", async () => {
    const { world, top } = scene("workflow: big-change");
    await world.run();
    expect(readdirSync(top)).toEqual(["big-change"]);
  });

  it("is the same after a kill at any point, also where it was lost", async () => {
    const effects = await scene().world.run();
    const failures: string[] = [];
    for (let crashAt = 1; crashAt <= effects; crashAt += 1) {
      const { world, page } = scene();
      await world.run({ crashAt });
      if (crashAt % 2 === 0 || crashAt === effects) rmSync(page, { force: true });
      await world.run();
      if (readFileSync(page, "utf8") !== DONE) failures.push(`crash ${crashAt}`);
    }
    expect(failures).toEqual([]);
  });

  it("is not written anew where it says the same", async () => {
    const { world, page } = scene();
    await world.run();
    const before = statSync(page, { bigint: true });
    await world.run();
    expect(statSync(page, { bigint: true }).ino).toBe(before.ino);
  });

  const IN_THE_WAY: readonly [string, (page: string, top: string) => string][] = [
    [
      "a link in its place",
      (page) => {
        mkdirSync(join(page, ".."), { recursive: true });
        writeFileSync(join(folder.path, "victim"), "mine");
        symlinkSync(join(folder.path, "victim"), page);
        return `${page} is a link`;
      },
    ],
    [
      "a folder in its place",
      (page) => {
        mkdirSync(page, { recursive: true });
        return `${page} is a folder`;
      },
    ],
    [
      "a link on the way",
      (_, top) => {
        mkdirSync(top, { recursive: true });
        mkdirSync(join(folder.path, "elsewhere"));
        symlinkSync(join(folder.path, "elsewhere"), join(top, "prompt"));
        return `${join(top, "prompt")} is a link`;
      },
    ],
    [
      "a file on the way",
      (_, top) => {
        mkdirSync(top, { recursive: true });
        writeFileSync(join(top, "prompt"), "mine");
        return `${join(top, "prompt")} is not a folder`;
      },
    ],
  ];

  it.each(IN_THE_WAY)("%s is left alone and said once, and the work goes on", async (_, put) => {
    const { world, page, top } = scene();
    const problem = put(page, top);
    const notices: string[] = [];
    await world.run({
      tell: (news) => void (news.kind === "notice" && notices.push(news.text)),
    });
    expect(world.state.status).toBe("Done");
    expect(notices.filter((text) => text.includes("child workflow"))).toEqual([
      `the page of a child workflow is not written: ${problem}`,
    ]);
    const victim = join(folder.path, "victim");
    if (problem === `${page} is a link`) expect(readFileSync(victim, "utf8")).toBe("mine");
    const elsewhere = join(folder.path, "elsewhere");
    if (problem.endsWith("prompt is a link")) expect(readdirSync(elsewhere)).toEqual([]);
  });
});
