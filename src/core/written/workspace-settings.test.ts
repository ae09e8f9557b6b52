import { describe, expect, it } from "vitest";
import { readBring, readDir, readSetup, readServe } from "./workspace-settings.ts";

describe("bring", () => {
  it.each([
    ["all", "all"],
    ["none", "none"],
    ["default", "default"],
    ["data/", ["data/"]],
    [
      ["data/", "fixtures/**"],
      ["data/", "fixtures/**"],
    ],
    [
      ["default", "./data", "!./packages/old/"],
      ["default", "data", "!packages/old/"],
    ],
  ])("reads %j", (written, value) => {
    expect(readBring(written)).toEqual({ ok: true, value });
  });

  it.each([
    [3, "expected all, none, default, or a list of folders and patterns"],
    [null, "expected all, none, default, or a list of folders and patterns"],
    [[], "expected all, none, default, or a list of folders and patterns"],
    [["data", 3], "expected all, none, default, or a list of folders and patterns"],
    [["all", "data/"], '"all" cannot be combined with others: bring: all'],
    ["/etc", '"/etc" is absolute'],
    ["C:\\data", 'write "C:\\data" with forward slashes'],
    ["~/data", '"~/data" leads to a home folder'],
    ["../data", '"../data" contains ".."'],
    ["data/../../x", '"data/../../x" contains ".."'],
    ["", "the path is empty"],
    ["a\nb", "the path contains a control character"],
    [".", '"." is everything; write bring: all'],
    ["!data/", 'it only names what to leave out; write bring: [default, "!data/"]'],
    [["default", "!../data"], '"../data" contains ".."'],
    [["none", "!data"], '"none" cannot be combined with others: bring: none'],
  ])("refuses %j", (written, reason) => {
    expect(readBring(written)).toEqual({ ok: false, reason });
  });
});

it.each([
  ["npm ci", ["npm ci"]],
  ["`npm ci`", ["npm ci"]],
  ["npm ci\n", ["npm ci"]],
  ["echo `date` > `hostname`", ["echo `date` > `hostname`"]],
  [
    ["npm ci", "npm run generate"],
    ["npm ci", "npm run generate"],
  ],
])("setup reads %j", (written, value) => {
  expect(readSetup(written)).toEqual({ ok: true, value });
});

it.each([
  [[], "expected a command, or a list of them"],
  [3, "expected a command, or a list of them"],
  [null, "expected a command, or a list of them"],
  [["npm ci", {}], "expected a command, or a list of them"],
  ["", "the command is empty"],
  [["npm ci", " "], "the command is empty"],
  ["a\nb", "a command is one line; put more into a script and name the script"],
])("setup refuses %j", (written, reason) => {
  expect(readSetup(written)).toEqual({ ok: false, reason });
});

const READY = "http://localhost:$STINT_PORT/";
const DEV = { command: "npm run dev", ready: READY };

describe("serve", () => {
  it.each([
    [`\`npm run dev\` ready GET ${READY}`, DEV],
    [`npm run dev ready GET ${READY}`, DEV],
    [`npm run dev   ready ${READY}`, DEV],
    [{ run: "npm run dev", ready: READY }, DEV],
    [{ run: "`npm run dev`", ready: `GET ${READY}` }, DEV],
    [
      "./ready ready ready GET https://127.0.0.1:8080/health",
      { command: "./ready ready", ready: "https://127.0.0.1:8080/health" },
    ],
    [
      { run: "x", ready: "http://localhost:${STINT_PORT}/a?b" },
      { command: "x", ready: "http://localhost:${STINT_PORT}/a?b" },
    ],
  ])("reads %j", (written, value) => {
    expect(readServe(written)).toEqual({ ok: true, value });
  });

  const EXPECTED = "expected a command (run) and the address that answers when it is ready (ready)";
  const WORDS = 'expected a command, then "ready GET" and the address that answers';
  it.each([
    [true, EXPECTED],
    [["npm run dev"], EXPECTED],
    [{ run: "npm run dev" }, EXPECTED],
    [{ ready: READY }, EXPECTED],
    [{ run: "x", ready: READY, port: 3000 }, 'expected run and ready, and no "port"'],
    ["npm run dev", WORDS],
    [`ready GET ${READY}`, WORDS],
    ["npm run dev ready GET localhost:3000", '"localhost:3000" is not an http or https address'],
    ["x ready GET http://localhost:$PORT/", '"http://localhost:$PORT/" is not a valid address'],
    ["x ready GET http://a:b@localhost/", "its address contains a password"],
    [{ run: " ", ready: READY }, "the command is empty"],
    [
      { run: "a\nb", ready: READY },
      "a command is one line; put more into a script and name the script",
    ],
  ])("refuses %j", (written, reason) => {
    expect(readServe(written)).toEqual({ ok: false, reason });
  });
});

describe("dir", () => {
  it.each([
    ["packages/web/", "packages/web"],
    ['"src"', "src"],
    ["'my notes'", "my notes"],
    [".", ""],
  ])("reads %j", (written, value) => {
    expect(readDir(written)).toEqual({ ok: true, value });
  });

  it.each([
    [3, "expected a folder below the root"],
    ['"/etc"', '"/etc" is absolute'],
    ['""', "the path is empty"],
  ])("does not take %j for a folder below the root", (written, reason) => {
    expect(readDir(written)).toEqual({ ok: false, reason });
  });
});
