import { describe, expect, it } from "vitest";
import { readServe } from "./serve.ts";

const READY = "http://localhost:$STINT_PORT/";
const DEV = { command: "npm run dev", ready: READY };

describe("serve", () => {
  it.each([
    [`\`npm run dev\` ready GET ${READY}`, DEV],
    [`npm run dev ready GET ${READY}`, DEV],
    [`npm run dev   ready ${READY}`, DEV],
    [{ run: "npm run dev", ready: READY }, DEV],
    [{ run: "`npm run dev`", ready: `GET ${READY}` }, DEV],
    [
      "./ready ready ready GET https://127.0.0.1:8080/health",
      { command: "./ready ready", ready: "https://127.0.0.1:8080/health" },
    ],
    [
      { run: "x", ready: "http://localhost:${STINT_PORT}/a?b" },
      { command: "x", ready: "http://localhost:${STINT_PORT}/a?b" },
    ],
  ])("reads %j", (written, value) => {
    expect(readServe(written)).toEqual({ ok: true, value });
  });

  const EXPECTED = "expected a command (run) and the address that answers once it is ready (ready)";
  const WORDS = 'expected a command, then "ready GET" and the address that answers';
  it.each([
    [true, EXPECTED],
    [["npm run dev"], EXPECTED],
    [{ run: "npm run dev" }, EXPECTED],
    [{ ready: READY }, EXPECTED],
    [{ run: "x", ready: READY, port: 3000 }, 'expected run and ready, and no "port"'],
    ["npm run dev", WORDS],
    [`ready GET ${READY}`, WORDS],
    ["npm run dev ready GET localhost:3000", '"localhost:3000" is not an http or https address'],
    ["x ready GET http://localhost:$PORT/", '"http://localhost:$PORT/" is not a valid address'],
    ["x ready GET http://a:b@localhost/", "its address holds a password"],
    [{ run: " ", ready: READY }, "the command is empty"],
    [{ run: "a\nb", ready: READY }, "a command is one line; put more into a script, and name that"],
  ])("refuses %j", (written, reason) => {
    expect(readServe(written)).toEqual({ ok: false, reason });
  });
});
