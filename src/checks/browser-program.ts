// A program of its own: drives one browser to one page, waits until it shows a text, takes a picture.
// It is started as a child, so that a browser that hangs or crashes harms nobody but itself.
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import MarkdownIt from "markdown-it";
import type { Browser, BrowserContext, BrowserType, Frame, Page } from "playwright-core";
import { insideWorkTree } from "./inside-work-tree.ts";
import { ANSWER_FILE, type PageAnswer, type PageJob, PICTURE_FILE } from "./page-job.ts";

const WIDTH = 1280;
const HEIGHT = 800;
/** A longer page is pictured where the text is. */
const TALLEST = 4000;
const LOOK_MS = 100;
const LONGEST_TEXT = 64 * 1024;

/** No address: requests to it are answered from the work tree, and by nobody else. */
const WORK_TREE = "http://work-tree.invalid";

const FLAGS = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-domain-reliability",
  "--no-first-run",
  "--no-pings",
];

void main();

async function main(): Promise<void> {
  const job = JSON.parse(await readAll(process.stdin)) as PageJob;
  const answer = await show(job);
  writeFileSync(join(job.folder, ANSWER_FILE), JSON.stringify(answer));
  // Whatever a browser still has to say, nobody waits for it.
  process.exit(0);
}

async function show(job: PageJob): Promise<PageAnswer> {
  let browser: Browser;
  try {
    browser = await launch(job);
  } catch (error) {
    return { kind: "no-browser", why: firstLines(error, 6) };
  }
  try {
    return await look(job, await openPage(job, browser));
  } finally {
    await browser.close();
  }
}

