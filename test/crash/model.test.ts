// Layer (a): every crash point of a story × every legal disk after it. The machine boots again, and
// everything told is there, nothing is torn, nothing is there twice, and work goes on.
import { describe, expect, it } from "vitest";
import { exploreCrashes, type Story } from "../support/explore-crashes.ts";

const STORIES: Record<string, (story: Story) => void> = {
  "a project is created": ({ start }) => {
    start().create();
  },
  "an owner commits, notes, keeps a manifest, renews and releases": ({ start }) => {
    const owner = start();
    owner.create();
    owner.acquire();
    owner.commit();
    owner.commit();
    owner.note();
    owner.keepManifest();
    owner.renew();
    owner.commit();
    owner.release();
  },
  "a released project is taken by another process": ({ start }) => {
    const first = start();
    first.create();
    first.acquire();
    first.commit();
    first.release();
    const second = start();
    second.acquire();
    second.commit();
    second.note();
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
    second.commit();
    second.keepManifest();
    kill(second);
    start().acquire();
  },
};

describe("every crash point × every legal disk state", () => {
  it.each(Object.entries(STORIES))("%s: nothing lost, torn or done twice", (_, tell) => {
    const { failures, ...explored } = exploreCrashes(tell);
    console.log(JSON.stringify(explored), performance.now());
    expect(failures).toEqual([]);
    expect(explored.crashPoints).toBeGreaterThan(40);
    expect(explored.judged).toBeGreaterThan(100);
  });
});
