import { spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type LoopbackServer, loopbackServer } from "../../test/support/loopback-server.ts";
import {
  BROWSER_PROGRAM,
  showInBrowser,
  type Showing,
  whyNoBrowser,
} from "../../test/support/real-browser.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { instantFromMs } from "../core/instant.ts";
import type { Check } from "../core/schema/task.ts";
import type { CheckPorts, CheckRun } from "./check-run.ts";
import { runCheck } from "./run-check.ts";

const missing = await whyNoBrowser();

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

function write(path: string, text: string): void {
  const file = join(folder.path, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

async function run(check: Check, showing: Partial<Showing> = {}): Promise<CheckRun> {
  const ports: CheckPorts = {
    runShell: () => Promise.reject(new Error("no command is run")),
    showPage: async (page, options) =>
      await showInBrowser(page, { root: folder.path, ...options, ...showing }),
    whileWanted: async (_, work) => await work(new AbortController().signal),
    treeHash: async () => "tree-1",
    now: () => instantFromMs(0),
    variable: () => undefined,
    redact: (text) => text,
  };
  return await runCheck(check, ports, { workTree: folder.path });
}

const render = (path: string, sees: string): Check => ({ kind: "render", path, sees });

/** What every picture begins with, and the size of it. */
function pictureSize({ picture }: CheckRun): { width: number; height: number } {
  if (picture === undefined) throw new Error("there is no picture");
  const bytes = Buffer.from(picture);
  expect(bytes.subarray(1, 4).toString("latin1")).toBe("PNG");
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** Processes whose command line names a folder. */
function processesIn(path: string): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(path);
    } catch {
      return false;
    }
  });
}

