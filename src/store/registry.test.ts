import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { refusal } from "../../test/support/refusal.ts";
import { required } from "../../test/support/project-fixture.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { newProjectId, parseAgentId, parseSlug, type ProjectId } from "../core/ids.ts";
import { instantFromMs } from "../core/instant.ts";
import { Disk } from "./disk.ts";
import { realFiles } from "./files.ts";
import { Registry } from "./registry.ts";
import type { RegistryEntry } from "./store.ts";

let folder: TemporaryFolder;
let registry: Registry;

beforeEach(() => {
  folder = temporaryFolder();
  registry = new Registry(new Disk(realFiles, "t"), folder.path);
});
afterEach(() => folder.remove());

function id(n: number): ProjectId {
  return newProjectId(() => new Uint8Array([0, 0, 0, 0, 0, 0, 0, n]));
}

function entry(n: number, change: Partial<RegistryEntry> = {}): RegistryEntry {
  return {
    project_id: id(n),
    slug: required(parseSlug("prompt")),
    owner_agent: required(parseAgentId("stint")),
    root: "/repo",
    folder: "agents/stint/projects/prompt",
    manifest: "prompt.md",
    created_at: instantFromMs(n * 1000),
    ...change,
  };
}

const projectFile = (n: number) => join(folder.path, "registry", "projects", `${id(n)}.json`);

