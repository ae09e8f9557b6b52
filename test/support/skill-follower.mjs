// A scripted model that knows nothing but the text of the skill: it reads SKILL.md, goes where the table sends somebody
// who is to do the tasks of a manifest, and types the command lines that stand there, in their order. What it can do
// besides is to read the brief that a command prints and to write the words that its checks look for, one more at each
// try. One process is one session. Usage: node skill-follower.mjs <folder of the skill> <manifest>
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const [skill = "", manifest = ""] = process.argv.slice(2);
const main = readFileSync(join(skill, "SKILL.md"), "utf8");
const row = main.split("\n").find((line) => line.includes("do its tasks yourself")) ?? "";
const page = readFileSync(
  join(skill, /\]\((references\/[\w-]+\.md)\)/.exec(row)?.[1] ?? ""),
  "utf8",
);
const section = page.split(/^## /m).find((part) => part.startsWith("Without a run")) ?? "";
const commands = [...section.matchAll(/```sh\n([^]*?)```/g)].map(([, text]) => text.trim());
const isAgain = (code) =>
  section.split("\n").some((line) => line.startsWith(`| ${code} |`) && line.includes("again"));

let wanted = [];
for (const command of commands) {
  for (let tries = 1; ; tries += 1) {
    work(tries);
    const typed = command.replace("<manifest>", manifest);
    const { status, stdout, stderr } = spawnSync("sh", ["-c", typed], { encoding: "utf8" });
    process.stdout.write(`$ ${typed}\n${stdout}${stderr}exit ${status}\n`);
    if (status === 0) {
      wanted = wordsIn(stdout);
      break;
    }
    if (!isAgain(status) || tries === 5) process.exit(status ?? 70);
  }
}

/** What the checks in a brief look for: words, and files that they are to be in. */
function wordsIn(brief) {
  return [...brief.matchAll(/^\s*- check: `(.*)`$/gm)].flatMap(([, check]) =>
    [...check.matchAll(/grep -qi (\w+) ([\w./-]+)/g)].map(([, word, file]) => ({ word, file })),
  );
}

/** One word at a time: what needs two of them is not done at the first try. */
function work(tries) {
  const next = wanted[tries - 1];
  if (next === undefined) return;
  mkdirSync(dirname(next.file), { recursive: true });
  appendFileSync(next.file, `${next.word}\n`);
}
