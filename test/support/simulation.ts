// Months in the life of one project, decided by dice: owners on several machines and in several pid
// namespaces start, work, die at any operation, stand still in the middle of an act while the others
// go on, and wake. Time is virtual. After every step the promises of the store are demanded.
//
// With one machine a reboot is a loss of power: the disk that remains is one of the legal ones. With
// several machines the disk is shared and keeps running, as a file server does.
import { StintError } from "../../src/core/stint-error.ts";
import type { Files } from "../../src/store/files.ts";
import { Client, FOLDERS, isRefusal } from "./client.ts";
import { demand, judgeAsReader, Ledger } from "./ledger.ts";
import { ModelFiles, SimulatedCrash } from "./model-files.ts";
import { type VirtualMachine, type VirtualProcess, VirtualWorld } from "./virtual-host.ts";

export interface SimulationOptions {
  readonly seed: number;
  readonly machines: number;
  readonly steps: number;
  readonly wrap?: (files: Files) => Files;
}

/** What happened how often; a simulation in which something never happens proves little. */
export type Happened = Record<
  | "acquired"
  | "takenOver"
  | "heldByOther"
  | "written"
  | "released"
  | "zombieRefused"
  | "diedInAct"
  | "sleptInAct"
  | "rebooted",
  number
> & { days: number; revisions: number };

const EXPIRY_MS = 60_000;
const DEEPEST_SLEEP = 3;
const ACTS = [
  "commit",
  "commit",
  "commit",
  "note",
  "keepManifest",
  "keepWithNext",
  "settle",
  "renew",
] as const;

interface Owner {
  readonly client: Client;
  readonly host: VirtualProcess;
  readonly files: ModelFiles;
  fence: number;
  heartbeatMs: number;
  released: boolean;
  /** Inside an act, standing still. */
  asleep: boolean;
}

export function simulate(options: SimulationOptions): Happened {
  return new Simulation(options).run();
}

