// Each change of tests beside its neighbour: what made them weaker is named, what only looks so is not.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ChangedTest, weakenedTests } from "./weakened-tests.ts";

const JS = `import { expect, it } from "vitest";
import { add, sub } from "./sum.js";

describe("sums", () => {
  it("adds", () => {
    expect(add(1, 2)).toBe(3);
    expect(add(0, 0)).toBe(0);
  });

  it("subtracts", () => {
    expect(sub(2, 1)).toBe(1);
  });
});
`;
const PY = `import pytest

def test_adds():
    assert add(1, 2) == 3
    assert add(0, 0) == 0

class TestSub:
    def test_subtracts(self):
        self.assertEqual(sub(2, 1), 1)
`;
const GO = `package sum

func TestAdds(t *testing.T) {
	if Add(1, 2) != 3 {
		t.Fatalf("no")
	}
}

func TestSubtracts(t *testing.T) {
	assert.Equal(t, 1, Sub(2, 1))
}
`;
const RS = `#[cfg(test)]
mod tests {
    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
    }

    #[test]
    fn subtracts() {
        assert_eq!(sub(2, 1), 1);
        assert!(sub(1, 1) == 0);
    }
}
`;
const JAVA = `class SumTest {
  @Test
  void adds() {
    assertEquals(3, add(1, 2));
  }

  @Test
  public void subtracts() {
    assertEquals(1, sub(2, 1));
  }
}
`;
const CS = `public class SumTests {
  [Fact]
  public void Adds() { Assert.Equal(3, Add(1, 2)); }

  [Theory]
  [InlineData(2, 1)]
  [InlineData(3, 2)]
  public void Subtracts(int a, int b) { Assert.Equal(1, Sub(a, b)); }
}
`;
const RB = `describe "sums" do
  it "adds" do
    expect(add(1, 2)).to eq 3
  end
  it "subtracts" do
    expect(sub(2, 1)).to eq 1
  end
end
`;
const EACH = `it.each([
  [1, 2, 3],
  [0, 0, 0],
  [2, 2, 4],
])("adds %i", (a, b, sum) => {
  expect(add(a, b)).toBe(sum);
});
`;
const SNAP = `// Jest Snapshot v1

exports[\`page shows the title 1\`] = \`
<h1>
  Hello
</h1>
\`;

exports[\`page shows the list 1\`] = \`<ul />\`;
`;
const INLINE =
  'it("shows", () => {\n  expect(show()).toMatchInlineSnapshot(`<h1>Hello</h1>`);\n});\n';
const COVER = `export default defineConfig({
  test: { coverage: { thresholds: { lines: 90, branches: 80 } }, testTimeout: 5000 },
});
`;
const PICTURES = `test("looks right", async ({ page }) => {
  await expect(page).toHaveScreenshot({ maxDiffPixels: 10 });
});
`;

type Row = readonly [
  what: string,
  path: string,
  before: string,
  after: string,
  said: readonly string[],
];

const change = (text: string, ...replaced: readonly (readonly [string, string])[]): string => {
  let changed = text;
  for (const [from, to] of replaced) {
    if (!changed.includes(from)) throw new Error(`${from} is not in the text`);
    changed = changed.replace(from, () => to);
  }
  return changed;
};
const SUB_JS = `
  it("subtracts", () => {
    expect(sub(2, 1)).toBe(1);
  });
`;
const SUB_RS = `
    #[test]
    fn subtracts() {
        assert_eq!(sub(2, 1), 1);
        assert!(sub(1, 1) == 0);
    }
`;

