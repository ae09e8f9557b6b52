// A program of its own: drives one browser to one page, waits until it shows a text, takes a picture.
// It is started as a child, so that a browser that hangs or crashes harms nobody but itself.
import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import MarkdownIt from "markdown-it";
import type { Browser, BrowserContext, BrowserType, Frame, Page } from "playwright-core";
import { splitAddress } from "../core/written/address.ts";
import { insideWorkTree } from "./file-check.ts";
import {
  ANSWER_FILE,
  NO_BROWSER_HINT,
  type PageJob,
  type PageShown,
  PICTURE_FILE,
} from "./page-check.ts";
import { isFrameDrawn, VISIBLE_TEXT } from "./visible-text.ts";

const WIDTH = 1280;
const HEIGHT = 800;
/** A longer or wider page is pictured where the text is. */
const LARGEST = 4000;
const LOOK_MS = 100;
const LONGEST_TEXT = 64 * 1024;
/** How long a browser may take to close, and at least to take a picture. */
const SHORT_MS = 5_000;

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

/** What shows a file reaches nobody, whatever the file says: all there is to call is a proxy that is not. */
const OFFLINE = [
  "--proxy-server=http://work-tree.invalid",
  "--proxy-bypass-list=<-loopback>",
  "--host-resolver-rules=MAP * ~NOTFOUND",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
];

void main();

async function main(): Promise<void> {
  endWithParent();
  const job = JSON.parse(await readAll(process.stdin)) as PageJob;
  const tell = (answer: PageShown): void =>
    writeFileSync(join(job.folder, ANSWER_FILE), JSON.stringify(answer));
  try {
    const browser = await launch(job);
    tell(await look(job, await openPage(job, browser)));
    await inTime(browser.close(), undefined, performance.now() + SHORT_MS);
  } catch (error) {
    tell({ kind: "unavailable", why: firstLines(error, 6), hint: NO_BROWSER_HINT });
  }
  // Whatever a browser still has to say, nobody waits for it.
  process.exit(0);
}

/** A run that is killed ends nobody where nothing isolates its children; the browser ends with this program. */
function endWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.exit(1);
  }, LOOK_MS).unref();
}

