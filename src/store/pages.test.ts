import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSealedPage, sealPage } from "./pages.ts";

describe("a generated page", () => {
  it("says its revision and that edits are ignored", () => {
    expect(sealPage("# Title\n", 12).toString("utf8")).toMatch(
      /^# Title\n\n<!-- made by stint from revision 12; edits are ignored \([0-9a-f]{16}\) -->\n$/,
    );
  });

  it("is known as ours, whatever its words", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(), (content, revision) => {
        expect(isSealedPage(sealPage(content, revision))).toBe(true);
      }),
    );
  });

  it("is not ours any more after any change of its content", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.nat(), (content, where) => {
        const sealed = sealPage(content, 3).toString("utf8");
        const at = where % content.length;
        const changed = `${sealed.slice(0, at)}~~${sealed.slice(at)}`;
        expect(isSealedPage(Buffer.from(changed))).toBe(false);
      }),
    );
  });

  it("is not ours when it is cut, empty, or goes on after its seal", () => {
    const sealed = sealPage("content", 3).toString("utf8");
    for (const text of ["", "content", sealed.slice(0, -2), `${sealed}more\n`]) {
      expect(isSealedPage(Buffer.from(text))).toBe(false);
    }
  });
});
