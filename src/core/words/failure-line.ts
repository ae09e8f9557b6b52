// What failed, as one line: the first line of what was seen says it, such as "it did not end within 5 min". Only an exit
// code alone says less than what the program printed last.

const EXIT_CODE = /^it exited with code \d+$/;

export function failureLine(excerpt: string): string {
  const lines = excerpt
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const [first = ""] = lines;
  return EXIT_CODE.test(first) ? (lines.at(-1) ?? first) : first;
}
