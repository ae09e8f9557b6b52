import { describe, expect, it } from "vitest";
import { isDocs, looksSecret } from "./changed-paths.ts";

describe("names", () => {
  it.each(["README.md", "docs/x.png", "a/doc/b", "NOTES", "x.rst", "LICENSE", "pkg/CHANGELOG"])(
    "%s is docs",
    (path) => expect(isDocs(path)).toBe(true),
  );
  it.each(["src/a.ts", "requirements.txt", "CMakeLists.txt", "documents.ts", "src/docsify.js"])(
    "%s is not docs",
    (path) => expect(isDocs(path)).toBe(false),
  );
  it.each(
    [
      [
        ".env",
        ".ENV",
        "a/.env.local",
        "prod.env",
        "x.pem",
        "id_rsa",
        "credentials",
        "Credentials.json",
      ],
      ["secrets.yaml", "a/.ssh/config", ".npmrc", "key.p12", "service-account-1.json", "x.tfstate"],
    ].flat(),
  )("%s looks secret", (path) => expect(looksSecret(path)).toBe(true));
  it.each([".env.example", "id_rsa.pub", "src/env.ts", "keyboard.ts", "secret-paths.ts", "monkey"])(
    "%s does not look secret",
    (path) => expect(looksSecret(path)).toBe(false),
  );
});
