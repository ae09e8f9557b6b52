import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  renameSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DoctorBench, expectSound, everyFile } from "../../../test/support/doctor-bench.ts";
import { cutTo, flipByte, sealed } from "../../../test/support/file-bench.ts";
import { refusal } from "../../../test/support/refusal.ts";
import { required } from "../../../test/support/project-fixture.ts";
import type { ProjectId } from "../../core/ids.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import { sha256Of } from "../digest.ts";
import { keptPath, type RegistryEntry } from "../store.ts";

let bench: DoctorBench;
let entry: RegistryEntry;
let id: ProjectId;

beforeEach(() => {
  bench = new DoctorBench();
  ({ entry, id } = bench);
});
afterEach(() => bench.close());

describe("a healthy project", () => {
  it("has no findings but fine ones", () => {
    expect(bench.findings("problem")).toEqual([]);
    expect(bench.findings("notice")).toEqual([]);
    expect(bench.findings("fine").map(({ what }) => what)).toEqual([
      "the work tree is there",
      "the registry knows the project and its manifest",
      "revision 4 is whole",
      "all lines verified, up to revision 4",
      "no record waits for the next revision",
      "a copy of the manifest as last read is there",
      expect.stringMatching(/^free: r-\w{10} \(pid 100 on here\) released it at 2026-01-01T/),
      "all records are whole",
      "no folder or link is where a file should be",
      "its state.json is the last revision",
    ]);
  });

  it("is left as it is by a repair", () => {
    const before = readFileSync(bench.revisionPath(id, 4));
    expect(bench.repair()).toEqual({ project_id: id, revision: 4, inferred: [] });
    expect(readFileSync(bench.revisionPath(id, 4))).toEqual(before);
    expect(bench.foreign(id)).toEqual([]);
    expectSound(bench, 4);
  });

  it("is looked at without a change to any file", () => {
    const before = everyFile(bench.path);
    bench.process().doctor.examine(id);
    bench.process().doctor.adoptables(bench.root, "agents");
    expect(everyFile(bench.path)).toEqual(before);
  });
});

function leasePath(): string {
  return join(bench.shadow(id).leases, "000000000003.json");
}

function change(path: string, what: RegExp, by = '"released_at": null'): void {
  const text = readFileSync(path, "utf8");
  expect(text).toMatch(what);
  writeFileSync(path, text.replace(what, by));
}