describe("the registry", () => {
  it("S1-17 gives a manifest to the first who asks, and tells everybody else who that was", () => {
    expect(registry.reserve("/repo", "prompt.md", id(1))).toBe(id(1));
    expect(registry.reserve("/repo", "prompt.md", id(2))).toBe(id(1));
    expect(registry.ownerOf("/repo", "prompt.md")).toBe(id(1));
    expect(registry.ownerOf("/repo", "other.md")).toBeUndefined();
    expect(registry.reserve("/repo", "other.md", id(2))).toBe(id(2));
  });

  it("does not take a root and a manifest for another pair with the same letters", () => {
    registry.reserve("/repo/a", "b.md", id(1));
    expect(registry.reserve("/repo", "a/b.md", id(2))).toBe(id(2));
  });

  it("S1-21 finds a project by its id alone", () => {
    registry.add(entry(1));
    expect(registry.find(id(1))).toEqual(entry(1));
    expect(registry.find(id(2))).toBeUndefined();
  });

  it("keeps the entry that is there when one is added again", () => {
    registry.add(entry(1));
    expect(registry.add(entry(1, { root: "/other" }))).toEqual(entry(1));
  });

  it("lists the oldest first, and passes over names that are no ids", () => {
    for (const n of [3, 1, 2]) registry.add(entry(n));
    writeFileSync(join(folder.path, "registry", "projects", ".stint-tmp-x"), "");
    writeFileSync(join(folder.path, "registry", "projects", "README"), "");
    expect(registry.list().map((each) => each.project_id)).toEqual([id(1), id(2), id(3)]);
  });

  it("does not call a project unknown that somebody took away meanwhile", () => {
    expect(() => registry.get(id(1))).toThrow(`there is no project ${id(1)}`);
    registry.add(entry(1));
    registry.get(id(1));
    rmSync(join(folder.path, "registry"), { recursive: true });
    expect(() => registry.get(id(1))).toThrow(
      `the state of ${id(1)} is gone: somebody removed or moved ${join(folder.path, "registry")} `,
    );
  });

  it("forgets a project, and its manifest is free again", () => {
    registry.reserve("/repo", "prompt.md", id(1));
    registry.add(entry(1));
    registry.add(entry(2, { manifest: "other.md" }));
    registry.remove(entry(1));
    registry.remove(entry(1));
    expect(registry.list()).toEqual([entry(2, { manifest: "other.md" })]);
    expect(registry.ownerOf("/repo", "prompt.md")).toBeUndefined();
  });

  it("lists nothing where there is nothing", () => {
    expect(registry.list()).toEqual([]);
  });

  it("moves a project and frees its old place", () => {
    registry.reserve("/repo", "prompt.md", id(1));
    registry.add(entry(1));
    registry.move(entry(1, { root: "/moved" }));
    expect(registry.find(id(1))?.root).toBe("/moved");
    expect(registry.ownerOf("/moved", "prompt.md")).toBe(id(1));
    expect(registry.ownerOf("/repo", "prompt.md")).toBeUndefined();
    expect(readdirSync(join(folder.path, "registry", "manifests"))).toHaveLength(1);
  });

  it.each([
    ["not JSON", "{"],
    ["null", "null"],
    ["a list", "[]"],
    ["of another project", JSON.stringify(entry(2))],
    ["without a root", JSON.stringify({ ...entry(1), root: undefined })],
  ])("refuses an entry that is %s", (_, content) => {
    mkdirSync(join(folder.path, "registry", "projects"), { recursive: true });
    writeFileSync(projectFile(1), content);
    expect(refusal(() => registry.find(id(1)))).toMatchObject({
      code: "state-corrupt",
      message: `${projectFile(1)} is damaged: it is not an entry of the registry`,
      hint: "Set it aside and write it again: stint doctor --repair",
    });
  });

  it.each(["cut", "folder", "circle of links"])(
    "lists the rest next to an entry that is a %s, and sets it aside",
    (kind) => {
      for (const n of [1, 2]) {
        registry.reserve("/repo", `${n}.md`, id(n));
        registry.add(entry(n, { manifest: `${n}.md` }));
      }
      rmSync(projectFile(1));
      if (kind === "cut") writeFileSync(projectFile(1), '{"project_id":');
      else if (kind === "folder") mkdirSync(join(projectFile(1), "inside"), { recursive: true });
      else symlinkSync(projectFile(1), projectFile(1));
      expect(registry.list().map((each) => each.project_id)).toEqual([id(2)]);
      expect(registry.damaged()).toMatchObject([{ project_id: id(1), root: "/repo" }]);
      expect(refusal(() => registry.find(id(1))).code).toBe("state-corrupt");
      const aside = registry.setAside(id(1));
      expect(aside).toBe(join(folder.path, "registry", "damaged", `${id(1)}.json`));
      expect(registry.damaged()).toEqual([]);
      expect(registry.find(id(1))).toBeUndefined();
    },
  );

  it.each(["cut", "folder", "gone"])("writes a reservation again that is a %s", (kind) => {
    registry.reserve("/repo", "prompt.md", id(1));
    registry.add(entry(1));
    const place = join(folder.path, "registry", "manifests");
    const path = join(place, required(readdirSync(place)[0]));
    expect(registry.reservationProblem(entry(1))).toBeNull();
    expect(registry.repairReservation(entry(1))).toEqual([]);
    rmSync(path);
    if (kind === "cut") writeFileSync(path, "{");
    else if (kind === "folder") mkdirSync(path);
    expect(registry.reservationProblem(entry(1))).toContain(path);
    expect(registry.repairReservation(entry(1))[0]).toContain("was written again");
    expect(registry.reservationProblem(entry(1))).toBeNull();
    expect(registry.ownerOf("/repo", "prompt.md")).toBe(id(1));
  });

  it("leaves a reservation alone that gives the manifest to another project", () => {
    registry.reserve("/repo", "prompt.md", id(2));
    expect(registry.reservationProblem(entry(1))).toContain(`gives prompt.md to ${id(2)}`);
    expect(registry.repairReservation(entry(1))).toEqual([]);
    expect(registry.ownerOf("/repo", "prompt.md")).toBe(id(2));
  });

  it("S3-24 is a hard stop when the state folder cannot be made", () => {
    const file = join(folder.path, "file");
    writeFileSync(file, "");
    const blocked = new Registry(new Disk(realFiles, "t"), file);
    expect(refusal(() => blocked.reserve("/repo", "prompt.md", id(1))).code).toBe(
      "state-unwritable",
    );
  });
});
