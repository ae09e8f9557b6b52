// What a workspace is opened with.
import type { Mount } from "../../process/namespace/view.ts";
import type { WorkspaceKind } from "../workspace.ts";

export interface InsideCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface InsideResult {
  readonly exitCode: number | null;
  readonly output: string;
}

export interface WorkspaceOptions {
  readonly kind: WorkspaceKind;
  /** The person's folder: the top of a checkout, or a folder without git. A real path. */
  readonly checkout: string;
  /** A folder for this workspace alone; made where it is missing. */
  readonly home: string;
  /** The state folder that knows the project, for whoever cleans up. */
  readonly owner?: string;
  /** The project's id, for refs. */
  readonly project: string;
  /** The branch of the work is `stint/<slug>`. */
  readonly slug: string;
  /** Stint's own paths, relative: a capture holds them as the tip has them. */
  readonly ownPaths: readonly string[];
  /** The manifest, relative: one that the person edited meanwhile keeps their text on delivery. */
  readonly manifest?: string;
  /** Whether processes find the files at the checkout's path or where they really are. */
  readonly shownAt: "checkout" | "own-path";
  /** Folders that processes do not see. */
  readonly hide: readonly string[];
  /** Laid over the files. */
  readonly mounts: readonly Mount[];
  /** Copies what git does not hold into a new tree. @returns the relative paths it brought */
  readonly bring: (tree: string) => Promise<readonly string[]>;
  /** Runs a program as sessions run: in their isolation, with their view. */
  readonly runInside: (command: InsideCommand) => Promise<InsideResult>;
  readonly signal?: AbortSignal;
}
