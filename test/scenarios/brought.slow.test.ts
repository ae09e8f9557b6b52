// Files that git does not hold, in whole runs of the built executable: what a session changes of them is
// named in its result and in the next brief, and nobody else's change is blamed on it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Act, KEPT, Scenario } from "../support/scenario.ts";

let scene: Scenario;
afterEach(() => scene.close());

const write = (path: string, text = "x\n"): Act => ({ act: "write", path, text });
const SET_UP = "echo set up >> .env.setup; echo x >> node_modules/p/index.js";
const MANIFEST = `---
setup: ${JSON.stringify(SET_UP)}
---

# Goal

It works.

# Steps

- [ ] one - Write one file
  - check: \`echo checked >> .env.checked; test -f one.made\`
- [ ] two - Write another file
  - check: \`test -f two.made\`
`;

function sessionFile(session: number, name: string): string {
  const project = join(scene.root, "agents/stint/projects/prompt");
  return readFileSync(join(project, "logs/sessions", String(session), name), "utf8");
}

function withBrought(): void {
  scene = new Scenario({
    manifest: MANIFEST,
    files: { ".gitignore": "*.log\n.env*\nnode_modules/\n" },
  });
  for (const name of [".env", ".env.setup", ".env.checked", "node_modules/p/index.js"]) {
    scene.write(name, "the person's\n");
  }
}

describe("what a session changes of brought files", () => {
  it("is named in its result, told, written down, and in the next brief; setup and checks are not blamed", async () => {
    withBrought();
    const result = await scene.play({
      one: [write(".env", "TOKEN=other\n"), write("node_modules/q/index.js"), write("one.made")],
      two: [write("two.made")],
    });
    expect(scene.judge(result)).toEqual({ ...KEPT, code: 0, status: "Done", done: ["one", "two"] });
    const named = [".env", "node_modules/ (1 file before, 2 files now)"];
    expect(JSON.parse(sessionFile(1, "result.json"))).toMatchObject({ brought_changed: named });
    expect(JSON.parse(sessionFile(2, "result.json"))).toMatchObject({ brought_changed: [] });
    const told = `session 1 changed files that were brought along: ${named.join(", ")}`;
    expect(result.out).toContain(told);
    expect(scene.journal()).toContain(told);
    expect(sessionFile(1, "brief.md")).not.toContain("The session before changed files");
    expect(sessionFile(2, "brief.md")).toContain(
      `nobody else gets them:\n\n\`\`\`\n- .env\n- ${named[1]}\n\`\`\``,
    );
    // The person's own are as they were.
    expect(scene.read(".env")).toBe("the person's\n");
  });

  it("is told also of a session that a kill of the run cut short", async () => {
    withBrought();
    const cut = [write(".env", "TOKEN=other\n"), { act: "kill-parent" }, { act: "sleep", ms: 50 }];
    const script = { one: [cut, [write("one.made")]], two: [write("two.made")] };
    const killed = await scene.play(script, "--isolation", "off");
    expect(killed.signal).toBe("SIGKILL");
    const result = await scene.play(script, "--isolation", "off");
    expect(result.state.status).toBe("Done");
    expect(result.out).toContain("session 1 changed files that were brought along: .env\n");
  });
});
