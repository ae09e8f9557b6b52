// `npm start`: creates the example project in a scratch repository and shows it.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const stint = fileURLToPath(new URL("../dist/main.cjs", import.meta.url));
const example = fileURLToPath(new URL("../examples/hello.md", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "stint-example-"));
const state = join(folder, "state");
const repository = join(folder, "repository");

execFileSync("git", ["init", "--quiet", repository], { stdio: "inherit" });
copyFileSync(example, join(repository, "hello.md"));
run("lint", "hello.md");
run("new", "hello.md");
console.log();
run("status");
console.log(`
The project is in ${repository}. Look around:
  cd ${repository}
  export XDG_STATE_HOME=${state}
  ${stint} log`);

function run(...words) {
  console.log(`$ stint ${words.join(" ")}`);
  execFileSync(process.execPath, [stint, ...words], {
    cwd: repository,
    env: { ...process.env, XDG_STATE_HOME: state },
    stdio: "inherit",
  });
}
