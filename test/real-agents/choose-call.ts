// An act as a call of a tool that the CLI at hand offers: every CLI names its tools and their
// arguments differently, and says so in its request.
import { join } from "node:path";
import type { ModelRequest, OfferedTool, ToolCall } from "./protocols/protocol.ts";
import type { Act } from "./three-tasks.ts";

const SHELLS = [
  "Bash",
  "bash",
  "run_shell_command",
  "exec_command",
  "shell_command",
  "shell",
  "run_commands",
];
const WRITERS = ["Write", "write", "write_file", "create", "apply_patch", "editor"];

/** Undefined when nothing that is offered can do it. */
export function chooseCall(
  act: Act,
  { tools, hasNamespaces = false }: Pick<ModelRequest, "tools" | "hasNamespaces">,
  workTree: string,
): ToolCall | undefined {
  if (act.kind === "mcp") {
    return { tool: serverTool(act.tool, tools, hasNamespaces), input: act.input };
  }
  const names = act.kind === "shell" ? SHELLS : WRITERS;
  const tool = names.flatMap((name) => tools.filter((each) => each.name === name))[0];
  if (tool === undefined) return undefined;
  if (tool.kind === "free-form") return { tool, input: act.kind === "write" ? patchFor(act) : "" };
  const input =
    act.kind === "shell"
      ? fill(tool, [[["command", "cmd", "commands"], act.command]])
      : fill(tool, [
          [["file_path", "filePath", "path"], join(workTree, act.path)],
          [["content", "file_text", "new_text"], act.content],
        ]);
  return { tool, input };
}

/** As it is offered; else by the name that it would have: some CLIs offer a tool only once it is looked for. */
function serverTool(
  name: string,
  tools: readonly OfferedTool[],
  hasNamespaces: boolean,
): OfferedTool {
  const ends = new RegExp(`(?:^|_)stint(?:__|_|-)${name}$`);
  const hidden = { kind: "function", parameters: {}, required: [] } as const;
  return (
    tools.find((each) => ends.test([each.namespace, each.name].filter(Boolean).join("__"))) ??
    (hasNamespaces
      ? { ...hidden, namespace: "mcp__stint", name }
      : { ...hidden, name: `mcp__stint__${name}` })
  );
}

type Argument = readonly [names: readonly string[], value: string];

/** Each value under the name that the tool has for it; what else it requires gets anything. */
function fill(tool: OfferedTool, given: readonly Argument[]): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [names, value] of given) {
    const name = names.find((each) => each in tool.parameters) ?? names[0];
    if (name === undefined) continue;
    input[name] = tool.parameters[name]?.type === "array" ? [value] : value;
  }
  for (const name of tool.required) input[name] ??= anything(tool.parameters[name] ?? {});
  return input;
}

function anything({ type, enum: choices }: { type?: unknown; enum?: unknown }): unknown {
  if (Array.isArray(choices)) return choices[0] as unknown;
  if (type === "boolean") return false;
  if (type === "number" || type === "integer") return 10_000;
  if (type === "array") return [];
  return "part of the task";
}

/** The format in which Codex writes files. */
function patchFor({ path, content }: Extract<Act, { kind: "write" }>): string {
  const lines = content.replace(/\n$/, "").split("\n");
  const added = lines.map((line) => `+${line}`).join("\n");
  return `*** Begin Patch\n*** Add File: ${path}\n${added}\n*** End Patch\n`;
}
