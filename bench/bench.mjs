// `npm run bench [-- part …] [--short]`: ratios against a floor in the same run. Absolute times mean little:
// compare only what one run printed, on a quiet machine. Without a part it runs all of them.
import { benchBrief } from "./brief.mjs";
import { countEffects } from "./count-effects.mjs";
import { benchLint } from "./lint.mjs";
import { benchLoop } from "./loop.mjs";
import { benchParallel } from "./parallel.mjs";
import { benchProof } from "./proof.mjs";
import { benchStart } from "./start.mjs";
import { benchStateWrites } from "./state-writes.mjs";
import { benchTruth } from "./truth.mjs";
import { benchWalls } from "./walls.mjs";
import { benchWatchdog } from "./watchdog.mjs";

let flushes;
const PARTS = {
  "state-writes": benchStateWrites,
  start: benchStart,
  lint: benchLint,
  brief: benchBrief,
  watchdog: benchWatchdog,
  walls: benchWalls,
  effects: () => (flushes = countEffects()?.flushes),
  parallel: benchParallel,
  proof: benchProof,
  // A thousand tasks show whether the last costs more than the first; they take some minutes.
  loop: () => benchLoop({ flushes, long: process.argv.includes("--short") ? 0 : 1000 }),
};

// `--truth` is no figure, and is asked for by name.
const asked = process.argv.slice(2).filter((word) => word !== "--short" && word !== "--truth");
if (process.argv.includes("--truth")) {
  benchTruth(process.argv.includes("--short"));
  if (asked.length === 0) process.exit();
}
const unknown = asked.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  console.error(`no part ${unknown.join(", ")}; there are: ${Object.keys(PARTS).join(", ")}`);
  process.exit(2);
}
console.log(
  `Node ${process.version}, NODE_EXTRA_CA_CERTS ${process.env.NODE_EXTRA_CA_CERTS ? "set (slows every start)" : "not set"}\n`,
);
for (const name of asked.length > 0 ? asked : Object.keys(PARTS)) {
  await PARTS[name]();
  console.log();
}
