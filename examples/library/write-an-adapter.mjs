// An agent of one's own: how a session is started, what a line of its output means, what its end means.
// This one is a small program that appends the name of its task to done.txt. node write-an-adapter.mjs prompt.md
import { judgeExit, openStint, sessionEnv } from "stint";

const PROGRAM = `
  console.log("working on " + process.env.STINT_TASK_NAME);
  require("node:fs").appendFileSync("done.txt", process.env.STINT_TASK_NAME + "\\n");
`;
const mode = "it writes one file";

/** @type {import("stint").Agent} */
const diary = {
  name: "diary",
  describe: "writes down what it was asked for",
  installHint: "it needs node and nothing else",
  loginHint: "it needs no login",
  modes: { default: mode, "read-only": mode, dangerous: mode },
  buildCommand: (request) => ({
    program: process.execPath,
    args: ["-e", PROGRAM],
    env: sessionEnv(request),
    stdin: request.brief,
  }),
  readLine: (line) => (line === "" ? [] : [{ kind: "text", text: line }]),
  outcome: (facts) => judgeExit(facts, { installHint: "install node" }),
};

const [manifest = "prompt.md"] = process.argv.slice(2);
const { status, why } = await openStint({ agents: [diary] }).run(manifest, { agent: "diary" });
console.log(`${status.status}: ${why}`);
process.exitCode = status.status === "Done" ? 0 : 1;
