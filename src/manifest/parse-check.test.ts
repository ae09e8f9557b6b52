import { describe, expect, test } from "vitest";
import { parseCheck, parseReturn } from "./parse-check.ts";

test("what a person wrote behind review is not left out of what they meant", () => {
  const reason = "review takes nothing after it";
  const example = "check: review";
  expect(parseCheck("review by Bob")).toEqual({ ok: false, reason, example, sample: true });
});

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
    "manual testing of the form",
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
    [
      "file a is there",
      '"is there" is not one of exists, changed, matches /…/, sha256 …',
      "check: file a exists",
    ],
    ["file a sha256 12", "sha256 needs 64 hexadecimal digits", file],
    ["file a matches /(/", "Invalid regular expression: /(/: Unterminated group", file],
    ["file a matches /x/gg", 'the flags "gg" are not all among i, m, s, u', file],
    [
      "file a matches x",
      '"matches x" is not one of exists, changed, matches /…/, sha256 …',
      "check: file a matches /x/",
    ],
    [
      "file a exits",
      '"exits" is not one of exists, changed, matches /…/, sha256 …',
      "check: file a exists",
    ],
    ["file a is fine", '"is fine" is not one of exists, changed, matches /…/, sha256 …', file],
    [
      "file a.txt contains hello",
      '"contains hello" is not one of exists, changed, matches /…/, sha256 …',
      "check: file a.txt matches /hello/",
    ],
    [
      'file "a b" contains "x.y/z"',
      '"contains "x.y/z"" is not one of exists, changed, matches /…/, sha256 …',
      'check: file "a b" matches /x\\.y\\/z/',
    ],
    [
      "file my notes/x",
      "a path with spaces needs double quotes",
      'check: file "my notes/x" exists',
    ],
    [
      "file my notes/x changed",
      "a path with spaces needs double quotes",
      'check: file "my notes/x" changed',
    ],
    [
      "files two.txt",
      '"files" is not a kind of check; did you mean file?',
      "check: file two.txt exists",
    ],
    ["GET http://x", "an http check is GET, an address and a status", "check: GET http://x 200"],
    [
      'GET http://x contains "a"',
      "an http check is GET, an address and a status",
      'check: GET http://x 200 contains "a"',
    ],
    ["GET", "an http check is GET, an address and a status", http],
    [
      "http://localhost:3000/health",
      "an address alone is not a check: write GET, the address and the expected status",
      "check: GET http://localhost:3000/health 200",
    ],
    [
      "<https://x.test/> 404",
      "an address alone is not a check: write GET, the address and the expected status",
      "check: GET <https://x.test/> 404",
    ],
    [
      "GET localhost:3000/ 200",
      '"localhost:3000/" is not an http or https address',
      "check: GET http://localhost:3000/ 200",
    ],
    [
      'GET http://x 200 conatins "a"',
      '"conatins" does not belong here; did you mean contains?',
      'check: GET http://x 200 contains "a"',
    ],
    ["GET ftp://x 200", '"ftp://x" is not an http or https address', http],
    ["GET http:// 200", '"http://" is not a valid address', http],
    ["GET http://x ok", '"ok" is not a status from 100 to 599', "check: GET http://x 200"],
    ["GET http://x 600", '"600" is not a status from 100 to 599', http],
    [
      "GET http://x 200 contains ok",
      "contains needs a text in double quotes",
      'check: GET http://x 200 contains "ok"',
    ],
    [
      "get http://x 200",
      '"get" cannot be used here; write GET in capitals',
      "check: GET http://x 200",
    ],
    [
      "POST http://x 200",
      '"POST" cannot be used here; a check runs before and after a session and only reads: write GET',
      http,
    ],
    [
      "http GET http://x 200",
      '"http" is not a kind of check; did you mean GET?',
      "check: GET http://x 200",
    ],
    [
      "GTE http://x 200",
      '"GTE" is not a kind of check; did you mean GET?',
      "check: GET http://x 200",
    ],
    ["browser localhost sees", '"localhost" is not an http or https address', browser],
    [
      "browser http://x sees it",
      "sees needs a text in double quotes",
      'check: browser http://x sees "it"',
    ],
    [
      "browser localhost:3000 sees it",
      '"localhost:3000" is not an http or https address',
      'check: browser http://localhost:3000 sees "it"',
    ],
    [
      'browser http://x shows "it"',
      '"shows" does not belong here; did you mean sees?',
      'check: browser http://x sees "it"',
    ],
    [
      'brwoser http://x sees "it"',
      '"brwoser" is not a kind of check; did you mean browser?',
      'check: browser http://x sees "it"',
    ],
    [
      'rendr a.html sees "x"',
      '"rendr" is not a kind of check; did you mean render?',
      'check: render a.html sees "x"',
    ],
    ["reveiw", '"reveiw" is not a kind of check; did you mean review?', "check: review"],
    ["approval", '"approval" is not a kind of check; did you mean review?', "check: review"],
    [
      'agnet codex "x?"',
      '"agnet" is not a kind of check; did you mean agent?',
      'check: agent codex "x?"',
    ],
    ["human review", '"human" is not a kind of check; did you mean review?', "check: review"],
    ["manual review", '"manual" is not a kind of check; did you mean review?', "check: review"],
    ["person", '"person" is not a kind of check; did you mean review?', "check: review"],
    [
      "flie dist/web.js",
      '"flie" is not a kind of check; did you mean file?',
      "check: file dist/web.js exists",
    ],
    ['render ~/a sees "x"', "the path leads to a home folder", render],
    ["render a.html", "sees needs a text in double quotes", render],
    ['render a.html sees " "', "sees needs a text in double quotes", render],
    [
      'render a.png sees "x"',
      "a.png cannot be rendered as text; render shows .html, .svg, .md, .txt, .json, .xml and .csv",
      render,
    ],
    ['render a.html hides "A"', '"hides" does not belong here; write sees', render],
    [
      'render a.html shows "A"',
      '"shows" does not belong here; did you mean sees?',
      'check: render a.html sees "A"',
    ],
    ['agent Bad! "x"', '"Bad!" is not an agent name', agent],
    [
      "agent codex is it good",
      "the question needs double quotes",
      'check: agent codex "is it good"',
    ],
    ["agent codex", "the question needs double quotes", agent],
  ])("%j is refused: %s", (value, reason, example) => {
    const isForm = [file, http, browser, render, agent].includes(example);
    expect(parseCheck(value)).toEqual({
      ok: false,
      reason,
      example,
      ...(isForm && { sample: true }),
    });
    if (!isForm) expect(parseCheck(example.replace("check: ", ""))).toMatchObject({ ok: true });
  });
});