describe.skipIf(missing !== undefined)(
  `a page in a real browser${missing === undefined ? "" : ` (none can be started: ${missing})`}`,
  () => {
    describe("of a file", () => {
      it("S3-31 passes when it shows the text, and keeps a picture", async () => {
        write("report.html", "<title>Report</title><h1>Total:\n  <b>42</b></h1>");
        const found = await run(render("report.html", "Total: 42"));
        expect(found).toMatchObject({
          result: "passed",
          summary: 'report.html shows "Total: 42"',
          output: "Report\n\nTotal: 42",
        });
        expect(pictureSize(found)).toEqual({ width: 1280, height: 800 });
      });

      // One page with every way to keep a text from people: each of them alone would be a false pass.
      it("fails when nobody could read the text: in the source alone, hidden, transparent, cut away, off the page", async () => {
        const hidden = (style: string): string => `<p style="${style}">Total 42</p>`;
        const frame = (style: string, text: string): string =>
          `<iframe style="${style}" srcdoc="${text.replaceAll('"', "&quot;")}"></iframe>`;
        write(
          "report.html",
          [
            "<!-- Total 42 --><script>'Total 42'</script><p hidden>Total 42</p>",
            hidden("display: none"),
            hidden("opacity: 0"),
            `<div style="opacity: 0">${hidden("")}</div>`,
            hidden("position: absolute; left: -9999px"),
            hidden("position: absolute; width: 1px; height: 1px; overflow: hidden"),
            `<div style="height: 0; overflow: hidden">${hidden("")}</div>`,
            hidden("font-size: 0"),
            hidden("color: transparent"),
            hidden("transform: scale(0)"),
            hidden("text-indent: -9999px"),
            "<details><summary>more</summary>Total 42</details>",
            '<input type="checkbox" value="Total 42"><input type="hidden" value="Total 42"><input type="password" value="Total 42">',
            "<select><option>none</option><option>Total 42</option></select>",
            frame("opacity: 0", "Total 42"),
            frame("visibility: hidden", frame("", "Total 42")),
            "<p>Nothing yet</p>",
          ].join("\n"),
        );
        const found = await run(render("report.html", "Total 42"));
        expect(found).toMatchObject({
          result: "failed",
          summary: 'report.html does not show "Total 42"',
          output: "more\nnone\nNothing yet",
        });
        expect(pictureSize(found).width).toBe(1280);
      });

      it("passes for what can be read: scrolled to, slotted, painted, in other letters", async () => {
        write(
          "report.html",
          [
            '<div style="height: 40px; overflow: auto"><p style="margin-top: 900px">scrolled to</p></div>',
            '<div style="height: 0"><p style="position: absolute; top: 300px">out of its box</p></div>',
            '<p style="color: transparent; background: red; background-clip: text">painted</p>',
            "<x-card>slotted <b>text</b></x-card><p>caf\u0065\u0301</p>",
            '<p id="late" style="margin-top: 3000px; opacity: 0">shown once one is there</p>',
            "<script>document.querySelector('x-card').attachShadow({ mode: 'open' }).innerHTML =",
            "'shadowed <slot></slot>';",
            "new IntersectionObserver(([{ isIntersecting, target }]) => {",
            "if (isIntersecting) target.style.opacity = 1 }).observe(document.querySelector('#late'))</script>",
          ].join("\n"),
        );
        expect((await run(render("report.html", "caf\u00e9"))).passed).toBe(true);
        const found = await run(render("report.html", "shown once one is there"));
        expect(found.passed).toBe(true);
        for (const text of ["scrolled to", "out of its box", "painted", "shadowed slotted text"]) {
          expect(found.output).toContain(text);
        }
      });

      it("reaches nobody: neither by what it loads nor by where it leads", async () => {
        const server = await loopbackServer((_, response) => void response.end("from outside"));
        const { origin } = server;
        write(
          "a.html",
          `<img src="${origin}/image"><iframe src="${origin}/frame"></iframe><script>
          new WebSocket("${origin.replace("http", "ws")}/socket"); open("${origin}/popup");
          fetch("${origin}/fetch").catch(() => document.body.append("refused"))</script>`,
        );
        const found = await run(render("a.html", "refused"));
        await server.stop();
        expect(found.passed).toBe(true);
        expect(server.asked).toEqual([]);
      });

      it("shows a drawing, and keeps a picture of it", async () => {
        write(
          "a.svg",
          `<svg xmlns="http://www.w3.org/2000/svg"><text y="20">Total 42</text></svg>`,
        );
        const found = await run(render("a.svg", "Total 42"));
        expect(found.passed).toBe(true);
        expect(pictureSize(found)).toEqual({ width: 1280, height: 800 });
      });

      it("shows what scripts, modules, fetches, frames, shadow roots and fields show", async () => {
        write(
          "site/index.html",
          `<link rel="stylesheet" href="style.css"><p class="loud">style</p>
          <script type="module" src="./app.js"></script>
          <iframe src="frame.html"></iframe><input value="a field"><x-note></x-note>`,
        );
        write("site/style.css", ".loud { text-transform: uppercase }");
        write("site/data.json", '{"word": "fetched"}');
        write("site/frame.html", "<p>framed</p>");
        write(
          "site/app.js",
          `const { word } = await (await fetch("data.json")).json();
          document.body.append(document.createElement("p"));
          document.querySelector("p:last-child").textContent = word;
          document.querySelector("x-note").attachShadow({ mode: "open" }).innerHTML = "<p>shadowed</p>";
          document.querySelector("p:last-child").append(" at last");`,
        );
        const found = await run(render("site/index.html", "fetched at last"));
        expect(found.output).toContain("fetched at last");
        expect(found.passed).toBe(true);
        for (const text of ["STYLE", "framed", "shadowed", "a field"]) {
          expect(found.output).toContain(text);
        }
      });

      it("shows Markdown as it is read, not as it is written", async () => {
        write("docs/guide.md", "# Lost phone\n\nRemove the **passkey** first.\n");
        const found = await run(render("docs/guide.md", "Remove the passkey first."));
        expect(found.passed).toBe(true);
        expect(found.output).not.toContain("**");
      });

      it("cannot reach out of the work tree", async () => {
        symlinkSync("/etc", join(folder.path, "outside"));
        write("a.html", '<iframe src="outside/hostname"></iframe><p>own</p>');
        const found = await run(render("a.html", "own"));
        expect(found.passed).toBe(true);
        expect(found.output).toContain("no outside/hostname");
        expect((await run(render("outside/hostname", "x"))).summary).toBe(
          "outside/hostname leads out of the work tree",
        );
      });

      it("pictures a long or wide page where the text is", async () => {
        write("long.html", `<div style="height: 20000px">top</div><p>bottom line</p>`);
        write("wide.html", `<div style="width: 90000px">left</div>`);
        for (const [file, text] of [
          ["long.html", "bottom line"],
          ["wide.html", "left"],
        ] as const) {
          // oxlint-disable-next-line no-await-in-loop
          const found = await run(render(file, text));
          expect(found.passed).toBe(true);
          expect(pictureSize(found)).toEqual({ width: 1280, height: 800 });
        }
      });
    });

    describe("of an address", () => {
      let server: LoopbackServer;
      beforeAll(async () => {
        server = await loopbackServer(({ path, headers }, response) => {
          if (path === "/private" && headers.authorization === undefined) {
            response.writeHead(401, { "www-authenticate": "Basic" });
            response.end("who are you?");
            return;
          }
          if (path === "/hangs") return;
          if (path === "/file") {
            response.writeHead(200, { "content-disposition": "attachment" });
            response.end("Welcome");
            return;
          }
          if (path === "/half") {
            response.writeHead(200, { "content-type": "text/html" });
            response.end('<h1>Welcome</h1><img src="/hangs">');
            return;
          }
          response.writeHead(path === "/gone" ? 410 : 200, { "content-type": "text/html" });
          response.end(`<title>Shop</title><h1>Welcome</h1><script>
            setTimeout(() => document.body.append("Hello there"), 50)</script>`);
        });
      });
      afterAll(() => server.stop());

      const browser = (path: string, sees: string, who = ""): Check => ({
        kind: "browser",
        url: `${server.origin.replace("//", `//${who}`)}${path}`,
        sees,
      });

      it("S3-31 passes as soon as it shows the text, and keeps a picture", async () => {
        const found = await run(browser("/", "Hello there"));
        expect(found).toMatchObject({
          result: "passed",
          summary: `${server.origin}/ shows "Hello there"`,
        });
        expect(pictureSize(found)).toEqual({ width: 1280, height: 800 });
      });

      it("says the status of an error page", async () => {
        expect((await run(browser("/gone", "Welcome"))).summary).toBe(
          `${server.origin}/gone shows "Welcome" (it answered 410)`,
        );
      });

      it("passes though some of the page never comes", async () => {
        expect((await run(browser("/half", "Welcome"), { timeoutMs: 16_000 })).passed).toBe(true);
      });

      it("says what is no page", async () => {
        expect((await run(browser("/file", "Welcome"))).summary).toBe(
          `${server.origin}/file could not be shown: it is a download, not a page`,
        );
      });

      it("uses a password in its address, and tells it nowhere", async () => {
        const found = await run(browser("/private", "Welcome", "ada:hunter2@"));
        expect(found.passed).toBe(true);
        expect(found.summary + found.output).not.toContain("hunter2");
      });

      it("fails when nothing answers, at once", async () => {
        const found = await run({ kind: "browser", url: "http://127.0.0.1:1/", sees: "x" });
        expect(found).toMatchObject({ result: "failed" });
        expect(found.summary).toMatch(/^http:\/\/127\.0\.0\.1:1\/ could not be shown: /);
      });

      it("is gone soon after whoever asked for it was killed, also where nothing isolates it", async () => {
        const temp = mkdtempSync("/tmp/s-");
        let job = "";
        const onlyTake: Showing["run"] = async ({ stdin = "" }) => {
          job = stdin;
          throw new Error("it is started below");
        };
        const check = { kind: "browser", url: `${server.origin}/hangs`, sees: "x" } as const;
        const root = folder.path;
        await expect(showInBrowser(check, { root, run: onlyTake })).rejects.toThrow("below");
        const asked = server.asked.length;
        const start = `require("node:child_process").spawn(process.execPath,
          [${JSON.stringify(BROWSER_PROGRAM)}], { stdio: ["inherit", "ignore", "ignore"] })`;
        const env = { ...process.env, TMPDIR: temp };
        const parent = spawn(process.execPath, ["-e", start], {
          env,
          stdio: ["pipe", "ignore", "ignore"],
        });
        parent.stdin.end(job);
        await vi.waitUntil(() => server.asked.length > asked, { timeout: 60_000 });
        expect(processesIn(temp)).not.toEqual([]);
        parent.kill("SIGKILL");
        await vi.waitUntil(() => processesIn(temp).length === 0, { timeout: 60_000 });
        rmSync(temp, { recursive: true });
      });

      it("comes up also where temporary files lie too deep for a browser's socket", async () => {
        const deep = join(folder.path, "a".repeat(40), "b".repeat(40));
        mkdirSync(deep, { recursive: true });
        vi.stubEnv("TMPDIR", deep);
        const found = await run(browser("/", "Welcome"));
        vi.unstubAllEnvs();
        expect(found).toMatchObject({ result: "passed" });
      });

      it("is ended with everything it started when its time is up, and leaves no file", async () => {
        const temp = mkdtempSync("/tmp/s-");
        vi.stubEnv("TMPDIR", temp);
        const before = server.asked.length;
        const wasAsked = () => server.asked.slice(before).some(({ path }) => path === "/hangs");
        let found: unknown;
        // On a busy machine the browser itself may take longer than that to come up.
        for (let timeoutMs = 3000; !wasAsked() && timeoutMs <= 48_000; timeoutMs *= 2) {
          found = await run(browser("/hangs", "x"), { timeoutMs });
        }
        vi.unstubAllEnvs();
        expect(found).toMatchObject({ result: "failed", passed: false });
        expect(wasAsked()).toBe(true);
        expect(readdirSync(temp)).toEqual([]);
        // Killed they are; on a busy machine the kernel takes its time to remove them.
        await vi.waitUntil(() => processesIn(temp).length === 0, { timeout: 60_000 });
        rmdirSync(temp);
      });
    });
  },
);

