// The official MCP client, with the built executable as its server.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { STINT } from "./built-stint.ts";

export interface Called {
  readonly isError: boolean;
  readonly text: string;
}

export class McpClient {
  readonly client = new Client({ name: "test", version: "1.0.0" });
  readonly #transport: StdioClientTransport;
  #err = "";

  private constructor(cwd: string, env: NodeJS.ProcessEnv) {
    this.#transport = new StdioClientTransport({
      command: process.execPath,
      args: [STINT, "mcp"],
      cwd,
      env: env as Record<string, string>,
      stderr: "pipe",
    });
  }

  static async connect(cwd: string, env: NodeJS.ProcessEnv): Promise<McpClient> {
    const opened = new McpClient(cwd, env);
    opened.#transport.stderr?.on("data", (text: Buffer) => (opened.#err += text.toString("utf8")));
    await opened.client.connect(opened.#transport);
    return opened;
  }

  get pid(): number {
    return this.#transport.pid ?? 0;
  }

  /** What the server said beside the protocol. */
  get err(): string {
    return this.#err;
  }

  async tools(): Promise<string[]> {
    return (await this.client.listTools()).tools.map(({ name }) => name);
  }

  /** Answers also what the protocol itself refuses. */
  async call(name: string, args: Record<string, unknown> = {}): Promise<Called> {
    try {
      const { content, isError } = await this.client.callTool({ name, arguments: args });
      const texts = content.map((each) => (each.type === "text" ? each.text : each.type));
      return { isError: isError === true, text: texts.join("\n") };
    } catch (error) {
      return { isError: true, text: (error as Error).message };
    }
  }

  async read(uri: string): Promise<string> {
    const { contents } = await this.client.readResource({ uri });
    return contents.map((each) => ("text" in each ? each.text : "")).join("");
  }

  async uris(): Promise<string[]> {
    return (await this.client.listResources()).resources.map(({ uri }) => uri);
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}
