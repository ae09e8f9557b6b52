// Amounts in a sentence: how many of something, a few names, how much data, how many files.

/** 1 task, 2 tasks. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

const MOST = 5;

/** Names in a sentence: the first few, and how many there are beside them. */
export function fewOf(names: readonly string[]): string {
  const more = names.length > MOST ? ` and ${names.length - MOST} more` : "";
  return `${names.slice(0, MOST).join(", ")}${more}`;
}

// How much data, for people: powers of ten, as disks and file managers count.

const UNITS = ["bytes", "kB", "MB", "GB", "TB", "PB"] as const;

/** 0 bytes, 512 bytes, 1.4 kB, 140 MB. */
export function dataSize(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  // What would be rounded to 1000 is one of the next unit.
  while (amount >= 999.5 && unit < UNITS.length - 1) {
    amount /= 1000;
    unit += 1;
  }
  const digits = unit > 0 && amount < 9.95 ? 1 : 0;
  return `${amount.toFixed(digits)} ${UNITS[unit]}`;
}

/** 1 file, 12,000 files. */
export function fileCount(files: number): string {
  const grouped = String(files).replace(/\B(?=(?:\d{3})+$)/g, ",");
  return `${grouped} ${files === 1 ? "file" : "files"}`;
}
