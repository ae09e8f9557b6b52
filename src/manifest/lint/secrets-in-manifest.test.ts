import { expect, test } from "vitest";
import { parseManifest } from "../parse-manifest.ts";
import { secretProblems } from "./secrets-in-manifest.ts";

function problemsOf(line: string) {
  return secretProblems(parseManifest(`# Goal\nx\n# Steps\n- [ ] a\n${line}\n`));
}

const KEY = `sk-${"a1b2c3d4".repeat(3)}`;

test.each([
  [`  - use ${KEY} for it`, "an API key", "- use [redacted] for it"],
  [`  - check: \`curl -H "X: ${KEY}"\``, "an API key", '- check: `curl -H "X: [redacted]"`'],
  [`  - with ghp_${"x1".repeat(12)}`, "a GitHub token", "- with [redacted]"],
  [
    `  - run: \`curl -H "Authorization: Bearer ${"abcd".repeat(5)}"\``,
    "a bearer token",
    '- run: `curl -H "Authorization: Bearer [redacted]"`',
  ],
  [
    "  - check: `psql postgres://ada:hunter2@db.example.com/shop`",
    "the password of an address",
    "- check: `psql postgres://ada:[redacted]@db.example.com/shop`",
  ],
  [
    "  - check: `API_TOKEN=hunter2hunter2 npm test`",
    "the value of API_TOKEN",
    "- check: `API_TOKEN=[redacted] npm test`",
  ],
  ["-----BEGIN RSA PRIVATE KEY-----", "a private key", "[redacted]"],
])("%j seems to hold a secret, which is not repeated", (line, what, found) => {
  expect(problemsOf(line)).toEqual([
    {
      rule: "secret-in-manifest",
      severity: "warning",
      line: 5,
      message: `this line seems to hold a secret (${what}), and the manifest, the state and the briefs repeat it; name a variable of the environment instead`,
      example: "",
      found,
    },
  ]);
});

test.each([
  "  - check: `API_TOKEN=$MY_TOKEN npm test`",
  "  - check: `API_TOKEN=placeholder npm test`",
  "  - check: `KEY_FILE=conf/key1.pem npm test`",
  "  - check: `psql postgres://ada:$PGPASSWORD@db.example.com/shop`",
  "  - check: `psql postgres://postgres:postgres@localhost:5432/test`",
  // Of these the rule of checks says more.
  "  - check: GET https://ada:hunter2@example.com/ 200",
  "  - the task-force writes sk-learn code",
])("%j holds none, or is told elsewhere", (line) => {
  expect(problemsOf(line)).toEqual([]);
});

test("the front matter is looked at, too", () => {
  const document = parseManifest(`---\nsetup: deploy ${KEY}\n---\n# Goal\nx\n# Steps\n- [ ] a\n`);
  expect(secretProblems(document)).toMatchObject([{ line: 2, found: "setup: deploy [redacted]" }]);
});
