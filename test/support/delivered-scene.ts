// A run whose work is delivered into the checkout of a person who has something of their own in every form
// that git knows, and what must hold of it however the run was cut short and taken up again.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { COMMITTED, liveIn } from "./lived-in.ts";
import { beyondDelivery } from "./beyond-delivery.ts";
import { type PersonState, recordPerson } from "./person-state.ts";
import { RunScene, type Story } from "./run-scene.ts";

/** What the task changes: files written anew, replaced, removed, made executable, in new folders. */
const WORK = [
  "printf 'Hallo\\n' >german.txt",
  "printf 'german\\n' >>list.txt",
  "mkdir -p deep/er; head -c 200000 /dev/zero | tr '\\0' x >deep/er/large.txt",
  "rm old.txt; chmod +x tool.sh; ln -s list.txt pointer-to-list",
  "for n in 1 2 3 4 5; do printf 'new %s\\n' $n >many-$n.txt; done",
].join("; ");

/** What of it any clone can see. */
const ALL_OF_IT = [
  'grep -q Hallo german.txt && test "$(tail -n 1 list.txt)" = german',
  'test "$(wc -c <deep/er/large.txt)" -eq 200000',
  'test ! -e old.txt && test -x tool.sh && test "$(readlink pointer-to-list)" = list.txt',
  'for n in 1 2 3 4 5; do test "$(cat many-$n.txt)" = "new $n" || exit 1; done',
  "test -e kept.txt",
].join(" && ");

const TRACKED: Readonly<Record<string, string>> = {
  ...COMMITTED,
  "old.txt": "to be removed\n",
  "tool.sh": "#!/bin/sh\n",
  "many-1.txt": "old 1\n",
  "many-3.txt": "old 3\n",
};

/** The only files that a commit of the run may remove. */
const REMOVED = ["old.txt"];

export const DELIVERY_STORY: Story = {
  manifest:
    "# Goal\n\nGreet.\n\n# Steps\n\n- [ ] german - Write the German greeting\n  - check: `grep -q Hallo german.txt && test ! -e old.txt`\n",
  words: ["--isolation", "off"],
  script: (ledger) => ({
    german: [
      { act: "append", path: ledger, text: "german\n", hostile: true },
      { act: "run", command: WORK },
    ],
  }),
};

export class DeliveredScene extends RunScene {
  readonly #start: string;
  readonly #before: PersonState;

  constructor(folder: string, story = DELIVERY_STORY) {
    super(folder, story);
    for (const [path, text] of Object.entries(TRACKED)) {
      mkdirSync(dirname(join(this.root, path)), { recursive: true });
      writeFileSync(join(this.root, path), text);
    }
    this.git("add", "-A");
    this.git("commit", "-q", "-m", "What is there");
    liveIn(this.root, this.base);
    this.#start = this.git("rev-parse", "HEAD").trim();
    this.#before = recordPerson(this.root);
  }

  /** Every promise that does not hold, now that the run is over. */
  broken(): string[] {
    const tip = this.git("rev-parse", "main").trim();
    const found = [
      ...this.#commits(tip),
      ...(this.isTrueInClone() ? [] : ["a clone does not hold all of the work"]),
      ...this.lostFiles(),
      ...this.#person(tip),
      ...this.problems(),
    ];
    const { status } = this.state();
    return status === "Done" ? found : [`it is ${status}`, ...found];
  }

  #commits(tip: string): string[] {
    const found: string[] = [];
    const own = this.git("rev-parse", "stint/prompt").trim();
    if (own !== tip) found.push(`main is at ${tip}, stint/prompt at ${own}`);
    const count = this.git("rev-list", "--count", `${this.#start}..${tip}`).trim();
    if (count !== "1") found.push(`${count} commits were made`);
    const [task] = this.state().tasks;
    const recorded = task?.status === "done" ? task.commit : undefined;
    if (recorded !== tip) found.push(`${recorded} is recorded as the commit`);
    return found;
  }

  /** Files that a commit under any ref has lost, and no task removed. */
  lostFiles(): string[] {
    const refs = this.git("for-each-ref", "--format=%(refname)", "refs/heads", "refs/stint");
    return refs
      .split("\n")
      .filter((ref) => ref !== "" && ref !== "refs/heads/idea")
      .flatMap((ref) =>
        this.git("diff", "--no-renames", "--diff-filter=D", "--name-only", this.#start, ref)
          .split("\n")
          .filter((path) => path !== "" && !REMOVED.includes(path))
          .map((path) => `${ref} has lost ${path}`),
      );
  }

  #person(tip: string): string[] {
    return beyondDelivery(this, { before: this.#before, start: this.#start, tip });
  }

  /** Whether a clone of what is called done has all of the work. */
  isTrueInClone(): boolean {
    const clone = mkdtempSync(join(this.base, "clone-"));
    this.git("clone", "-q", "--no-local", "--branch", "stint/prompt", this.root, clone);
    return spawnSync("sh", ["-c", ALL_OF_IT], { cwd: clone }).status === 0;
  }
}
