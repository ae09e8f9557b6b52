// The folders of the source and their rooms: what each is for, and what it may import. The architecture test
// holds the code to it, and the table in ARCHITECTURE.md is made from it. If a rule is in the way, change
// it here in a commit that says why.

export interface Folder {
  readonly what: string;
  readonly imports: readonly string[];
  /** In reading order: each imports only those before it. */
  readonly rooms?: Readonly<Record<string, string>>;
}

export const FOLDERS: Readonly<Record<string, Folder>> = {
  core: {
    what: "the rules. Pure: no files, clock, randomness or processes",
    imports: [],
  },
  manifest: {
    what: "Markdown to model and back; edits that leave every other byte alone",
    imports: ["core"],
  },
  iteration: {
    what: "the iteration contract: requests, workflows and review logs as texts; pure",
    imports: ["core", "manifest"],
  },
  process: {
    what: "one child process: isolation, limits, bounded and redacted output, whole tree ended",
    imports: ["core"],
  },
  git: {
    what: "the few git acts that Stint needs, each safe to repeat after a crash",
    imports: ["core", "process"],
  },
  agents: {
    what: "coding agents as data and pure functions: the command, one line of the stream, what the end means",
    imports: ["core"],
  },
  store: {
    what: "what must survive a crash: contract, file store, one suite",
    imports: ["core", "manifest", "process", "git"],
  },
  checks: {
    what: "runs a task's checks, judges the task, builds evidence",
    imports: ["core", "process", "git"],
  },
  workspace: {
    what: "where sessions work, and how verified work leaves: one port, one suite",
    imports: ["core", "process", "git"],
    rooms: {
      base: "what every room stands on: small durable files, git, the two repositories and the record",
      tree: "the files of a workspace: brought along, laid, captured and combined as trees",
      commit: "a verified tree becomes a commit that the person's repository holds",
      deliver: "commits into the person's branch, over nothing of theirs, also after it moved",
      "": "the port, both kinds of workspace, opening and removing one",
    },
  },
  notify: {
    what: "tells a person who does not look: desktop, command, webhook, once each",
    imports: ["core", "process"],
  },
  engine: {
    what: "from a manifest to verified Done",
    imports: [
      "core",
      "manifest",
      "iteration",
      "store",
      "agents",
      "process",
      "git",
      "checks",
      "workspace",
      "notify",
      "iteration",
    ],
    rooms: {
      base: "what every room stands on: the context of a run, its ports, what is kept between runs",
      people: "what a person writes, is asked and answers, and what exactly a yes is bound to",
      space: "the workspace of a run: opened, set up, served, a task's work laid and captured",
      attempt: "an attempt at a task: prepared, its session, its checks and what they decide",
      finish: "box, commit, delivery, push, and a branch that moved",
      proof: "what is committed, proven in a fresh clone before it is Done or released",
      run: "the loop, what it decides, acts of the manifest, and how a run is opened",
    },
  },
  skills: {
    what: "the skill texts that come with Stint: where agents read them, put there and taken away, and what is judged in anybody's",
    imports: ["core", "manifest"],
  },
  "agent-settings": {
    what: "Stint in the settings files of agents: where, put in and taken out, every other byte left alone",
    imports: ["core", "skills"],
  },
  report: {
    what: "views of state as text, laid out for any width in one place; the live view; pure",
    imports: ["core"],
  },
  operations: {
    what: "what every verb does: input and function, no printing",
    imports: [
      "core",
      "manifest",
      "iteration",
      "store",
      "agents",
      "checks",
      "engine",
      "skills",
      "agent-settings",
      "report",
    ],
  },
  mcp: {
    what: "the MCP server, a door over operations for agents",
    imports: ["core", "operations", "report"],
  },
  cli: {
    what: "the command line, a door over operations; it starts the other one",
    imports: ["core", "operations", "report", "mcp"],
  },
};

/** Interfaces only, so that everybody may import them and no ring goes through them. */
export const PORTS = ["workspace/workspace.ts", "engine/base/run-context.ts"];

export const FOLDERS_START = "<!-- generated:folders -->";
export const FOLDERS_END = "<!-- /generated:folders -->";

/** The document with its table renewed; undefined when it has no markers. */
export function withFolders(document: string): string | undefined {
  const start = document.indexOf(FOLDERS_START);
  const end = document.indexOf(FOLDERS_END, start);
  if (start === -1 || end === -1) return undefined;
  return document.slice(0, start) + renderFolders() + document.slice(end);
}

function renderFolders(): string {
  const rows = Object.entries(FOLDERS).flatMap(([name, { what, imports, rooms = {} }]) => [
    `| \`src/${name}\` | ${what} | ${imports.length === 0 ? "nothing" : imports.join(", ")} |`,
    ...Object.entries(rooms).map(
      ([room, is]) =>
        `| &nbsp;&nbsp;\`${room === "" ? "*.ts" : `${room}/`}\` | ${is} | the rooms above |`,
    ),
  ]);
  return [
    FOLDERS_START,
    "",
    "| folder | what it is | may import |",
    "|---|---|---|",
    ...rows,
    "| `src/wire.ts`, `main.ts`, `library.ts`, `index.ts` | the one place that builds a real system; the executable; the library, and what it promises | everything |",
    "",
    "",
  ].join("\n");
}
