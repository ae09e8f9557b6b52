// What a program that failed said last about why, among all that it wrote to its standard error. What it noted on the way,
// in a log or as a warning, did not end it, as long as something else is said after or beside it.

/** A line of a log begins with its moment. */
const LOGGED = /^\[?(?:time(?:stamp)?=)?"?\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/;

/** Servers of tools may fail: the session goes on without them. */
const OF_TOOLS = /\br?mcp\b/i;

const WARNING = /^\s*warn(?:ing)?\b/i;

/** How the report of an error begins; what follows it is indented, or explains it. */
const HEAD =
  /^[^\w\s]*\s?(?:fatal|panic|error|uncaught|unhandled|thread '[^']*' panicked|[\w.]+(?:Error|Exception))\b/i;

/** @returns the lines of the last error, or all lines where none is called one */
export function lastErrorIn(stderr: string): readonly string[] {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "" && !WARNING.test(line));
  const said = lines.filter((line) => !LOGGED.test(line));
  const last = said.findLastIndex((line) => HEAD.test(line));
  if (last !== -1) return said.slice(last).map((line) => line.trim());
  const logged = lines.filter((line) => LOGGED.test(line) && !OF_TOOLS.test(line));
  return [...said, ...logged].map((line) => line.trim());
}
