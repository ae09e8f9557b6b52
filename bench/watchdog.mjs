// A tick of the watchdog over a thousand projects that wait, against a program that only asks for the facts of their
// state files: once as it finds them for the first time, once as it knows them.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openBenchProject } from "./project.mjs";
import { median, row } from "./measure.mjs";

const STINT = fileURLToPath(new URL("../dist/main.cjs", import.meta.url));
const PROJECTS = 1000;
const TASKS = 20;

export async function benchWatchdog() {
  const base = fs.mkdtempSync(join(tmpdir(), "stint-bench-"));
  try {
    const stateHome = join(base, "state");
    const states = [];
    for (let n = 0; n < PROJECTS; n += 1) {
      const project = await openBenchProject(join(base, `p${n}`), TASKS, { stateHome });
      pauseUntilTomorrow(project.holder);
      project.holder.release();
      const folder = join(project.shadow, "state");
      states.push(join(folder, fs.readdirSync(folder).toSorted().at(-1)));
    }
    const list = join(base, "states.json");
    fs.writeFileSync(list, JSON.stringify(states));
    const ticked = join(stateHome, "stint", "watchdog", "ticked.json");
    const env = { ...process.env, XDG_STATE_HOME: stateHome, NODE_EXTRA_CA_CERTS: undefined };
    const cpuMs = (...args) => cpuOf([process.execPath, ...args], { env, cwd: base });
    const tick = () => cpuMs(STINT, "watchdog", "tick");
    const look = `const fs = require("fs"); for (const path of JSON.parse(fs.readFileSync(process.argv[1], "utf8"))) fs.statSync(path);`;
    const times = { stat: [], first: [], again: [] };
    for (let round = 0; round < 11; round += 1) {
      times.stat.push(cpuMs("-e", look, list));
      fs.rmSync(ticked, { force: true });
      times.first.push(tick());
      times.again.push(tick());
    }
    const [stat, first, again] = [times.stat, times.first, times.again].map(median);
    console.log(
      `stint watchdog tick over ${PROJECTS} projects of ${TASKS} tasks: CPU time, start of the program included`,
    );
    const floor = "node that stats their state files";
    row("  none known: all are read", first, floor, stat, 30);
    row("  all known: none is read", again, floor, stat, 8);
  } finally {
    fs.rmSync(base, { recursive: true, force: true });
  }
}

/** What a program and all that it waits for take of the processors, as the shell counts it. */
function cpuOf(words, options) {
  const script = '"$@" >/dev/null || exit 1; times';
  const { status, stdout } = spawnSync("sh", ["-c", script, "sh", ...words], {
    encoding: "utf8",
    ...options,
  });
  const times = [...(stdout.split("\n")[1] ?? "").matchAll(/(\d+)m([\d.]+)s/g)];
  if (status !== 0 || times.length !== 2)
    throw new Error(`${words.join(" ")} ended with ${status}`);
  return times.reduce((sum, [, minutes, seconds]) => sum + minutes * 60_000 + seconds * 1000, 0);
}

/** As one that its provider refused: nothing is due before that. */
function pauseUntilTomorrow(holder) {
  const at = new Date().toISOString();
  const resume_at = new Date(Date.now() + 86_400_000).toISOString();
  const pause = { kind: "usage-limit", reason: "the limit is met", paused_at: at, resume_at };
  const happening = { at, kind: "paused", by: "bench", summary: "paused" };
  holder.commit({ ...holder.state, status: "Paused", pause }, happening);
}
