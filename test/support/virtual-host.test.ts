// The virtual machines must tell the living from the dead as the real ones do.
import { expect, it } from "vitest";
import { VirtualWorld } from "./virtual-host.ts";

it("moves time only when told", () => {
  const world = new VirtualWorld(1, 1000);
  const host = world.machine("m").start();
  expect(host.nowMs()).toBe(1000);
  world.advance(60_000);
  expect(host.nowMs()).toBe(61_000);
});

it("does what is due as time passes, in its order, and nothing in a leap or for the dead", () => {
  const world = new VirtualWorld(1, 0);
  const [one, other] = [world.machine("m").start(), world.machine("n").start()];
  const seen: string[] = [];
  const end = one.every(10, () => seen.push(`one ${one.nowMs()}`));
  other.every(15, () => seen.push(`other ${other.nowMs()}`));
  world.advance(20);
  expect(seen.splice(0)).toEqual(["one 10", "other 15", "one 20"]);
  world.leap(100);
  expect(seen).toEqual([]);
  other.kill();
  world.advance(1);
  expect(seen.splice(0)).toEqual(["one 120"]);
  end();
  world.advance(100);
  expect(seen).toEqual([]);
  expect(world.beating).toBe(1);
});

it("repeats its randomness for one seed and changes it for another", () => {
  const [first, again, other] = [1, 1, 2].map((seed) =>
    new VirtualWorld(seed).machine("m").start().randomBytes(8),
  );
  expect(first).toEqual(again);
  expect(first).not.toEqual(other);
});

it("knows a live, a stopped and a dead neighbour, and a reused pid", () => {
  const machine = new VirtualWorld(1).machine("m");
  const [me, other] = [machine.start(), machine.start()];
  const { pid, process_start } = other.self();
  expect(me.processState(pid, process_start)).toBe("alive");
  other.stopped = true;
  expect(me.processState(pid, process_start)).toBe("alive");
  expect(me.processState(pid, "another start")).toBe("dead");
  other.kill();
  expect(me.processState(pid, process_start)).toBe("dead");
});

it("sees no process of another namespace or machine", () => {
  const world = new VirtualWorld(1);
  const machine = world.machine("m");
  const me = machine.start();
  for (const other of [machine.start("pid:[2]"), world.machine("n").start()]) {
    expect(me.processState(other.self().pid, other.self().process_start)).toBe("dead");
  }
});

it("ends every process at a reboot and changes the boot id", () => {
  const machine = new VirtualWorld(1).machine("m");
  const before = machine.start();
  machine.reboot();
  const after = machine.start();
  expect(before.alive).toBe(false);
  expect(after.self().boot_id).not.toBe(before.self().boot_id);
});
