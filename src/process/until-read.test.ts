import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { untilRead } from "./until-read.ts";

it("everything that a child wrote before it ended is read, however late this process comes to it", async () => {
  // The child leaves its pipe to another process, which holds it open.
  const child = spawn("sh", ["-c", "sleep 30 & echo $!; head -c 50000 /dev/zero"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const read: Buffer[] = [];
  child.stdout.on("data", (bytes: Buffer) => read.push(bytes));
  child.stdout.pause();
  await once(child, "exit");
  child.stdout.resume();
  await untilRead([child.stdout]);
  child.stdout.destroy();
  const all = Buffer.concat(read);
  const end = all.indexOf("\n");
  process.kill(Number(all.toString("utf8", 0, end)));
  expect(all.length - end - 1).toBe(50_000);
});
