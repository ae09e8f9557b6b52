// The state page that a person wants among their own files: after every persist it says what is persisted, no
// commit holds it unless they want that, and what they put in its place is theirs.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Act, english, german, Scenario, TWO_TASKS } from "../support/scenario.ts";

const scenes: Scenario[] = [];

afterAll(() => {
  for (const made of scenes) made.close();
});

const AGENT = ["--agent", "scripted:../script.json"];
const PAGE = "docs/hello-state.md";

function scene(front: string, first: readonly Act[] = [english]): Scenario {
  const made = new Scenario({ manifest: `---\nstatePage: ${PAGE}\n${front}---\n${TWO_TASKS}` });
  scenes.push(made);
  const tasks = { english: first, german: [german] };
  writeFileSync(join(made.path, "script.json"), JSON.stringify({ manifest: "prompt.md", tasks }));
  return made;
}

function read(s: Scenario, path: string): string {
  return readFileSync(join(s.root, path), "utf8");
}

function statusIn(page: string): string | undefined {
  return /^## Current status\n\n(.*)\n/m.exec(page)?.[1];
}

describe.concurrent("the state page", () => {
  it("S4-17 S4-18 S4-22 says after each persist what the state says, and is in no commit", async () => {
    const s = scene("");
    expect((await s.say("run", "prompt.md", ...AGENT, "--sessions", "1")).code).toBe(1);
    const folder = "agents/stint/projects/prompt";
    const paused = JSON.parse(read(s, `${folder}/state.json`)) as {
      round_status: string;
      revision: number;
      next_action: string;
    };
    expect(statusIn(read(s, PAGE))).toBe(paused.round_status);
    expect(read(s, PAGE)).toContain(`## Next action\n\n${paused.next_action}\n`);
    expect(read(s, PAGE)).toContain(`made by stint from revision ${paused.revision};`);
    expect(read(s, PAGE)).toBe(read(s, `${folder}/state.md`));
    expect((await s.say("resume", "prompt", ...AGENT)).code).toBe(0);
    expect(statusIn(read(s, PAGE))).toBe("complete");
    expect(s.git("ls-tree", "-r", "--name-only", "HEAD", "--", "docs")).toBe("");
    expect(s.git("status", "--porcelain", "--", "docs")).toBe("");
  });

  it("is committed with each task where the state is, and delivery leaves the newer one", async () => {
    const s = scene("trackState: true\n");
    expect((await s.say("run", "prompt.md", ...AGENT)).code).toBe(0);
    expect(s.git("ls-tree", "-r", "--name-only", "HEAD", "--", "docs")).toBe(`${PAGE}\n`);
    expect(statusIn(s.git("show", `HEAD:${PAGE}`))).toBe("running");
    expect(statusIn(read(s, PAGE))).toBe("complete");
  });

  it("that a person wrote, or that is a link, stays as it is; the work goes on", async () => {
    const [own, linked] = [scene(""), scene("")];
    for (const each of [own, linked]) mkdirSync(join(each.root, "docs"), { recursive: true });
    writeFileSync(join(own.root, PAGE), "My own notes.\n");
    const outside = join(linked.path, "outside.md");
    writeFileSync(outside, "Elsewhere.\n");
    symlinkSync(outside, join(linked.root, PAGE));
    const first = await own.say("run", "prompt.md", ...AGENT);
    expect([first.code, read(own, PAGE)]).toEqual([0, "My own notes.\n"]);
    expect(first.out).toContain(`${PAGE} is not what Stint made, so it is not written again`);
    const second = await linked.say("run", "prompt.md", ...AGENT);
    expect([second.code, readFileSync(outside, "utf8")]).toEqual([0, "Elsewhere.\n"]);
  });

  it("is no work of a session that writes there", async () => {
    const forge: Act = { act: "write", path: PAGE, text: "forged\n" };
    const s = scene("", [english, forge]);
    expect((await s.say("run", "prompt.md", ...AGENT)).code).toBe(0);
    expect(s.git("log", "--all", "--format=%H", "--", PAGE)).toBe("");
  });

  it.each(["../out.md", "/etc/x.md", ".git/x.md", "docs/x.txt"])(
    "refuses %s as its path, with what is right",
    async (path) => {
      const s = new Scenario({ manifest: `---\nstatePage: ${path}\n---\n${TWO_TASKS}` });
      scenes.push(s);
      const { code, out } = await s.say("lint", "prompt.md");
      expect([code, out]).toEqual([
        2,
        expect.stringContaining("statePage is the path of a Markdown file below the root"),
      ]);
    },
  );
});