describe("a damaged lease", () => {
  it.each([
    ["is not JSON", "{"],
    ["is null", "null"],
    ["has another number", '{"fence":7}'],
    ["is empty", ""],
  ])("that %s stops every owner, and the doctor sets it aside", (_, content) => {
    writeFileSync(leasePath(), content);
    const error = refusal(() => bench.acquire(id));
    expect(error).toMatchObject({
      code: "state-corrupt",
      message: `${leasePath()} is damaged: it is not the record of a lease`,
      hint: `Make sure that no run of ${id} is alive, then: stint doctor ${id} --repair`,
    });
    expect(bench.findings("problem")).toMatchObject([{ where: bench.shadow(id).leases }]);
    expect(bench.repair()).toMatchObject({
      inferred: ["the record of the last lease was damaged; it was set aside"],
    });
    expect(bench.foreign(id)).toEqual(["damaged-lease-000000000003.json"]);
    expect(bench.acquire(id).lease.fence).toBeGreaterThan(3);
  });

  it.each([
    ["with a flipped bit", (path: string) => flipByte(path, -200)],
    ["that was released by nobody", (path: string) => change(path, /"released_at": "[^"]+"/)],
    ["without the end of its seal", (path: string) => cutTo(path, -1)],
  ])("%s is not believed: every owner stops, and the doctor sets it aside", (_, damage) => {
    damage(leasePath());
    expect(refusal(() => bench.acquire(id))).toMatchObject({
      code: "state-corrupt",
      message: `${leasePath()} is damaged: its content does not match its integrity field`,
    });
    expect(bench.findings("problem")).toMatchObject([{ where: bench.shadow(id).leases }]);
    bench.repair();
    expect(bench.foreign(id)).toEqual(["damaged-lease-000000000003.json"]);
    expect(bench.acquire(id).lease.fence).toBeGreaterThan(3);
  });

  it("of a version without an integrity field is still read", () => {
    const record = JSON.parse(readFileSync(leasePath(), "utf8")) as Record<string, unknown>;
    delete record["integrity"];
    writeFileSync(leasePath(), `${JSON.stringify(record, null, 2)}\n`);
    expect(bench.findings("problem")).toEqual([]);
    expect(bench.acquire(id).lease.fence).toBe(4);
  });

  it("in the project folder has no say, is told, and is written again by the next owner", () => {
    const { lease: path } = bench.layout(entry);
    change(path, /"fence": 3/, '"fence": 9');
    change(path, /"released_at": "[^"]+"/);
    expect(bench.findings("notice")).toEqual([
      {
        severity: "notice",
        what: "its lease.json is damaged and does not count (its content does not match its integrity field); the next run writes it again",
        where: path,
        fix: null,
      },
    ]);
    bench.acquire(id).release();
    expect(bench.findings("notice")).toEqual([]);
  });

  it("of a living owner makes a repair refuse", () => {
    const holder = bench.acquire(id);
    flipByte(bench.revisionPath(id, 4), 40);
    const error = refusal(() => bench.repair());
    expect(error.code).toBe("lease-held");
    expect(error.message).toContain(`${id} is held by ${holder.lease.run_id}`);
    expect(bench.foreign(id)).toEqual([]);
  });
});

describe("a project folder", () => {
  it("that was wiped is a notice, and is restored by a repair", () => {
    rmSync(join(bench.root, "agents"), { recursive: true });
    expect(bench.findings("problem")).toEqual([]);
    expect(bench.findings("notice")).toMatchObject([
      { what: "its state.json is missing; the next run restores it from the shadow" },
    ]);
    const { revision } = bench.repair();
    expect(revision).toBe(5);
    expectSound(bench, 5);
  });

  it("S3-4 that is behind is a notice, and is brought forward", () => {
    const old = readFileSync(bench.revisionPath(id, 3));
    writeFileSync(bench.layout(entry).state, old);
    expect(bench.findings("notice")).toMatchObject([
      { what: "its state.json is behind; the next run restores it from the shadow" },
    ]);
    expect(bench.repair().inferred).toEqual([
      `${bench.layout(entry).state} was behind; restored to revision 4`,
    ]);
    expectSound(bench, 5);
  });

  it.each([
    ["the same revision and other content", 4],
    ["a higher revision", 5],
    ["a much higher revision", 4_000_000_000],
  ])("S3-4 forged with a valid seal and %s is kept aside, never believed", (_, revision) => {
    const forged = sealed({ ...bench.copyOfState(), revision, next_action: "forged" });
    writeFileSync(bench.layout(entry).state, forged);
    expect(bench.findings("notice")).toMatchObject([
      { what: "its state.json is foreign; the next run restores it from the shadow" },
    ]);
    const aside = join(bench.shadow(id).foreign, "1-state.json");
    expect(bench.repair().inferred).toEqual([
      `${bench.layout(entry).state} was not what Stint wrote; restored to revision 4; what was there is kept at ${aside}`,
    ]);
    expect(readFileSync(aside)).toEqual(forged);
    expect(bench.process().store.read(id).state.next_action).toBe("after event-4");
    expectSound(bench, 5);
  });

  it("forged with a higher revision is not believed even when the top of the shadow is damaged", () => {
    const forged = sealed({ ...bench.copyOfState(), revision: 5, next_action: "forged" });
    writeFileSync(bench.layout(entry).state, forged);
    flipByte(bench.revisionPath(id, 4), 40);
    const { revision, inferred } = bench.repair();
    expect(inferred[0]).toBe(
      `revision 3 was taken from ${bench.revisionPath(id, 3)}, which is undamaged`,
    );
    expect(bench.process().store.read(id).state.next_action).toBe("after event-3");
    expectSound(bench, revision);
  });

  it("forged at the damaged revision is believed only with the line that the journal holds", () => {
    const state = bench.copyOfState();
    const line = { ...required(state.last_event ?? undefined), kind: "forged" };
    writeFileSync(
      bench.layout(entry).state,
      sealed({ ...state, next_action: "forged", last_event: line }),
    );
    flipByte(bench.revisionPath(id, 4), 40);
    bench.repair();
    expect(bench.process().store.read(id).state.next_action).toBe("after event-3");
  });

  it.each([
    ["that is no JSON", "hello"],
    ["that is JSON of another kind", '{"revision":5}'],
  ])("forged with a valid seal over content %s stops nobody", (_, content) => {
    const open = Buffer.from(content);
    const seal = `,\n"integrity":"sha256-${sha256Of(open)}"}\n`;
    writeFileSync(bench.layout(entry).state, Buffer.concat([open, Buffer.from(seal)]));
    expect(bench.process().store.read(id).folder).toBe("foreign");
    expect(bench.findings("problem")).toEqual([]);
    bench.repair();
    expectSound(bench, 5);
  });

  it("forged with wrong types is not what a repair goes on with, even without a shadow", () => {
    writeFileSync(
      bench.layout(entry).state,
      sealed({ ...bench.copyOfState(), slug: 7 } as unknown as ProjectState),
    );
    rmSync(bench.shadow(id).folder, { recursive: true });
    expect(bench.repair(bench.rebuild).inferred[0]).toContain("its content was taken from");
    expect(bench.process().store.read(id).state.next_action).toBe("rebuilt from the manifest");
  });

  it("whose state.json is a folder is told, survived by readers, and restored", () => {
    const { state: path } = bench.layout(entry);
    rmSync(path);
    mkdirSync(join(path, "inside"), { recursive: true });
    expect(bench.process().store.read(id).folder).toBe("unreadable");
    expect(bench.findings("notice").map(({ what }) => what)).toEqual([
      "this is in the way; the next run moves it aside",
      "its state.json is not a file; the next run restores it from the shadow",
    ]);
    const { inferred, revision } = bench.repair();
    expect(inferred[0]).toBe(`${path} was in the way; it was moved aside to ${path}.aside`);
    expect(existsSync(join(`${path}.aside`, "inside"))).toBe(true);
    expectSound(bench, revision);
  });
});

describe("something in the place of a file", () => {
  const kinds: [string, (path: string) => void][] = [
    ["a folder", (path) => mkdirSync(join(path, "inside"), { recursive: true })],
    ["a circle of links", (path) => symlinkSync(path, path)],
    ["a link that leads nowhere", (path) => symlinkSync(join(path, "nowhere"), path)],
    ["a pipe", (path) => void spawnSync("mkfifo", [path])],
  ];
  const places: [string, () => string][] = [
    ["the state", () => bench.revisionPath(id, 4)],
    ["the state before", () => bench.revisionPath(id, 3)],
    ["a spare", () => join(bench.shadow(id).states, "spare-000000000009-1")],
    ["the log of kept files", () => join(bench.shadow(id).pending, "000000000009.json")],
    ["the lease", () => join(bench.shadow(id).leases, "000000000003.json")],
    ["the journal", () => bench.shadow(id).journal],
  ];
  const cases = places.flatMap(([what, at]) =>
    (what === "the state" ? kinds : kinds.slice(0, 2)).map(
      ([kind, put]): [string, string, () => string, (path: string) => void] => [
        kind,
        what,
        at,
        put,
      ],
    ),
  );

  it.each(cases)("%s in that of %s is told and set aside", (_kind, _what, at, put) => {
    const path = at();
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { force: true });
    put(path);
    const told = bench.findings("problem");
    expect(told).toContainEqual({
      severity: "problem",
      what: "this is not a file",
      where: path,
      fix: `stint doctor ${id} --repair`,
    });
    const { inferred, revision } = bench.repair();
    const aside = join(bench.shadow(id).foreign, `not-a-file-${basename(path)}`);
    expect(inferred).toContain(`${path} is not a file; it was set aside as ${aside}`);
    expectSound(bench, revision);
  });
});

