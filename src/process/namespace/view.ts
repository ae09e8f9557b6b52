// What a child sees at places where something else really is. Only a namespace can show it; without one
// a child sees what is there.

export interface Mount {
  /** A real, existing file or folder; held before anything covers it. */
  readonly from: string;
  /** Where the child sees it: a real, existing path, or one below a hidden folder or an earlier mount. */
  readonly at: string;
  readonly mode: "read-write" | "read-only";
}

export interface View {
  /** Folders that are empty for the child. A mount may lie below one of them. */
  readonly hide: readonly string[];
  /** Laid in this order, each over the ones before it, and over what is hidden. */
  readonly mounts: readonly Mount[];
}

export const PLAIN_VIEW: View = { hide: [], mounts: [] };