async function launch(job: PageJob): Promise<Browser> {
  const { chromium } = createRequire(job.driver)(job.driver) as { chromium: BrowserType };
  const executablePath = await programOf(job, chromium);
  return await chromium.launch({
    executablePath,
    headless: true,
    chromiumSandbox: job.sandbox,
    args: job.check.kind === "render" ? [...FLAGS, ...OFFLINE] : FLAGS,
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
      throw new Error(`${path} does not exist; run: npx playwright install chromium`);
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
  const { check } = job;
  const context = await browser.newContext({
    viewport: { width: WIDTH, height: HEIGHT },
    acceptDownloads: false,
    serviceWorkers: "block",
    ...(check.kind === "browser" ? credentialsIn(check.url) : {}),
  });
  if (check.kind === "render") await serveWorkTree(context, job.workTree);
  return await context.newPage();
}

function credentialsIn(url: string): object {
  const { address, credentials } = splitAddress(url);
  if (credentials === undefined) return {};
  return { httpCredentials: { ...credentials, origin: address.origin } };
}

async function look(job: PageJob, page: Page): Promise<PageShown> {
  let status: number | null;
  try {
    const response = await page.goto(addressOf(job), { waitUntil: "commit", timeout: job.loadMs });
    status = job.check.kind === "render" ? null : (response?.status() ?? null);
  } catch (error) {
    return { kind: "not-shown", why: whyNot(error) };
  }
  // A picture or a frame that never comes keeps nobody from reading the rest.
  await inTime(page.waitForLoadState("load"), undefined, performance.now() + job.loadMs / 2);
  const until = performance.now() + job.appearMs;
  // A page that never comes to rest answers nothing; no more is waited for all of it together.
  const deadline = performance.now() + job.loadMs;
  let text = await visibleText(page, deadline);
  while (!holds(text, job.check.sees) && performance.now() < until) {
    // It may yet appear: pages fetch and draw after they are loaded, and some only as one scrolls.
    // oxlint-disable-next-line no-await-in-loop
    await inTime(page.evaluate("scrollBy(0, innerHeight)"), undefined, deadline);
    // oxlint-disable-next-line no-await-in-loop
    await sleep(LOOK_MS);
    // oxlint-disable-next-line no-await-in-loop
    text = await visibleText(page, deadline);
  }
  const isSeen = holds(text, job.check.sees);
  const title = await inTime(page.title(), "", deadline);
  await takePicture(page, job, isSeen, deadline);
  return { kind: "shown", isSeen, text: text.slice(0, LONGEST_TEXT), title, status };
}

function addressOf({ check }: PageJob): string {
  if (check.kind === "render") {
    return `${WORK_TREE}/${check.path.split("/").map(encodeURIComponent).join("/")}`;
  }
  return splitAddress(check.url).address.href;
}

/** Without the driver's own words around it, and the address, which whoever reads it knows. */
function whyNot(error: unknown): string {
  return firstLines(error, 1)
    .replace(/^page\.goto: /, "")
    .replace(/ at \S+$/, "")
    .replace(/^Download is starting$/, "it is a download, not a page")
    .replace(
      /^Timeout (\d+)ms exceeded\.$/,
      (_, ms: string) => `no answer within ${Number(ms) / 1000} s`,
    );
}

/** However a page breaks its lines and puts its letters together, the words are the same. */
function holds(text: string, sees: string): boolean {
  return oneLine(text).includes(oneLine(sees));
}

function oneLine(text: string): string {
  return text.normalize("NFC").replace(/\s+/g, " ").trim();
}

async function visibleText(page: Page, deadline: number): Promise<string> {
  const texts: string[] = [];
  for (const frame of page.frames()) {
    // oxlint-disable-next-line no-await-in-loop
    texts.push(await inTime(frameText(frame), "", deadline));
  }
  return texts.join("\n").trim();
}

async function frameText(frame: Frame): Promise<string> {
  return (await isDrawn(frame)) ? await frame.evaluate<string>(VISIBLE_TEXT) : "";
}

/** A frame is seen only where every frame around it is. */
async function isDrawn(frame: Frame): Promise<boolean> {
  const parent = frame.parentFrame();
  if (parent === null) return true;
  const element = await frame.frameElement();
  return (await element.evaluate(isFrameDrawn)) && (await isDrawn(parent));
}

/** What a page says in time, else what is said instead; a frame may go, or hang, at any moment. */
async function inTime<T>(asked: Promise<T>, otherwise: T, until: number): Promise<T> {
  const late = new AbortController();
  const ms = Math.max(0, until - performance.now());
  const waited = sleep(ms, otherwise, { signal: late.signal }).catch(() => otherwise);
  const said = await Promise.race([asked.catch(() => otherwise), waited]);
  late.abort();
  return said;
}

const SIZE_OF_BODY = `document.body
  ? Math.max(document.documentElement.scrollHeight, document.documentElement.scrollWidth)
  : Infinity`;

/** A picture informs a person; a page that cannot be pictured is judged all the same. */
async function takePicture(
  page: Page,
  job: PageJob,
  isSeen: boolean,
  deadline: number,
): Promise<void> {
  try {
    // Only a page with a body can be pictured whole.
    const size = await inTime(page.evaluate<number>(SIZE_OF_BODY), Infinity, deadline);
    const isWhole = size <= LARGEST;
    if (!isWhole && isSeen) {
      const place = page.getByText(job.check.sees).first();
      await place.scrollIntoViewIfNeeded({ timeout: 1000 }).catch(() => {});
    }
    await page.screenshot({
      path: join(job.folder, PICTURE_FILE),
      fullPage: isWhole,
      timeout: Math.max(SHORT_MS, deadline - performance.now()),
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
    return statSync(path).isFile() ? readFileSync(path) : undefined;
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