describe("what is in the place of a folder of the shadow", () => {
  const things: [string, (path: string) => void][] = [
    ["a file", (path) => writeFileSync(path, "hi")],
    ["a link that leads nowhere", (path) => symlinkSync("/nowhere/at/all", path)],
    ["a circle of links", (path) => symlinkSync(path, path)],
  ];
  const folders = [
    ["", "lease", "pending", "manifests", "foreign", "answers", "kept"],
    ["kept/logs", "kept/artifacts/evidence", "kept/logs/sessions"],
  ].flat();

  it.each(things.flatMap(([kind, put]) => folders.map((name) => [kind, name, put] as const)))(
    "as %s at %s is told, set aside, and what it hid comes back from the copies",
    (_kind, name, put) => {
      const holder = bench.acquire(id);
      holder.keep(keptPath("logs", "sessions", 1, "result.json"), '{"kept":1}\n');
      holder.keep(keptPath("artifacts", "evidence", "t1", 1, "1.json"), '{"kept":2}\n');
      bench.commit(holder, "kept");
      holder.release();
      bench.acquire(id).release();
      const path = join(bench.shadow(id).folder, name);
      rmSync(path, { recursive: true, force: true });
      put(path);
      const fix = `stint doctor ${id} --repair`;
      expect(bench.findings("problem")).toContainEqual({
        severity: "problem",
        what: "this is not a folder",
        where: path,
        fix,
      });
      const { inferred, revision } = bench.repair();
      expect(inferred[0]).toContain(`${path} is not a folder; it was set aside as `);
      const { store } = bench.process();
      for (const kept of [
        keptPath("logs", "sessions", 1, "result.json"),
        keptPath("artifacts", "evidence", "t1", 1, "1.json"),
      ]) {
        expect(store.kept(id, kept)?.toString()).toContain('{"kept":');
      }
      expectSound(bench, revision);
    },
  );

  it("does not come into the project folder as if it were kept there", () => {
    const holder = bench.acquire(id);
    holder.keep(keptPath("artifacts", "evidence", "t1", 1, "1.json"), '{"kept":2}\n');
    bench.commit(holder, "kept");
    holder.release();
    bench.acquire(id).release();
    const path = join(bench.shadow(id).kept, "artifacts/evidence");
    rmSync(path, { recursive: true });
    writeFileSync(path, "hi");
    expect(refusal(() => bench.acquire(id))).toMatchObject({
      code: "state-corrupt",
      hint: expect.stringContaining("stint doctor --repair"),
    });
  });
});

