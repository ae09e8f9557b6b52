// A run stands beside an agent for hours and mostly waits: it keeps its heap small rather than collect
// it seldom, and optimises only what takes whole seconds. The first function that is optimised, however
// small, brings the optimising compiler into memory: about 4 MiB.
import { setFlagsFromString } from "node:v8";

export function staySmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--interrupt-budget=30000000");
  setFlagsFromString("--max-bytecode-size-for-early-opt=0");
}
