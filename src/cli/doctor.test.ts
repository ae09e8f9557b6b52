import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLineBench, TWO_TASKS } from "../../test/support/command-line.ts";
import { gitInit } from "../../test/support/git.ts";
import * as views from "../core/schema/views.ts";

let bench: CommandLineBench;

beforeEach(() => {
  bench = new CommandLineBench();
});
afterEach(() => bench.close());

/** The project folder came with the work tree; this machine knows nothing of it. */
async function clone(): Promise<string> {
  bench.write("prompt.md");
  const id = await bench.create();
  rmSync(bench.stateHome, { recursive: true });
  return id;
}

describe("a fresh clone", () => {
  it.each([["status"], ["log"], ["status", "prompt"], ["log", "prompt.md"]])(
    "S3-4 is refused by %s %s with exit code 5 and the way to adopt it",
    async (...words) => {
      const id = await clone();
      const { code, out, err } = await bench.run(...words);
      expect([code, out]).toEqual([5, ""]);
      expect(err).toContain(`stint: agents/stint/projects/prompt holds ${id} at revision 1, but`);
      expect(err).toContain(
        `\n  See what would be trusted: stint doctor; then, in ${bench.root}: stint doctor --adopt`,
      );
    },
  );

  it("S1-21 is adopted under its id after the doctor showed what is trusted", async () => {
    const id = await clone();
    const shown = await bench.run("doctor");
    expect(shown.out).toContain(
      `adoptable agents/stint/projects/prompt\n  - project ${id} at revision 1, Draft\n  - 0 of 2 tasks done, according to this file alone\n  → stint doctor --adopt`,
    );
    expect(existsSync(bench.stateHome)).toBe(false);
    const adopted = await bench.run("doctor", "--adopt", "--json");
    const view = views.doctorView.parse(JSON.parse(adopted.out));
    expect(view.repaired).toMatchObject([{ project_id: id }]);
    expect((await bench.run("status", id)).code).toBe(0);
  });

  it("is whole when it was adopted, with the records that prove what is done", async () => {
    bench.write("prompt.md");
    bench.write("agent.sh", "#!/bin/sh\ntouch hello.txt hallo.txt\n");
    const agent = ["--agent", "command:sh agent.sh"];
    expect((await bench.run("run", "prompt.md", ...agent, "--sessions", "1")).out).toContain(
      "done task t1",
    );
    rmSync(bench.stateHome, { recursive: true });
    const { out } = await bench.run("doctor", "--adopt");
    expect(out).toContain(`  - 1 record taken from ${bench.root}/agents/stint/projects/prompt\n`);
    expect(out).not.toContain("✗");
    expect(out).not.toContain("no state folder yet");
  });

  it("finds the folder where the settings put it", async () => {
    bench.write("stint.config.yaml", "root: work/robots\n");
    const id = await clone();
    expect((await bench.run("status")).err).toContain(
      `work/robots/stint/projects/prompt holds ${id}`,
    );
  });

  it("is adopted by its id from any folder when only its shadow is lost", async () => {
    bench.write("prompt.md");
    const id = await bench.create();
    rmSync(join(bench.stateHome, "stint/shadows"), { recursive: true });
    const refused = await bench.runWith({ cwd: bench.path }, "status", id);
    expect(refused.code).toBe(5);
    expect(refused.err).toContain(`stint doctor ${id} --adopt`);
    expect((await bench.runWith({ cwd: bench.path }, "doctor", id, "--adopt")).code).toBe(0);
    expect((await bench.runWith({ cwd: bench.path }, "status", id)).code).toBe(0);
  });
});

