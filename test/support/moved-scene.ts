// Two tasks are verified and wait, and the person, who has something of their own in every form that git
// knows, has moved their branch: the next run brings the work where the branch is now. What must hold of it
// however that run was cut short and taken up again.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { COMMITTED, liveIn } from "./lived-in.ts";
import { beyondDelivery } from "./beyond-delivery.ts";
import { type PersonState, recordPerson } from "./person-state.ts";
import { RunScene, type Story } from "./run-scene.ts";

/** A check that passed among the files of the moved branch notes it. */
const noted = (task: string, check: string): string =>
  `\`${check} && { test ! -e theirs.txt || echo ${task} >>"$LEDGER.checks"; }\``;

const STORY: Story = {
  manifest: `# Goal

Greet.

# Steps

- [ ] english - Write the English greeting
  - check: ${noted("english", "grep -q Hello english.txt")}
- [ ] german - Add the German greeting
  - check: ${noted("german", "grep -q Hallo list.txt")}
- [ ] french - Write the French greeting
  - check: ${noted("french", "grep -q Salut french.txt")}
`,
  words: ["--isolation", "off"],
  script: (ledger) => ({
    english: [note(ledger, "english"), { act: "write", path: "english.txt", text: "Hello\n" }],
    german: [note(ledger, "german"), { act: "append", path: "list.txt", text: "Hallo\n" }],
    french: [note(ledger, "french"), { act: "write", path: "french.txt", text: "Salut\n" }],
  }),
};

function note(ledger: string, text: string): object {
  return { act: "append", path: ledger, text: `${text}\n`, hostile: true };
}

const TASKS = [
  "english: Write the English greeting",
  "german: Add the German greeting",
  "french: Write the French greeting",
];

export class MovedScene extends RunScene {
  #start = "";
  #before: PersonState = new Map();
  readonly #isPushed: boolean;

  /** Work that was pushed is merged with the branch, other work replayed on it. */
  constructor(folder: string, isPushed: boolean) {
    super(folder, STORY);
    this.#isPushed = isPushed;
  }

  async prepare(): Promise<void> {
    for (const [path, text] of Object.entries(COMMITTED)) this.#put(path, text);
    this.git("add", "-A");
    this.git("commit", "-q", "-m", "What is there");
    liveIn(this.root, this.base);
    this.#put("english.txt", "in the way\n");
    const { code, stdout, stderr } = await this.run({}, "--sessions", "2").ended;
    if (code !== 1 || !stdout.includes("the work waits on stint/prompt")) {
      throw new Error(`it does not wait: ${code} ${stdout}${stderr}`);
    }
    rmSync(join(this.root, "english.txt"));
    if (this.#isPushed) {
      this.git("update-ref", "refs/remotes/origin/stint/prompt", "stint/prompt");
    }
    this.#put("theirs.txt", "theirs\n");
    this.#put("docs/page.md", "a better page\n");
    this.git("add", "theirs.txt", "docs/page.md");
    this.git("commit", "-q", "-m", "mine", "--", "theirs.txt", "docs/page.md");
    this.#start = this.git("rev-parse", "main").trim();
    this.#before = recordPerson(this.root);
  }

  /** Every promise that does not hold, now that the run is over. */
  broken(): string[] {
    const { status } = this.state();
    return [
      ...(status === "Done" ? [] : [`it is ${status}`]),
      ...this.#commits(),
      ...this.#person(),
      ...this.#checks(),
      ...this.problems(),
    ];
  }

  #commits(): string[] {
    const found: string[] = [];
    const [tip, own] = this.git("rev-parse", "main", "stint/prompt").trim().split("\n");
    if (own !== tip) found.push(`main is at ${tip}, stint/prompt at ${own}`);
    const lines = this.git(
      "log",
      "--reverse",
      "--topo-order",
      "--format=%H %s",
      `${this.#start}..main`,
    );
    const made = new Map(
      lines
        .trim()
        .split("\n")
        .map((line): [string, string] => [line.slice(0, 40), line.slice(41)]),
    );
    const merge = this.#isPushed ? ["Merge branch 'stint/prompt' into main"] : [];
    const wanted = [...TASKS.slice(0, 2), ...merge, ...TASKS.slice(2)];
    const subjects = [...made.values()];
    if (subjects.join() !== wanted.join()) found.push(`commits were made: ${subjects.join(", ")}`);
    for (const task of this.state().tasks) {
      const commit = task.status === "done" ? (task.commit ?? "none") : "none";
      if (made.get(commit)?.startsWith(`${task.name}: `) === true) continue;
      found.push(`${commit} is recorded as the commit of ${task.name}`);
    }
    const lost = this.git("diff", "--diff-filter=D", "--name-only", this.#start, "main");
    return lost === "" ? found : [...found, `main has lost ${lost}`];
  }

  #person(): string[] {
    const tip = this.git("rev-parse", "main").trim();
    return beyondDelivery(this, { before: this.#before, start: this.#start, tip });
  }

  #checks(): string[] {
    const file = `${this.ledger}.checks`;
    const checked = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
    const executed = this.executed().join();
    return [
      ...["english", "german", "french"]
        .filter((name) => !checked.includes(name))
        .map((name) => `the check of ${name} did not run where the branch is now`),
      ...(executed === "english,german,french" ? [] : [`executed ${executed}`]),
    ];
  }

  #put(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }
}
