// What to start: a program and its words, never a line for a shell to take apart.

export interface ChildCommand {
  /** A name to look up on the child's PATH, or a path; a relative path starts at `cwd`. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Absent: the child reads nothing. */
  readonly stdin?: string;
}
