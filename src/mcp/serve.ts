// `stint mcp`: the MCP server, on standard input and output, for as long as its client keeps them open. Nothing but the
// protocol is written to standard output. In a session of a run it speaks for that session; else for a person's agent.
import {
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { createColors } from "picocolors";
import { StintError } from "../core/stint-error.ts";
import { ManifestRefused } from "../operations/faults.ts";
import { isInSession } from "../operations/in-session.ts";
import type { System } from "../operations/system.ts";
import { layOut } from "../report/layout.ts";
import { problemText } from "../report/manifest-text.ts";
import { listResources, readResource, TEMPLATE } from "./resources.ts";
import { type Place, type Tool, toolsIn } from "./tools.ts";

/** Larger than anything that a tool takes, so that what is too long is answered, and not cut off. */
const LONGEST_MESSAGE = 64 * 1024 * 1024;

/** Serves until the client has closed its end. */
export async function serveMcp(system: System, warn: (text: string) => void): Promise<void> {
  const transport = new StdioServerTransport(process.stdin, process.stdout, {
    maxBufferSize: LONGEST_MESSAGE,
  });
  const closed = new Promise<void>((resolve) => {
    process.stdin.once("end", resolve);
    process.stdin.once("close", resolve);
    process.stdin.once("error", () => resolve());
  });
  const handle = serveStdio(() => mcpServer(system), {
    transport,
    onerror: (error) => warn(`stint mcp: ${error.message.slice(0, 500)}`),
  });
  await closed;
  await handle.close();
}

function mcpServer(system: System): McpServer {
  const place = isInSession(system.env) ? "session" : "outside";
  const server = new McpServer(
    { name: "stint", version: system.version },
    { instructions: instructionsIn(place) },
  );
  for (const tool of toolsIn(place)) addTool(server, tool, place, system);
  addResources(server, place, system);
  return server;
}

/** Some clients show a model no more than this until it looks for a tool. */
export function instructionsIn(place: Place): string {
  const names = toolsIn(place).map(({ name }) => name);
  const what =
    place === "session"
      ? "Speaks for the Stint session that this agent works in."
      : "Stint takes a Markdown list of tasks to verified Done, one fresh agent session at a time.";
  return [
    what,
    `Tools: ${names.join(", ")}.`,
    "No tool approves, answers, skips or accepts anything: a person does, in their own terminal.",
  ].join(" ");
}

function addTool(server: McpServer, tool: Tool, place: Place, system: System): void {
  const { name, inputSchema, readsOnly } = tool;
  server.registerTool(
    name,
    {
      description: tool.description(place),
      inputSchema: unjudged(inputSchema),
      annotations: { readOnlyHint: readsOnly, destructiveHint: false, openWorldHint: false },
    },
    async (given) => {
      try {
        const said = await tool.answer(place, system, given);
        return { content: [text(said.text)], isError: said.isError };
      } catch (error) {
        if (!(error instanceof StintError)) throw error;
        return { content: [text(errorText(error))], isError: true };
      }
    },
  );
}

/** Tells clients the schema, and leaves the judgement to the tool, which says better what is wrong. */
function unjudged(schema: Readonly<Record<string, unknown>>) {
  return {
    "~standard": {
      version: 1 as const,
      vendor: "stint",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => ({ ...schema }), output: () => ({ ...schema }) },
    },
  };
}

function text(said: string) {
  return { type: "text" as const, text: said };
}

/** What happened, what is right, what to do: the next prompt of whoever called. */
function errorText(error: StintError): string {
  const problems = error instanceof ManifestRefused ? error.problems.slice(0, 20) : [];
  const file = error instanceof ManifestRefused ? error.file : "";
  const lines = problems.map((each) =>
    layOut(problemText(file, each, createColors(false)), undefined),
  );
  return [...lines, error.message, error.hint].join("\n");
}

function addResources(server: McpServer, place: Place, system: System): void {
  const template = new ResourceTemplate(TEMPLATE, {
    list: () => ({ resources: [...listResources(place, system)] }),
  });
  server.registerResource(
    "project",
    template,
    { description: "manifest.md, state.json, validation.md or handoff.md of a project" },
    (uri, { id, file }) => {
      try {
        const read = readResource(place, system, { id: String(id), file: String(file) });
        return { contents: [{ uri: uri.href, ...read }] };
      } catch (error) {
        if (!(error instanceof StintError)) throw error;
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, errorText(error));
      }
    },
  );
}
