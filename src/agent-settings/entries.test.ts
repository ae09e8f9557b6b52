import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type JsonEntry, lookInJson, putIntoJson, takeFromJson } from "./json-entry.ts";
import { readJson } from "./json-text.ts";
import { lookInToml, putIntoToml, takeFromToml, type TomlEntry } from "./toml-entry.ts";

const JSON_ENTRY: JsonEntry = {
  container: "mcpServers",
  name: "stint",
  value: { command: "stint", args: ["mcp"] },
};
const TOML_ENTRY: TomlEntry = {
  table: ["mcp_servers", "stint"],
  lines: ['command = "stint"', 'args = ["mcp"]'],
};
const OWN = '"stint": { "command": "stint", "args": ["mcp"] }';

function putIn(text: string): string {
  expect(lookInJson(text, JSON_ENTRY)).toEqual({ state: "absent" });
  const put = putIntoJson(text, JSON_ENTRY);
  expect(lookInJson(put, JSON_ENTRY)).toEqual({ state: "current" });
  return put;
}

describe("an entry in JSON", () => {
  it.each([
    ["an empty object", "{}", `{"mcpServers": { ${OWN} }}`],
    ["one that others are in", '{"a":1}', `{"mcpServers": { ${OWN} },"a":1}`],
    ["one over lines", '{\n  "a": 1\n}\n', `{\n  "mcpServers": {\n    ${OWN}\n  },\n  "a": 1\n}\n`],
    [
      "tabs and Windows lines",
      '{\r\n\t"a": 1\r\n}',
      `{\r\n\t"mcpServers": {\r\n\t\t${OWN}\r\n\t},\r\n\t"a": 1\r\n}`,
    ],
    ["no servers yet", '{"mcpServers": {}}', `{"mcpServers": {${OWN}}}`],
    [
      "other servers",
      '{\n  "mcpServers": {\n    "a": {}\n  }\n}\n',
      `{\n  "mcpServers": {\n    ${OWN},\n    "a": {}\n  }\n}\n`,
    ],
    [
      "comments and a comma too many",
      '{ // mine\n  "mcpServers": {\n    // all of them\n    "a": {}, // one\n  },\n}',
      `{ // mine\n  "mcpServers": {\n    ${OWN},\n    // all of them\n    "a": {}, // one\n  },\n}`,
    ],
    ["nothing but a comment", "{ /* none */ }", `{"mcpServers": { ${OWN} } /* none */ }`],
    ["a byte order mark", "\uFEFF{}", `\uFEFF{"mcpServers": { ${OWN} }}`],
  ])("is put into %s, and taken out again every byte is as before", (_what, before, after) => {
    expect(putIn(before)).toBe(after);
    expect(takeFromJson(after, JSON_ENTRY)).toBe(before);
  });

  it("has a file of its own where there was none, which goes with it", () => {
    const made = putIntoJson(undefined, JSON_ENTRY);
    expect(made).toBe(`{\n  "mcpServers": {\n    ${OWN}\n  }\n}\n`);
    expect(takeFromJson(made, JSON_ENTRY)).toBeUndefined();
  });

  it("is taken out wherever it stands, however somebody laid it out", () => {
    const rows: [string, string][] = [
      [`{"mcpServers":{"a":{},${OWN}}}`, '{"mcpServers":{"a":{}}}'],
      [`{"mcpServers":{"a":{},${OWN},"b":{}}}`, '{"mcpServers":{"a":{},"b":{}}}'],
      [`{"mcpServers":{"a":{} /* x, y */, ${OWN} }}`, '{"mcpServers":{"a":{} /* x, y */ }}'],
      [`{"mcpServers":{${OWN} /* x */ , "a":{}}}`, '{"mcpServers":{ "a":{}}}'],
      [
        JSON.stringify({ mcpServers: { stint: JSON_ENTRY.value }, z: 1 }, null, 2),
        '{\n  "mcpServers": {\n  },\n  "z": 1\n}',
      ],
    ];
    for (const [before, after] of rows) {
      expect(lookInJson(before, JSON_ENTRY)).toEqual({ state: "current" });
      expect(takeFromJson(before, JSON_ENTRY)).toBe(after);
      expect(JSON.parse(after.replaceAll(/\/\*.*?\*\//g, ""))).toBeDefined();
    }
  });

  it("that a person changed is seen, and so is what cannot be read", () => {
    const edited = '{"mcpServers":{"stint":{"command":"stint","args":["mcp","--x"]}}}';
    expect(lookInJson(edited, JSON_ENTRY)).toEqual({ state: "edited" });
    const rows: [string, string][] = [
      ["", "line 1: this is not a value"],
      ["[]", "it is not an object"],
      ['{"mcpServers": []}', '"mcpServers" is not an object'],
      ['{"mcpServers": {}, "mcpServers": {}}', '"mcpServers" occurs twice'],
      ['{"mcpServers": {"stint": 1, "stint": 2}}', '"stint" occurs twice'],
      ['{\n"a" 1}', "line 2: a colon is missing"],
      ['{"a": 1 "b": 2}', "line 1: a comma is missing"],
      ['{"a": 1} {}', "line 1: something follows after its end"],
      ["{a: 1}", "line 1: this is not a value"],
      ["[".repeat(100_000), "line 1: it is nested too deeply"],
    ];
    for (const [text, why] of rows) {
      expect(lookInJson(text, JSON_ENTRY)).toEqual({ state: "unreadable", why });
    }
  });

  it("is put in and taken out of any JSON without a trace", () => {
    const key = fc.constantFrom("mcpServers", "stint", "a", "b");
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(1, null, "x", '"', "a\\"),
        fc.array(tie("value"), { maxLength: 2 }),
        fc.dictionary(key, tie("value"), { maxKeys: 3 }),
      ),
    }));
    const space = fc.constantFrom(undefined, 1, 2, "\t");
    fc.assert(
      fc.property(fc.dictionary(key, value), space, (document, indent) => {
        const text = JSON.stringify(document, null, indent);
        expect((readJson(text) as { value: unknown }).value).toEqual(JSON.parse(text));
        if (lookInJson(text, JSON_ENTRY).state !== "absent") return;
        const put = putIn(text);
        const { mcpServers: servers = {}, ...others } = document as Record<string, object>;
        expect(JSON.parse(put)).toEqual({
          ...others,
          mcpServers: { ...servers, stint: JSON_ENTRY.value },
        });
        expect(takeFromJson(put, JSON_ENTRY)).toBe(text);
      }),
    );
  });
});

