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
countEffects();
// The long loop shows whether task 1,000 costs more than task 20; it takes some minutes.
await benchLoop({ iterations: 20, long: process.argv.includes("--long") ? 1000 : 0 });
