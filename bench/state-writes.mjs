// A durable state write against the same bytes with the same fsyncs, written by hand.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBenchProject } from "./project.mjs";
import { medians, row } from "./measure.mjs";

const ROUNDS = { 10: 200, 1000: 100, 10000: 40 };

export async function benchStateWrites() {
  console.log("Durable state write (one task changes)");
  for (const [tasks, rounds] of Object.entries(ROUNDS)) {
    const base = fs.mkdtempSync(join(tmpdir(), "stint-bench-"));
    try {
      await benchSize(Number(tasks), rounds, base);
    } finally {
      fs.rmSync(base, { recursive: true, force: true });
    }
  }
}

async function benchSize(tasks, rounds, base) {
  const { holder, folder } = await openBenchProject(base, tasks);
  const stateBytes = fs.readFileSync(join(folder, "state.json"));
  const line = Buffer.from(
    fs.readFileSync(join(folder, "logs/journal.jsonl"), "utf8").split("\n").at(-2) + "\n",
  );
  const pages = ["README.md", "handoff.md"].map((name) => [
    name,
    fs.readFileSync(join(folder, name)),
  ]);
  const hand = byHand(join(base, "hand"), stateBytes, line, pages);
  const result = medians(
    {
      byHand: hand,
      stint: (round) => {
        const [first, ...rest] = holder.state.tasks;
        const changed = { ...first, title: `Changed in round ${round}` };
        holder.commit(
          { ...holder.state, tasks: [changed, ...rest] },
          { at: new Date().toISOString(), kind: "bench", by: "bench", summary: "one task changed" },
        );
      },
    },
    rounds,
  );
  holder.release();
  row(
    `  ${tasks} tasks, ${(stateBytes.length / 1024).toFixed(0)} KiB`,
    result.stint,
    "by hand",
    result.byHand,
    1.3,
  );
}

/** The acts of one commit, with nothing around them. */
function byHand(base, state, line, pages) {
  const shadow = join(base, "shadow");
  const states = join(shadow, "state");
  const folder = join(base, "folder");
  for (const path of [states, join(folder, "logs")]) fs.mkdirSync(path, { recursive: true });
  const journals = [join(shadow, "journal.jsonl"), join(folder, "logs/journal.jsonl")];
  for (const journal of journals) fs.writeFileSync(journal, "");
  const name = (n) => join(states, `${String(n).padStart(12, "0")}.json`);
  let size = 0;
  return (round) => {
    const temp = join(states, `.tmp-${randomBytes(4).toString("hex")}`);
    write(temp, state, true);
    fs.linkSync(temp, name(round));
    fs.unlinkSync(temp);
    syncFolder(states);
    append(journals[0]);
    const copy = join(folder, ".tmp-state");
    write(copy, state, false);
    fs.renameSync(copy, join(folder, "state.json"));
    append(journals[1]);
    size += line.length;
    for (const [page, bytes] of pages) {
      write(join(folder, ".tmp-page"), bytes, false);
      fs.renameSync(join(folder, ".tmp-page"), join(folder, page));
    }
    if (round > 1) fs.unlinkSync(name(round - 2));
  };

  function append(path) {
    const fd = fs.openSync(path, "r+");
    fs.writeSync(fd, line, 0, line.length, size);
    fs.closeSync(fd);
  }
}

function write(path, bytes, durable) {
  const fd = fs.openSync(path, "wx", 0o600);
  fs.writeSync(fd, bytes);
  if (durable) fs.fsyncSync(fd);
  fs.closeSync(fd);
}

function syncFolder(path) {
  const fd = fs.openSync(path, "r");
  fs.fsyncSync(fd);
  fs.closeSync(fd);
}
