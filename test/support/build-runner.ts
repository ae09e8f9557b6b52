// The runner as a program of its own: a run that a test may kill.
import { rolldown } from "rolldown";
import { program } from "./children.ts";

/** The path of the program, in this folder. */
export async function buildRunner(folder: string): Promise<string> {
  const file = `${folder}/runner.mjs`;
  const bundle = await rolldown({ input: program("runner.ts"), platform: "node" });
  await bundle.write({ file, format: "esm" });
  await bundle.close();
  return file;
}
