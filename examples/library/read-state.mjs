// Says where a project stands, what waits for a person, and whether all that was done is still there.
// node read-state.mjs [project id, slug or manifest]
import { openStint } from "stint";

const [project] = process.argv.slice(2);
const stint = openStint();
const { status, progress, tasks, waiting_for_a_person } = await stint.status(project);

console.log(`${status}: ${progress.done} of ${progress.total} tasks`);
for (const { id, title, status: how, detail } of tasks) {
  console.log(`${id} ${how}: ${title}${detail === null ? "" : ` (${detail})`}`);
}
for (const { what, yes } of waiting_for_a_person) console.log(`a person: ${what}: ${yes}`);

const { lines } = await stint.log(project);
console.log(`last: ${lines.at(-1)?.summary}`);

const { passed } = await stint.verify(project);
console.log(passed ? "all of it is intact" : "something is missing: stint verify says what");
process.exitCode = passed ? 0 : 1;
