import { describe, expect, it } from "vitest";
import { makeRedactor } from "./redact.ts";

// Put together here, so that no scanner takes this file for a leak.
const filler = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0";
const [begin, end] = ["BEGIN", "END"].map((word) => `-----${word} RSA PRIVATE KEY-----`);

describe("redaction", () => {
  it.each([
    ["ANTHROPIC_API_KEY", "value-of-the-key"],
    ["GITHUB_TOKEN", "some.opaque.text"],
    ["dbPassword", "correct horse battery"],
    ["MY_SECRETS", 'with "quotes" in it'],
    ["AWS_SECRET_ACCESS_KEY", "abc+/def==ghi"],
  ])("takes out the value of %s", (name, value) => {
    const redact = makeRedactor({ [name]: value });
    expect(redact(`a ${value} b ${value}`)).toBe("a [redacted] b [redacted]");
    expect(JSON.parse(redact(JSON.stringify({ value })))).toEqual({ value: "[redacted]" });
    expect(redact(`?q=${encodeURIComponent(value)}&x`)).toBe("?q=[redacted]&x");
    const coded = Buffer.from(value).toString("base64");
    expect(redact(`data: ${coded}`)).toMatch(/^data: \[redacted\]=*$/);
    expect(redact(Buffer.from(`${value}\n`).toString("base64"))).toMatch(/^\[redacted\].{0,4}$/);
  });

  it.each([
    `sk-ant-api03-${filler}`,
    `sk-proj-${filler}`,
    `ghp_${filler}`,
    `github_pat_${filler}`,
    `glpat-${filler}`,
    `AKIA${filler.slice(0, 16).toUpperCase()}`,
    `xoxb-${filler}`,
    `AIza${filler.slice(0, 35)}`,
    `npm_${filler.slice(0, 36)}`,
    `eyJ${filler}.${filler}.${filler}`,
  ])("takes out what looks like %s", (token) => {
    const redact = makeRedactor({});
    expect(redact(`x=${token}, "${token}"`)).toBe('x=[redacted], "[redacted]"');
  });

  it("takes out what a header and an address carry", () => {
    const redact = makeRedactor({});
    expect(redact(`Authorization: Bearer ${filler}`)).toBe("Authorization: Bearer [redacted]");
    expect(redact("postgres://me:pa55word@db/x")).toBe("postgres://me:[redacted]@db/x");
  });

  it("takes out a private key over many lines, also with another stream between", () => {
    const redact = makeRedactor({});
    const lines = [
      "before",
      begin ?? "",
      "Proc-Type: 4,ENCRYPTED",
      filler,
      "now testing: 3 ok",
      "Ab3=",
      end ?? "",
      "after",
    ];
    expect(lines.map(redact)).toEqual([
      "before",
      "[redacted]",
      "[redacted]",
      "[redacted]",
      "now testing: 3 ok",
      "[redacted]",
      "[redacted]",
      "after",
    ]);
  });

  it("takes out a private key inside JSON and leaves the JSON whole", () => {
    const redact = makeRedactor({});
    const line = JSON.stringify({ key: `${begin}\n${filler}\n${end}\n`, other: "kept" });
    expect(JSON.parse(redact(line))).toEqual({ key: "[redacted]", other: "kept" });
    const cut = JSON.stringify({ key: `${begin}\n${filler}`, other: "kept" });
    expect(JSON.parse(redact(cut))).toEqual({ key: "[redacted]", other: "kept" });
    expect(redact("The next line is prose.")).toBe("The next line is prose.");
  });

  it("takes out a key that stands in a variable, line by line", () => {
    const redact = makeRedactor({ DEPLOY_KEY: `${begin}\n${filler}\n${end}` });
    expect(redact(`got ${filler}`)).toBe("got [redacted]");
  });

  it("leaves common words, numbers of tokens, paths and prose alone", () => {
    const redact = makeRedactor({
      AUTH: "disabled",
      API_KEY: "short",
      TOKEN_TYPE: "some-long-type",
      SSH_AUTH_SOCK: "/run/user/1000/keyring",
      SSH_KEY: "/home/me/.ssh/id_ed25519",
      PWD: "/home/me/project",
      KEYBOARD: "some-layout",
      SECRET_MODE: "password",
    });
    const prose =
      "disabled short some-long-type /home/me/.ssh/id_ed25519 /home/me/project some-layout " +
      "password task-force-of-2024-members sk-loading-indicator-wrapper Bearer of bad news " +
      "https://example.org:8080/a@b eyJ npm_config ghp_ AKIA";
    expect(redact(prose)).toBe(prose);
  });

  it.each(["eyJ", "sk-", "Bearer ", "://a:", "-----BEGIN PRIVATE KEY-----", "a".repeat(8)])(
    "comes to an end on a megabyte of %s",
    (piece) => {
      const redact = makeRedactor({ KEY: `${"a".repeat(40)}1` });
      const line = piece.repeat(1_000_000 / piece.length);
      expect(typeof redact(line)).toBe("string");
    },
  );
});