const WEAKER: readonly Row[] = [
  ["a test removed", "sum.test.ts", JS, change(JS, [SUB_JS, ""]), ["1 test removed: subtracts"]],
  [
    "a test that became a comment",
    "sum.test.ts",
    JS,
    change(JS, [SUB_JS, SUB_JS.replaceAll(/^(?=.)/gm, "// ")]),
    ["1 test removed: subtracts"],
  ],
  [
    "a test that became a block of comment",
    "sum.test.ts",
    JS,
    change(JS, [SUB_JS, `/*${SUB_JS}*/`]),
    ["1 test removed: subtracts"],
  ],
  ["all tests removed", "sum.test.ts", JS, "export {};\n", ["2 tests removed: adds, subtracts"]],
  [
    "a test removed, python",
    "test_sum.py",
    PY,
    PY.slice(0, PY.indexOf("class")),
    ["1 test removed: test_subtracts"],
  ],
  [
    "a test removed, go",
    "sum_test.go",
    GO,
    GO.slice(0, GO.indexOf("func TestSub")),
    ["1 test removed: TestSubtracts"],
  ],
  [
    "a test removed, rust",
    "src/sum.rs",
    RS,
    change(RS, [SUB_RS, ""]),
    ["1 test removed: subtracts"],
  ],
  [
    "a test removed, java",
    "SumTest.java",
    JAVA,
    `${JAVA.slice(0, JAVA.lastIndexOf("@Test"))}}\n`,
    ["1 test removed: subtracts"],
  ],
  [
    "a test that is none any more",
    "SumTest.java",
    JAVA,
    change(JAVA, ["@Test\n  void", "void"]),
    ["1 test removed: adds"],
  ],
  [
    "the last test that is none any more",
    "SumTest.java",
    JAVA,
    change(JAVA, ["@Test\n  public", "public"]),
    ["1 test removed: subtracts"],
  ],
  [
    "a row removed",
    "SumTests.cs",
    CS,
    change(CS, ["  [InlineData(3, 2)]\n", ""]),
    ["1 test removed"],
  ],
  [
    "rows of a table removed",
    "sum.test.ts",
    EACH,
    change(EACH, ["  [0, 0, 0],\n  [2, 2, 4],\n", ""]),
    ["2 tests removed"],
  ],
  [
    "it.skip",
    "sum.test.ts",
    JS,
    change(JS, ['it("adds"', 'it.skip("adds"']),
    ["1 test or group skipped"],
  ],
  ["xit", "sum.spec.js", JS, change(JS, ['it("adds"', 'xit("adds"']), ["1 test or group skipped"]],
  [
    "describe.skip",
    "sum.test.ts",
    JS,
    change(JS, ["describe(", "describe.skip("]),
    ["1 test or group skipped"],
  ],
  [
    "xdescribe and xit",
    "sum.test.ts",
    JS,
    change(JS, ["describe(", "xdescribe("], ['it("adds"', 'xit("adds"']),
    ["2 tests or groups skipped"],
  ],
  [
    "@pytest.mark.skip",
    "test_sum.py",
    PY,
    change(PY, ["def test_adds", '@pytest.mark.skip(reason="later")\ndef test_adds']),
    ["1 test or group skipped"],
  ],
  [
    "@pytest.mark.xfail",
    "test_sum.py",
    PY,
    change(PY, ["def test_adds", "@pytest.mark.xfail\ndef test_adds"]),
    ["1 test or group skipped"],
  ],
  [
    "self.skipTest",
    "test_sum.py",
    PY,
    change(PY, ["self.assertEqual", 'self.skipTest("x")\n        self.assertEqual']),
    ["1 test or group skipped"],
  ],
  [
    "t.Skip",
    "sum_test.go",
    GO,
    change(GO, ["\tif Add", '\tt.Skip("later")\n\tif Add']),
    ["1 test or group skipped"],
  ],
  [
    "#[ignore]",
    "src/sum.rs",
    RS,
    change(RS, ["#[test]", "#[test]\n    #[ignore]"]),
    ["1 test or group skipped"],
  ],
  [
    "@Disabled",
    "SumTest.java",
    JAVA,
    change(JAVA, ["@Test", "@Disabled\n  @Test"]),
    ["1 test or group skipped"],
  ],
  [
    "Skip =",
    "SumTests.cs",
    CS,
    change(CS, ["[Fact]", '[Fact(Skip = "later")]']),
    ["1 test or group skipped"],
  ],
  [
    "pending",
    "sum_spec.rb",
    RB,
    change(RB, ["    expect(add", '    pending "later"\n    expect(add']),
    ["1 test or group skipped"],
  ],
  [
    "a test skipped beside a new one",
    "sum.test.ts",
    JS,
    change(
      JS,
      ['it("adds"', 'it.skip("adds"'],
      [SUB_JS, `${SUB_JS}${SUB_JS.replaceAll("subtracts", "more")}`],
    ),
    ["1 test or group skipped"],
  ],
  [
    "it.only",
    "sum.test.ts",
    JS,
    change(JS, ['it("adds"', 'it.only("adds"']),
    ["1 test or group runs alone"],
  ],
  [
    "fdescribe",
    "sum.test.ts",
    JS,
    change(JS, ["describe(", "fdescribe("]),
    ["1 test or group runs alone"],
  ],
  [
    "fit, ruby",
    "sum_spec.rb",
    RB,
    change(RB, ['it "adds"', 'fit "adds"']),
    ["1 test or group runs alone"],
  ],
  [
    "an assertion removed",
    "sum.test.ts",
    JS,
    change(JS, ["    expect(add(0, 0)).toBe(0);\n", ""]),
    ["1 assertion removed"],
  ],
  [
    "an assertion in a comment",
    "sum.test.ts",
    JS,
    change(JS, ["    expect(add(0, 0))", "    // expect(add(0, 0))"]),
    ["1 assertion removed"],
  ],
  [
    "an assertion that always holds",
    "sum.test.ts",
    JS,
    change(JS, ["expect(sub(2, 1)).toBe(1)", "expect(true).toBe(true)"]),
    ["1 assertion removed"],
  ],
  [
    "assertions removed beside a new test",
    "sum.test.ts",
    JS,
    change(
      JS,
      ["    expect(add(1, 2)).toBe(3);\n    expect(add(0, 0)).toBe(0);\n", "    add(1, 2);\n"],
      [SUB_JS, `${SUB_JS}${SUB_JS.replaceAll("subtracts", "more").replaceAll("2, 1", "5, 4")}`],
    ),
    ["2 assertions removed"],
  ],
  [
    "assertions removed, python",
    "test_sum.py",
    PY,
    change(PY, ["    assert add(0, 0) == 0\n", ""]),
    ["1 assertion removed"],
  ],
  [
    "assertions removed, rust",
    "src/sum.rs",
    RS,
    change(RS, ["        assert!(sub(1, 1) == 0);\n", ""]),
    ["1 assertion removed"],
  ],
  [
    "a helper that asserts nothing any more",
    "test/check.ts",
    "export function check(x) {\n  expect(x.a).toBe(1);\n  expect(x.b).toBe(2);\n}\n",
    "export function check(x) {\n  return x;\n}\n",
    ["2 assertions removed"],
  ],
  [
    "a threshold lowered",
    "vitest.config.ts",
    COVER,
    change(COVER, ["lines: 90", "lines: 70"]),
    ["threshold lowered: lines 90 to 70"],
  ],
  [
    "a threshold removed",
    "vitest.config.ts",
    COVER,
    change(COVER, [", branches: 80", ""]),
    ["threshold removed: branches 80"],
  ],
  [
    "a threshold lowered, package.json",
    "package.json",
    '{"jest": {"coverageThreshold": {"global": {"branches": 85}}}}',
    '{"jest": {"coverageThreshold": {"global": {"branches": 40}}}}',
    ["threshold lowered: branches 85 to 40"],
  ],
  [
    "fail_under",
    "pyproject.toml",
    "[tool.coverage.report]\nfail_under = 95\n",
    "[tool.coverage.report]\nfail_under = 50\n",
    ["threshold lowered: fail_under 95 to 50"],
  ],
  [
    "--cov-fail-under",
    "tox.ini",
    "[pytest]\naddopts = --cov-fail-under=95\n",
    "[pytest]\naddopts = --cov-fail-under=9\n",
    ["threshold lowered: cov-fail-under 95 to 9"],
  ],
  [
    "a tolerance raised",
    "page.spec.ts",
    PICTURES,
    change(PICTURES, ["maxDiffPixels: 10", "maxDiffPixels: 5000"]),
    ["tolerance raised: maxDiffPixels 10 to 5000"],
  ],
  [
    "a tolerance that came",
    "page.spec.ts",
    change(PICTURES, ["{ maxDiffPixels: 10 }", ""]),
    change(PICTURES, ["maxDiffPixels: 10", "maxDiffPixelRatio: 0.5"]),
    ["tolerance raised: maxDiffPixelRatio to 0.5"],
  ],
  [
    "a snapshot rewritten",
    "__snapshots__/page.test.ts.snap",
    SNAP,
    change(SNAP, ["Hello", "Goodbye"]),
    ["1 snapshot rewritten: page shows the title 1"],
  ],
  [
    "a picture rewritten",
    "tests/page.spec.ts-snapshots/home.png",
    "\u0089PNG one",
    "\u0089PNG two",
    ["snapshot rewritten"],
  ],
  [
    "an inline snapshot rewritten",
    "page.test.ts",
    INLINE,
    change(INLINE, ["Hello", "Goodbye"]),
    ["1 inline snapshot rewritten"],
  ],
  [
    "several at once",
    "sum.test.ts",
    JS,
    change(
      JS,
      [SUB_JS, ""],
      ['it("adds"', 'it.only("adds"'],
      ["    expect(add(0, 0)).toBe(0);\n", ""],
    ),
    ["1 test removed: subtracts", "1 test or group runs alone", "1 assertion removed"],
  ],
];

