// The program behind the scripted agent: `node scripted-agent.cjs [script.json]`, in the work tree.
// It finds its task by STINT_TASK, STINT_TASK_NAME and STINT_CHUNK_OF, its attempt by STINT_ATTEMPT. Exit codes: 0 when
// every act was done, 2 for a script that is wrong, 1 for an act that failed, else what an act says.
import { readFileSync, writeSync } from "node:fs";
import { perform, printEvent, type Stage } from "./scripted-acts.ts";
import { actsFor, parseScript, type Script } from "./scripted-script.ts";

const { env } = process;

async function main(): Promise<number> {
  const script = readScript(process.argv[2] ?? env["STINT_SCRIPT"]);
  if (typeof script === "number") return script;
  const id = env["STINT_TASK"] ?? "";
  const name = env["STINT_TASK_NAME"] ?? id;
  const stage: Stage = {
    root: process.cwd(),
    taskName: name,
    manifest: script.manifest ?? env["STINT_MANIFEST"],
    print: (bytes) => writeAll(1, bytes),
  };
  const acts = actsFor(
    script,
    [id, name, env["STINT_CHUNK_OF"] ?? name],
    Number(env["STINT_ATTEMPT"] ?? "1") || 1,
  );
  try {
    const code = await perform(acts, stage);
    if (code !== 0) return code;
  } catch (cause) {
    return complain(1, cause instanceof Error ? cause.message : String(cause));
  }
  printEvent(stage, { kind: "result", ok: true, cause: null, reason: `did ${acts.length} acts` });
  return 0;
}

function readScript(path: string | undefined): Script | number {
  if (path === undefined || path === "") return { manifest: undefined, tasks: new Map() };
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    return complain(2, `the script cannot be read: ${String(cause)}`);
  }
  const parsed = parseScript(text);
  if (parsed.ok) return parsed.script;
  return complain(2, parsed.problems.map((problem) => `${path}: ${problem}`).join("\n"));
}

function complain(code: number, message: string): number {
  writeAll(2, Buffer.from(`${message}\n`));
  return code;
}

/** Plain writes, so that bytes arrive as they are and in order even when the program is killed next. */
function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (cause) {
      if (!(cause instanceof Error && "code" in cause && cause.code === "EAGAIN")) throw cause;
    }
  }
}

void main().then((code) => {
  process.exitCode = code;
});
