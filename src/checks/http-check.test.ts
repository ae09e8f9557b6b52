import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type LoopbackServer, loopbackServer } from "../../test/support/loopback-server.ts";
import { instantFromMs } from "../core/instant.ts";
import { Interrupted } from "../core/stint-error.ts";
import type { CheckPorts, CheckRun } from "./check-run.ts";
import { BODY_BYTES, type HttpCheck } from "./http-check.ts";
import { runCheck } from "./run-check.ts";

let server: LoopbackServer;
/** Called when a request has arrived that is not answered. */
let arrived: () => void = () => {};

beforeEach(async () => {
  server = await loopbackServer(({ path, headers }, response) => {
    const [, name = "", rest = ""] = path.split("/");
    switch (name) {
      case "redirect":
        response.writeHead(302, {
          location: rest === "0" ? "/ok" : `/redirect/${Number(rest) - 1}`,
        });
        response.end();
        return;
      case "away":
        response.writeHead(302, { location: `http://localhost:${server.port}/ok` });
        response.end();
        return;
      case "file":
        response.writeHead(302, { location: "file:///etc/passwd" });
        response.end();
        return;
      case "private":
        response.writeHead(headers.authorization === undefined ? 401 : 200);
        response.end(headers.authorization);
        return;
      case "large":
        response.writeHead(200);
        response.write("x".repeat(BODY_BYTES));
        response.end("needle");
        return;
      case "silent":
        arrived();
        return;
      case "endless":
        response.write("ok");
        arrived();
        return;
      case "latin":
        response.writeHead(200, { "content-type": "text/plain; charset=iso-8859-1" });
        response.end(Buffer.from("grün", "latin1"));
        return;
      case "ok":
        response.writeHead(200, { "content-type": "text/plain" });
        response.end('{"status": "grün"}');
        return;
      default:
        response.writeHead(404);
        response.end("not here");
    }
  });
});
afterEach(() => server.stop());

const never = new AbortController().signal;