class Simulation {
  readonly #options: SimulationOptions;
  readonly #world: VirtualWorld;
  readonly #machines: readonly [VirtualMachine, ...VirtualMachine[]];
  readonly #ledger = new Ledger();
  readonly #startMs: number;
  #disk = ModelFiles.withFolders(...FOLDERS);
  #owners: Owner[] = [];
  /** The owner that was given the highest fencing number. */
  #top: Owner | undefined;
  /** Who has the lease is not known: somebody took, renewed or released it without being told. */
  #contested = false;
  #depth = 0;
  readonly #happened: Happened = {
    acquired: 0,
    takenOver: 0,
    heldByOther: 0,
    written: 0,
    released: 0,
    zombieRefused: 0,
    diedInAct: 0,
    sleptInAct: 0,
    rebooted: 0,
    days: 0,
    revisions: 0,
  };

  constructor(options: SimulationOptions) {
    this.#options = options;
    this.#world = new VirtualWorld(options.seed);
    this.#startMs = this.#world.nowMs;
    const [first = "m1", ...others] = ["m1", "m2", "m3"].slice(0, options.machines);
    this.#machines = [
      this.#world.machine(first),
      ...others.map((name) => this.#world.machine(name)),
    ];
  }

  run(): Happened {
    this.#start().client.create();
    for (let i = 0; i < this.#options.steps; i++) this.#step();
    this.#world.advance(EXPIRY_MS * 2);
    for (const owner of this.#owners) this.#end(owner);
    const last = this.#start().client;
    last.recover();
    last.commit();
    last.inspect();
    this.#happened.days = Math.floor((this.#world.nowMs - this.#startMs) / 86_400_000);
    this.#happened.revisions = this.#ledger.revision;
    return this.#happened;
  }

  #step(): void {
    const { dice } = this.#world;
    this.#world.advance(dice.pick([100, 5_000, 30_000, 61_000, 600_000, 14_400_000]));
    const awake = this.#owners.filter((owner) => owner.host.alive && !owner.asleep);
    const owner = awake[dice.roll(awake.length)];
    const chance = dice.roll(100);
    if (owner === undefined || chance < 20) this.#acquire(this.#start());
    else if (chance < 75) this.#act(owner);
    else if (chance < 85) this.#release(owner);
    else if (chance < 95) this.#end(owner);
    else if (chance < 97) this.#reboot(dice.pick(this.#machines));
    judgeAsReader(this.#ledger, this.#newClient(this.#disk.sibling(), this.#anyHost()), this.#id());
  }

  #acquire(owner: Owner): void {
    const before = this.#top;
    const freeBefore = this.#isFree(before, owner);
    const contestedBefore = this.#contested;
    const begunMs = this.#world.nowMs;
    let contestedAfter = true;
    this.#contested = true;
    this.#dangerously(owner, () => {
      const slept = (): boolean => this.#world.nowMs !== begunMs;
      try {
        owner.client.acquire();
      } catch (error) {
        if (!(error instanceof StintError)) throw error;
        demand(error.hint !== "", `"${error.message}" says nothing of what to do`);
        if (error.code === "lease-held") {
          this.#happened.heldByOther++;
          demand(
            slept() || contestedBefore || !freeBefore,
            `a free lease was refused: ${error.message}`,
          );
          contestedAfter = slept() || contestedBefore;
        } else {
          // Overtaken while it opened the project; only a sleep in between makes that possible.
          demand(
            isRefusal(error) || error.code === "state-unwritable",
            `${error.code}: ${error.message}`,
          );
        }
        this.#end(owner);
        return;
      }
      owner.fence = owner.client.holder?.lease.fence ?? 0;
      owner.heartbeatMs = Date.parse(owner.client.holder?.lease.heartbeat_at ?? "");
      if (before !== undefined && !before.released && this.#top === before && !contestedBefore) {
        demand(
          freeBefore || this.#isFree(before, owner),
          `${JSON.stringify(before.host.self())} lost its lease while it lived`,
        );
        this.#happened.takenOver++;
      }
      this.#happened.acquired++;
      if (owner.fence < (this.#top?.fence ?? 0)) return;
      this.#top = owner;
      contestedAfter = slept();
    });
    this.#contested = contestedAfter;
  }

  #act(owner: Owner): void {
    const act = this.#world.dice.pick(ACTS);
    const zombie = this.#top !== owner || owner.released;
    if (owner.client.holder === undefined) return;
    const told = act === "renew" ? this.#contest() : () => {};
    this.#dangerously(owner, () => {
      try {
        owner.client[act]();
      } catch (error) {
        if (!(error instanceof StintError)) throw error;
        demand(error.hint !== "", `"${error.message}" says nothing of what to do`);
        demand(
          zombie || this.#contested || this.#top !== owner,
          `a rightful owner was refused: ${error.message}`,
        );
        if (isRefusal(error)) this.#happened.zombieRefused++;
        this.#end(owner);
        return;
      }
      demand(
        !zombie,
        `an owner with fencing number ${owner.fence} wrote under ${this.#top?.fence}`,
      );
      told();
      if (act === "renew")
        owner.heartbeatMs = Date.parse(owner.client.holder?.lease.heartbeat_at ?? "");
      else this.#happened.written++;
      // Only a revision heals what others did to the copies.
      const isRevision = act !== "renew" && act !== "settle";
      if (this.#depth === 0 && this.#top === owner && isRevision) owner.client.inspect();
    });
  }

  #release(owner: Owner): void {
    if (owner.client.holder === undefined) return;
    const told = this.#contest();
    this.#dangerously(owner, () => {
      try {
        owner.client.release();
      } catch (error) {
        if (!(error instanceof StintError)) throw error;
        demand(this.#contested || this.#top !== owner, `could not release: ${error.message}`);
        if (isRefusal(error)) this.#happened.zombieRefused++;
        this.#end(owner);
        return;
      }
      owner.released = true;
      this.#happened.released++;
      told();
    });
  }

  /** An act on the lease that is cut or asleep may have happened or not, until it is told at once. */
  #contest(): () => void {
    const [before, begunMs] = [this.#contested, this.#world.nowMs];
    this.#contested = true;
    return () => {
      if (this.#world.nowMs === begunMs) this.#contested = before;
    };
  }

  /** Runs an act in which the owner may die, or stand still while the others go on. */
  #dangerously(owner: Owner, act: () => void): void {
    const { dice } = this.#world;
    const fate = dice.roll(10);
    const at = owner.files.operations + 1 + dice.roll(45);
    if (fate === 0) owner.files.crashAt(at - owner.files.operations);
    if (fate === 1 && this.#depth < DEEPEST_SLEEP) {
      owner.files.beforeOperation = ({ number }) => {
        if (number === at) this.#sleep(owner);
      };
    }
    try {
      act();
    } catch (error) {
      if (!(error instanceof SimulatedCrash)) throw error;
      this.#happened.diedInAct++;
      this.#end(owner);
    } finally {
      owner.files.survive();
      owner.files.beforeOperation = undefined;
    }
  }

  #sleep(owner: Owner): void {
    this.#happened.sleptInAct++;
    this.#depth++;
    owner.asleep = true;
    const steps = 1 + this.#world.dice.roll(12);
    for (let i = 0; i < steps; i++) this.#step();
    owner.asleep = false;
    this.#depth--;
  }

  /** Whether the rules allow `by` to take the lease from its last owner. */
  #isFree(last: Owner | undefined, by: Owner): boolean {
    if (last === undefined || last.released) return true;
    const [theirs, ours] = [last.host.self(), by.host.self()];
    const near = theirs.boot_id === ours.boot_id && theirs.pid_namespace === ours.pid_namespace;
    return near ? !last.host.alive : this.#world.nowMs - last.heartbeatMs > EXPIRY_MS;
  }

  #start(): Owner {
    const host = this.#anyHost();
    const files = this.#disk.sibling();
    const client = new Client(this.#wrap(files), host, this.#ledger);
    const owner = { client, host, files, fence: 0, heartbeatMs: 0, released: false, asleep: false };
    this.#owners.push(owner);
    return owner;
  }

  #end(owner: Owner): void {
    owner.host.kill();
    owner.files.kill();
    this.#owners = this.#owners.filter((each) => each !== owner);
  }

  #reboot(machine: VirtualMachine): void {
    this.#happened.rebooted++;
    machine.reboot();
    for (const owner of this.#owners.filter(({ host }) => !host.alive)) this.#end(owner);
    if (this.#machines.length > 1) return;
    const disks = this.#disk.crashStates(60);
    const [first = this.#disk.now(), ...others] = disks;
    this.#disk = ModelFiles.fromDisk(this.#world.dice.pick([first, ...others]));
  }

  #anyHost(): VirtualProcess {
    const { dice } = this.#world;
    return dice.pick(this.#machines).start(dice.pick(["pid:[1]", "pid:[2]"]));
  }

  #newClient(files: ModelFiles, host: VirtualProcess) {
    return new Client(this.#wrap(files), host, this.#ledger).store;
  }

  #wrap(files: ModelFiles): Files {
    return this.#options.wrap?.(files) ?? files;
  }

  #id() {
    const { projectId } = this.#ledger;
    if (projectId === undefined) throw new Error("the project was not created");
    return projectId;
  }
}
