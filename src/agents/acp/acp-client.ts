// A program of its own: `node acp-client.cjs <program> [args]`, in the work tree, the brief on stdin. It starts an
// agent that speaks the Agent Client Protocol, gives it the brief as one prompt, answers what it asks by rules, and
// prints what it hears, one JSON line for each (acp-agent.ts reads them). It ends with its agent, and its agent with it.
//
// Asked to end (SIGTERM), it cancels the turn first, so that the agent ends its tools; then come signals.
// Files and terminals are not offered to the agent: it works in the same place, under the same walls, by its own hands.
// Exit codes: 0 the turn ended well, 1 it did not, 127 there is no such program, 143 and 130 asked to end; that of the
// agent where it left before its turn ended.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { setImmediate as turnOfLoop, setTimeout as sleep } from "node:timers/promises";
import {
  client,
  type ClientContext,
  methods,
  ndJsonStream,
  RequestError,
} from "@agentclientprotocol/sdk";
import { type JsonObject, objectIn, objectsIn, stringIn } from "../../core/json-line.ts";
import { VERSION } from "../../core/words/version.ts";
import { lastErrorIn } from "../last-error.ts";
import { type AcpJob, JOB_VARIABLE } from "./acp-job.ts";
import { answerPermission } from "./acp-permission.ts";
import { Heard } from "./acp-heard.ts";
import { bounded, boundedLine } from "./bounded.ts";

const PROTOCOL = 1;
/** Of one message of the agent; a longer one ends the conversation. */
const LARGEST_MESSAGE = 16 * 1024 * 1024;
const ANSWER_MS = 120_000;
/** From the cancel to a signal. Stint itself waits a little longer for this program. */
const CANCEL_MS = 2000;
/** How long an agent may take to leave by itself, once its stdin is closed, and how long after SIGTERM. */
const LEAVE_MS = 1000;
const HURRIED_MS = 300;
const TERM_MS = 500;
const SHOWN_OF_GARBAGE = 200;
/** Of what it printed before a session began. */
const KEPT_OF_GARBAGE = 2000;

/** A conversation that did not come about, or ended before its turn did. */
class Failure extends Error {
  readonly facts: JsonObject;
  readonly exitCode: number;
  constructor(message: string, facts: JsonObject = {}, exitCode = 1) {
    super(message);
    this.facts = facts;
    this.exitCode = exitCode;
  }
}

const [program = "", ...args] = process.argv.slice(2);
const { [JOB_VARIABLE]: told = "", ...env } = process.env;
const job = JSON.parse(told) as AcpJob;
const brief = readFileSync(0, "utf8");
const heard = new Heard();
/** A call that the rules allow and no answer of the agent's does; and whether any was ever allowed. */
let unanswerable: string | undefined;
let isAnyAllowed = false;
let session: string | undefined;
let endedBy: NodeJS.Signals | undefined;
let tellEnd: () => void = () => {};
const endWanted = new Promise<void>((resolve) => (tellEnd = resolve));

void main();

async function main(): Promise<void> {
  const agent = spawn(program, args, { env, stdio: ["pipe", "pipe", "inherit"] });
  const exited = new Promise<AgentExit>((resolve) => {
    agent.once("exit", (code, signal) => resolve({ code, signal }));
  });
  agent.once("error", ({ message }) => {
    writeAll(2, `${message}\n`);
    process.exit(127);
  });
  // It has no streams where no descriptor is free.
  if (agent.pid === undefined) return;
  // It may close its stdin, or be gone, while something is on its way to it.
  agent.stdin.on("error", () => {});
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      endedBy ??= signal;
      tellEnd();
    });
  }
  const code = await converse(agent, exited);
  await seeOff(agent, exited);
  process.exit(endedBy === undefined ? code : endedBy === "SIGTERM" ? 143 : 130);
}

