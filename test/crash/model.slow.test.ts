// Layer (a): every crash point of a story × every legal disk after it. The machine boots again, and
// everything told is there, nothing is torn, nothing is there twice, and work goes on.
import { describe, expect, it } from "vitest";
import { exploreCrashes, type Story } from "../support/explore-crashes.ts";

const STORIES: Record<string, (story: Story) => void> = {
  "a project is created": ({ start }) => {
    start().create();
  },
  "an owner notes, renews, keeps a manifest and releases; another follows": ({ start }) => {
    const first = start();
    first.create();
    first.acquire();
    first.note();
    first.renew();
    first.keepManifest();
    first.release();
    const second = start();
    second.acquire();
    second.commit();
    second.release();
  },
  "a killed owner is followed by another process": ({ start, kill }) => {
    const first = start();
    first.create();
    first.acquire();
    first.commit();
    kill(first);
    const second = start();
    second.acquire();
    second.keepManifest();
    kill(second);
    start().acquire();
  },
};

describe("S3 every crash point × every legal disk state", () => {
  const judged = new Set<string>();

  it.each(Object.entries(STORIES))("%s: nothing lost, torn or done twice", (_, tell) => {
    const { failures, ...explored } = exploreCrashes(tell, { judged });
    expect(failures).toEqual([]);
    expect(explored.crashPoints).toBeGreaterThan(70);
    expect(explored.judged).toBeGreaterThan(100);
  });

  it("files are kept with revisions, settled, kept at once, and left by a killed owner", () => {
    const { failures } = exploreCrashes(
      ({ start, kill }) => {
        const first = start();
        first.create();
        first.acquire();
        first.keepWithNext();
        first.settle();
        first.keepWithNext();
        first.keep();
        first.keepWithNext();
        kill(first);
        start().acquire();
      },
      { judged, extremesOnly: true },
    );
    expect(failures).toEqual([]);
  });

  it("an owner is killed anywhere in an act, then power is lost anywhere in the next opening", () => {
    const seen = new Set<string>();
    for (const act of ["create", "acquire", "commit"] as const) {
      let operations = Number.POSITIVE_INFINITY;
      for (let at = 1; at <= operations; at++) {
        const { failures } = exploreCrashes(
          ({ start, dieIn }) => {
            const first = start();
            if (act !== "create") first.create();
            if (act === "commit") first.acquire();
            if (dieIn(first, at, () => void first[act]())) start().recover();
            else operations = at - 1;
          },
          { judged: seen, extremesOnly: true },
        );
        expect(failures.map((failure) => `killed at ${at} in ${act}, ${failure}`)).toEqual([]);
      }
    }
    expect(seen.size).toBeGreaterThan(1000);
  });
});
