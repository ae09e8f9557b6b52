// Every file that is made from the code, with how it is made. `npm run generate` writes them; a test
// fails when one of them drifts.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod/mini";
import { VERBS } from "../../src/cli/verbs.ts";
import type { Verb } from "../../src/cli/verb.ts";
import { config } from "../../src/core/schema/config.ts";
import { journalEntry, projectState, lease } from "../../src/core/schema/project.ts";
import { notice } from "../../src/core/schema/notice.ts";
import { VERSION } from "../../src/core/words/version.ts";
import * as views from "../../src/core/schema/views.ts";
import { withAgents } from "./render-agents.ts";
import { withFolders } from "./folders.ts";
import { withLibrary } from "./render-library.ts";
import { renderLiveView } from "./render-live-view.ts";
import { withSettings } from "./render-settings.ts";
import { withWalls } from "./render-walls.ts";
import { renderMachine } from "./render-machine.ts";

export const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));

export interface GeneratedFile {
  readonly path: string;
  /** The whole file as it should be, given what is there now. */
  readonly render: (now: string) => string;
}

const SCHEMAS: readonly [name: string, title: string, schema: z.ZodMiniType][] = [
  ["state", "state.json of a Stint project", projectState],
  ["config", "stint.config.yaml", config],
  ["journal-line", "one line of logs/journal.jsonl", journalEntry],
  ["lease", "lease.json of a Stint project", lease],
  ["notice", "what a notify command reads and a webhook receives", notice],
  ["init", "output of stint init --json", views.initView],
  ["new", "output of stint new --json", views.newView],
  ["lint", "output of stint lint --json", views.lintView],
  ["status", "output of stint status --json", views.statusView],
  ["list", "output of stint list --json", views.listView],
  ["log", "output of stint log --json", views.logView],
  ["doctor", "output of stint doctor --json", views.doctorView],
  ["clean", "output of stint clean --json", views.cleanView],
  ["agents", "output of stint agents --json", views.agentsView],
  ["run", "output of stint run --json", views.runView],
  ["detached", "output of stint run --detach --json", views.detachedView],
  ["watch", "output of stint watch --json", views.watchView],
  ["resume", "output of stint resume --json", views.runView],
  ["verify", "output of stint verify --json", views.verifyView],
  ["verify-branch", "output of stint verify --branch --json", views.branchVerifyView],
  ["iterate", "output of stint iterate --json", views.iterateView],
  ["config-values", "output of stint config --json", views.configView],
  ["plan", "output of stint plan --json", views.planView],
  ["dispatch", "output of stint dispatch --json", views.dispatchView],
  ["results", "output of stint results --json", views.resultsView],
  ["deliver", "output of stint deliver --json", views.deliverView],
  ["show", "output of stint show --json", views.showView],
  ["diff", "output of stint diff --json", views.diffView],
  ...[
    "approve",
    "deny",
    "answer",
    "accept",
    "edit",
    "skip",
    "retry",
    "reopen",
    "abandon",
    "pause",
    "stop",
  ].map((verb): [string, string, z.ZodMiniType] => [
    verb,
    `output of stint ${verb} --json`,
    views.answerView,
  ]),
  ["watchdog", "output of stint watchdog --json", views.watchdogView],
  ["demo", "output of stint demo --json", views.demoView],
  ["skills", "output of stint skills --json", views.skillsView],
  ["mcp", "output of stint mcp --json", views.mcpView],
  ["completion", "output of stint completion --json", views.completionView],
  ["error", "what any verb prints with --json when it fails", views.errorView],
];

