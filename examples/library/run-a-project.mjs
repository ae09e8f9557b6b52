// Takes a manifest to Done, or to what stops it, and says what happens meanwhile.
// node run-a-project.mjs prompt.md [agent]
import { openStint, StintError } from "stint";

const [manifest = "prompt.md", agent = "claude"] = process.argv.slice(2);
const stopping = new AbortController();
process.once("SIGINT", () => stopping.abort());

try {
  const stint = openStint();
  const ended = await stint.run(manifest, {
    agent,
    signal: stopping.signal,
    tell: (news) => {
      if (news.kind === "persisted") console.log(`${news.revision}  ${news.summary}`);
    },
  });
  console.log(`${ended.status.status}: ${ended.why}`);
  for (const { task_id, commit } of ended.commits) console.log(`${task_id} is ${commit}`);
  // What only a person can do is said as commands.
  for (const command of ended.next) console.log(`next: ${command}`);
  process.exitCode = ended.status.status === "Done" ? 0 : 1;
} catch (error) {
  if (!(error instanceof StintError)) throw error;
  console.error(`${error.code}: ${error.message}\n${error.hint}`);
  process.exitCode = 2;
}
