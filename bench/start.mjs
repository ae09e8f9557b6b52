// Cold starts of `stint status --json` against `node -e 0`, and a large project against an empty one.
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openBenchProject } from "./project.mjs";
import { medians, row, runProgram } from "./measure.mjs";

const STINT = fileURLToPath(new URL("../dist/main.cjs", import.meta.url));
const TASKS = 10_000;
const SESSIONS = 10_000;

export async function benchStart() {
  const base = fs.mkdtempSync(join(tmpdir(), "stint-bench-"));
  try {
    const small = await closed(openBenchProject(join(base, "small"), 1));
    const history = { done: true, sessions: SESSIONS };
    const large = await closed(openBenchProject(join(base, "large"), TASKS, history));
    for (const [name, env] of environments()) {
      const result = medians(
        {
          node: () => runProgram(process.execPath, ["-e", "0"], { env }),
          small: () => status(small, env),
          large: () => status(large, env),
        },
        21,
      );
      console.log(`Cold start of stint status --json, ${name}`);
      row("  one task", result.small, "node -e 0", result.node, 1.8);
      row(`  ${TASKS} done tasks, ${SESSIONS} sessions`, result.large, "one task", result.small, 2);
    }
  } finally {
    fs.rmSync(base, { recursive: true, force: true });
  }
}

/** NODE_EXTRA_CA_CERTS alone can double a start, so both are shown where it is set. */
function environments() {
  const { NODE_EXTRA_CA_CERTS: certificates, ...plain } = process.env;
  const without = ["without NODE_EXTRA_CA_CERTS", plain];
  return certificates === undefined
    ? [without]
    : [without, ["with NODE_EXTRA_CA_CERTS", process.env]];
}

async function closed(opening) {
  const project = await opening;
  project.holder.release();
  return project;
}

function status({ root, stateHome, id }, env) {
  const args = [STINT, "status", id, "--json"];
  runProgram(process.execPath, args, { cwd: root, env: { ...env, XDG_STATE_HOME: stateHome } });
}
