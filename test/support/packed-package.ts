// The package as npm would install it: what `files` lists, in the node_modules of a scratch repository, with the
// packages that it depends on beside it. No network.
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { REPOSITORY } from "./generated-files.ts";

interface PackageFile {
  readonly name: string;
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
}

/** @param more packages that somebody who uses the library has installed themselves. @returns where it lies */
export function installPacked(root: string, more: readonly string[] = []): string {
  const written = readFileSync(join(REPOSITORY, "package.json"), "utf8");
  const { name, files, dependencies } = JSON.parse(written) as PackageFile;
  const installed = join(root, "node_modules", name);
  mkdirSync(installed, { recursive: true });
  for (const file of ["package.json", ...files]) {
    cpSync(join(REPOSITORY, file), join(installed, file), { recursive: true });
  }
  for (const other of [...Object.keys(dependencies), ...more]) {
    const link = join(root, "node_modules", other);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(REPOSITORY, "node_modules", other), link);
  }
  return installed;
}
