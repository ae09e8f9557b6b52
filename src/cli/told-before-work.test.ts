// What a run tells before it starts anything, and tells once.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLineBench } from "../../test/support/command-line.ts";

const MANIFEST = `# Goal

Greet.

# Steps

- [ ] english - Write hello.txt
  - check: \`test -f hello.txt\`
- [ ] german - Write hallo.txt
- [ ] guide - Write the README
`;

let bench: CommandLineBench;

beforeEach(() => {
  bench = new CommandLineBench();
  bench.write("prompt.md", MANIFEST);
  bench.program("agent", 'echo work > "file-$$"');
});
afterEach(() => bench.close());

const PLAYED = ["--agent", "command:agent", "--in-place", "--isolation", "off", "--sessions", "1"];

async function told(...words: string[]): Promise<string[]> {
  const { out } = await bench.run(...words, ...PLAYED);
  const isAdvice = (line: string): boolean => /may run|prompt\.md:|stint lint/.test(line);
  return out.split("\n").filter(isAdvice);
}

describe("a run", () => {
  const NO_CHECK =
    "this task has no check, so it can only be weakly verified: any change would count [no-check]";

  it("tells lint's warnings and the commands once, and neither when it is resumed", async () => {
    expect(await told("run", "prompt.md")).toEqual([
      `notice: prompt.md:9: ${NO_CHECK}`,
      expect.stringMatching(/^notice: prompt\.md:10: .*docs-only.*\[docs-only\]$/),
      "notice: how to write it right: stint lint prompt.md",
      "notice: may run: test -f hello.txt",
    ]);
    expect(await told("resume")).toEqual([]);
    expect(await told("run", "prompt.md")).toEqual([]);
  });

  it("tells the commands of the settings again when they changed, and only then", async () => {
    bench.write("stint.config.yaml", "setup: echo one\n");
    expect(await told("run", "prompt.md")).toContain("notice: may run: echo one");
    bench.write("stint.config.yaml", "setup: echo two\n");
    expect(await told("resume")).toEqual(["notice: may run: echo two"]);
    expect(await told("run", "prompt.md")).toEqual([]);
    bench.write("stint.config.yaml", "setup: [echo two, echo three]\n");
    expect(await told("resume")).toEqual(["notice: may run: echo three"]);
  });

  it("tells later what came with a change of the manifest, and that alone", async () => {
    await told("run", "prompt.md");
    const more = "- [ ] french - Write salut.txt\n- [ ] spanish - Write hola.txt\n";
    bench.write("prompt.md", `${MANIFEST}${more}  - check: \`test -f hola.txt\`\n`);
    expect(await told("run", "prompt.md")).toEqual([
      `notice: prompt.md:11: ${NO_CHECK}`,
      "notice: how to write it right: stint lint prompt.md",
      "notice: may run: test -f hola.txt",
    ]);
    expect(await told("resume")).toEqual([]);
  });

  it("tells of no command that it asks about when it is resumed", async () => {
    await told("run", "prompt.md");
    bench.write("prompt.md", MANIFEST.replace("test -f hello.txt", "test -s hello.txt"));
    const { out } = await bench.run("resume", ...PLAYED);
    expect(out).toContain("has a command that nobody has allowed yet: test -s hello.txt");
    expect(out).not.toContain("may run: ");
  });

  it("tells ten of many, and how to see the rest", async () => {
    const tasks = Array.from({ length: 12 }, (_, n) => `- [ ] Write number-${n}\n`).join("");
    bench.write("prompt.md", `# Goal\n\nG.\n\n# Steps\n\n${tasks}`);
    const lines = await told("run", "prompt.md");
    expect(lines).toHaveLength(11);
    expect(lines[10]).toBe(
      "notice: 2 more warnings, and how to write it right: stint lint prompt.md",
    );
  });
});
