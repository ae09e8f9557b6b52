import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { programsStarted } from "./programs-started.ts";
import { simpleCommands } from "./shell-commands.ts";

const started = (command: string, files: Readonly<Record<string, string>> = {}): string[] =>
  programsStarted(command, "", (path) =>
    Object.hasOwn(files, path) ? files[path] : undefined,
  ).map(({ name, args }) => [name, ...args].join(" "));

describe("the programs that a command starts", () => {
  it.each([
    ["a && b || c; d | e & f", ["a", "b", "c", "d", "e", "f"]],
    ["(cd x; a) && { b; }", ["a", "b"]],
    ["if a; then b; else c; fi", ["a", "b", "c"]],
    ["for i in a b; do c $i; done", ["c $i"]],
    ["while ! a; do b; done", ["a", "b"]],
    ["X=1 Y='2 3' a b", ["a b"]],
    ["a >b 2>&1 <c 2> d e", ["a e"]],
    ["a &>b", ["a"]],
    ["a \"b; c\" 'd | e'", ["a b; c d | e"]],
    ['a "$(b c)" `d`', ["b c", "d", "a $ $"]],
    ["a # b\nc", ["a", "c"]],
    ["a <<EOF\nb\nEOF\nc", ["a", "c"]],
    ["sh <<'EOF'\nb\nEOF\nc", ["c", "b"]],
    ["a \\\n  b", ["a b"]],
    ["case $1 in a|b) c;; *) d;; esac", ["c", "d"]],
    ["f() { a; }\nf; b", ["a", "b"]],
    ["env -u X Y=1 a b", ["a b"]],
    ["env -S 'a b'", ["a b"]],
    ["sudo -u root -E /usr/bin/a b", ["a b"]],
    ["sudo sh -c 'env X=1 nice -n 5 a'", ["a"]],
    ["sh -ec 'a; b'", ["a", "b"]],
    ["npx --yes -p x a b", ["a b"]],
    ["npx -c 'a b'", ["a b"]],
    ["pnpm exec a; npm exec -- b; yarn dlx c", ["a", "b", "c"]],
    ["bundle exec rake a", ["rake a"]],
    ["python3 -m a b", ["a b"]],
    ["timeout -k 5 10 a", ["a"]],
    ["xargs -n 1 -I {} a {}", ["a {}"]],
    ["find . -name x -exec a {} +", ["a {} +"]],
    ["ssh -p 22 host 'a; b'", ["a", "b"]],
    ["command -v a", []],
    ["$A b", []],
    ["", []],
  ])("%j are %j", (command, programs) => {
    expect(started(command)).toEqual(programs);
  });

  it("are those of the scripts that it calls, from the folder that each is in", () => {
    const files = {
      "package.json":
        '{"scripts": {"a": "cd web && sh run.sh", "preb": "x", "b": "y", "postb": "z"}}',
      "web/run.sh": "make -C .. all\n",
      Makefile: "all: one\n\tlast\none:\n\t@first\n",
    };
    expect(started("npm run a", files)).toEqual([
      "npm run a",
      "sh run.sh",
      "make -C .. all",
      "first",
      "last",
    ]);
    expect(started("yarn b", files)).toEqual(["yarn b", "x", "y", "z"]);
  });

  it("end, also where scripts call themselves and each other", () => {
    const files = {
      "package.json": '{"scripts": {"a": "npm run a; npm run b", "b": "npm run a"}}',
      "x.sh": "sh x.sh && sh ./x.sh\n",
      Makefile: "a: b\n\tmake a\nb: a\n",
    };
    for (const command of ["npm run a", "sh x.sh", "make a"]) {
      expect(started(command, files).length).toBeLessThan(20);
    }
  });

  it("are told of long texts at once, and of deep ones", () => {
    const long = 60_000;
    for (const text of [
      "$(",
      "(",
      '"$(',
      "`",
      "a ",
      "a: ",
      "<<E\n",
      "' ",
      "x=1 ",
      "$((",
      "make ",
    ]) {
      const repeated = text.repeat(long / text.length);
      const files = {
        Makefile: repeated,
        "package.json": repeated,
        "x.sh": repeated,
        "y.js": repeated,
      };
      expect(started(repeated, files).length).toBeLessThan(long);
      expect(started("make a; npm run a; sh x.sh; node y.js", files).length).toBeLessThan(long);
    }
  });

  it("are told of any text without throwing", () => {
    const pieces = fc.constantFrom(
      ..."'\"`$(){};|&<>\\\n# a<<E-=".split(""),
      "$(",
      "<<EOF",
      "npm run ",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (given) => {
        const text = given.join("");
        expect(Array.isArray(simpleCommands(text))).toBe(true);
        expect(Array.isArray(started(text, { "package.json": text, a: text }))).toBe(true);
      }),
    );
  });
});