const BLOCK = '[mcp_servers.stint]\ncommand = "stint"\nargs = ["mcp"]\n';

describe("an entry in TOML", () => {
  it.each([
    ["an empty file", "", `\n${BLOCK}`],
    ["settings", 'model = "x"\n', `model = "x"\n\n${BLOCK}`],
    ["settings without a last new line", 'model = "x"', `model = "x"\n${BLOCK}`],
    ["Windows lines", 'model = "x"\r\n', `model = "x"\r\n\r\n${BLOCK.replaceAll("\n", "\r\n")}`],
    [
      "other servers and texts of many lines",
      '[mcp_servers.a] # one\nargs = [\n  "[mcp_servers.stint]",\n]\nnote = """\n[mcp_servers.stint]\n"""\n',
      `[mcp_servers.a] # one\nargs = [\n  "[mcp_servers.stint]",\n]\nnote = """\n[mcp_servers.stint]\n"""\n\n${BLOCK}`,
    ],
  ])("is put into %s, and taken out again every byte is as before", (_what, before, after) => {
    expect(lookInToml(before, TOML_ENTRY)).toEqual({ state: "absent" });
    expect(putIntoToml(before, TOML_ENTRY)).toBe(after);
    expect(lookInToml(after, TOML_ENTRY)).toEqual({ state: "current" });
    expect(takeFromToml(after, TOML_ENTRY)).toBe(before);
  });

  it("has a file of its own where there was none, which goes with it", () => {
    expect(putIntoToml(undefined, TOML_ENTRY)).toBe(BLOCK);
    expect(takeFromToml(BLOCK, TOML_ENTRY)).toBeUndefined();
  });

  it("is taken out where others were put behind it", () => {
    const text = `a = 1\n\n${BLOCK}\n[projects."/x"]\ntrust = true\n`;
    expect(takeFromToml(text, TOML_ENTRY)).toBe(`a = 1\n\n[projects."/x"]\ntrust = true\n`);
  });

  it.each([
    ["another command", '[mcp_servers.stint]\ncommand = "other"\n'],
    ["a line more", `${BLOCK}enabled = false\n`],
    ["a table in it", `${BLOCK}\n[mcp_servers.stint.env]\nA = "1"\n`],
    ["quoted names", '["mcp_servers" . \'stint\']\ncommand = "stint"\n'],
    ["a dotted key", 'mcp_servers.stint.command = "stint"\n'],
    ["one line", '[mcp_servers]\nstint = { command = "stint" }\n'],
  ])("that a person wrote with %s is theirs", (_what, text) => {
    expect(lookInToml(text, TOML_ENTRY)).toEqual({ state: "edited" });
  });

  it("is not put where it would break what is there", () => {
    expect(lookInToml('mcp_servers = { a = { command = "x" } }\n', TOML_ENTRY)).toEqual({
      state: "unreadable",
      why: "mcp_servers is written as one value",
    });
    expect(lookInToml("a = 1\nnot toml\n", TOML_ENTRY)).toEqual({
      state: "unreadable",
      why: "line 2 is neither a table nor a key",
    });
    expect(lookInToml('a = """\nb\n', TOML_ENTRY)).toEqual({
      state: "unreadable",
      why: "it ends in the middle of a value",
    });
  });

  it("is put in and taken out of any lines without a trace", () => {
    const line = fc.constantFrom(
      "",
      "# [mcp_servers.stint]",
      "[a.b]",
      'a = "x # y"',
      "b = [1, [2], {c = '}'}]",
      'c = """',
      '"""',
      "d = '''it''' # '''",
    );
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom("", "\n"), (lines, end) => {
        const text = lines.join("\n") + end;
        if (lookInToml(text, TOML_ENTRY).state !== "absent") return;
        const put = putIntoToml(text, TOML_ENTRY);
        expect(lookInToml(put, TOML_ENTRY)).toEqual({ state: "current" });
        expect(takeFromToml(put, TOML_ENTRY)).toBe(text);
      }),
    );
  });
});
