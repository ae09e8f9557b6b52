// The work that every agent does: three tasks, each proven by a command, and for each of them the
// acts that a model would ask its CLI for. The brief asks for the last three of every task.

export type Act =
  | { readonly kind: "write"; readonly path: string; readonly content: string }
  | { readonly kind: "shell"; readonly command: string }
  /** A tool of Stint's own server. */
  | {
      readonly kind: "mcp";
      readonly tool: string;
      readonly input: Readonly<Record<string, string>>;
    };

export const MANIFEST_NAME = "greetings.md";

export const MANIFEST = `## Goal
Greetings in three files, each proven by a check.

## Steps
- [ ] english - Write hello.txt
  - check: \`grep -qx 'Hello, world' hello.txt\`
- [ ] german - Add a German line to greetings.txt
  - check: \`grep -qx 'Hallo, Welt' greetings.txt\`
- [ ] count - Write count.sh, which prints how many lines greetings.txt has
  - check: \`test "$(sh count.sh)" = 2\`
`;

/** What is committed before the first session. */
export const FIRST_FILES = { "greetings.txt": "Bonjour, monde\n" } as const;

/** What the person has beside it, in no commit: sessions do not see it, and it stays as it is. */
export const OWN_FILES = { "mine.txt": "not tracked, and mine\n" } as const;

/** By the name of the task. */
export const ACTS: Readonly<Record<string, readonly Act[]>> = {
  english: [
    { kind: "write", path: "hello.txt", content: "Hello, world\n" },
    ...wayOut("english", "grep -qx 'Hello, world' hello.txt"),
  ],
  german: [
    { kind: "shell", command: "echo 'Hallo, Welt' >> greetings.txt" },
    ...wayOut("german", "grep -qx 'Hallo, Welt' greetings.txt"),
  ],
  count: [
    { kind: "write", path: "count.sh", content: "grep -c '' greetings.txt\n" },
    ...wayOut("count", "sh count.sh"),
  ],
  // Neither are tasks of the manifest: what a person asks of their own agent, and what is recorded of a session that went well.
  manage: [
    { kind: "mcp", tool: "create", input: { manifest: MANIFEST_NAME } },
    { kind: "mcp", tool: "status", input: {} },
  ],
  commit: [
    { kind: "write", path: "hello.txt", content: "Hello, world\n" },
    { kind: "shell", command: "git add hello.txt && git commit -q -m 'Add hello.txt'" },
  ],
};

/** Keeps a session, and a process of a tool in it, alive. */
export const HOLD: Act = { kind: "shell", command: "tail -f greetings.txt" };

/** What is said over MCP, before any work. */
export const TOLD = "told over MCP: greetings are short";
export const TELL: Act = { kind: "mcp", tool: "report", input: { kind: "note", text: TOLD } };

function wayOut(task: string, check: string): readonly Act[] {
  return [
    { kind: "shell", command: check },
    { kind: "shell", command: `sed -i 's/^- \\[ \\] ${task}/- [x] ${task}/' ${MANIFEST_NAME}` },
    { kind: "write", path: ".agent_iteration_done", content: "remaining_steps: true\n" },
  ];
}
