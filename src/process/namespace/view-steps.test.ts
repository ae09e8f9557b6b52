import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { StintError } from "../../core/stint-error.ts";
import { followBehind, type Mount, placeBehind, type View, viewSteps } from "./view.ts";

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
  for (const path of ["state/tree", "work/part", "elsewhere"]) {
    mkdirSync(at(path), { recursive: true });
  }
  writeFileSync(at("file"), "");
});
afterEach(() => folder.remove());

function at(path: string): string {
  return join(folder.path, path);
}

function mount(from: string, to: string, mode: Mount["mode"] = "read-write"): Mount {
  return { from: at(from), at: at(to), mode };
}

/** The tree at the place of the work, and what is named besides. */
function viewWith(...mounts: readonly Mount[]): View {
  return { hide: [at("state")], mounts: [mount("state/tree", "work"), ...mounts] };
}

function refusal(view: View): unknown {
  try {
    viewSteps(view);
  } catch (error) {
    if (error instanceof StintError) return [error.code, error.message, error.hint];
    throw error;
  }
  throw new Error("it was not refused");
}

function linkRefusal(place: string, shown: string): string[] {
  return [
    "bad-input",
    `${shown} is or goes through a symbolic link, so nothing is mounted there or from there`,
    `see what it is: ls -ld '${place}'; put a real file or folder in its place`,
  ];
}

describe("the steps to a view", () => {
  it("leave out what may be missing and is, or is a link by now", () => {
    symlinkSync(at("file"), at("link"));
    const optional = (path: string): Mount => ({
      ...mount(path, path, "read-only"),
      isOptional: true,
    });
    const steps = viewSteps(viewWith(optional("gone"), optional("link"), optional("file")));
    expect(steps.slice(3)).toEqual([{ act: "read-only", from: at("file"), at: at("file") }]);
  });

  it("hide first, then mount in order, and make what a hidden folder lacks", () => {
    const view = viewWith(
      mount("work/part", "state/a/part", "read-only"),
      mount("file", "state/file"),
    );
    expect(viewSteps(view)).toEqual([
      { act: "hold" },
      { act: "hide", at: at("state") },
      { act: "read-write", from: at("state/tree"), at: at("work") },
      { act: "make-folder", at: at("state/a/part") },
      { act: "read-only", from: at("work/part"), at: at("state/a/part") },
      { act: "make-file", at: at("state/file") },
      { act: "read-write", from: at("file"), at: at("state/file") },
    ]);
  });

  it("hide what a link leads to, once, and nothing that is not there", () => {
    symlinkSync(at("state"), at("link"));
    const hide = [at("link"), at("state/tree"), at("state"), at("gone")];
    expect(viewSteps({ hide, mounts: [] })).toEqual([
      { act: "hold" },
      { act: "hide", at: at("state") },
    ]);
  });

  it("make a missing folder in a tree that may be written, and no other", () => {
    viewSteps(viewWith(mount("work/part", "work/new/part", "read-only")));
    expect(existsSync(at("state/tree/new/part"))).toBe(true);
    const parts = [mount("work/part", "work/new/part", "read-only")];
    expect(refusal(viewWith(...parts, mount("elsewhere", "work/new/part/inbox")))).toEqual([
      "bad-input",
      `${at("work/new/part/inbox")} (really ${at("work/part/inbox")}) does not exist, so nothing can be mounted there or from there`,
      `create it: mkdir -p '${at("work/part/inbox")}'`,
    ]);
    expect(existsSync(at("work/part/inbox"))).toBe(false);
    expect(refusal(viewWith(mount("elsewhere", "nowhere")))).toContainEqual(
      expect.stringContaining("does not exist"),
    );
    expect(refusal(viewWith(mount("nowhere", "elsewhere")))).toContainEqual(
      expect.stringContaining("does not exist"),
    );
    expect(refusal(viewWith(mount("file", "work/file")))).toContainEqual(
      expect.stringContaining("does not exist"),
    );
  });

  it("make a folder of Stint's own again, below one that is there", () => {
    const inbox = { ...mount("work/gone/inbox", "work/gone/inbox"), madeBelow: at("work") };
    const view = { hide: [], mounts: [inbox] };
    expect(viewSteps(view).at(-1)).toMatchObject({ act: "read-write", from: inbox.from });
    expect(existsSync(inbox.from)).toBe(true);
    expect(
      refusal({
        hide: [],
        mounts: [{ ...inbox, from: at("other/inbox"), madeBelow: at("other") }],
      }),
    ).toContainEqual(expect.stringContaining("does not exist"));
    expect(existsSync(at("other"))).toBe(false);
  });

  it("are refused where a link stands in the place of a mount point", () => {
    symlinkSync(at("elsewhere"), at("state/tree/part"));
    const place = at("state/tree/part");
    const shown = `${at("work/part")} (really ${place})`;
    expect(refusal(viewWith(mount("work/part", "work/part")))).toEqual(linkRefusal(place, shown));
  });

  it("are refused where a link leads to a mount point, and nothing is made behind it", () => {
    symlinkSync(at("elsewhere"), at("state/tree/part"));
    const view = viewWith(mount("elsewhere", "work/part/deep"));
    expect(refusal(view)).toContainEqual(expect.stringContaining("symbolic link"));
    expect(existsSync(at("elsewhere/deep"))).toBe(false);
    mkdirSync(at("elsewhere/deep"));
    expect(refusal(view)).toContainEqual(expect.stringContaining("symbolic link"));
  });

  it("are refused where a link leads nowhere", () => {
    symlinkSync(at("nowhere"), at("state/tree/part"));
    expect(refusal(viewWith(mount("elsewhere", "work/part")))).toContainEqual(
      expect.stringContaining("symbolic link"),
    );
    expect(existsSync(at("nowhere"))).toBe(false);
  });

  it("are refused where a source is a link", () => {
    symlinkSync(at("elsewhere"), at("source"));
    const source = at("source");
    expect(refusal(viewWith(mount("source", "state/x")))).toEqual(linkRefusal(source, source));
  });

  it("are refused where a folder meets a file", () => {
    expect(refusal(viewWith(mount("elsewhere", "file")))).toEqual([
      "bad-input",
      `${at("file")} cannot show ${at("elsewhere")}: one of them is a folder, the other is not`,
      `look at both: ls -ld '${at("elsewhere")}' '${at("file")}'`,
    ]);
  });
});

describe("the place behind a path", () => {
  it("is that of the last mount above it, nothing where it is hidden, else the path", () => {
    const view = viewWith(mount("elsewhere", "work/part"), mount("work/part", "state/kept"));
    expect(placeBehind(view, at("work/a"))).toBe(at("state/tree/a"));
    expect(placeBehind(view, at("work/part/a"))).toBe(at("elsewhere/a"));
    expect(placeBehind(view, at("state/kept"))).toBe(at("work/part"));
    expect(placeBehind(view, at("state/tree"))).toBeUndefined();
    expect(placeBehind(view, at("workshop"))).toBe(at("workshop"));
  });

  it("is found through links as the child sees them", () => {
    const view = viewWith();
    symlinkSync(at("work/b"), at("state/tree/a"));
    symlinkSync("../file", at("state/tree/b"));
    symlinkSync(at("state/tree"), at("state/tree/c"));
    symlinkSync("d", at("state/tree/d"));
    expect(followBehind(view, at("work/a"))).toBe(at("file"));
    expect(followBehind(view, at("work/c/x"))).toBeUndefined();
    expect(followBehind(view, at("work/d"))).toBeUndefined();
    expect(followBehind(view, at("work/none/x"))).toBe(at("state/tree/none/x"));
  });
});
