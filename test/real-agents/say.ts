// A line for the person who watches.

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