interface AgentExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** @returns the exit code */
async function converse(agent: ChildProcess, exited: Promise<AgentExit>): Promise<number> {
  const { stdin, stdout } = agent;
  if (stdin === null || stdout === null) throw new Error("the agent has no pipes");
  let head = "";
  const hear = (bytes: Buffer): void => {
    head += bytes.toString("utf8", 0, KEPT_OF_GARBAGE);
    if (head.length >= KEPT_OF_GARBAGE) stdout.off("data", hear);
  };
  stdout.on("data", hear);
  const stream = ndJsonStream(
    Writable.toWeb(stdin),
    Readable.toWeb(stdout) as ReadableStream<Uint8Array>,
    { maxMessageBytes: LARGEST_MESSAGE },
  );
  const connection = client({ name: "stint" })
    .onRequest(methods.client.session.requestPermission, asRequest, ({ params }) => permit(params))
    .onNotification(methods.client.session.update, asObject, ({ params }) => hearUpdate(params))
    .connect(stream);
  try {
    const end = await Promise.race([turn(connection.agent), cancelled()]);
    print({ type: "end", ...end });
    return end["stopReason"] === "end_turn" ? 0 : 1;
  } catch (error) {
    const why = connection.signal.aborted
      ? await lost(error, exited, () => head)
      : failureOf(error, head);
    print({ type: "failure", message: why.message, ...why.facts });
    return why.exitCode;
  }
}

/** Asked to end, the agent has a while to say so itself. */
async function cancelled(): Promise<JsonObject> {
  await endWanted;
  if (session !== undefined) await sleep(CANCEL_MS);
  return { stopReason: "cancelled", usage: null };
}

/** Everything that is asked of the agent, in its order. */
async function turn(agent: ClientContext): Promise<JsonObject> {
  const about = await answered(
    "initialize",
    agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: "stint", title: "Stint", version: VERSION },
    }),
  );
  const { protocolVersion, agentInfo, agentCapabilities } = about;
  print({ type: "agent", protocolVersion, agentInfo });
  if (protocolVersion !== PROTOCOL) {
    const spoken =
      protocolVersion === undefined
        ? "it does not say which version of the protocol it speaks"
        : `it speaks version ${JSON.stringify(bounded(protocolVersion, 40))} of the protocol`;
    throw new Failure(`${spoken}, and Stint speaks version ${PROTOCOL}`, { isSetup: true });
  }
  const opened = await answered(
    "session/new",
    agent.request(methods.agent.session.new, {
      cwd: process.cwd(),
      mcpServers: job.mcp.map(({ name, command, args: words, env: variables }) => ({
        name,
        command,
        args: [...words],
        env: Object.entries(variables).map(([key, value]) => ({ name: key, value })),
      })),
      ...(takesFolders(agentCapabilities) && { additionalDirectories: [...job.folders] }),
    }),
  );
  const id = stringIn(opened["sessionId"]);
  if (id === undefined) throw new Failure("it answered session/new without the id of a session");
  session = id;
  print({ type: "session", id });
  await choose(agent, id, opened);
  heard.prompted();
  const prompt = agent.request(methods.agent.session.prompt, {
    sessionId: id,
    prompt: [{ type: "text", text: brief }],
  });
  // Where the agent is gone meanwhile, there is nothing left to cancel.
  const cancel = (): Promise<void> => agent.notify(methods.agent.session.cancel, { sessionId: id });
  void endWanted.then(cancel).catch(() => {});
  return endOf(objectIn(await prompt) ?? {});
}

/** The mode and the model that the session is to have. What the agent does not offer is not passed over. */
async function choose(agent: ClientContext, id: string, opened: JsonObject): Promise<void> {
  const { mode, model } = job;
  if (mode !== undefined) {
    await chooseOne(agent, id, opened, {
      what: "mode",
      wanted: mode,
      listed: objectsIn(objectIn(opened["modes"])?.["availableModes"]).map((each) => each["id"]),
      ask: () => agent.request(methods.agent.session.setMode, { sessionId: id, modeId: mode }),
    });
  }
  if (model !== undefined) {
    const models = objectsIn(objectIn(opened["models"])?.["availableModels"]);
    await chooseOne(agent, id, opened, {
      what: "model",
      wanted: model,
      listed: models.map((each) => each["modelId"]),
      ask: () => agent.request("session/set_model", { sessionId: id, modelId: model }),
    });
  }
}

