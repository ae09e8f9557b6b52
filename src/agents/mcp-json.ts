// MCP servers in the shape that most agents read: `{"mcpServers": {name: {command, args, env}}}`.
import type { McpServer } from "./agent.ts";

export function mcpServers(
  servers: readonly McpServer[],
  extra: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, object>> {
  return Object.fromEntries(
    servers.map(({ name, command, args, env }) => [name, { command, args, env, ...extra }]),
  );
}

export function mcpServersJson(
  servers: readonly McpServer[],
  extra: Readonly<Record<string, unknown>> = {},
): string {
  return JSON.stringify({ mcpServers: mcpServers(servers, extra) });
}
