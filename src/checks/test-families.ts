// How tests are written, by language family: where one begins, what skips it, what makes it run alone, what asserts.
// The patterns are for code without comments and strings.
import type { Writing } from "./code-alone.ts";

export interface Family extends Writing {
  readonly files: RegExp;
  /** Where a test begins; its name is the group, or the string after the match. */
  readonly tests: RegExp;
  readonly skips: RegExp;
  readonly alone?: RegExp;
  readonly asserts: RegExp;
  /** Where a function is declared that tests may call; its name is one of the groups. */
  readonly functions: RegExp;
}

const NEVER = /(?!)/g;

const FAMILIES: readonly Family[] = [
  {
    files: /\.[cm]?[jt]sx?$/,
    comments: "slashes",
    quotes: "'\"`",
    tests:
      /(?<![.\w$])(?:[xf]?(?:it|test)|specify|Deno\.test)(?:\.(?:only|skip|concurrent|sequential|serial|each|for|fails|failing|fixme|skipIf|runIf|todo))*\s*(?=[(`])/g,
    skips:
      /(?<![.\w$])x(?:it|test|describe|context)\s*[(.`]|(?<![.\w$])(?:it|test|describe|context|suite|specify|t|this|ctx)(?:\.\w+)*\.(?:skip|fixme|skipIf)\b|\bskip\s*:\s*(?:true|["'])|^\s*pending\(\s*["')]/gm,
    alone:
      /(?<![.\w$])f(?:it|describe|context)\s*[(.`]|(?<![.\w$])(?:it|test|describe|context|suite|specify)(?:\.\w+)*\.only\b/g,
    asserts:
      /(?<![.\w$])(?:expect|assert)\w*(?:\.\w+)*\s*\(|\.should\b|(?<![.\w$])t\.(?:is|not|deepEqual|equal|same|true|false|truthy|falsy|throws\w*|regex|like|ok|match|pass|strictEqual|snapshot)\(/g,
    functions:
      /\bfunction\s+(\w+)\s*\(|\b(?:const|let)\s+(\w+)\s*(?::[^=\n]{1,200})?=\s*(?:async\s*)?(?:function\b|\([^)\n]{0,300}\)[^=\n]{0,100}=>|\w+\s*=>)/g,
  },
  {
    files: /\.py$/,
    comments: "hash",
    quotes: "'\"",
    tests: /^[ \t]*(?:async[ \t]+)?def[ \t]+(test\w*)/gm,
    skips:
      /\bmark\.(?:skip\w*|xfail)\b|@(?:unittest\.)?(?:skip\w*|expectedFailure)\b|\bpytest\.(?:skip|xfail)\(|\bskipTest\(/g,
    asserts: /(?<![.\w])assert\b|\.assert\w+\(|\bassert_\w+\(|\bpytest\.(?:raises|warns)\(/g,
    functions: /^[ \t]*(?:async[ \t]+)?def[ \t]+(?!test)(\w+)/gm,
  },
  {
    files: /\.go$/,
    comments: "slashes",
    quotes: '"`',
    tests: /^func\s+((?:Test|Fuzz|Benchmark|Example)\w*)\s*\(|\bt\.Run\(\s*/gm,
    skips: /\b[tb]\.Skip(?:f|Now)?\(/g,
    asserts: /\b[tb]\.(?:Errorf?|Fatalf?|Fail|FailNow)\(|\b(?:assert|require|is)\.\w+\(/g,
    functions: /^func\s+(?!Test|Fuzz|Benchmark|Example)(\w+)\s*\(/gm,
  },
  {
    files: /\.rs$/,
    comments: "slashes",
    quotes: '"',
    tests:
      /#\[(?:\w+::)*(?:test|rstest|test_case|bench)\b[^\]]{0,300}\](?:\s*#\[[^\]]{0,300}\])*\s*(?:pub\s+)?(?:async\s+)?fn\s+(\w+)/g,
    skips: /#\[ignore\b/g,
    asserts: /\b(?:debug_)?assert\w*!|#\[should_panic\b|\bpanic!/g,
    functions: /\bfn\s+(\w+)/g,
  },
  {
    files: /\.(?:java|kt|kts|groovy|scala)$/,
    comments: "slashes",
    quotes: '"',
    tests:
      /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b[^;{}]{0,400}?\b(?:void|fun|def)\s+(\w+|`[^`\n]*`)\s*\(/g,
    skips: /@(?:Disabled|Ignore)\b|\bassume(?:True|False|That)\(/g,
    asserts: /\b(?:assert|verify|expect)\w*\s*[({]|\bshould(?:Be|Throw|Not|Contain)\w*\b/g,
    functions: /\b(?:void|fun|def)\s+(\w+)\s*\(/g,
  },
  {
    files: /\.cs$/,
    comments: "slashes",
    quotes: '"',
    tests:
      /\[(?:Fact|Theory|Test|TestMethod|DataTestMethod|TestCase)\b[^\]]{0,300}\](?:\s*\[[^\]]{0,300}\])*\s*(?:public\s+)?(?:async\s+)?\w+(?:<[^>\n]*>)?\s+(\w+)\s*\(/g,
    skips: /\bSkip\s*=|\[Ignore\b|\bAssert\.(?:Ignore|Inconclusive)\(/g,
    asserts: /\bAssert\.\w+(?:<[^>\n]*>)?\(|\.Should\(\)/g,
    functions: /\b(?:void|Task)\s+(\w+)\s*\(/g,
  },
  {
    files: /\.rb$/,
    comments: "hash",
    quotes: "'\"",
    tests: /^[ \t]*(?:[xf]?it|specify|test|example)\b[ \t(]*(?=["'])|^[ \t]*def[ \t]+(test_\w+)/gm,
    skips: /^[ \t]*(?:x(?:it|describe|context|specify)|pending|skip)\b/gm,
    alone: /^[ \t]*f(?:it|describe|context)\b|:focus\b|\bfocus:\s*true/gm,
    asserts:
      /(?<![.\w])expect\s*[({]|(?<![.\w])(?:assert|refute)\w*\b|\.(?:must|wont)_\w+|\.should\b/g,
    functions: /^[ \t]*def[ \t]+(?!test_)(\w+)/gm,
  },
  {
    files: /\.php$/,
    comments: "slashes",
    quotes: "'\"",
    tests: /\bfunction\s+(test\w+)\s*\(|#\[Test\]|(?<![>:\w$])(?:it|test)\s*\(\s*(?=["'])/g,
    skips: /\bmarkTest(?:Skipped|Incomplete)\(|->skip\(/g,
    alone: /->only\(/g,
    asserts: /(?:->|::)(?:assert|expectException)\w*\(|(?<![>:\w$])expect\(/g,
    functions: /\bfunction\s+(?!test)(\w+)\s*\(/g,
  },
  {
    files: /\.swift$/,
    comments: "slashes",
    quotes: '"',
    tests: /\bfunc\s+(test\w+)\s*\(|@Test\b/g,
    skips: /\bXCTSkip\w*|\.disabled\(/g,
    asserts: /\bXCT(?:Assert|Fail|Unwrap)\w*|#(?:expect|require)\(/g,
    functions: /\bfunc\s+(?!test)(\w+)\s*\(/g,
  },
  {
    files: /\.exs?$/,
    comments: "hash",
    quotes: '"',
    tests: /^[ \t]*test\b[ \t(]*(?=")/gm,
    skips: /@(?:module)?tag\s+(?::skip|skip:)/g,
    asserts: /(?<![.\w])(?:assert|refute)\w*\b/g,
    functions: /\bdefp?\s+(\w+)/g,
  },
  {
    files: /\.dart$/,
    comments: "slashes",
    quotes: "'\"",
    tests: /(?<![.\w])(?:test|testWidgets)\s*\(\s*(?=["'])/g,
    skips: /\bskip\s*:\s*(?:true|["'])|@Skip\b/g,
    alone: /\bsolo\s*:\s*true/g,
    asserts: /(?<![.\w])(?:expect\w*|verify\w*)\(/g,
    functions: /\bvoid\s+(\w+)\s*\(/g,
  },
  {
    files: /\.(?:cc|cpp|cxx|hpp)$/,
    comments: "slashes",
    quotes: '"',
    tests: /\b(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+\s*,\s*\w+)|\b(?:TEST_CASE|SCENARIO)\(\s*/g,
    skips: /\bDISABLED_\w+|\bGTEST_SKIP\(|\bSKIP\(/g,
    asserts: /\b(?:EXPECT|ASSERT)_\w+\(|\b(?:REQUIRE|CHECK)\w*\(/g,
    functions: /\bvoid\s+(\w+)\s*\(/g,
  },
  {
    files: /\.bats$/,
    comments: "hash",
    quotes: "",
    tests: /^@test\b\s*/gm,
    skips: /^\s*skip\b/gm,
    asserts: /^\s*(?:\[|\[\[|assert\w*|refute\w*)(?=\s)/gm,
    functions: /^(\w+)\s*\(\)/gm,
  },
  {
    files: /\.feature$/,
    comments: "hash",
    quotes: "",
    tests: /^\s*(?:Scenario(?: Outline)?|Example):\s*(.+)$/gm,
    skips: /^\s*@(?:skip|wip|ignore|pending)\b/gm,
    asserts: /^\s*Then\b/gm,
    functions: NEVER,
  },
];

/** Undefined for a file whose language is not known. */
export function familyOf(path: string): Family | undefined {
  return FAMILIES.find(({ files }) => files.test(path));
}