export const GENERATED: readonly GeneratedFile[] = [
  ...SCHEMAS.map(([name, title, schema]) => ({
    path: `schemas/${name}.schema.json`,
    render: () => `${JSON.stringify(jsonSchema(title, schema), null, 2)}\n`,
  })),
  {
    path: "ARCHITECTURE.md",
    render: (now) => withFolders(now) ?? "the markers of the generated section are missing",
  },
  {
    path: "docs/states.md",
    render: () =>
      `# States\n\nGenerated from the table of rules, \`src/core/step/rules.ts\`.\n\n${renderMachine()}\n`,
  },
  {
    path: "docs/cli.md",
    render: () =>
      `# Command line\n\nGenerated from the list of verbs.\n\n${VERBS.map(verbPage).join("\n")}`,
  },
  // A skill needs all that it names in its own folder; the example has one source all the same.
  {
    path: "skills/stint/references/EXAMPLE_TASK_MANIFEST.md",
    render: () => readFileSync(join(REPOSITORY, "examples/EXAMPLE_TASK_MANIFEST.md"), "utf8"),
  },
  {
    path: ".claude-plugin/plugin.json",
    render: (now) => now.replace(/"version": "[^"]*"/, `"version": "${VERSION}"`),
  },
  { path: "docs/agents.md", render: withAgents },
  { path: "docs/security.md", render: withWalls },
  { path: "docs/configuration.md", render: withSettings },
  { path: "docs/library.md", render: (now) => withLibrary(now, join(REPOSITORY, "src")) },
  { path: "docs/live-view.svg", render: renderLiveView },
  { path: "docs/traceability.md", render: traceability },
];

function jsonSchema(title: string, schema: z.ZodMiniType): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: "input", reused: "ref" });
  return { $schema, title, ...rest };
}

function verbPage(verb: Verb): string {
  const options = [
    ...(verb.options ?? []),
    ...(verb.isInteractive === true
      ? []
      : [{ flags: "--json", description: "print one JSON document" }]),
  ];
  return [
    `## stint ${[verb.name, verb.arguments, verb.rest].filter(Boolean).join(" ")}`,
    "",
    `${verb.summary}.`,
    ...(verb.details === undefined ? [] : ["", verb.details]),
    "",
    ...(options.length === 0 ? [] : ["| option | meaning |", "|---|---|"]),
    ...options.map(({ flags, description }) => `| \`${flags}\` | ${description} |`),
    ...(options.length === 0 ? [] : [""]),
    "```sh",
    ...verb.examples.map(([command, meaning]) => `${command}   # ${meaning}`),
    "```",
    "",
  ].join("\n");
}

/** Requirement → tests that name it, read from the test files. */
function traceability(): string {
  const named = new Map<string, string[]>();
  for (const file of testFiles()) {
    const text = readFileSync(join(REPOSITORY, file), "utf8");
    for (const [, title = ""] of text.matchAll(
      /\b(?:it|test|describe)(?:\.each\([^)]*\))?\(\s*["`]([^"`]+)["`]/g,
    )) {
      for (const [number] of title.matchAll(/\bS[0-4]-\d+\b/g)) {
        named.set(number, [...(named.get(number) ?? []), `${file}: ${title}`]);
      }
    }
  }
  const requirements = readFileSync(join(REPOSITORY, "docs/requirements.md"), "utf8");
  const numbers = [...requirements.matchAll(/^- (S[0-4]-\d+) /gm)].map(([, number = ""]) => number);
  const proven = numbers.filter((number) => named.has(number));
  const rows = proven.map((number) => {
    const tests = (named.get(number) ?? []).map((test) => test.replaceAll("|", "\\|"));
    return `| ${number} | ${[...new Set(tests)].join("<br>")} |`;
  });
  const open = numbers.filter((number) => !named.has(number));
  return [
    "# Traceability",
    "",
    "Generated from the names of the tests. What each number says is in [requirements.md](requirements.md).",
    "",
    `${proven.length} of ${numbers.length} requirements are named by a test.`,
    "",
    "| requirement | tests |",
    "|---|---|",
    ...rows,
    "",
    `Not yet: ${open.join(", ")}`,
    "",
  ].join("\n");
}

function testFiles(): string[] {
  return ["src", "test"].flatMap((folder) =>
    readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(test|testsuite)\.ts$/.test(name))
      .map((name) => `${folder}/${name}`)
      .toSorted(),
  );
}