const NEIGHBOURS: readonly (readonly [
  what: string,
  path: string,
  before: string,
  after: string,
])[] = [
  ["a test renamed", "sum.test.ts", JS, change(JS, ['"subtracts"', '"takes away"'])],
  ["a test renamed, python", "test_sum.py", PY, change(PY, ["test_adds", "test_sums"])],
  ["a test renamed, rust", "src/sum.rs", RS, change(RS, ["fn subtracts", "fn takes_away"])],
  [
    "reformatted",
    "sum.test.ts",
    JS,
    JS.replaceAll('"', "'").replaceAll("  ", "    ").replaceAll(";", ""),
  ],
  [
    "broken into lines",
    "sum.test.ts",
    JS,
    change(JS, [
      "expect(add(1, 2)).toBe(3)",
      "expect(\n      add(1, 2),\n    ).toBe(\n      3,\n    )",
    ]),
  ],
  [
    "a test added",
    "sum.test.ts",
    JS,
    change(JS, [SUB_JS, `${SUB_JS}${SUB_JS.replaceAll("subtracts", "more")}`]),
  ],
  [
    "an assertion added",
    "sum.test.ts",
    JS,
    change(JS, [
      "expect(sub(2, 1)).toBe(1);",
      "expect(sub(2, 1)).toBe(1);\n    expect(sub(1, 1)).toBe(0);",
    ]),
  ],
  [
    "an assertion that expects something else",
    "sum.test.ts",
    JS,
    change(JS, ["toBe(3)", "toEqual(3)"]),
  ],
  [
    "a test split in two",
    "sum.test.ts",
    JS,
    change(JS, [
      "    expect(add(0, 0)).toBe(0);\n  });\n",
      '  });\n\n  it("adds nothing", () => {\n    expect(add(0, 0)).toBe(0);\n  });\n',
    ]),
  ],
  [
    "assertions put into a helper",
    "sum.test.ts",
    JS,
    change(
      JS,
      [
        'describe("sums"',
        'function holds(a: number, b: number) {\n  expect(a).toBe(b);\n}\n\ndescribe("sums"',
      ],
      ["expect(add(1, 2)).toBe(3)", "holds(add(1, 2), 3)"],
      ["expect(add(0, 0)).toBe(0)", "holds(add(0, 0), 0)"],
      ["expect(sub(2, 1)).toBe(1)", "holds(sub(2, 1), 1)"],
    ),
  ],
  [
    "a helper refactored",
    "test/check.ts",
    "export function check(x) {\n  expect(x.a).toBe(1);\n}\n",
    "export const check = (x) => {\n  expect(x.a, x.name).toBe(1);\n};\n",
  ],
  [
    "a helper without assertions refactored",
    "test/support/make.ts",
    "export function make() {\n  return { a: 1 };\n}\n",
    "export const make = () => ({ a: 1, b: 2 });\n",
  ],
  [
    "tests put into a table",
    "sum.test.ts",
    JS,
    change(JS, [
      JS.slice(JS.indexOf('  it("adds"'), JS.lastIndexOf("});")),
      `  it.each([\n    [1, 2, 3],\n    [0, 0, 0],\n    [2, -1, 1],\n  ])("adds %i", (a, b, sum) => {\n    expect(add(a, b)).toBe(sum);\n  });\n`,
    ]),
  ],
  [
    "tests put into a table of elsewhere",
    "sum.test.ts",
    JS,
    change(JS, [
      JS.slice(JS.indexOf('  it("adds"'), JS.lastIndexOf("});")),
      `  it.each(SUMS)("adds %i", (a, b, sum) => {\n    expect(add(a, b)).toBe(sum);\n  });\n`,
    ]),
  ],
  [
    "tests put into parametrize",
    "test_sum.py",
    PY,
    'import pytest\n\n@pytest.mark.parametrize("a, b, c", [(1, 2, 3), (0, 0, 0), (2, -1, 1)])\ndef test_adds(a, b, c):\n    assert add(a, b) == c\n',
  ],
  [
    "rows added to a table",
    "sum.test.ts",
    EACH,
    change(EACH, ["  [2, 2, 4],\n", "  [2, 2, 4],\n  [4, 4, 8],\n"]),
  ],
  ["a skip taken back", "sum.test.ts", change(JS, ['it("adds"', 'it.skip("adds"']), JS],
  ["an only taken back", "sum.test.ts", change(JS, ['it("adds"', 'it.only("adds"']), JS],
  [
    "a word in a string",
    "sum.test.ts",
    JS,
    change(JS, ["expect(sub(2, 1))", 'log("it.skip( it.only( xit(");\n    expect(sub(2, 1))']),
  ],
  [
    "a word in a comment",
    "sum.test.ts",
    JS,
    change(JS, [SUB_JS, `\n  // it.only("x") and xit("y") are not allowed${SUB_JS}`]),
  ],
  [
    "a comment with assertions removed",
    "sum.test.ts",
    change(JS, [SUB_JS, `\n  // expect(1).toBe(2)${SUB_JS}`]),
    JS,
  ],
  [
    "something else that skips",
    "page.test.ts",
    JS,
    change(JS, ["expect(sub(2, 1))", "cursor.skip(10);\n    expect(sub(2, 1))"]),
  ],
  [
    "a function that is called pending",
    "page.test.ts",
    JS,
    change(JS, ["expect(sub(2, 1))", 'const t = pending("t1");\n    expect(sub(2, 1))']),
  ],
  [
    "a new test that only some machines run",
    "sum.test.ts",
    JS,
    change(JS, [
      SUB_JS,
      `${SUB_JS}\n  it.skipIf(isWindows)("links", () => {\n    expect(link()).toBe(1);\n  });\n`,
    ]),
  ],
  [
    "a new test that only some machines run, python",
    "test_sum.py",
    PY,
    `${PY}\n@pytest.mark.skipif(WINDOWS, reason="links")\ndef test_links():\n    assert link()\n`,
  ],
  [
    "a quote in a regular expression",
    "sum.test.ts",
    change(JS, ["toBe(3)", 'toMatch(/"/)']),
    change(JS, ["toBe(3)", 'toMatch(/"/u)']),
  ],
  [
    "a longer timeout",
    "vitest.config.ts",
    COVER,
    change(COVER, ["testTimeout: 5000", "testTimeout: 60000"]),
  ],
  ["a threshold raised", "vitest.config.ts", COVER, change(COVER, ["lines: 90", "lines: 95"])],
  ["a threshold that came", "vitest.config.ts", change(COVER, [", branches: 80", ""]), COVER],
  [
    "another number of package.json",
    "package.json",
    '{"version": "2.0.0", "config": {"target": 9}}',
    '{"version": "1.0.0", "config": {"target": 3}}',
  ],
  [
    "a tolerance lowered",
    "page.spec.ts",
    PICTURES,
    change(PICTURES, ["maxDiffPixels: 10", "maxDiffPixels: 1"]),
  ],
  [
    "a picture more, with its tolerance",
    "page.spec.ts",
    PICTURES,
    `${PICTURES}${PICTURES.replace("looks right", "looks right at night").replace("10", "50")}`,
  ],
  [
    "a threshold that is none of tests",
    "alarm.test.ts",
    "it('warns', () => {\n  expect(alarm({ threshold: 5 })).toBe(true);\n});\n",
    "it('warns', () => {\n  expect(alarm({ threshold: 9 })).toBe(true);\n});\n",
  ],
  [
    "a snapshot added",
    "__snapshots__/page.test.ts.snap",
    SNAP,
    `${SNAP}\nexports[\`page ends 1\`] = \`<hr />\`;\n`,
  ],
  [
    "an inline snapshot indented",
    "page.test.ts",
    INLINE,
    change(INLINE, ["`<h1>Hello</h1>`", "`\n    <h1>Hello</h1>\n  `"]),
  ],
  [
    "an inline snapshot added",
    "page.test.ts",
    INLINE,
    `${INLINE}${INLINE.replace("shows", "ends").replace("Hello", "Bye")}`,
  ],
  ["no test at all", "src/sum.ts", "export const a = 1;\n", ""],
];

