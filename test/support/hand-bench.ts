// A repository of a person whose own agent does the tasks of a manifest by verbs, without a run.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { CommandLineBench } from "./command-line.ts";
import { git } from "./git.ts";

export const TWO_GREETINGS = `# Goal

Greet.

# Steps

- [ ] english - Write hello.txt
  - check: \`grep Hello hello.txt\`
- [ ] german - Write hallo.txt
  - check: \`grep -q Hallo hallo.txt\`
`;

export class HandBench extends CommandLineBench {
  constructor() {
    super();
    git(this.root, "config", "user.name", "ada");
    git(this.root, "config", "user.email", "ada@example.com");
    this.write("prompt.md", TWO_GREETINGS);
    git(this.root, "add", ".");
    git(this.root, "commit", "--quiet", "--message=start");
  }

  /** With a plan that a person approved. */
  async approved(): Promise<string> {
    const id = await this.create();
    const { code, err } = await this.run("approve", "plan", id);
    if (code !== 0) throw new Error(err);
    return id;
  }

  state() {
    const path = join(this.root, "agents/stint/projects/prompt/state.json");
    return JSON.parse(readFileSync(path, "utf8")) as {
      status: string;
      revision: number;
      tasks: { id: string; status: string; attempts: number }[];
      questions: { text: string; status: string }[];
    };
  }

  /** Every file of the state folder and the project, by content. */
  digest(): string {
    const hash = createHash("sha256");
    for (const folder of [this.stateHome, join(this.root, "agents")]) {
      for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted()) {
        const path = join(folder, name);
        hash.update(name);
        if (statSync(path).isFile()) hash.update(readFileSync(path));
      }
    }
    return hash.digest("hex");
  }

  subjects(): string[] {
    return git(this.root, "log", "--format=%s").trim().split("\n");
  }
}
