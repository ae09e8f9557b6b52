// Secrets in the person's local settings (`.env`), in whole runs of the built executable: no text that Stint keeps
// or says holds one, no commit gets one without a person's yes, and credentials of the environment reach nobody who
// does not need them.
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Act, english, german, Scenario, type Setup } from "../support/scenario.ts";

let scene: Scenario;
afterEach(() => scene.close());

const SECRET = "hunter2-of-the-shop";
const write = (path: string, text: string): Act => ({ act: "write", path, text });

function withSettings(setup: Setup = {}): void {
  scene = new Scenario({
    files: { ".gitignore": "*.log\n.env*\n", ".env.example": "SHOP_SECRET=\n" },
    ...setup,
  });
  scene.write(".env", `# of this machine\nPORT=3000\nSHOP_SECRET="${SECRET}"\n`);
}

/** Every file that Stint keeps, but for the copy of the settings itself. */
function keptWith(secret: string): string[] {
  const found: string[] = [];
  const walk = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const facts = statSync(path, { throwIfNoEntry: false });
      if (facts?.isDirectory() === true) walk(path);
      else if (facts?.isFile() === true && readFileSync(path, "latin1").includes(secret)) {
        found.push(path);
      }
    }
  };
  for (const folder of [join(scene.root, "agents"), join(scene.path, "state")]) walk(folder);
  return found.filter((path) => !path.endsWith("/.env"));
}

describe("a secret of the local settings", () => {
  it("is in no log, no evidence, no state, no brief, no commit message, whoever says it", async () => {
    withSettings({
      manifest: `# Goal\n\nIt works.\n\n# Steps\n\n- [ ] one - Write one file\n  - check: \`cat .env; test -f one.made\`\n`,
    });
    const result = await scene.play({
      one: [
        [
          { act: "say", text: `the secret is ${SECRET}` },
          { act: "run", command: "cat .env; cat .env >&2" },
          { act: "exit", code: 3 },
        ],
        [
          write("one.made", "x\n"),
          { act: "run", command: `git add one.made; git commit -qm "uses ${SECRET}"` },
          { act: "say", text: SECRET },
        ],
      ],
    });
    expect(result.state.status).toBe("Done");
    expect(result.out + result.err).not.toContain(SECRET);
    expect(keptWith(SECRET)).toEqual([]);
    expect(scene.git("log", "--format=%B")).not.toContain(SECRET);
    expect(scene.git("log", "--format=%B")).toContain("uses [redacted]");
  });

  it.each([
    ["a new file", write("config.ts", `export const secret = "${SECRET}";\n`)],
    ["a file that was there", write("one.txt", `one\n${SECRET}\n`)],
    ["JSON", write("data.json", JSON.stringify({ secret: SECRET }))],
  ])("in %s holds back the commit until a person has said yes", async (_, act) => {
    withSettings();
    const result = await scene.play({ english: [english, act], german: [german] });
    expect(result.code).toBe(3);
    const [asked] = result.state.approval_items;
    expect(asked?.reason).toContain("it contains a secret from your local settings (.env)");
    expect(`${asked?.reason}${asked?.subject}`).not.toContain(SECRET);
    expect(scene.git("log", "-p", "--all")).not.toContain(SECRET);
  });

  it("that the file held before is no news, nor is a value that is none", async () => {
    withSettings({
      files: { ".gitignore": "*.log\n.env*\n", "one.txt": `one\n${SECRET}\n` },
    });
    const result = await scene.play({
      english: [english, write("one.txt", `one\n${SECRET}\nmore\n`), write("port.ts", "3000\n")],
      german: [german],
    });
    expect(result.state.status).toBe("Done");
    expect(result.state.approval_items).toEqual([]);
  });
});

describe("a credential of the environment", () => {
  const env = { DEPLOY_TOKEN: "t0ken-of-the-deploy", ANTHROPIC_API_KEY: "key-of-the-model" };
  const MANIFEST = `# Goal

It works.

# Steps

- [ ] one - Write one file
  - check: \`test -z "$DEPLOY_TOKEN$ANTHROPIC_API_KEY" && grep -q '^:set$' one.made\`
- [ ] two - Publish it
  - run: \`test -n "$DEPLOY_TOKEN" && echo it has it\`
`;

  it("reaches no check and no session but the agent's own key; an act of the manifest gets it", async () => {
    scene = new Scenario({ manifest: MANIFEST });
    const agent = scene.program(
      "agent.sh",
      `#!/bin/sh\necho "$DEPLOY_TOKEN:\${ANTHROPIC_API_KEY:+set}" > one.made\n`,
    );
    const result = await scene.runWith({ env }, "--agent", `command:${agent}`);
    expect(result.err + result.out).toContain("Done");
    expect(result.state.status).toBe("Done");
  });

  it("is named where a check fails for want of it, and passed once env.allow names it", async () => {
    const manifest = MANIFEST.replace(
      /check: .*/,
      'check: `test -n "$DEPLOY_TOKEN" || { echo DEPLOY_TOKEN is not set; exit 1; }; test -f one.made`',
    ).replace(/- \[ \] two[\s\S]*/, "");
    scene = new Scenario({ manifest, config: "attempts_per_task: 1\n" });
    const agent = scene.program("agent.sh", "#!/bin/sh\necho x > one.made\n");
    const refused = await scene.runWith({ env }, "--agent", `command:${agent}`);
    expect(refused.state.status).toBe("Blocked");
    expect(JSON.stringify(refused.state)).toContain(
      "DEPLOY_TOKEN is a credential and not passed on; if it is needed, add it to env.allow",
    );
    scene.close();
    scene = new Scenario({ manifest, config: 'env: { allow: ["*", DEPLOY_TOKEN] }\n' });
    const again = scene.program("agent.sh", "#!/bin/sh\necho x > one.made\n");
    const passed = await scene.runWith({ env }, "--agent", `command:${again}`);
    expect(passed.state.status).toBe("Done");
  });
});