const whats = (...files: readonly ChangedTest[]): readonly string[] =>
  weakenedTests(files).map(({ path, what }) => `${path}: ${what}`);

describe("tests that became weaker", () => {
  it("are tried with many changes, both ways", () => {
    expect(WEAKER.length).toBeGreaterThan(40);
    expect(NEIGHBOURS.length).toBeGreaterThan(30);
  });

  it.each(WEAKER)("%s (%s)", (_, path, before, after, said) => {
    expect(whats({ path, before, after })).toEqual(said.map((what) => `${path}: ${what}`));
  });

  it.each(NEIGHBOURS)("%s (%s) is nothing weaker", (_, path, before, after) => {
    expect(whats({ path, before, after })).toEqual([]);
  });
});

describe("files together", () => {
  const gone = (path: string, before: string): ChangedTest => ({ path, before, after: undefined });
  const made = (path: string, after: string): ChangedTest => ({ path, before: undefined, after });
  const only = (body: string): string => JS.slice(0, JS.indexOf("  it(")) + body + "});\n";

  it("a file with tests that was deleted is named, one with none is not", () => {
    expect(whats(gone("sum.test.ts", JS))).toEqual([
      "sum.test.ts: test file deleted, with 2 tests",
    ]);
    expect(whats(gone("test/support/make.ts", "export const make = () => ({});\n"))).toEqual([]);
    expect(whats(gone("__snapshots__/a.snap", SNAP))).toEqual([
      "__snapshots__/a.snap: snapshots deleted",
    ]);
  });

  it("a file that was moved, changed or not, is not named", () => {
    expect(whats(gone("sum.test.ts", JS), made("math/sum.test.ts", JS))).toEqual([]);
    const changed = change(JS, ["./sum.js", "../sum.js"], ["toBe(3)", "toEqual(3)"]);
    expect(whats(gone("sum.test.ts", JS), made("math/sum.test.ts", changed))).toEqual([]);
    expect(whats(gone("SumTests.cs", CS), made("tests/SumTests.cs", `\n${CS}`))).toEqual([]);
    expect(whats(gone("__snapshots__/a.snap", SNAP), made("__snapshots__/b.snap", SNAP))).toEqual(
      [],
    );
  });

  it("a test that went to another file was not removed; a new one elsewhere replaces none", () => {
    const without = { path: "sum.test.ts", before: JS, after: change(JS, [SUB_JS, ""]) };
    expect(whats(without, made("sub.test.ts", only(SUB_JS)))).toEqual([]);
    const other = only(SUB_JS.replace("subtracts", "multiplies").replace("sub(2, 1)", "mul(1, 1)"));
    const renamed = only(SUB_JS.replace("subtracts", "takes away"));
    expect(whats(without, made("sub.test.ts", renamed))).toEqual([]);
    expect(whats(without, made("mul.test.ts", other))).toEqual([
      "sum.test.ts: 1 test removed: subtracts",
    ]);
  });

  it("a test that lost something on its way is named where it is now", () => {
    const without = { path: "sum.test.ts", before: JS, after: change(JS, [SUB_JS, ""]) };
    const emptied = only(SUB_JS.replace("expect(sub(2, 1)).toBe(1);", "sub(2, 1);"));
    expect(whats(without, made("sub.test.ts", emptied))).toEqual([
      "sub.test.ts: 1 assertion removed",
    ]);
    const skipped = only(SUB_JS.replace("it(", "it.skip("));
    expect(whats(without, made("sub.test.ts", skipped))).toEqual([
      "sub.test.ts: 1 test or group skipped",
    ]);
  });

  it("a skip that came along was there before; one of a new test takes nothing away", () => {
    const before = change(JS, ['it("subtracts"', 'it.skip("subtracts"']);
    const skipped = SUB_JS.replace("it(", "it.skip(");
    const without = { path: "sum.test.ts", before, after: change(before, [skipped, ""]) };
    expect(whats(without, made("sub.test.ts", only(skipped)))).toEqual([]);
    expect(whats(made("new.test.ts", only(skipped)))).toEqual([]);
    expect(whats(made("new.test.ts", only(SUB_JS.replace("it(", "it.only("))))).toEqual([
      "new.test.ts: 1 test or group runs alone",
    ]);
  });

  it("assertions that went into a helper of another file are still there", () => {
    const helper = "export function holds(a, b) {\n  expect(a).toBe(b);\n}\n";
    const after = JS.replaceAll(/expect\((.+)\)\.toBe\((\d)\)/g, "holds($1, $2)");
    const changed = { path: "sum.test.ts", before: JS, after };
    expect(whats(changed, made("test/support/holds.ts", helper))).toEqual([]);
    expect(whats(changed, made("test/support/holds.ts", "export function holds() {}\n"))).toEqual([
      "sum.test.ts: 3 assertions removed",
    ]);
  });

  it("a text that no person wrote is read at once", () => {
    for (const piece of ["it(", "it.each([", "@Test void a() ", "function f(", "{", "\n@a", "'"]) {
      const before = piece.repeat(100_000 / piece.length);
      for (const path of ["a.test.ts", "test_a.py", "ATest.java"]) {
        expect(whats({ path, before, after: `${before} x` })).toEqual([]);
      }
    }
  });

  it("any text is read without throwing, and the same text is nothing weaker", () => {
    const piece = fc.constantFrom(
      ...`'"\`/*#()[]{},\n\\ $`.split(""),
      "it(",
      "it.each([",
      "def test_a",
      "expect(",
      "assert ",
      "/*",
      "*/",
      '"""',
      "=> ",
      "function f(",
      "#[test]\nfn a",
    );
    const text = fc.array(piece, { maxLength: 80 }).map((pieces) => pieces.join(""));
    const path = fc.constantFrom(
      "a.test.ts",
      "test_a.py",
      "a_test.go",
      "tests/a.rs",
      "ATest.java",
      "a_spec.rb",
      "vitest.config.ts",
      "a.snap",
    );
    fc.assert(
      fc.property(path, text, text, (name, before, after) => {
        expect(Array.isArray(weakenedTests([{ path: name, before, after }]))).toBe(true);
        expect(weakenedTests([{ path: name, before, after: before }])).toEqual([]);
      }),
    );
  });
});
