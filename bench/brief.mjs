// How long briefs are, from a real run with the scripted agent: the first attempt at a task, the one after failed checks,
// and the third, after a session that crashed. Tokens are bytes divided by four, which is near enough for English and
// code and needs no tokenizer.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const STINT = fileURLToPath(new URL("../dist/main.cjs", import.meta.url));
const ATTEMPTS = [
  "first attempt",
  "second attempt, after failed checks",
  "third attempt, after a crash",
];

const MANIFEST = `# Goal

Titles become slugs, so that every page has a readable address. The module is used by the server and by the editor.

# Success criteria

- The same title always gives the same slug.

# Steps

- [ ] slugs - Write src/slug.mjs with a function slug(title)
  - lower case, words joined by one hyphen, no hyphen at either end
  - accents are dropped: "Crème" becomes "creme"
  - check: \`node --test test\`
- [ ] server - Use it in src/server.mjs
  - check: \`grep -q slug src/server.mjs\`

# References

- docs/addresses.md says which characters may stand in an address

# Tools

- \`node --test test\` runs the tests
`;

const TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { slug } from "../src/slug.mjs";

test("joins words", () => assert.equal(slug("Hello World"), "hello-world"));
test("drops accents", () => assert.equal(slug("Crème"), "creme"));
`;

const half = `export const slug = (title) => title.toLowerCase().split(/\\W+/).join("-");\n`;
const whole = `export const slug = (title) =>
  title.normalize("NFD").replace(/\\p{M}/gu, "").toLowerCase().split(/\\W+/).filter(Boolean).join("-");\n`;

const SCRIPT = {
  slugs: [
    [
      { act: "write", path: "src/slug.mjs", text: half },
      { act: "say", text: "slug() is written. Titles with accents I have not looked at yet." },
    ],
    [
      { act: "write", path: "src/slug.mjs", text: `${half}// accents: normalize("NFD") first\n` },
      { act: "say", text: "NFD and dropping the marks should do it. Now I change the split." },
      { act: "run", command: "echo 'Error: socket hang up' >&2; exit 3" },
    ],
    [{ act: "write", path: "src/slug.mjs", text: whole }],
  ],
  server: [{ act: "write", path: "src/server.mjs", text: `import { slug } from "./slug.mjs";\n` }],
};

export function benchBrief() {
  console.log("Briefs, in tokens (bytes / 4)");
  for (const [index, text] of briefs().entries()) {
    const bytes = Buffer.byteLength(text);
    console.log(
      `${`  ${ATTEMPTS[index]}`.padEnd(52)} ${String(Math.round(bytes / 4)).padStart(5)}  (${bytes} bytes)`,
    );
  }
}

/** One for each attempt at the first task. */
export function briefs() {
  const base = fs.mkdtempSync(join(tmpdir(), "stint-bench-"));
  try {
    const root = prepare(base);
    const script = join(base, "script.json");
    fs.writeFileSync(script, JSON.stringify({ tasks: SCRIPT }));
    const env = { ...process.env, HOME: base, XDG_STATE_HOME: join(base, "state") };
    const words = ["run", "prompt.md", "--agent", `scripted:${script}`, "--plain"];
    const ran = spawnSync(process.execPath, [STINT, ...words], {
      cwd: root,
      env,
      encoding: "utf8",
    });
    if (ran.status !== 0) throw new Error(`stint run ended with ${ran.status}\n${ran.stdout}`);
    const sessions = join(root, "agents/stint/projects/prompt/logs/sessions");
    return ATTEMPTS.map((_, index) =>
      fs.readFileSync(join(sessions, String(index + 1), "brief.md"), "utf8"),
    );
  } finally {
    fs.rmSync(base, { recursive: true, force: true });
  }
}

function prepare(base) {
  const root = join(base, "repository");
  fs.mkdirSync(join(root, "test"), { recursive: true });
  fs.mkdirSync(join(root, "docs"));
  fs.writeFileSync(join(root, "prompt.md"), MANIFEST);
  fs.writeFileSync(join(root, "test/slug.test.mjs"), TEST);
  fs.writeFileSync(join(root, "docs/addresses.md"), "a-z, 0-9 and hyphens.\n");
  const git = (...args) => execFileSync("git", args, { cwd: root });
  git("init", "-q", "-b", "main");
  git("config", "user.name", "Bench");
  git("config", "user.email", "bench@example.com");
  git("add", ".");
  git("commit", "-q", "-m", "Begin");
  return root;
}
