// The checks that look at what the work makes, in whole runs of the built executable: a page in a real
// browser, an address that is read back, and what happens where no browser is.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { STINT } from "../support/built-stint.ts";
import { loopbackServer } from "../support/loopback-server.ts";
import { BROWSER_CACHE, whyNoBrowser } from "../support/real-browser.ts";
import { type Act, KEPT, Scenario } from "../support/scenario.ts";
import { spawnSync } from "node:child_process";

const missing = await whyNoBrowser();

let scene: Scenario;
afterEach(() => scene.close());

function manifest(...checks: string[]): string {
  const lines = checks.map((check) => `  - check: ${check}`).join("\n");
  return `# Goal\n\nA report.\n\n# Steps\n\n- [ ] report - Make the report\n${lines}\n- [ ] notes - Write notes.txt\n  - check: file notes.txt\n`;
}

const notes: Act = { act: "write", path: "notes.txt", text: "noted\n" };
const page = (text: string): Act => ({ act: "write", path: "report.html", text: `<h1>${text}</h1>` });

/** Of the project folder, which lies in the work tree. */
function folderOf(): string {
  return join(scene.root, "agents/stint/projects/prompt");
}

describe.skipIf(missing !== undefined)(
  `a render check${missing === undefined ? "" : ` (no browser can be started: ${missing})`}`,
  () => {
    it("S3-30 fails, is told to the next attempt, passes, and its picture is evidence", async () => {
      scene = new Scenario({ manifest: manifest('render report.html sees "Total 42"') });
      const result = await scene.runWith(
        { env: { XDG_CACHE_HOME: BROWSER_CACHE } },
        "--agent",
        `scripted:${script({ report: [[page("Total 41")], [page("Total 42")]], notes: [notes] })}`,
      );
      expect(scene.judge(result)).toEqual({
        ...KEPT,
        code: 0,
        status: "Done",
        done: ["report", "notes"],
      });
      const task = scene.task("report");
      expect(task.attempts).toBe(2);
      const place = `artifacts/evidence/${task.id}/2`;
      expect(task).toMatchObject({
        evidence: [{ path: `${place}/1-render.json` }, { path: `${place}/1-render.png` }],
      });
      const picture = readFileSync(join(folderOf(), place, "1-render.png"));
      expect(picture.subarray(1, 4).toString("latin1")).toBe("PNG");
      const rows = readFileSync(join(folderOf(), "validation.md"), "utf8");
      expect(rows).toMatch(/\| fail \|.*1\/1-render\.json` `.*1\/1-render\.png`/);
      expect(rows).toMatch(/\| pass \|.*2\/1-render\.json` `.*2\/1-render\.png`/);
      const brief = readFileSync(join(folderOf(), "logs/sessions/2/brief.md"), "utf8");
      expect(brief).toContain('report.html does not show "Total 42"');
      const verify = spawnSync(process.execPath, [STINT, "verify", "prompt.md"], {
        cwd: scene.root,
        env: scene.env(),
        encoding: "utf8",
      });
      expect(verify.status).toBe(0);
    });
  },
);

it.skipIf(missing !== undefined)(
  `a run that is stopped while a browser is at work pauses, and leaves no part of it${missing === undefined ? "" : ` (no browser can be started: ${missing})`}`,
  async () => {
    const server = await loopbackServer(() => {
      const lease = readFileSync(join(folderOf(), "lease.json"), "utf8");
      process.kill((JSON.parse(lease) as { pid: number }).pid, "SIGTERM");
    });
    scene = new Scenario({ manifest: manifest(`browser ${server.origin}/ sees "Welcome"`) });
    const result = await scene.runWith(
      { env: { XDG_CACHE_HOME: BROWSER_CACHE, TMPDIR: scene.path } },
      "--agent",
      `scripted:${script({ report: [page("x")] })}`,
    );
    await server.stop();
    expect(scene.judge(result)).toMatchObject({ ...KEPT, code: 1, status: "Paused" });
    expect(readdirSync(scene.path).filter((name) => name.startsWith("stint-page-"))).toEqual([]);
  },
);

