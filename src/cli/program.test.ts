import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLineBench, TWO_TASKS } from "../../test/support/command-line.ts";
import * as views from "../core/schema/views.ts";
import { VERBS } from "./verbs.ts";

let bench: CommandLineBench;

beforeEach(() => {
  bench = new CommandLineBench();
});
afterEach(() => bench.close());

const STATUS = "What waits for you, and every task by its id: stint status";

describe("wrong use", () => {
  it.each([
    [["statsu"], "unknown command 'statsu'\n(Did you mean status?)", "stint --help"],
    [["status", "--jsn"], "unknown option '--jsn'\n(Did you mean --json?)", "stint status --help"],
    [
      ["status", "a", "b"],
      "too many arguments for 'status'. Expected 1 argument but got 2.",
      "stint status --help",
    ],
    [
      ["list", "a"],
      "too many arguments for 'list'. Expected 0 arguments but got 1.",
      "stint list --help",
    ],
    [["log", "-n"], "option '-n, --lines <count>' argument missing", "stint log --help"],
    [["approve"], "missing required argument 'item'", "stint approve --help", STATUS],
    [["answer", "q1"], "missing required argument 'text'", "stint answer --help", STATUS],
    [["retry"], "missing required argument 'task'", "stint retry --help", STATUS],
  ])("%j is told with what is near and where to look", async (words, message, help, first = "") => {
    const { code, out, err } = await bench.run(...words);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toBe(`stint: ${message}\n${first && `  ${first}\n`}  See all options: ${help}`);
    const [verb = "", ...rest] = words;
    const json = await bench.run(verb, "--json", ...rest);
    const { error } = views.errorView.parse(JSON.parse(json.out));
    const hint = `${first && `${first}\n`}See all options: ${help}`;
    expect(error).toMatchObject({ code: "bad-input", hint });
    expect([json.code, json.err]).toEqual([2, ""]);
  });

  it.each([["zzz"], ["help", "zzz"], ["zzz", "--help"]])(
    "%j is no verb, and is told in one line",
    async (...words) => {
      const { code, out, err } = await bench.run(...words);
      expect([code, out]).toEqual([2, ""]);
      expect(err).toBe("stint: unknown command 'zzz'\n  See all options: stint --help");
    },
  );

  it("help shows the help of a verb, and without one, or of itself, that of all", async () => {
    const all = await bench.run("--help");
    for (const words of [["help"], ["help", "help"], ["help", "--help"], ["help", "-h"]]) {
      expect(await bench.run(...words)).toEqual(all);
    }
    expect(await bench.run("help", "run")).toEqual(await bench.run("run", "--help"));
  });

  it("no word at all shows the help", async () => {
    const { code, out } = await bench.runWith({ width: 80 });
    expect(code).toBe(0);
    expect(out.split("\n").filter((line) => line.length > 80)).toEqual([]);
    const words = out.replace(/\s+/g, " ");
    for (const { name, summary } of VERBS) {
      expect(words).toMatch(new RegExp(` ${name} ${summary}`));
    }
    // Each line is filled before the next one begins.
    const codes = /^Exit codes: [^]*?owner\.$/m.exec(out)?.[0].split("\n") ?? [];
    expect(codes.slice(0, -1).map((line) => line.length > 60)).toEqual([true, true]);
  });

  it("S0-34 every verb explains itself with examples, and new with a manifest to start from", async () => {
    for (const verb of VERBS) {
      const { code, out } = await bench.run(verb.name, "--help");
      expect(code).toBe(0);
      expect(out).toContain(`Usage: stint ${verb.name}`);
      // A shell has the terminal to itself.
      expect(out.includes("--json")).toBe(verb.name !== "shell");
      for (const [command, meaning] of verb.examples) {
        expect(out).toContain(`  ${command}\n      ${meaning}`);
      }
      expect(verb.examples.length).toBeGreaterThan(0);
      expect((verb.details ?? "").split("\n").filter((line) => line.length > 80)).toEqual([]);
      expect((await bench.run("help", verb.name)).out).toBe(out);
    }
    expect((await bench.run("new", "--help")).out).toContain("## Steps\n  - [ ] english - ");
  });

  it("asks for the version and gets it", async () => {
    expect(await bench.run("--version")).toEqual({ code: 0, out: "1.2.3", err: "" });
  });

  it("opens no state for help, version and completion scripts", async () => {
    await bench.run("--help");
    await bench.run("completion", "bash");
    expect(existsSync(bench.stateHome)).toBe(false);
  });
});

const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- looking for control characters is the purpose
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

describe("what reaches a terminal", () => {
  const NASTY = "\u001b[31mred\u001b[0m \u202eevil\u2066 \u009b2J \u0007bell";

  it("never holds a control or override character of a manifest, a name or an error", async () => {
    bench.write(
      "prompt.md",
      TWO_TASKS.replace("Write hello.txt", `Write ${NASTY}`).replace("Say hello", `Say ${NASTY}`),
    );
    bench.write("\u001b[31mname.md", "# nothing\n");
    mkdirSync(join(bench.root, "agents/\u001b[31m/projects/x"), { recursive: true });
    writeFileSync(join(bench.root, "agents/\u001b[31m/projects/x/state.json"), "{}");
    const said = [
      await bench.run("lint", "prompt.md", "\u001b[31mname.md"),
      await bench.run("new", "prompt.md"),
      await bench.run("new", "\u001b[31mname.md"),
      await bench.run("status"),
      await bench.run("list"),
      await bench.run("log"),
      await bench.run("doctor"),
      await bench.run("status", NASTY),
      await bench.run(NASTY),
      await bench.run("completion", NASTY),
      await bench.run("lint", NASTY),
      await bench.run("new", "prompt.md", "--as", NASTY),
    ];
    for (const { out, err } of said) {
      expect(out + err).not.toMatch(HIDDEN);
    }
    expect(said.map(({ code }) => code)).toEqual([2, 0, 2, 0, 0, 0, 0, 2, 2, 2, 2, 2]);
    expect(said[3]?.out).toContain("\\u001b[31mred");
  });

  it("is whole when it is piped, and fits when it is shown", async () => {
    const title = Array.from({ length: 60 }, (_, n) => `word${n}`).join(" ");
    bench.write("prompt.md", TWO_TASKS.replace("Write hello.txt", `Write ${title}`));
    await bench.create();
    const piped = await bench.run("status");
    expect(piped.out).toContain(title);
    for (const words of [["status"], ["list"], ["log"]]) {
      const { out } = await bench.runWith({ width: 80 }, ...words);
      for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    }
    const shown = (await bench.runWith({ width: 80 }, "status")).out;
    expect(shown.replaceAll(/\s+/g, " ")).toContain(title);
  });

  it("has colour only where it is wanted", async () => {
    bench.write("prompt.md");
    await bench.create();
    const escapes = "\u001b[";
    expect((await bench.run("status")).out).not.toContain(escapes);
    const coloured = await bench.runWith({ colours: true }, "status");
    expect(coloured.out).toContain(`${escapes}1mprompt${escapes}22m`);
    const error = await bench.runWith({ colours: true }, "status", "nope");
    expect(error.err).toContain(`${escapes}31mstint:`);
  });
});
