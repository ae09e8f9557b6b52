import { expect, it } from "vitest";
import { mountPoints } from "./mount-points.ts";

/** `id parent at options type` */
function info(...lines: readonly string[]): string {
  return lines
    .map((line) => {
      const [id, parent, at, options, type = "ext4"] = line.split(" ");
      return `${id} ${parent} 8:1 / ${at} ${options} shared:1 - ${type} /dev/x rw`;
    })
    .join("\n");
}

it("are those that may be written, from above to below, with their names as they are", () => {
  const text = info(
    "1 0 / rw,relatime",
    "3 4 /mnt/a\\040b rw",
    "2 1 /boot ro",
    "4 1 /mnt rw,nodev",
  );
  expect(mountPoints(text)).toEqual(["/", "/mnt", "/mnt/a b"]);
});

it("leave out what another mount covers, whichever came first", () => {
  const text = info("1 0 / rw", "2 1 /a/b rw", "3 1 /a rw", "4 3 /a/c rw");
  expect(mountPoints(text)).toEqual(["/", "/a", "/a/c"]);
});

it("are the top one of several at the same place, and what is mounted below that", () => {
  const text = info("1 0 / rw", "2 1 /a rw", "3 2 /a ro", "4 3 /a/b rw", "5 2 /a/c rw");
  expect(mountPoints(text)).toEqual(["/", "/a/b"]);
});

it("leave out what only mounts when it is looked at", () => {
  expect(mountPoints(info("1 0 / rw", "2 1 /net rw autofs"))).toEqual(["/"]);
});
