#!/usr/bin/env node
// The executable. What is said in a session needs little, and is answered before the command line is loaded.

// A reader that went away, as in `stint log | head`, is no error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
}

// A bug must not look like an answer: no documented exit code, and the trace to report it with.
process.on("uncaughtException", (error) => {
  process.stderr.write(`stint: this is a bug in Stint, please report it.\n${error.stack}\n`);
  process.exit(70);
});

void answer().then((exitCode) => {
  process.exitCode = exitCode;
});

async function answer(): Promise<number> {
  return (await answerInSession()) ?? (await (await import("./start.ts")).start(__dirname));
}

async function answerInSession(): Promise<number | null> {
  const { env, argv } = process;
  if (env["STINT_SEAL"] === undefined) return null;
  const { sayInSession } = await import("./cli/session-verbs.ts");
  const said = sayInSession({ words: argv.slice(2), env, cwd: "." });
  if (said === null) return null;
  process.stdout.write(said.out);
  process.stderr.write(said.err);
  return said.code;
}
