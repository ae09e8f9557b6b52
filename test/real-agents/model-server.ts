// The scripted model behind HTTP on loopback, in every format that the CLIs speak.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { OWN_HOSTS } from "./network-namespace.ts";
import { anthropicMessages } from "./protocols/anthropic-messages.ts";
import { geminiGenerate } from "./protocols/gemini-generate.ts";
import { openAiChat } from "./protocols/openai-chat.ts";
import { openAiResponses } from "./protocols/openai-responses.ts";
import {
  asObject,
  json,
  type JsonObject,
  type Protocol,
  type Reply,
} from "./protocols/protocol.ts";
import { type Behaviour, findBrief, nextAnswer } from "./scripted-model.ts";

const PROTOCOLS: readonly Protocol[] = [
  anthropicMessages,
  openAiResponses,
  openAiChat,
  geminiGenerate,
];

/** What becomes of the connection, after so many answers about a task, and so often. */
export interface Outage {
  /** `cut`: the answer breaks off in the middle. `closed`: nobody listens any more. `no-name`: its name is gone. */
  readonly kind: "cut" | "closed" | "no-name";
  readonly after: number;
  readonly times: number;
}

const NO_NAMES = "127.0.0.1 localhost\n";
/** The name of the model, as long as there is one. */
export const MODEL_NAME = "model.invalid";
export const HOSTS = `${NO_NAMES}127.0.0.1 ${MODEL_NAME}\n`;

/** In the file that stands for /etc/hosts here; without one nothing is written. */
export function nameModel(isNamed: boolean): void {
  const file = process.env[OWN_HOSTS] ?? "";
  if (file !== "") writeFileSync(file, isNamed ? HOSTS : NO_NAMES);
}

export class ModelServer {
  behaviour: Behaviour = "work";
  outage: Outage | undefined;
  /** Per session of Stint: the tasks that its conversations were about. */
  readonly sessions = new Map<number, Set<string>>();
  /** What each request said, as it came. */
  readonly bodies: string[] = [];
  /** One line per request, to look at when something went wrong. */
  readonly log: string[] = [];
  readonly #workTree: string;
  readonly #server: Server;
  #answered = 0;
  #cut = 0;
  #port = 0;

  private constructor(workTree: string) {
    this.#workTree = workTree;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        this.log.push(`the server failed: ${String(error)}`);
        response.destroy();
      });
    });
  }

  static async start(workTree: string): Promise<ModelServer> {
    const model = new ModelServer(workTree);
    await model.listen();
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** At the same address as before, if it was closed. */
  async listen(): Promise<void> {
    if (this.#server.listening) return;
    await new Promise<void>((resolve) => this.#server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", "http://loopback").pathname;
    const body = await readJson(request);
    this.bodies.push(JSON.stringify(body));
    if (this.#isOut("closed")) {
      this.log.push(`${request.method} ${path} → the port is closed`);
      await this.close();
      return;
    }
    if (this.#isOut("no-name")) {
      this.log.push(`${request.method} ${path} → the name is gone`);
      nameModel(false);
      this.#server.closeAllConnections();
      return;
    }
    const isCut = this.#isOut("cut");
    const answeredBefore = this.#answered;
    const reply = this.#reply(path, body);
    // Titles and the like are answered meanwhile.
    if (isCut && this.#answered > answeredBefore) {
      this.#answered = answeredBefore;
      this.#cut += 1;
      this.log.push(`${request.method} ${path} → cut`);
      response.writeHead(reply.status, reply.headers);
      const half = reply.body.slice(0, reply.body.length / 2);
      response.write(half, () => response.destroy());
      return;
    }
    this.log.push(`${request.method} ${path} → ${reply.status}`);
    response.writeHead(reply.status, reply.headers).end(reply.body);
  }

  #isOut(kind: Outage["kind"]): boolean {
    const { outage } = this;
    return outage?.kind === kind && this.#answered >= outage.after && this.#cut < outage.times;
  }

  #reply(path: string, body: JsonObject): Reply {
    const protocol = PROTOCOLS.find((each) => each.serves(path));
    if (protocol === undefined) return besides(path);
    const request = protocol.read(body, path);
    const brief = findBrief(request.said);
    if (brief !== undefined) {
      const tasks = this.sessions.get(brief.session) ?? new Set();
      this.sessions.set(brief.session, tasks.add(brief.task));
    }
    const { behaviour } = this;
    if (behaviour !== "work" && behaviour !== "hold" && behaviour !== "tell") {
      return protocol.refuse(behaviour);
    }
    const answer = nextAnswer(request, behaviour, this.#workTree);
    if (brief !== undefined && request.tools.length > 0) this.#answered += 1;
    const called = answer.call === undefined ? "" : ` (${answer.call.tool.name})`;
    this.log.push(`${protocol.name}: ${brief?.task ?? "no brief"}: ${answer.text}${called}`);
    return protocol.answer(answer, request);
  }
}

/** What CLIs ask for beside the model itself. */
function besides(path: string): Reply {
  if (path.endsWith("/models")) {
    return json(200, { object: "list", data: [{ id: "scripted-model", object: "model" }] });
  }
  if (path.endsWith("/count_tokens")) return json(200, { input_tokens: 1000 });
  if (path.endsWith(":countTokens")) return json(200, { totalTokens: 1000 });
  return json(404, { error: { message: `nothing is served at ${path}` } });
}

async function readJson(request: IncomingMessage): Promise<JsonObject> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    return asObject(JSON.parse(Buffer.concat(chunks).toString("utf8")));
  } catch {
    return {};
  }
}
