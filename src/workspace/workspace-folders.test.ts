import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scenesOfFile } from "../../test/support/workspace-scene.ts";
import { isOfAnother } from "./workspace-folders.ts";

const scenes = scenesOfFile();

it("a workspace says whose it is, to all but those whom it belongs to", async () => {
  const { workspace, home } = scenes.make(
    (person) => {
      person.git("init", "-q");
      person.write("a.txt", "a\n");
      person.commitAll();
    },
    { owner: scenes.path },
  );
  await workspace.open();
  expect(existsSync(join(home, "tree"))).toBe(true);
  expect([isOfAnother(home, scenes.path), isOfAnother(home, "/elsewhere")]).toEqual([false, true]);
});