describe("what is in the way in the project folder", () => {
  const file = (path: string) => writeFileSync(path, "hi");
  const link = (path: string) => symlinkSync("/nowhere/at/all", path);
  const folder = (path: string) => mkdirSync(join(path, "inside"), { recursive: true });

  it.each([
    ["a file", "artifacts/evidence", file],
    ["a file", "artifacts", file],
    ["a link that leads nowhere", "logs", link],
    ["a file", "inbox", file],
    ["a link that leads nowhere", "", link],
    ["a folder", "lease.json", folder],
    ["a folder", "manifest.md", folder],
    ["a folder", "state.json", folder],
    ["a folder", "logs/journal.jsonl", folder],
    ["a folder", "validation.md", folder],
  ] as const)("as %s at %s is told, and moved aside by the next owner", (_kind, name, put) => {
    const path = join(bench.layout(entry).folder, name);
    rmSync(path, { recursive: true, force: true });
    mkdirSync(dirname(path), { recursive: true });
    put(path);
    expect(bench.findings("notice")).toContainEqual({
      severity: "notice",
      what: "this is in the way; the next run moves it aside",
      where: path,
      fix: `stint doctor ${id} --repair`,
    });
    const holder = bench.acquire(id);
    expect(holder.healed).toContain(`${path} was in the way; it was moved aside to ${path}.aside`);
    holder.release();
    expect(readdirSync(dirname(path))).toContain(`${basename(path)}.aside`);
    expectSound(bench, holder.state.revision);
  });
});

describe("an entry of the registry that says otherwise than the state", () => {
  const other = { manifest: "prompu.md", folder: "agents/stint/projects/prompu", slug: "prompu" };
  const path = () => join(bench.stateHome, "registry", "projects", `${id}.json`);
  const change = (key: keyof typeof other): void => {
    const written = JSON.parse(readFileSync(path(), "utf8")) as Record<string, string>;
    writeFileSync(path(), JSON.stringify({ ...written, [key]: other[key] }));
  };

  it.each(Object.keys(other) as (keyof typeof other)[])(
    "about its %s is told, and the state counts",
    (key) => {
      const before = readFileSync(path(), "utf8");
      change(key);
      const what = `its entry says ${key} ${other[key]}, its state says ${entry[key]}`;
      const fix = `stint doctor ${id} --repair`;
      expect(bench.findings("problem")).toContainEqual({
        severity: "problem",
        what,
        where: path(),
        fix,
      });
      const { inferred, revision } = bench.repair();
      expect(inferred).toContain(`${what}; it was written again as the state says`);
      expect(readFileSync(path(), "utf8")).toBe(before);
      expectSound(bench, revision);
    },
  );

  it("takes nothing from the project that has the other manifest", () => {
    const second = bench.create(1, { manifest: "prompu.md" });
    change("manifest");
    bench.repair();
    expect(bench.process().store.find(id)).toEqual(entry);
    expect(bench.process().doctor.examine(second.project_id).findings).toContainEqual(
      expect.objectContaining({ what: "the registry knows the project and its manifest" }),
    );
  });
});

