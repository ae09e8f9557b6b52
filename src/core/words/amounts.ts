// Amounts in a sentence: how many of something, a few names, how much data, how many files, money and tokens.

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

/**
 * $0.015, $1.20, $12.35: to the digits that an agent told, at least two and at most four, from ten dollars on two. What
 * adding up made of them is not shown.
 */
export function money(usd: number): string {
  if (usd > 0 && usd < 0.0001) return "less than $0.0001";
  const rounded = usd.toFixed(usd < 10 ? 4 : 2);
  return `$${rounded.replace(/(\.\d\d\d*?)0+$/, "$1")}`;
}

const TOKEN_UNITS = ["", "k", "M", "G"] as const;

/** 999, 12.3k, 1M: three digits tell enough; the exact number is in `--json`. */
export function tokenCount(tokens: number): string {
  let amount = tokens;
  let unit = 0;
  while (amount >= 999.5 && unit < TOKEN_UNITS.length - 1) {
    amount /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || amount >= 99.95 ? 0 : 1;
  return `${amount.toFixed(digits).replace(/\.0$/, "")}${TOKEN_UNITS[unit]}`;
}