test.each([
  ["http://x.test/", { example: "returns: GET http://x.test/ 200" }],
  ["files out.txt", { example: "returns: file out.txt exists" }],
  ["file out.txt contains ok", { example: "returns: file dist/report.html", sample: true }],
  ["soon", { example: "returns: file dist/report.html", sample: true }],
])("a return condition %j is corrected where it is clear", (value, expected) => {
  const read = parseReturn(value);
  expect(read).toMatchObject({ ok: false, ...expected });
  expect("sample" in read).toBe("sample" in expected);
});

describe("what is suggested for a check", () => {
  const SAMPLE = undefined;
  const URL = "http://localhost:3000";

  test.each([
    // A check looks for what is there.
    [`browser ${URL} does not see "a"`, SAMPLE],
    [`browser ${URL} doesn't see "a"`, SAMPLE],
    [`browser ${URL} sees not "a"`, SAMPLE],
    [`browser ${URL} sees no errors`, SAMPLE],
    [`browser ${URL} never sees "a"`, SAMPLE],
    [`page ${URL} does not show "a"`, SAMPLE],
    ['render a.html does not see "a"', SAMPLE],
    [`GET ${URL} 200 does not contain "a"`, SAMPLE],
    [`GET ${URL} 200 contains not "a"`, SAMPLE],
    [`GET ${URL} 200 without "a"`, SAMPLE],
    ["file a.txt contains no TODO", SAMPLE],
    ["file a.txt does not exist", SAMPLE],
    // A check looks for one text.
    [`browser ${URL} sees "a" "b"`, SAMPLE],
    [`browser ${URL} sees "a" and "b"`, SAMPLE],
    [`browser ${URL} sees "a", "b"`, SAMPLE],
    [`browser ${URL} sees “a” and “b”`, SAMPLE],
    [`browser ${URL} sees 'a' 'b'`, SAMPLE],
    [`browser ${URL} shows "a" and more`, SAMPLE],
    [`GET ${URL} 200 contains "a" and "b"`, SAMPLE],
    ['file a.txt contains "a" and "b"', SAMPLE],
    ['agent claude "a?" "b?"', SAMPLE],
    // Quotes of all kinds are only quotes.
    [`browser ${URL} sees “Welcome”`, `browser ${URL} sees "Welcome"`],
    [`browser ${URL} sees „Welcome“`, `browser ${URL} sees "Welcome"`],
    [`browser ${URL} sees ‘Welcome’`, `browser ${URL} sees "Welcome"`],
    [`browser ${URL} sees «Welcome»`, `browser ${URL} sees "Welcome"`],
    [`browser ${URL} sees 'not yet'`, `browser ${URL} sees "not yet"`],
    [`browser ${URL} sees 'it's'`, `browser ${URL} sees "it's"`],
    [`browser ${URL} sees "Welcome`, `browser ${URL} sees "Welcome"`],
    [`browser ${URL} sees Welcome"`, `browser ${URL} sees "Welcome"`],
    [`browser ${URL} sees Say "hi" twice`, `browser ${URL} sees "Say \\"hi\\" twice"`],
    [`GET ${URL} 200 contains “ok”`, `GET ${URL} 200 contains "ok"`],
    ["agent claude “Does it?”", 'agent claude "Does it?"'],
    ["agent claude Does it not lose rows?", 'agent claude "Does it not lose rows?"'],
    ["render a.html sees “x”", 'render a.html sees "x"'],
    ["file a.txt contains “x”", "file a.txt matches /x/"],
    ["file 'a b.txt'", 'file "a b.txt"'],
    ["file 'a b.txt' changed", 'file "a b.txt" changed'],
    ["file “a b.txt” exists", 'file "a b.txt" exists'],
    ["file 'b.txt'", "file b.txt"],
    ['file "b.txt', "file b.txt"],
    ['file b.txt"', "file b.txt"],
    ['file "a b.txt', 'file "a b.txt" exists'],
    ['file "my notes/b.txt exists', 'file "my notes/b.txt" exists'],
    ['render "a.html sees "x"', 'render a.html sees "x"'],
    ["render 'a b.html' sees \"x\"", 'render "a b.html" sees "x"'],
    // A kind of check is no command.
    ["`file a.txt`", "file a.txt"],
    ["`` file a.txt exists ``", "file a.txt exists"],
    ["`review`", "review"],
    ["`file a.txt", "file a.txt"],
    ['"file a.txt"', "file a.txt"],
    ["'review'", "review"],
    [`\`GET ${URL} 200\``, `GET ${URL} 200`],
    [`\`browser ${URL} sees "x"\``, `browser ${URL} sees "x"`],
    ['`render a.html sees "x"`', 'render a.html sees "x"'],
    ['`agent codex "Good?"`', 'agent codex "Good?"'],
  ])("%j: %s", (value, right) => {
    const read = parseCheck(value);
    if (right === SAMPLE) {
      expect(read).toMatchObject({ ok: false, sample: true });
      return;
    }
    expect(read).toMatchObject({ ok: false, example: `check: ${right}` });
    expect(read).not.toHaveProperty("sample");
    expect(parseCheck(right)).toMatchObject({ ok: true });
  });

  test.each([
    "file -b x | grep -q PNG",
    "file a.txt | grep -q ASCII",
    "file -E a.txt",
    "review --all",
    "agent status",
    "get http://localhost:3000",
    "render-all",
  ])("the program in `%s` is meant", (command) => {
    expect(parseCheck(`\`${command}\``)).toEqual({
      ok: true,
      check: { kind: "command", command },
    });
  });

  test.each(["\"'a.txt'\"", "`'a.txt'`", "it's.txt"])("a path may have quotes: file %s", (path) => {
    expect(parseCheck(`file ${path}`)).toMatchObject({ ok: true });
  });

  test.each([`browser ${URL} does not see "a"`, `GET ${URL} 200 contains no "a"`])(
    "%j is told that no check looks for it",
    (value) => {
      expect(parseCheck(value)).toMatchObject({
        reason:
          "this kind of check looks for what is there; write a command for what must be missing",
      });
    },
  );
});
