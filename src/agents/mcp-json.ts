// MCP servers in the shape that most agents read: `{"mcpServers": {name: {command, args, env}}}`.
import type { McpServer } from "./agent.ts";

/** `extra` goes into the entry of every server. */
export function mcpServersJson(
  servers: readonly McpServer[],
  extra: Readonly<Record<string, boolean>> = {},
): string {
  const entries = servers.map(({ name, command, args, env }) => [
    name,
    { command, args, env, ...extra },
  ]);
  return JSON.stringify({ mcpServers: Object.fromEntries(entries) });
}
