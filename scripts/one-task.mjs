// What one task with one session and one check runs through: the source is compiled file by file, a run is
// made with it in a scratch repository, and V8 tells which functions were called.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const MANIFEST = "## Goal\n\nCount.\n\n## Steps\n\n- [ ] Write it\n  - check: file out exists\n";

export function countOneTask(root) {
  const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "stint-shape-")));
  try {
    const program = compile(root, join(base, "program"));
    const coverage = join(base, "coverage");
    runOnce(base, program, coverage);
    return counted(coverage, join(base, "program", "src"));
  } finally {
    fs.rmSync(base, { recursive: true, force: true });
  }
}

/** @returns the path of the compiled executable */
function compile(root, out) {
  fs.mkdirSync(out, { recursive: true });
  fs.copyFileSync(join(root, "package.json"), join(out, "package.json"));
  fs.symlinkSync(fs.realpathSync(join(root, "node_modules")), join(out, "node_modules"));
  const config = join(out, "tsconfig.json");
  const options = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      noEmit: false,
      rootDir: root,
      outDir: out,
      typeRoots: [join(root, "node_modules", "@types")],
    },
    include: [join(root, "src")],
    exclude: [join(root, "src/**/*.test.ts")],
  };
  fs.writeFileSync(config, JSON.stringify(options));
  execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", config], {
    cwd: root,
    stdio: "inherit",
  });
  // The executable is bundled as CommonJS, which knows its folder; here it is told.
  const start = join(out, "start.mjs");
  fs.writeFileSync(
    start,
    `globalThis.__dirname = ${JSON.stringify(join(root, "dist"))};\nawait import("./src/main.js");\n`,
  );
  return start;
}

function runOnce(base, program, coverage) {
  const repository = join(base, "repository");
  const agent = join(base, "agent");
  fs.mkdirSync(repository);
  fs.writeFileSync(agent, "#!/bin/sh\necho done > out\n", { mode: 0o755 });
  fs.writeFileSync(join(repository, "prompt.md"), MANIFEST);
  const git = (...args) => execFileSync("git", args, { cwd: repository, stdio: "ignore" });
  git("init", "-q", "-b", "work");
  git("config", "user.name", "shape");
  git("config", "user.email", "shape@example.invalid");
  git("add", "-A");
  git("commit", "-qm", "start");
  const words = [program, "run", "prompt.md", "--agent", `command:${agent}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: repository,
    env: { ...process.env, XDG_STATE_HOME: join(base, "state"), NODE_V8_COVERAGE: coverage },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`stint run ended with ${status}: ${stdout}${stderr}`);
}

/** Functions by their file and place: the same one called in two processes counts once. */
function counted(coverage, source) {
  const called = new Map();
  for (const name of fs.readdirSync(coverage)) {
    const { result } = JSON.parse(fs.readFileSync(join(coverage, name), "utf8"));
    for (const { url, functions } of result) {
      if (!url.startsWith("file:")) continue;
      const path = fileURLToPath(url);
      if (!path.startsWith(`${source}/`)) continue;
      const file = path.slice(source.length + 1);
      for (const { functionName, ranges } of functions) {
        const [{ startOffset, count }] = ranges;
        // The file itself, which runs when it is loaded, is no function of it.
        if (count === 0 || (functionName === "" && startOffset === 0)) continue;
        called.set(file, (called.get(file) ?? new Set()).add(startOffset));
      }
    }
  }
  const files = [...called.keys()];
  return {
    files: files.length,
    functions: [...called.values()].reduce((total, places) => total + places.size, 0),
    loop: files.filter((file) => /^(engine|workspace)\//.test(file)).length,
  };
}