interface Choice {
  /** As the protocol calls such an option. */
  readonly what: "mode" | "model";
  readonly wanted: string;
  /** What there is to choose where the agent has no such option, and how it is asked for then. */
  readonly listed: readonly unknown[];
  readonly ask: () => Promise<unknown>;
}

async function chooseOne(
  agent: ClientContext,
  sessionId: string,
  opened: JsonObject,
  { what, wanted, listed, ask }: Choice,
): Promise<void> {
  const option = objectsIn(opened["configOptions"]).find((each) => each["category"] === what);
  const values = option === undefined ? listed : valuesIn(option["options"]);
  if (!values.includes(wanted)) {
    const offered = values.length === 0 ? "none to choose" : values.slice(0, 20).join(", ");
    throw new Failure(`it has no ${what} ${wanted}; it offers ${offered}`, { isSetup: true });
  }
  const configId = stringIn(option?.["id"]);
  const asked =
    configId === undefined
      ? ask()
      : agent.request(methods.agent.session.setConfigOption, {
          sessionId,
          configId,
          value: wanted,
        });
  await answered(`the choice of its ${what}`, asked);
}

/** Choices may be in groups. */
function valuesIn(options: unknown): readonly unknown[] {
  return objectsIn(options).flatMap((each) =>
    Array.isArray(each["options"]) ? valuesIn(each["options"]) : [each["value"]],
  );
}

function takesFolders(capabilities: unknown): boolean {
  const sessions = objectIn(objectIn(capabilities)?.["sessionCapabilities"]);
  return job.folders.length > 0 && objectIn(sessions?.["additionalDirectories"]) !== undefined;
}

/** What comes before the work has a limit of its own: a program that says nothing may not speak the protocol at all. */
async function answered(what: string, asked: Promise<unknown>): Promise<JsonObject> {
  const limitMs = job.answerMs ?? ANSWER_MS;
  const late = sleep(limitMs, "late" as const, { ref: false });
  const answer = await Promise.race([asked, late]);
  if (answer !== "late") return objectIn(answer) ?? {};
  const why = `it did not answer ${what} within ${limitMs / 1000} s`;
  throw new Failure(
    what === "initialize" ? `${why}: does it speak the Agent Client Protocol?` : why,
  );
}

function endOf(response: JsonObject): JsonObject {
  if (unanswerable !== undefined && !isAnyAllowed) {
    throw new Failure(unanswerable, { isSetup: true });
  }
  // Some tell it beside the protocol.
  const quota = objectIn(objectIn(response["_meta"])?.["quota"]);
  const tokens = objectIn(response["usage"]) ?? objectIn(quota?.["token_count"]);
  const { costUsd, unansweredMs } = heard;
  const usage = tokens === undefined ? null : { ...tokens, costUsd };
  return { stopReason: response["stopReason"], usage, unansweredMs };
}

function permit(asked: JsonObject): {
  outcome: { outcome: "cancelled" } | { outcome: "selected"; optionId: string };
} {
  const asking = objectIn(asked["toolCall"]) ?? {};
  const id = stringIn(asking["toolCallId"]) ?? "";
  const call = heard.callAskedFor(asking);
  const answer = answerPermission(job, call, asked["options"]);
  const isOver = endedBy !== undefined;
  const { command, isAllowed, instead } = answer;
  isAnyAllowed ||= isAllowed;
  if (instead !== undefined) {
    const what = command === "" ? "" : ` (${command.slice(0, SHOWN_OF_GARBAGE)})`;
    unanswerable ??= `it asks for permission${what} and offers ${instead} as answers, none of which allows a single call: --permission dangerous allows every call`;
  }
  print({
    type: "permission",
    call: id,
    kind: call["kind"],
    command,
    isAllowed: isAllowed && !isOver,
    ...(instead !== undefined && { instead }),
  });
  if (isOver || answer.option === undefined) return { outcome: { outcome: "cancelled" } };
  return { outcome: { outcome: "selected", optionId: answer.option } };
}

function hearUpdate(params: JsonObject): void {
  if (session !== undefined && params["sessionId"] !== session) return;
  const update = objectIn(params["update"]) ?? {};
  print({ type: "update", update });
  const usage = heard.hear(update);
  if (usage !== null) print({ type: "usage", usage });
}

