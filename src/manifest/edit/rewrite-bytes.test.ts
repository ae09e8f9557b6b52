import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rewriteBytes } from "./rewrite-bytes.ts";

describe("a text written over bytes", () => {
  it("is the text where the bytes were one", () => {
    const bytes = Buffer.from("\uFEFFé\r\n- [ ] a\n");
    expect(rewriteBytes(bytes, bytes.toString("utf8"), "b\n").toString()).toBe("b\n");
  });

  it("leaves every byte of the lines it does not touch, in any encoding", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 60 }),
        fc.uint8Array({ maxLength: 60 }),
        (above, below) => {
          const of = (box: string): Buffer =>
            Buffer.concat([above, Buffer.from(`\n- [${box}] task\n`), below]);
          const bytes = of(" ");
          const read = bytes.toString("utf8");
          const at = read.lastIndexOf("\n- [ ] task\n") + 4;
          const wanted = `${read.slice(0, at)}x${read.slice(at + 1)}`;
          expect(rewriteBytes(bytes, read, wanted)).toEqual(of("x"));
        },
      ),
    );
  });
});