describe("a page without a browser", () => {
  const page = render("report.html", "Total");
  beforeEach(() => write("report.html", "Total"));

  it("is never passed: it says that the driver is missing, and what to install", async () => {
    const own = join(folder.path, "stint.cjs");
    expect(await run(page, { own })).toMatchObject({
      result: "unavailable",
      passed: false,
      summary:
        "no browser can show report.html: playwright-core is not installed, neither next to Stint nor in the project",
      hint: "npm install --save-dev playwright-core",
    });
  });

  it("says which setting names no program", async () => {
    expect(await run(page, { configured: "/no/chromium" })).toMatchObject({
      result: "unavailable",
      summary:
        "no browser can show report.html: browser: of the settings names /no/chromium, which is not a program",
      hint: "name an existing Chromium, or leave browser: out",
    });
    expect(await run(page, { env: { CHROME_PATH: "nope" } })).toMatchObject({
      summary: "no browser can show report.html: CHROME_PATH names nope, which is not a program",
    });
  });

  it("says what a program that is no browser said", async () => {
    const fake = join(folder.path, "fake-chromium");
    writeFileSync(fake, "#!/bin/sh\necho libnss3.so is missing >&2\nexit 127\n", { mode: 0o755 });
    const found = await run(page, { configured: fake });
    expect(found).toMatchObject({ result: "unavailable", passed: false });
    expect(found.summary).toContain("libnss3.so is missing");
  });

  it("is not even looked for when there is nothing to show", async () => {
    expect((await run(render("none.html", "x"))).summary).toBe("none.html does not exist");
    write("a.pdf", "%PDF-");
    expect((await run(render("a.pdf", "x"))).summary).toBe(
      'a.pdf cannot be rendered as text; render shows .html, .svg, .md, .txt, .json, .xml and .csv; for a PDF: check: `pdftotext a.pdf - | grep -q "Total"`',
    );
    write("folder.html/a", "");
    expect((await run(render("folder.html", "x"))).summary).toBe(
      "folder.html is not a regular file",
    );
    write("large.txt", "");
    truncateSync(join(folder.path, "large.txt"), 3 * 1024 ** 3);
    expect((await run(render("large.txt", "x"))).summary).toBe(
      "large.txt is too large to render: 3072 MiB of at most 16",
    );
  });
});
