// `npm start`: takes the example manifest to Done in a scratch repository, with the scripted agent:
// no credentials, no network, nothing left running. The folder stays, to look around.
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const stint = fileURLToPath(new URL("../dist/main.cjs", import.meta.url));
const examples = fileURLToPath(new URL("../examples", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "stint-example-"));
const state = join(folder, "state");
const repository = join(folder, "repository");
const isOwn = ([name]) => !name.startsWith("GIT_") && !name.startsWith("STINT_");
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(isOwn)),
  XDG_STATE_HOME: state,
};

execFileSync("git", ["init", "--quiet", repository], { stdio: "inherit", env });
// The example needs nobody's name, signature or hooks.
for (const [name, value] of [
  ["user.name", "Stint example"],
  ["user.email", "example@stint.invalid"],
  ["commit.gpgsign", "false"],
  ["core.hooksPath", "/dev/null"],
]) {
  execFileSync("git", ["-C", repository, "config", name, value], { env });
}
copyFileSync(join(examples, "hello.md"), join(repository, "hello.md"));
copyFileSync(join(examples, "hello.script.json"), join(folder, "hello.script.json"));

run("lint", "hello.md");
run("run", "hello.md", "--agent", "scripted:../hello.script.json");
run("status");
console.log(`The project is in ${repository}. Look around:
  cd ${repository}
  export XDG_STATE_HOME=${state}
  ${stint} verify
  ${stint} log
  git log --stat

Next: write a manifest of your own, then: stint run prompt.md`);

function run(...words) {
  console.log(`$ stint ${words.join(" ")}`);
  const options = { cwd: repository, env, stdio: "inherit" };
  const { status } = spawnSync(process.execPath, [stint, ...words], options);
  if (status !== 0) process.exit(status ?? 1);
  console.log();
}