describe("stint doctor", () => {
  it("repairs with exit code 6 refused while a run holds the project", async () => {
    bench.write("prompt.md");
    const id = await bench.create();
    const holder = bench.hold(id);
    const { code, out, err } = await bench.run("doctor", "--repair");
    expect([code, out]).toEqual([6, ""]);
    expect(err).toContain(`stint: ${id} is held by ${holder.lease.run_id}`);
    expect(err).toContain(`\n  Wait for it, or see what it does: stint status ${id}`);
    const json = await bench.run("doctor", "--repair", "--json");
    expect(views.errorView.parse(JSON.parse(json.out)).error.code).toBe("lease-held");
  });

  it("rebuilds from the manifest when that is all that is left, and says so", async () => {
    bench.write("prompt.md");
    const id = await bench.create();
    rmSync(join(bench.stateHome, "stint/shadows"), { recursive: true });
    rmSync(join(bench.root, "agents"), { recursive: true });
    const { code, out } = await bench.run("doctor", "--repair");
    expect(code).toBe(0);
    expect(out).toContain(`repaired ${id}, now at revision`);
    expect(out).toContain(
      `  - no undamaged copy of the state was found; its content was taken from ${join(bench.root, "prompt.md")}, which could not be verified`,
    );
    expect((await bench.run("status", id)).out).toContain("0 of 2 tasks done");
  });

  it("says what is fine, with where", async () => {
    bench.write("prompt.md");
    await bench.create();
    const { code, out } = await bench.run("doctor");
    expect(code).toBe(0);
    expect(out).toContain(`✓ no settings; the defaults apply (${bench.root}/stint.config.yaml)`);
    expect(out).toContain(`  ✓ the work tree is there (${bench.root})`);
    views.doctorView.parse(JSON.parse((await bench.run("doctor", "--json")).out));
  });

  it("says of a lost registry that the shadow is there, whatever is asked", async () => {
    bench.write("prompt.md");
    const id = await bench.create();
    rmSync(join(bench.stateHome, "stint", "registry"), { recursive: true });
    for (const words of [[], [id], [id, "--repair"]]) {
      // oxlint-disable-next-line no-await-in-loop
      const { out, err } = await bench.run("doctor", ...words);
      expect(`${out}${err}`).toContain(" shadow is ");
      expect(`${out}${err}`).not.toContain("no shadow of it");
      expect(`${out}${err}`).toContain("stint doctor --adopt");
    }
    expect((await bench.run("doctor", "--adopt")).out).toContain(`repaired ${id}`);
  });

  it("follows a damaged registration: set aside and adopted, the project is back", async () => {
    bench.write("prompt.md");
    const id = await bench.create();
    const path = join(bench.stateHome, "stint/registry/projects", `${id}.json`);
    writeFileSync(path, "{");
    const refused = await bench.run("status");
    expect(refused.code).toBe(5);
    expect(refused.err).toContain(`stint: ${path} is damaged: it is not an entry of the registry`);
    rmSync(path);
    expect((await bench.run("doctor", "--adopt")).code).toBe(0);
    expect((await bench.run("status", id)).code).toBe(0);
  });

  it.each(["cut", "folder", "circle of links"])(
    "an entry of the registry that is a %s stops no other project, and is repaired from any work tree",
    async (kind) => {
      bench.write("prompt.md");
      const id = await bench.create();
      const other = join(bench.path, "other");
      mkdirSync(other);
      gitInit(other);
      writeFileSync(join(other, "prompt.md"), TWO_TASKS);
      const there = async (...words: string[]) => await bench.runWith({ cwd: other }, ...words);
      expect((await there("new", "prompt.md")).code).toBe(0);
      const path = join(bench.stateHome, "stint/registry/projects", `${id}.json`);
      rmSync(path);
      if (kind === "cut") writeFileSync(path, '{"project');
      else if (kind === "folder") mkdirSync(join(path, "inside"), { recursive: true });
      else symlinkSync(path, path);

      expect((await there("status")).code).toBe(0);
      const list = await there("list");
      expect(list.code).toBe(0);
      expect(list.out).toContain(`damaged ${id}: ${path} is damaged`);
      expect(list.out).toContain("stint doctor --repair");
      expect((await there("clean")).err).toContain("stint doctor --repair");
      expect((await bench.run("run", "prompt.md", "--agent", "command:true")).code).toBe(5);
      const shown = await there("doctor");
      expect(shown.out).toContain(`✗ ${path} is damaged`);

      const repaired = await there("doctor", "--repair");
      expect(repaired.out).toContain(`written again for ${bench.root}`);
      expect((await bench.run("status", id)).code).toBe(0);
      expect((await there("list")).out).not.toContain("damaged");
    },
  );
});
