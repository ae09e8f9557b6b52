// Each layer must be able to fail: a store robbed of one precaution is called unsound. The bugs are
// planted under the store, in its file port, so that they can stay here for good.
import { describe, expect, it } from "vitest";
import {
  withLateFsync,
  withoutFolderSync,
  withoutFsync,
  withTornTail,
} from "../support/careless-files.ts";
import { exploreCrashes, type Story, type Wrap } from "../support/explore-crashes.ts";

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
      failure: /told lines are missing/,
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
