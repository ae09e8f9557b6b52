import * as fc from "fast-check";
import { expect, test } from "vitest";
import { TASK_KEYS } from "../manifest-document.ts";
import { normaliseManifest, type NormalisedManifest } from "../normalise-manifest.ts";
import { parseManifest } from "../parse-manifest.ts";
import { isError } from "../problem.ts";

function withItem(item: string): NormalisedManifest {
  const text = `# Goal\nx\n# Steps\n- [ ] one: One\n- [ ] Two\n  ${item}\n`;
  return normaliseManifest(parseManifest(text));
}

test.each([
  ["- `check: file a.txt`", "- check: file a.txt"],
  ["- `check: npm test`", "- check: `npm test`"],
  ["- `` check: npm test ``", "- check: `npm test`"],
  ["- **check: npm test**", "- check: `npm test`"],
  ["- *check: review*", "- check: review"],
  ["- **`check: review`**", "- check: review"],
  ["- `run: make ship`", "- run: `make ship`"],
  ["- `after: none`", "- after: none"],
  ["- `timeout: 5m`", "- timeout: 5m"],
  ["- `depends on: one`", "- after: one"],
  ["- docs_only: no", "- docs-only: no"],
  ["- run review", "- check: review"],
  ["- check: file a.txt`", "- check: file a.txt"],
])("of %j it is suggested to write %j", (item, example) => {
  const [problem] = withItem(item).problems;
  expect(problem).toMatchObject({ example });
  expect(problem?.sample).toBe(undefined);
});

test.each([
  ["- `check: it looks good`", "- check: `npm test`"],
  ["- aprove: sometimes", "- approve: before"],
  ["- `timeout: soon`", "- timeout: 1h30m"],
])("of %j it is not known what is meant, so %j is only a sample", (item, example) => {
  expect(withItem(item).problems).toMatchObject([{ example, sample: true }]);
});

const VALUES = [
  "npm test",
  "`npm test`",
  "file a.txt",
  "file a.txt`",
  "file `a.txt`",
  "file is there",
  "review",
  "GET localhost:3000 200",
  "render a.html sees Total",
  "it looks good",
  "none",
  "one",
  "before",
  "sometimes",
  "5 minutes",
  "codex",
  "files 3",
  "true",
  "no",
  "",
];
const WRITTEN: readonly ((key: string, value: string) => string)[] = [
  (key, value) => `${key}: ${value}`,
  (key, value) => `${key} ${value}`,
  (key, value) => `\`${key}: ${value}\``,
  (key, value) => `\`\`${key}: ${value}\`\``,
  (key, value) => `\`${key}\`: ${value}`,
  (key, value) => `\`${key}: ${value}`,
  (key, value) => `**${key}:** ${value}`,
  (key, value) => `**${key}: ${value}**`,
  (key, value) => `*${key}: ${value}*`,
  (key, value) => `${key}：${value}`,
];
const NAMES = [...TASK_KEYS, "chekc", "verify", "cmd", "depends on", "aprove", "docs_only"];

/** What only the rest of the manifest makes wrong: another task, or another key. */
const BY_OTHERS =
  /^(?:bad-after|id-is-a-name|in-without-run|protect-without-run|.*deleg.*|.*returns.*)$/;

function singles(text: string): number {
  return (text.match(/`/g) ?? []).length % 2;
}

test("a suggestion that is pasted makes no new error, and leaves no single backtick or star", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...NAMES),
      fc.constantFrom(...VALUES),
      fc.constantFrom(...WRITTEN),
      (name, value, write) => {
        const before = withItem(`- ${write(name, value)}`);
        for (const { line, example, sample } of before.problems) {
          if (line !== 6 || sample === true || !example.startsWith("- ")) continue;
          const after = withItem(example);
          expect([
            example,
            after.problems.filter((each) => isError(each) && !BY_OTHERS.test(each.rule)),
          ]).toEqual([example, []]);
          expect([example, singles(example) > singles(value)]).toEqual([example, false]);
          expect(example).not.toMatch(/\*/);
        }
      },
    ),
    { numRuns: 3000, seed: 5 },
  );
});
