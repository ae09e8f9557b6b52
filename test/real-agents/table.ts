// What was tried, as a table for a person.

export interface Row {
  readonly agent: string;
  readonly version: string;
  readonly scenario: string;
  readonly result: string;
  readonly seconds: number;
  readonly tokens: number | null;
  readonly costUsd: number | null;
}

const HEAD = ["agent", "version", "scenario", "seconds", "tokens", "USD", "result"];

export function renderTable(rows: readonly Row[]): string {
  const lines = [
    HEAD,
    ...rows.map((row) => [
      row.agent,
      row.version,
      row.scenario,
      row.seconds.toFixed(1),
      row.tokens === null ? "–" : String(row.tokens),
      row.costUsd === null ? "–" : row.costUsd.toFixed(3),
      row.result,
    ]),
  ];
  const widths = HEAD.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
