import { describe, expect, it } from "vitest";
import { readBring } from "./bring.ts";

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
    [["all", "data/"], '"all" stands alone, as bring: all'],
    ["/etc", '"/etc" is absolute'],
    ["C:\\data", 'write "C:\\data" with forward slashes'],
    ["~/data", '"~/data" leads to a home folder'],
    ["../data", '"../data" holds ".."'],
    ["data/../../x", '"data/../../x" holds ".."'],
    ["", "the path is empty"],
    ["a\nb", "the path holds a control character"],
    [".", '"." is everything; write bring: all'],
    ["!data/", 'it only says what is left out; write bring: [default, "!data/"]'],
    [["default", "!../data"], '"../data" holds ".."'],
    [["none", "!data"], '"none" stands alone, as bring: none'],
  ])("refuses %j", (written, reason) => {
    expect(readBring(written)).toEqual({ ok: false, reason });
  });
});