function asObject(value: unknown): JsonObject {
  return objectIn(value) ?? {};
}

/** Words that the protocol does not know are judged by the rules; of a request without its call nothing is known. */
function asRequest(value: unknown): JsonObject {
  const asked = asObject(value);
  if (objectIn(asked["toolCall"]) !== undefined) return asked;
  throw RequestError.invalidParams({ missing: "toolCall" });
}

/** The agent closed its output or sent a message that is too long: how it ended says more than that. */
async function lost(
  error: unknown,
  exited: Promise<AgentExit>,
  heardFirst: () => string,
): Promise<Failure> {
  const message = error instanceof Error ? error.message : String(error);
  if (/exceeds the configured/.test(message)) {
    return new Failure(`it sent a message of more than ${LARGEST_MESSAGE / 1024 / 1024} MiB`);
  }
  const exit = await Promise.race([exited, sleep(LEAVE_MS, undefined, { ref: false })]);
  // What it printed is in its pipe by now; a turn of the event loop reads it.
  await turnOfLoop();
  await turnOfLoop();
  const head = heardFirst();
  const when = session === undefined ? "before a session began" : "in the middle of its turn";
  const printed = session === undefined ? { printed: garbageIn(head) } : {};
  const facts = { hasLeft: true, ...printed };
  return new Failure(`it ${leftHow(exit)} ${when}${saidBy(head)}`, facts, exit?.code ?? 1);
}

function leftHow(exit: AgentExit | undefined): string {
  if (exit === undefined) return "closed its output";
  return exit.signal === null ? `exited with code ${exit.code}` : `was ended by ${exit.signal}`;
}

function failureOf(error: unknown, head: string): Failure {
  if (error instanceof Failure) {
    return session === undefined
      ? new Failure(`${error.message}${saidBy(head)}`, error.facts)
      : error;
  }
  if (error instanceof RequestError) {
    const answer = objectIn(error.data);
    if (error.code === INVALID_REQUEST && answer !== undefined && "error" in answer) {
      return brokenError(answer["error"]);
    }
    return new Failure(error.message, { code: error.code, data: error.data });
  }
  return new Failure(error instanceof Error ? error.message : String(error));
}

/** By JSON-RPC: of an error that is not as the protocol wants it, the library says only this, with the whole answer. */
const INVALID_REQUEST = -32_600;
const INTERNAL_ERROR = -32_603;

/** What it said counts anyway. */
function brokenError(error: unknown): Failure {
  const { code, message } = objectIn(error) ?? {};
  const said = stringIn(message) ?? stringIn(error) ?? "";
  if (said === "") return new Failure("it answered with an error that says nothing");
  return new Failure(said, { code: typeof code === "number" ? code : INTERNAL_ERROR });
}

/** What a program that does not speak the protocol printed instead. */
function saidBy(head: string): string {
  const [first = ""] = lastErrorIn(garbageIn(head));
  return first === "" ? "" : `; it printed: ${first.slice(0, SHOWN_OF_GARBAGE)}`;
}

/** The lines that are no messages. */
function garbageIn(head: string): string {
  return head
    .split("\n")
    .filter((line) => !line.startsWith("{"))
    .join("\n");
}

/** Asked to leave by the end of its input, then by signals. Whom it leaves behind is for Stint to end. */
async function seeOff(agent: ChildProcess, exited: Promise<AgentExit>): Promise<void> {
  const gone = async (ms: number): Promise<boolean> =>
    (await Promise.race([exited, sleep(ms, undefined, { ref: false })])) !== undefined;
  agent.stdin?.end();
  if (await gone(endedBy === undefined ? LEAVE_MS : HURRIED_MS)) return;
  agent.kill("SIGTERM");
  if (await gone(TERM_MS)) return;
  agent.kill("SIGKILL");
  await gone(TERM_MS);
}

function print(event: JsonObject): void {
  writeAll(1, `${boundedLine(event)}\n`);
}

/** Plain writes, in order, even when this program is killed next; while nobody reads, it waits. */
function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      // Nobody will read it any more: then there is nobody to work for.
      if (code === "EPIPE") process.exit(1);
      if (code !== "EAGAIN") throw cause;
    }
  }
}