describe("a record in the shadow", () => {
  const keep = (): string => {
    const holder = bench.acquire(id);
    holder.keep(keptPath("logs", "settings.json"), '{"agent":"claude"}\n');
    holder.release();
    return join(bench.shadow(id).kept, "logs", "settings.json");
  };
  const copy = (): string => join(bench.layout(entry).folder, "logs", "settings.json");

  it.each([
    ["is cut", (path: string) => cutTo(path, -4)],
    [
      "is a folder",
      (path: string) => (rmSync(path), mkdirSync(join(path, "in"), { recursive: true })),
    ],
    ["is a pipe", (path: string) => (rmSync(path), void spawnSync("mkfifo", [path]))],
  ])("that %s is taken from its copy", (_, damage) => {
    const path = keep();
    damage(path);
    expect(bench.findings("problem")).toContainEqual(
      expect.objectContaining({ where: path, fix: `stint doctor ${id} --repair` }),
    );
    expect(bench.repair().inferred.join("\n")).toContain(`it was taken from ${copy()}`);
    expect(readFileSync(path, "utf8")).toBe('{"agent":"claude"}\n');
    expect(bench.findings("problem")).toEqual([]);
  });

  const noFiles: readonly [string, (path: string) => void][] = [
    ["a folder", (path) => mkdirSync(join(path, "in"), { recursive: true })],
    ["a circle of links", (path) => symlinkSync(path, path)],
    ["a link that leads nowhere", (path) => symlinkSync("/no/where", path)],
    ["a pipe", (path) => void spawnSync("mkfifo", [path])],
  ];

  it.each(
    ["brief.md", "head", "sessions/1/marker"].flatMap((name) =>
      noFiles.map(([kind, put]) => [name, kind, put] as const),
    ),
  )("%s, which is no JSON, that is %s is taken from its copy", (name, _, put) => {
    const holder = bench.acquire(id);
    holder.keep(keptPath("logs", ...name.split("/")), "text\n");
    holder.release();
    const path = join(bench.shadow(id).kept, "logs", name);
    rmSync(path);
    put(path);
    expect(bench.findings("problem")).toContainEqual(
      expect.objectContaining({ where: path, fix: `stint doctor ${id} --repair` }),
    );
    const from = join(bench.layout(entry).folder, "logs", name);
    expect(bench.repair().inferred.join("\n")).toContain(`it was taken from ${from}`);
    expect(readFileSync(path, "utf8")).toBe("text\n");
    expect(bench.findings("problem")).toEqual([]);
  });

  it("that is a folder and has no copy is set aside, and told as lost", () => {
    const path = keep();
    rmSync(path);
    rmSync(copy());
    mkdirSync(join(path, "inside"), { recursive: true });
    expect(
      refusal(() => bench.process().store.kept(id, keptPath("logs", "settings.json"))),
    ).toMatchObject({
      code: "state-corrupt",
      message: `${path} is not a file. Nothing was changed.`,
    });
    expect(bench.repair().inferred.join("\n")).toContain("no undamaged copy is left");
    expect(existsSync(path)).toBe(false);
    expect(bench.findings("problem")).toEqual([]);
  });

  it("without an undamaged copy is told as lost", () => {
    const path = keep();
    writeFileSync(path, "{");
    writeFileSync(copy(), "{");
    expect(bench.findings("problem")).toMatchObject([
      { what: "this record is damaged, and no undamaged copy is left", where: path },
    ]);
    expect(bench.repair().inferred.join("\n")).toContain("no undamaged copy is left");
    expect(readFileSync(path, "utf8")).toBe("{");
  });
});

describe("a work tree that is gone", () => {
  it("is a problem with the way out, and is not made anew", () => {
    renameSync(bench.root, `${bench.root}-moved`);
    expect(bench.findings("problem")).toEqual([
      {
        severity: "problem",
        what: "the work tree is gone",
        where: bench.root,
        fix: "go to its new place and run: stint doctor --adopt",
      },
    ]);
    expect(refusal(() => bench.repair())).toMatchObject({
      code: "state-unwritable",
      message: `the work tree ${bench.root} is gone. Nothing more was started.`,
      hint: "If it was moved, go to its new place and run: stint doctor --adopt",
    });
    expect(existsSync(bench.root)).toBe(false);
  });
});

describe("temp files of a crash", () => {
  it("are a notice, and the next owner removes them", () => {
    const { states, folder, answers } = bench.shadow(id);
    mkdirSync(answers);
    for (const each of [states, folder, answers]) {
      writeFileSync(join(each, ".stint-tmp-dead"), "half");
    }
    expect(bench.findings("notice")).toEqual([
      {
        severity: "notice",
        what: "3 temp file(s) of writes that a crash interrupted; harmless",
        where: folder,
        fix: null,
      },
    ]);
    bench.acquire(id).release();
    expect(bench.findings("notice")).toEqual([]);
  });
});
