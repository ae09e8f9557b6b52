// A real folder for one test, removed when the test is over.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TemporaryFolder {
  readonly path: string;
  remove(): void;
}

export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(realpathSync(tmpdir()), "stint-test-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