async function launch(job: PageJob): Promise<Browser> {
  const { chromium } = createRequire(job.driver)(job.driver) as { chromium: BrowserType };
  const executablePath = await programOf(job, chromium);
  return await chromium.launch({
    executablePath,
    headless: true,
    chromiumSandbox: job.sandbox,
    args: FLAGS,
    timeout: job.loadMs,
    // Its own pages hold what the person's environment may not.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}

async function programOf({ browser }: PageJob, chromium: BrowserType): Promise<string> {
  switch (browser.kind) {
    case "program":
      return browser.path;
    case "playwright": {
      const path = chromium.executablePath();
      if (existsSync(path)) return path;
      throw new Error(`${path} is not there; run: npx playwright install chromium`);
    }
    case "package":
      return await unpacked(browser.path, browser.unpackTo);
    default:
      return browser satisfies never;
  }
}

/** Unpacked aside and then renamed: half a browser is never taken for one. */
async function unpacked(packageMain: string, to: string): Promise<string> {
  const program = join(to, "chromium");
  if (existsSync(program)) return program;
  const aside = `${to}.${randomBytes(4).toString("hex")}`;
  mkdirSync(aside, { recursive: true, mode: 0o700 });
  const { TMPDIR } = process.env;
  // The package unpacks itself into the folder for temporary files, and nowhere else.
  process.env["TMPDIR"] = aside;
  try {
    const packed = createRequire(packageMain)(packageMain) as { executablePath(): Promise<string> };
    await packed.executablePath();
    renameSync(aside, to);
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    // Another check may have been quicker.
    if (!existsSync(program)) throw error;
  } finally {
    process.env["TMPDIR"] = TMPDIR;
  }
  return program;
}

async function openPage(job: PageJob, browser: Browser): Promise<Page> {
  const { page } = job;
  const context = await browser.newContext({
    viewport: { width: WIDTH, height: HEIGHT },
    acceptDownloads: false,
    serviceWorkers: "block",
    ...(page.kind === "address" ? credentialsIn(page.url) : {}),
  });
  if (page.kind === "file") await serveWorkTree(context, job.workTree);
  return await context.newPage();
}

function credentialsIn(url: string): object {
  const { username, password, origin } = new URL(url);
  if (username === "" && password === "") return {};
  return {
    httpCredentials: {
      username: decodeURIComponent(username),
      password: decodeURIComponent(password),
      origin,
    },
  };
}

async function look(job: PageJob, page: Page): Promise<PageAnswer> {
  let status: number | null;
  try {
    const response = await page.goto(addressOf(job), { waitUntil: "load", timeout: job.loadMs });
    status = job.page.kind === "file" ? null : (response?.status() ?? null);
  } catch (error) {
    return { kind: "not-shown", why: firstLines(error, 1) };
  }
  const until = performance.now() + job.appearMs;
  let text = await visibleText(page);
  while (!holds(text, job.sees) && performance.now() < until) {
    // It may yet appear: pages fetch and draw after they are loaded.
    // oxlint-disable-next-line no-await-in-loop
    await sleep(LOOK_MS);
    // oxlint-disable-next-line no-await-in-loop
    text = await visibleText(page);
  }
  const isSeen = holds(text, job.sees);
  const title = await page.title().catch(() => "");
  await takePicture(page, job, isSeen);
  return { kind: "shown", isSeen, text: text.slice(0, LONGEST_TEXT), title, status };
}

function addressOf({ page }: PageJob): string {
  if (page.kind === "file") {
    return `${WORK_TREE}/${page.path.split("/").map(encodeURIComponent).join("/")}`;
  }
  const url = new URL(page.url);
  url.username = "";
  url.password = "";
  return url.href;
}

/** However a page breaks its lines, the words are the same. */
function holds(text: string, sees: string): boolean {
  return oneLine(text).includes(oneLine(sees));
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/**
 * What is drawn, as text: `innerText` leaves out what is hidden. It does not enter shadow roots and
 * does not tell what fields and buttons are labelled with, so both are added.
 */
const VISIBLE_TEXT = `(() => {
  const isDrawn = (element) =>
    element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  const fields = "input:not([type=password]):not([type=hidden]), textarea, select";
  const textIn = (root) => {
    const parts = [];
    for (const field of root.querySelectorAll(fields)) {
      const shown = field.selectedOptions?.[0]?.text ?? (field.value || field.placeholder);
      if (shown && isDrawn(field)) parts.push(shown);
    }
    for (const host of root.querySelectorAll("*")) {
      if (host.shadowRoot === null || !isDrawn(host)) continue;
      for (const child of host.shadowRoot.children) {
        if (child.innerText && isDrawn(child)) parts.push(child.innerText);
      }
      parts.push(textIn(host.shadowRoot));
    }
    return parts.join("\\n");
  };
  const top = document.body ?? document.documentElement;
  if (top === null) return "";
  const own = top.innerText ?? top.textContent ?? "";
  return (top.checkVisibility === undefined || isDrawn(top) ? own : "") + "\\n" + textIn(document);
})()`;

async function visibleText(page: Page): Promise<string> {
  const texts: string[] = [];
  for (const frame of page.frames()) {
    // A frame may go, or move on to another page, at any moment.
    // oxlint-disable-next-line no-await-in-loop
    texts.push(await frameText(page, frame).catch(() => ""));
  }
  return texts.join("\n").trim();
}

async function frameText(page: Page, frame: Frame): Promise<string> {
  if (frame !== page.mainFrame()) {
    const element = await frame.frameElement();
    if (!(await element.isVisible())) return "";
  }
  return await frame.evaluate<string>(VISIBLE_TEXT);
}

/** A picture informs a person; a page that cannot be pictured is judged all the same. */
async function takePicture(page: Page, job: PageJob, isSeen: boolean): Promise<void> {
  try {
    const tall = await page.evaluate<number>("document.documentElement.scrollHeight");
    const isWhole = tall <= TALLEST;
    if (!isWhole && isSeen) {
      const place = page.getByText(job.sees).first();
      await place.scrollIntoViewIfNeeded({ timeout: 1000 }).catch(() => {});
    }
    await page.screenshot({
      path: join(job.folder, PICTURE_FILE),
      fullPage: isWhole,
      timeout: job.loadMs,
    });
  } catch {
    // Where there is none, its record names none.
  }
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".htm": "text/html; charset=utf-8",
  ".xhtml": "application/xhtml+xml",
  ".svg": "image/svg+xml",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".xml": "text/xml; charset=utf-8",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
  ".txt": "text/plain; charset=utf-8",
  ".log": "text/plain; charset=utf-8",
  ".csv": "text/plain; charset=utf-8",
};

/**
 * Files by an address instead of `file:`, so that modules and fetches of a page work as on a server,
 * and nothing outside the work tree can be reached by it.
 */
async function serveWorkTree(context: BrowserContext, workTree: string): Promise<void> {
  await context.route(`${WORK_TREE}/**`, async (route) => {
    const path = decodeURIComponent(new URL(route.request().url()).pathname.slice(1));
    const at = await insideWorkTree(workTree, path);
    const body = at.found ? readIfFile(at.path) : undefined;
    if (body === undefined) {
      await route.fulfill({ status: 404, contentType: "text/plain", body: `no ${path}` });
      return;
    }
    const extension = extname(path).toLowerCase();
    if (extension === ".md" || extension === ".markdown") {
      await route.fulfill({ contentType: "text/html; charset=utf-8", body: markdownPage(body) });
      return;
    }
    const contentType = TYPES[extension] ?? "application/octet-stream";
    await route.fulfill({ contentType, body });
  });
}

function markdownPage(body: Buffer): string {
  const html = new MarkdownIt({ html: true, linkify: false }).render(body.toString("utf8"));
  const style = "body { font: 16px/1.5 sans-serif; max-width: 50em; margin: 2em auto }";
  return `<!doctype html><meta charset="utf-8"><style>${style}</style>${html}`;
}

function readIfFile(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function firstLines(error: unknown, count: number): string {
  const text = error instanceof Error ? error.message : String(error);
  // oxlint-disable-next-line no-control-regex -- the driver colours its messages
  const plain = text.replace(/\u001B\[[0-9;]*m/g, "");
  return plain
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .slice(0, count)
    .join(" ");
}
