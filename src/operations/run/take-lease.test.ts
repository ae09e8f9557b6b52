import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLineBench } from "../../../test/support/command-line.ts";
import { git } from "../../../test/support/git.ts";
import { newRunId, type ProjectId } from "../../core/ids.ts";
import { instantFromMs, msOf } from "../../core/instant.ts";
import { keepSpace } from "../../engine/space/kept-space.ts";
import type { Holder } from "../../store/store.ts";
import { run } from "./run.ts";
import { comesFirst, takeLease } from "./lease.ts";
import type { System } from "../system.ts";

let bench: CommandLineBench;
beforeEach(() => {
  bench = new CommandLineBench();
  // Its checks pass, so no session is needed.
  for (const path of ["hello.txt", "hallo.txt"]) bench.write(path, "there\n");
  for (const path of ["a.md", "b.md"]) bench.write(path);
  git(bench.root, "add", ".");
  git(bench.root, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...COMMIT);
});
afterEach(() => bench.close());

const COMMIT = ["commit", "-q", "-m", "there"];

/** Time passes only while somebody sleeps. */
function system(asleep: () => void = () => {}): System {
  const real = bench.system();
  let nowMs = real.host.nowMs();
  const host = {
    ...real.host,
    nowMs: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms;
      asleep();
    },
  };
  return { ...real, host };
}

function damage(states: string): void {
  for (const name of readdirSync(states)) writeFileSync(join(states, name), "no state");
}

const projectId = (text: string) => text as ProjectId;

async function work(on: System, target: string): Promise<string> {
  const { status: view } = await run(on, {
    target,
    agent: "command:true",
    tell: () => {},
    stopWanted: () => null,
  });
  return view.status;
}

describe("a run that finds the lease of its project held", () => {
  it("waits for an answer that is being written down", async () => {
    const answer = bench.hold(await bench.create("a.md"));
    expect(
      await work(
        system(() => answer.release()),
        "a.md",
      ),
    ).toBe("Done");
  });

  it("S3-5 leaves it to another run", async () => {
    const id = await bench.create("a.md");
    const other = bench.hold(id);
    const held = await work(system(), "a.md").then(() => "it ran", String);
    expect(held).toContain(`${id} is held by ${other.lease.run_id} (stint, pid `);
    expect(held.split(other.lease.run_id)).toHaveLength(2);
  });
});

describe("a run of another project in the same repository", () => {
  it.each([
    ["is being created", (states: string) => rmSync(states, { recursive: true })],
    ["is damaged", (states: string) => damage(states)],
  ])("is not held up by one that %s", async (_what, harm) => {
    const other = await bench.create("b.md");
    harm(join(bench.stateHome, "stint/shadows", other, "state"));
    expect(await work(system(), "a.md")).toBe("Done");
  });

  it("is not held up by one that is at work: each has a workspace of its own", async () => {
    const other = bench.hold(await bench.create("a.md"));
    expect(await work(system(), "b.md")).toBe("Done");
    other.release();
  });
});

describe("a run of another project in a folder that sessions work in themselves", () => {
  let other: Holder;
  beforeEach(async () => {
    other = bench.hold(await bench.create("a.md"));
    const at = bench.root;
    keepSpace(
      { holder: other, store: bench.system().store },
      {
        kind: "in-place",
        home: bench.path,
        at,
        isolation: "group",
      },
    );
  });

  it("is refused while one is at work there, and leaves nothing held", async () => {
    const refused = work(system(), "b.md");
    await expect(refused).rejects.toMatchObject({
      code: "lease-held",
      message: expect.stringMatching(
        `^${bench.root} is in use: ${other.lease.run_id} .* is at work there for ${other.entry.project_id} \\(a.md\\)`,
      ),
      hint: expect.stringContaining(`stint status ${other.entry.project_id}`),
    });
    other.release();
    expect(await work(system(), "b.md")).toBe("Done");
  });

  it("waits for its end where it had begun before, says so once, and holds nothing meanwhile", async () => {
    const id = projectId(await bench.create("b.md"));
    const told: string[] = [];
    let sleeps = 0;
    const on = system(() => {
      sleeps += 1;
      if (sleeps > 200) other.release();
    });
    const run_id = newRunId((count) => on.host.randomBytes(count));
    const signal = new AbortController().signal;
    const holder = await takeLease(on, id, run_id, { signal, tell: (text) => told.push(text) });
    expect(holder.lease.run_id).toBe(run_id);
    expect(told).toEqual([expect.stringMatching(`^it waits: ${bench.root} is in use: `)]);
    holder.release();
  });

  it("gives up that wait when it is stopped", async () => {
    const id = projectId(await bench.create("b.md"));
    const stopping = new AbortController();
    const on = system();
    const run_id = newRunId((count) => on.host.randomBytes(count));
    const waiting = takeLease(on, id, run_id, {
      signal: stopping.signal,
      tell: () => stopping.abort(),
    });
    await expect(waiting).rejects.toMatchObject({ code: "lease-held" });
  });

  it("goes on where that was an answer", async () => {
    expect(
      await work(
        system(() => other.release()),
        "b.md",
      ),
    ).toBe("Done");
  });

  it("goes first where it has its lease for longer, so that two that begin at once are one", () => {
    const { lease } = other;
    const later = { ...lease, acquired_at: instantFromMs(msOf(lease.acquired_at) + 1) };
    const atOnce = { ...lease, run_id: newRunId(() => Buffer.alloc(16)) };
    expect([comesFirst(lease, later), comesFirst(later, lease)]).toEqual([true, false]);
    expect(comesFirst(lease, atOnce)).toBe(!comesFirst(atOnce, lease));
  });
});
