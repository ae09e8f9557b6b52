// `npm run bench`: ratios against a floor in the same run. Absolute times mean little: compare only
// what one run printed, on a quiet machine.
import { benchLint } from "./lint.mjs";
import { benchStart } from "./start.mjs";
import { benchStateWrites } from "./state-writes.mjs";

console.log(
  `Node ${process.version}, NODE_EXTRA_CA_CERTS ${process.env.NODE_EXTRA_CA_CERTS ? "set (slows every start)" : "not set"}\n`,
);
await benchStateWrites();
await benchStart();
await benchLint();
