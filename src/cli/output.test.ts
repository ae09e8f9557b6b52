import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { Output } from "./output.ts";

function open(isTTY = false) {
  const stream = new PassThrough({ encoding: "utf8", autoDestroy: false });
  const output = new Output(Object.assign(stream, { isTTY }) as unknown as NodeJS.WriteStream);
  const told: string[] = [];
  output.onLost((why) => told.push(why));
  return { stream, output, told };
}

const fail = (code: string): Error => Object.assign(new Error(code), { code });

describe("an output", () => {
  it.each([
    ["EPIPE", false, "nobody reads its output any more (EPIPE)"],
    ["ECONNRESET", false, "nobody reads its output any more (ECONNRESET)"],
    ["EIO", true, "its terminal was closed (EIO)"],
  ])("whose reader is gone (%s, terminal: %s) says so once and is no fault", (errno, tty, why) => {
    const { stream, output, told } = open(tty);
    stream.emit("error", fail(errno));
    stream.emit("error", fail(errno));
    expect(told).toEqual([why]);
    expect(output.fault).toBeNull();
  });

  it.each([
    ["ENOSPC", "the disk is full"],
    ["EIO", "the device failed to read or write"],
  ])("that cannot be written (%s) is a fault", (errno, reason) => {
    const { stream, output, told } = open();
    stream.emit("error", fail(errno));
    expect(told).toEqual([`its output could not be written: ${reason} (${errno})`]);
    expect(output.fault).toBe(errno);
  });

  it("takes a write that throws for the same, and writes nothing after it", () => {
    const { stream, output, told } = open();
    stream.write = () => {
      throw fail("ENOSPC");
    };
    output.write("one");
    output.write("two");
    expect(told).toHaveLength(1);
  });

  it("tells nobody who listens no longer", () => {
    const { stream, output } = open();
    const told: string[] = [];
    output.onLost((why) => told.push(why))();
    stream.emit("error", fail("EPIPE"));
    expect(told).toEqual([]);
  });
});
