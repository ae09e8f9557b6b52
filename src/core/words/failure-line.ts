// What failed, as one line: the first line of what was seen says it, such as "it did not end within 5 min". Only an exit
// code alone says less than what the program printed last.

const EXIT_CODE = /^it exited with code \d+$/;

/** What tools that call others print at the end: that the call failed, which is known already, or what to type next. */
const CLOSING: readonly RegExp[] = [
  /^g?make(?:\[\d+\])?: (?:\*\*\* \[.*\] |Leaving directory |Target .* not remade)/,
  /^npm (?:ERR!|error|notice)(?:$| +(?:Lifecycle script|code (?:\d+|ELIFECYCLE)$|errno |path |workspace |location |command |in workspace|at location|Test failed|Exit status|Failed at the|This is probably not|To see a list of scripts|npm run$|A complete log|\/))/,
  /^(?:ELIFECYCLE|ERR_PNPM_\w+)\b/,
  /^error Command failed with exit code \d+\.?$/,
  /^info Visit https?:\S+ for documentation/,
  /^error: (?:Recipe `.*` (?:failed|was terminated) |script ".*" exited with code \d|test failed, to rerun pass )/,
  /^task: Failed to run task /,
  /^ninja: build stopped: /,
  /^Script .* handling the .* event returned with error code \d/,
];

export function failureLine(excerpt: string): string {
  const lines = excerpt
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const [first = ""] = lines;
  if (!EXIT_CODE.test(first)) return first;
  const printed = lines.slice(1);
  const telling = printed.findLast((line) => !CLOSING.some((words) => words.test(line)));
  return telling ?? printed.at(-1) ?? first;
}
