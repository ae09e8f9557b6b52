import { describe, expect, test } from "vitest";
import { parseCheck } from "./parse-check.ts";

describe("a check", () => {
  test.each([
    ["`npm test`", { kind: "command", command: "npm test" }],
    ["file dist/app.js", { kind: "file", path: "dist/app.js", expect: { is: "exists" } }],
    ["file dist/app.js exists", { kind: "file", path: "dist/app.js", expect: { is: "exists" } }],
    [
      "file `dist/app.js` changed",
      { kind: "file", path: "dist/app.js", expect: { is: "changed" } },
    ],
    ['file "a b.txt"', { kind: "file", path: "a b.txt", expect: { is: "exists" } }],
    [
      "file README.md matches /^# a\\/b \\d+$/mi",
      {
        kind: "file",
        path: "README.md",
        expect: { is: "matches", pattern: "^# a\\/b \\d+$", flags: "mi" },
      },
    ],
    [
      `file a.bin sha256 ${"AB".repeat(32)}`,
      { kind: "file", path: "a.bin", expect: { is: "sha256", sha256: "ab".repeat(32) } },
    ],
    [
      "GET http://localhost:3000/ 200",
      { kind: "http", method: "GET", url: "http://localhost:3000/", status: 200 },
    ],
    [
      'GET <https://x.test/a> 404 contains "say \\"no\\""',
      { kind: "http", method: "GET", url: "https://x.test/a", status: 404, contains: 'say "no"' },
    ],
    [
      'browser http://localhost sees "Hi all"',
      { kind: "browser", url: "http://localhost", sees: "Hi all" },
    ],
    ['render out/report.html sees "42"', { kind: "render", path: "out/report.html", sees: "42" }],
    ["review", { kind: "review" }],
    ["Review", { kind: "review" }],
    [
      'agent codex "Is it sound?"',
      { kind: "agent-review", agent: "codex", question: "Is it sound?" },
    ],
    [
      'render  a.html  sees  "two  spaces"',
      { kind: "render", path: "a.html", sees: "two  spaces" },
    ],
    ["file\n  a.txt\n  changed", { kind: "file", path: "a.txt", expect: { is: "changed" } }],
  ])("is read from %j", (value, check) => {
    expect(parseCheck(value)).toEqual({ ok: true, check });
  });

  test.each([
    "npm test",
    "run `npm test`",
    "all tests pass",
    "`a` and `b`",
    "Get the page",
    "files are there",
    "reviewed by Bob",
    "page loads fast",
    "agents agree",
    "see https://x.test/guide",
    "https://x.test/guide says 200 rows",
    "",
  ])("is prose, never a command, in %j", (value) => {
    expect(parseCheck(value)).toBe("prose");
  });

  const file = "check: file dist/app.js exists";
  const http = 'check: GET http://localhost:3000/health 200 contains "ok"';
  const browser = 'check: browser http://localhost:3000 sees "Welcome"';
  const render = 'check: render report.html sees "Total"';
  const agent = 'check: agent codex "Does the migration keep every row?"';

  test.each([
    ["file", "the path is empty", file],
    ["file /etc/passwd", "the path is absolute", file],
    ["file ../x exists", "the path leaves the repository", file],
    ["file a is there", '"is there" is not one of exists, changed, matches /…/, sha256 …', file],
    ["file a sha256 12", "sha256 needs 64 hexadecimal digits", file],
    ["file a matches /(/", "Invalid regular expression: /(/: Unterminated group", file],
    ["file a matches /x/gg", 'the flags "gg" are not all among i, m, s, u', file],
    ["file a matches x", '"matches x" is not one of exists, changed, matches /…/, sha256 …', file],
    ["GET http://x", "an http check is GET, an address and a status", http],
    [
      'GET http://x 200 conatins "a"',
      '"conatins" does not belong here; did you mean contains?',
      http,
    ],
    ["GET ftp://x 200", '"ftp://x" is not an http or https address', http],
    ["GET http:// 200", '"http://" is not a valid address', http],
    ["GET http://x ok", '"ok" is not a status from 100 to 599', http],
    ["GET http://x 600", '"600" is not a status from 100 to 599', http],
    ["GET http://x 200 contains ok", "contains needs a text in double quotes", http],
    ["get http://x 200", '"get" cannot be used here; write GET in capitals', http],
    [
      "POST http://x 200",
      '"POST" cannot be used here; a check runs before and after a session and only reads: write GET',
      http,
    ],
    ["http GET http://x 200", '"http" is not a kind of check; did you mean GET?', http],
    ["GTE http://x 200", '"GTE" is not a kind of check; did you mean GET?', http],
    ["browser localhost sees", '"localhost" is not an http or https address', browser],
    ["browser http://x sees it", "sees needs a text in double quotes", browser],
    ['browser http://x shows "it"', '"shows" does not belong here; did you mean sees?', browser],
    [
      'brwoser http://x sees "it"',
      '"brwoser" is not a kind of check; did you mean browser?',
      browser,
    ],
    ['rendr a.html sees "x"', '"rendr" is not a kind of check; did you mean render?', render],
    ["reveiw", '"reveiw" is not a kind of check; did you mean review?', "check: review"],
    ["approval", '"approval" is not a kind of check; did you mean review?', "check: review"],
    ['agnet codex "x?"', '"agnet" is not a kind of check; did you mean agent?', agent],
    ["flie dist/app.js", '"flie" is not a kind of check; did you mean file?', file],
    ['render ~/a sees "x"', "the path leads to a home folder", render],
    ["render a.html", "sees needs a text in double quotes", render],
    ['render a.html sees " "', "sees needs a text in double quotes", render],
    [
      'render a.png sees "x"',
      "a.png cannot be rendered as text; render shows .html, .svg, .md, .txt, .json, .xml and .csv",
      render,
    ],
    ["review by Bob", "review takes nothing after it", "check: review"],
    ['agent Bad! "x"', '"Bad!" is not an agent name', agent],
    ["agent codex is it good", "the question needs double quotes", agent],
  ])("%j is refused: %s", (value, reason, example) => {
    expect(parseCheck(value)).toEqual({ ok: false, reason, example });
  });
});