function get(
  path: string,
  expected: Partial<HttpCheck> = {},
  options: { origin?: string; timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<CheckRun> {
  const url = `${options.origin ?? server.origin}${path}`;
  const ports: CheckPorts = {
    runShell: () => Promise.reject(new Error("no command is run")),
    showPage: () => Promise.reject(new Error("no browser is started")),
    whileWanted: async (_, work) => await work(options.signal ?? never),
    treeHash: async () => "tree-1",
    now: () => instantFromMs(0),
    variable: (name) => ({ ADAS_PASSWORD: "hunter2!" })[name],
    redact: (text) => text,
  };
  const { timeoutMs } = options;
  return runCheck({ kind: "http", method: "GET", url, status: 200, ...expected }, ports, {
    workTree: "/",
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
}

/** What Node does by itself, some time or other. */
function cleanUp(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

describe("an http check", () => {
  it("S3-31 passes when status and text are read back, and keeps what was read", async () => {
    const run = await get("/ok", { contains: "grün" });
    expect(run).toMatchObject({
      result: "passed",
      summary: `${server.origin}/ok answered 200 and contains "grün"`,
      output: 'HTTP 200 text/plain\n\n{"status": "grün"}',
      treeHash: "tree-1",
    });
    expect(server.asked.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /ok"]);
  });

  it("may ask for any status", async () => {
    expect((await get("/nothing", { status: 404, contains: "not here" })).passed).toBe(true);
  });

  it.each([
    ["/nothing", {}, "/nothing answered 404, not 200"],
    ["/ok", { contains: "red" }, '/ok answered 200 but does not contain "red"'],
    [
      "/large",
      { contains: "needle" },
      '/large answered 200 but does not contain "needle" in the first 4 MiB',
    ],
    ["/redirect/5", {}, "/redirect/5 gave no answer: it redirects more than 5 times"],
    ["/file", {}, "/file gave no answer: it redirects to file:, which is not a web address"],
  ])("of %s expecting %o fails", async (path, expected, summary) => {
    expect(await get(path, expected)).toMatchObject({
      result: "failed",
      passed: false,
      summary: `${server.origin}${summary}`,
    });
  });

  it("follows five redirects, and says who answered", async () => {
    expect(await get("/redirect/4")).toMatchObject({
      result: "passed",
      summary: `${server.origin}/redirect/4 answered 200 (from ${server.origin}/ok)`,
    });
  });

  it("does not follow a redirect that it expects", async () => {
    expect((await get("/redirect/0", { status: 302 })).passed).toBe(true);
    expect(server.asked).toHaveLength(1);
  });

  it("says that nothing listens", async () => {
    const { origin } = server;
    await server.stop();
    expect(await get("/ok")).toMatchObject({
      result: "failed",
      summary: `${origin}/ok gave no answer: the connection was refused; nothing listens there`,
    });
  });

  it("fails when no answer comes in time", async () => {
    expect(await get("/silent", {}, { timeoutMs: 20 })).toMatchObject({
      result: "failed",
      summary: `${server.origin}/silent gave no answer: it was not complete within 0 s`,
    });
  });

  it.each(["/silent", "/endless"])(
    "fails in time though memory is cleaned up while it waits for %s",
    async (path) => {
      const waits = new Promise<void>((resolve) => (arrived = resolve));
      const run = get(path, {}, { timeoutMs: 500 });
      await waits;
      cleanUp();
      expect(await run).toMatchObject({ result: "failed", passed: false });
    },
  );

  it("reads a body in the characters it is written in", async () => {
    expect((await get("/latin", { contains: "grün" })).passed).toBe(true);
  });

  it("concludes nothing when the run is no longer wanted", async () => {
    const stop = new AbortController();
    const run = get("/silent", {}, { signal: stop.signal });
    stop.abort(new Interrupted("stopped"));
    await expect(run).rejects.toThrow("stopped");
  });

  describe("with a password in its address", () => {
    const origin = () => server.origin.replace("//", "//ada:hunter2%21@");

    it("uses it, and tells it nowhere", async () => {
      const run = await get("/private", {}, { origin: origin() });
      expect(run.passed).toBe(true);
      expect(server.asked[0]?.headers.authorization).toBe(`Basic ${btoa("ada:hunter2!")}`);
      expect(run.summary).toBe(`http://[redacted]@127.0.0.1:${server.port}/private answered 200`);
      const failed = await get("/nothing", {}, { origin: origin() });
      expect(failed.summary + failed.output).not.toContain("hunter2");
    });

    it("takes a percent sign that escapes nothing for itself", async () => {
      const run = await get("/private", {}, { origin: server.origin.replace("//", "//ada:50%@") });
      expect(run.passed).toBe(true);
      expect(server.asked[0]?.headers.authorization).toBe(`Basic ${btoa("ada:50%")}`);
    });

    it("takes it from the environment, where only a variable is named", async () => {
      const named = server.origin.replace("//", "//ada:$ADAS_PASSWORD@");
      const run = await get("/private", {}, { origin: named });
      expect(run.passed).toBe(true);
      expect(server.asked[0]?.headers.authorization).toBe(`Basic ${btoa("ada:hunter2!")}`);
      expect(JSON.stringify(run.check)).toContain("$ADAS_PASSWORD");
      const unset = server.origin.replace("//", "//ada:$NOT_SET@");
      expect(await get("/private", {}, { origin: unset })).toMatchObject({
        result: "unavailable",
        summary: `http://[redacted]@127.0.0.1:${server.port}/private needs NOT_SET, which is not set`,
        hint: "set NOT_SET in the environment of the run",
      });
    });

    it("does not hand it to another host", async () => {
      await get("/away", {}, { origin: origin() });
      expect(server.asked.map(({ headers }) => headers.authorization === undefined)).toEqual([
        false,
        true,
      ]);
    });
  });
});
