// A run stands beside an agent for hours and mostly waits: it keeps its heap small rather than collect
// it seldom, and compiles only what is really hot.
import { setFlagsFromString } from "node:v8";

export function staySmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--interrupt-budget=3000000");
}
