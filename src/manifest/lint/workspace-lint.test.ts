// What lint says of files that no session sees and of servers that serve other files, with what to write.
import { describe, expect, test } from "vitest";
import { workspaceSettings } from "../../core/written/workspace-settings.ts";
import { normaliseManifest } from "../normalise-manifest.ts";
import { parseManifest } from "../parse-manifest.ts";
import { loopbackWithoutServe, mentionedPaths, unseenFiles } from "./workspace-lint.ts";

function read(front: string, keys: readonly string[]) {
  const head = front === "" ? "" : `---\n${front}\n---\n`;
  const items = keys.map((key) => `  - ${key}\n`).join("");
  const document = parseManifest(`${head}# Goal\nx\n# Steps\n- [ ] a\n${items}`);
  const { plan } = normaliseManifest(document);
  const settings = workspaceSettings(plan.settings);
  const { bring = "default" } = settings;
  return { document, plan, bring, mentions: mentionedPaths(plan, settings) };
}

describe("a file that no session sees", () => {
  const SUM = "check: `./sum.sh data/in.csv`";

  test.each([
    ["", ["---", "bring: [default, sum.sh, data/]", "---"]],
    ["plan: auto", ["bring: [default, sum.sh, data/]"]],
    ["bring: default", ["bring: [default, sum.sh, data/]"]],
    ["bring: none", ["bring: [sum.sh, data/]"]],
    ["bring: fixtures/", ["bring: [fixtures/, sum.sh, data/]"]],
    ['bring: [default, "!.env"]', ['bring: [default, "!.env", sum.sh, data/]']],
  ])("is brought in addition to %j", (front, lines) => {
    const { document, mentions, bring } = read(front, [SUM]);
    const example = lines.join("\n");
    const problems = unseenFiles(document, mentions, bring);
    expect(problems).toMatchObject([{ example }, { example }]);
    expect(problems[0]).not.toHaveProperty("sample");
  });

  test("is brought in addition to what the settings of the repository bring", () => {
    const { document, mentions } = read("", [SUM]);
    expect(unseenFiles(document, mentions, ["a b/", "*.csv"])[0]?.example).toBe(
      '---\nbring: [a b/, "*.csv", sum.sh, data/]\n---',
    );
  });

  test("is told at the line of the key that mentions it", () => {
    const { document, mentions } = read("", ["some words", SUM, "run: `bin/go.sh`"]);
    expect(
      unseenFiles(document, mentions, "default").map(({ line, found, message }) => [
        line,
        found,
        message,
      ]),
    ).toEqual([
      [6, SUM, expect.stringContaining("sum.sh is not committed")],
      [6, SUM, expect.stringContaining("data/in.csv is not committed")],
      [7, "run: `bin/go.sh`", expect.stringContaining("bin/go.sh is not committed")],
    ]);
  });
});

test("a check of a server on this machine is told where to write serve:", () => {
  const { document, plan } = read("", [
    "check: `npm test`",
    "check: GET http://localhost:3000/ 200",
    'check: browser http://localhost:3000/b sees "x"',
  ]);
  const problems = loopbackWithoutServe(plan, document);
  expect(problems.map(({ line }) => line)).toEqual([6, 7]);
  expect(problems[0]).toMatchObject({
    rule: "loopback-without-serve",
    message: expect.stringContaining(
      "write serve: in the front matter, and $STINT_PORT as the port of this check",
    ) as string,
    example: '---\nserve: "`npm run dev` ready GET http://localhost:$STINT_PORT/"\n---',
    sample: true,
  });
});
