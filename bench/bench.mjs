// `npm run bench`: ratios against a floor in the same run. Absolute times mean little: compare only
// what one run printed, on a quiet machine.
import { countEffects } from "./count-effects.mjs";
import { benchLint } from "./lint.mjs";
import { benchLoop } from "./loop.mjs";
import { benchStart } from "./start.mjs";
import { benchStateWrites } from "./state-writes.mjs";

console.log(
  `Node ${process.version}, NODE_EXTRA_CA_CERTS ${process.env.NODE_EXTRA_CA_CERTS ? "set (slows every start)" : "not set"}\n`,
);
await benchStateWrites();
await benchStart();
await benchLint();
console.log();
const counted = countEffects();
// A thousand tasks show whether the last costs more than the first; they take some minutes.
await benchLoop({ flushes: counted?.flushes, long: process.argv.includes("--short") ? 0 : 1000 });
