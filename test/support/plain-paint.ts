// Colours that change nothing, as without a terminal.
import type { Paint } from "../../src/report/layout.ts";

const same = (text: string): string => text;

export const PLAIN: Paint = {
  bold: same,
  dim: same,
  green: same,
  yellow: same,
  red: same,
  cyan: same,
};
