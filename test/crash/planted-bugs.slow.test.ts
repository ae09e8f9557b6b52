// Each layer must be able to fail: a store robbed of one precaution is called unsound. The bugs are
// planted under the store, in its file port, so that they can stay here for good.
import { describe, expect, it } from "vitest";
import {
  ignoringShortWrites,
  withLateFsync,
  withoutExclusiveLink,
  withoutFence,
  withoutFolderSync,
  withoutFsync,
  withTornTail,
} from "../support/careless-files.ts";
import { exploreCrashes, type Story, type Wrap } from "../support/explore-crashes.ts";
import { strike } from "../support/fault-scene.ts";
import { simulate } from "../support/simulation.ts";
import { type OwnerAct, wakeOwner } from "../support/woken-owner.ts";

function killedOwner({ start, kill }: Story): void {
  const first = start();
  first.create();
  first.acquire();
  first.commit();
  kill(first);
  const second = start();
  second.acquire();
  second.commit();
}

describe("layer (a) sees a store without", () => {
  const BUGS: Record<string, { wrap: Wrap; failure: RegExp }> = {
    "the fsync of its files": {
      wrap: (files) => withoutFsync(files),
      failure: /is damaged/,
    },
    "the fsync of its states": {
      wrap: (files) => withoutFsync(files, /\/shadows\/.*\/state\//),
      failure: /state\/.*cannot be trusted/,
    },
    "the fsync of its journal": {
      wrap: (files) => withoutFsync(files, /\/shadows\/.*journal/),
      failure: /journal\.jsonl cannot be trusted/,
    },
    "the fsync before a file takes its place": { wrap: withLateFsync, failure: /is damaged/ },
    "the fsync of its folders": {
      wrap: (files) => withoutFolderSync(files),
      failure: /is missing/,
    },
    "the fsync of the folder of its states": {
      wrap: (files) => withoutFolderSync(files, /\/shadows\/.*\/state$/),
      failure: /has no state/,
    },
    "the fsync of the folder of its leases": {
      wrap: (files) => withoutFolderSync(files, /\/lease$/),
      failure: /fencing number 1 was given twice/,
    },
    "the removal of a torn tail": { wrap: withTornTail, failure: /cannot be trusted/ },
  };

  it.each(Object.entries(BUGS))("%s", (_, { wrap, failure }) => {
    const { failures } = exploreCrashes(killedOwner, { wrap });
    expect(failures[0]).toMatch(failure);
  });
});

describe("the woken owner sees a store without", () => {
  it("its fence: whoever was overtaken goes on as if it ruled", () => {
    expect(() => wakeEverywhere("renew", withoutFence)).toThrow("the woken owner was let to renew");
  });

  it("exclusive revisions: two owners are told that they made the same one", () => {
    expect(() => wakeEverywhere("commit", withoutExclusiveLink)).toThrow(
      /told twice|told was|cannot be trusted/,
    );
  });
});

describe("layer (c) sees a store without", () => {
  it.each([
    ["its fence", withoutFence],
    ["exclusive revisions", withoutExclusiveLink],
    ["the fsync of its folders", withoutFolderSync],
  ] as const)("%s", (_, wrap) => {
    expect(() => {
      for (let seed = 1; seed <= 30; seed++)
        simulate({ seed, machines: 1 + (seed % 2), steps: 250, wrap });
    }).toThrow(/./);
  });
});

describe("the faults see a store that", () => {
  it("takes the answer of a write for granted", () => {
    const fault = { at: 1, kind: "write", effect: { writes: "half" } } as const;
    expect(() => strike("commit", fault, ignoringShortWrites)).toThrow(/cannot be trusted/);
  });
});

function wakeEverywhere(act: OwnerAct, wrap: Wrap): void {
  for (let at = 1; wakeOwner(act, at, "acquires", wrap).slept; at++);
}
