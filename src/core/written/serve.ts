// `serve:` names a server that runs beside sessions and checks, in the workspace, and the address that
// answers once it is ready. Its port is Stint's to choose, and is called $STINT_PORT.
import { readable, type ReadValue, unreadable } from "./read-value.ts";
import { readCommand } from "./setup.ts";
import { hasCredentials } from "../words/shown-address.ts";
import { withAnyPort } from "./stint-port.ts";

export interface Serve {
  readonly command: string;
  /** A GET of it answers when the server is ready. */
  readonly ready: string;
}

const EXPECTED = "expected a command (run) and the address that answers once it is ready (ready)";
const WRITTEN = /^(.+?)\s+ready\s+(?:GET\s+)?(\S+)$/;

export function readServe(value: unknown): ReadValue<Serve> {
  if (typeof value === "string") return readText(value.trim());
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return unreadable(EXPECTED);
  }
  const { run, ready, ...others } = value as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return unreadable(`expected run and ready, and no "${unknown}"`);
  if (typeof run !== "string" || typeof ready !== "string") return unreadable(EXPECTED);
  return serveOf(run, ready.replace(/^GET\s+/, ""));
}

function readText(text: string): ReadValue<Serve> {
  const written = WRITTEN.exec(text);
  if (written === null) {
    return unreadable('expected a command, then "ready GET" and the address that answers');
  }
  return serveOf(written[1], written[2] ?? "");
}

function serveOf(run: string | undefined, ready: string): ReadValue<Serve> {
  const command = readCommand(run);
  if (!command.ok) return command;
  const problem = addressProblem(ready);
  return problem === undefined ? readable({ command: command.value, ready }) : unreadable(problem);
}

function addressProblem(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address)) return `"${address}" is not an http or https address`;
  if (!URL.canParse(withAnyPort(address))) return `"${address}" is not a valid address`;
  return hasCredentials(address) ? "its address holds a password" : undefined;
}