describe("a check that needs a browser where there is none", () => {
  it("blocks its task before any session, says what to install, and goes on once it is there", async () => {
    scene = new Scenario({ manifest: manifest('render report.html sees "Total"') });
    scene.write("report.html", "nothing yet");
    scene.commit("a page");
    const words = ["--agent", `scripted:${script({ report: [page("Total")], notes: [notes] })}`];
    const none = { CHROME_PATH: join(scene.path, "no-chromium"), XDG_CACHE_HOME: BROWSER_CACHE };
    const blocked = await scene.runWith({ env: none }, ...words);
    expect(blocked.code).toBe(4);
    expect(blocked.state).toMatchObject({ status: "Blocked", counters: { sessions: 0 } });
    expect(scene.task("report")).toMatchObject({ status: "blocked", attempts: 0 });
    const said = blocked.out.replace(/\s+/g, " ");
    expect(said).toContain("which is not a program");
    expect(said).toContain("Next: name an existing Chromium, or leave CHROME_PATH out Then: stint resume");
    if (missing !== undefined) return;
    const done = await scene.runWith({ env: { XDG_CACHE_HOME: BROWSER_CACHE } }, ...words, "--retry");
    expect(done.state.status).toBe("Done");
    expect(scene.task("report").attempts).toBe(1);
  });

  it("is pointed out by lint", () => {
    scene = new Scenario({ manifest: manifest('browser http://localhost:3000 sees "Total"') });
    const linted = spawnSync(process.execPath, [STINT, "lint", "prompt.md"], {
      cwd: scene.root,
      env: scene.env({ CHROME_PATH: "/no/chromium" }),
      encoding: "utf8",
    });
    expect(linted.status).toBe(0);
    expect(linted.stdout).toContain(
      "prompt.md:7: warning: a check of this task needs a browser, and CHROME_PATH names /no/chromium, which is not a program [no-browser]",
    );
  });
});

it("an http check reads back what the work made, and never writes its password anywhere", async () => {
  const server = await loopbackServer((_, response) => {
    const path = join(scene.path, "served.txt");
    const isThere = existsSync(path);
    response.writeHead(isThere ? 200 : 404);
    response.end(isThere ? readFileSync(path) : "nothing yet");
  });
  const address = server.origin.replace("//", "//ada:hunter2-hunter2@");
  scene = new Scenario({ manifest: manifest(`GET ${address}/ 200 contains "up"`) });
  // What a server of the person's own serves is not the workspace.
  const serve: Act = { act: "run", command: "echo 'up and running' > ../served.txt" };
  const result = await scene.play({ report: [serve], notes: [notes] });
  await server.stop();
  expect(scene.judge(result)).toMatchObject({ ...KEPT, code: 0, status: "Done" });
  // Before the session, and after it.
  expect(server.asked.length).toBeGreaterThanOrEqual(2);
  const task = scene.task("report");
  const record = readFileSync(
    join(folderOf(), `artifacts/evidence/${task.id}/1/1-http.json`),
    "utf8",
  );
  expect(JSON.parse(record)).toMatchObject({
    result: "passed",
    summary: `http://[redacted]@127.0.0.1:${server.port}/ answered 200 and contains "up"`,
  });
  const rows = readFileSync(join(folderOf(), "validation.md"), "utf8");
  for (const text of [record, rows, result.out, scene.journal()]) {
    expect(text).not.toContain("hunter2");
  }
});

it("a check that misses an empty folder says that git keeps none, to people and to the next session", async () => {
  scene = new Scenario({ manifest: manifest("`test -d out && test -f report.html`") });
  const attempts = [
    [{ act: "run", command: "mkdir -p out" }, page("Total")],
    [{ act: "write", path: "out/.gitkeep", text: "" }],
  ];
  const result = await scene.runWith(
    {},
    "--agent",
    `scripted:${script({ report: attempts, notes: [notes] })}`,
  );
  const why = "git keeps no empty folder, so the work does not have out/; put a file into it, such as out/.gitkeep";
  expect(result.out).toContain(`it exited with code 1; ${why}`);
  const brief = readFileSync(join(folderOf(), "logs/sessions/2/brief.md"), "utf8");
  expect(brief).toContain(`stint: ${why}`);
  expect(scene.judge(result)).toEqual({
    ...KEPT,
    code: 0,
    status: "Done",
    done: ["report", "notes"],
  });
});

function script(tasks: Readonly<Record<string, unknown>>): string {
  return scene.program("script.json", JSON.stringify({ manifest: "prompt.md", tasks }));
}
