// The generated table of docs/security.md: every try that the matrix runs, and what comes of it.
import { WALL_TRIES } from "./wall-tries.ts";

const START = "<!-- generated:walls -->";
const END = "<!-- /generated:walls -->";

export function withWalls(text: string): string {
  const [from, to] = [text.indexOf(START), text.indexOf(END)];
  if (from === -1 || to === -1) return "the markers of the generated part are missing";
  const rows = WALL_TRIES.map(
    ({ about, what, came, asRoot }) =>
      `| ${about} | ${what} | ${asRoot === undefined ? came : `${came}; as root ${asRoot}`} |`,
  );
  const table = ["| about | what is tried | result |", "|---|---|---|", ...rows].join("\n");
  return `${text.slice(0, from + START.length)}\n\n${table}\n\n${text.slice(to)}`;
}
