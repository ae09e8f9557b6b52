// The small JSON files that a workspace keeps beside its tree. Paths in them are strings of one character
// per byte, unless they are said to be relative paths.
import * as z from "zod/mini";
import { count, instant, type Kept, text } from "./scalar.ts";

const known = z.prefault(z.nullable(text), null);
const paths = z.prefault(z.array(z.string()), []);
const treeEntry = z.object({ mode: text, oid: z.string() });

/** Where a workspace started and where it is. */
export const workspaceRecord = z.object({
  /** The branch the person was on at the start, by its full name; null: none, or no repository. */
  branch: z.nullable(text),
  /** The last verified commit that was seen or made. */
  tip: z.nullable(text),
  /** The commit that our own branch was last moved to. */
  ours: known,
  /** The newest verified commit that the person's branch was seen to hold. */
  held: known,
  /** A move of the tip that is under way: what is still at `from` goes to `to`; the person's branch is `onto`. */
  moving: z.prefault(z.nullable(z.object({ from: text, to: text, onto: text })), null),
  /** What the person had staged of included changes, and had changed again since. */
  staged: z.prefault(z.array(z.tuple([z.string(), treeEntry])), []),
  /** Files of the person as they were included, until they are delivered. */
  included: z.prefault(z.array(z.tuple([z.string(), treeEntry])), []),
  /** Brought and ignored: never part of a commit, whatever a session ignores. */
  aside: paths,
  /** In place: the tree that new work starts from. */
  tipTree: known,
  /** In place: the tree last laid or captured. */
  laid: known,
  /** In place: something runs there, so that what differs is not a person's. */
  isActing: z.prefault(z.boolean(), false),
  /** In place: repositories of their own that were there before. */
  nested: paths,
});
export type WorkspaceRecord = Kept<z.infer<typeof workspaceRecord>>;

/** How a file looked; null where there is none. */
const looks = z.nullable(z.string());

/** What a delivery is about to do. */
export const deliveryIntent = z.object({
  /** Of the person's branch; null where it has no commit yet. */
  from: z.nullable(text),
  to: text,
  branch: text,
  pid: z.int(),
  start: z.string(),
  boot: z.string(),
  madeAtMs: z.number(),
  /** What is done with files: enough to take it back, and to tell what was saved meanwhile. */
  laid: z.object({
    /** `before` is the file that was there, `after` the one that is delivered. */
    files: z.array(z.object({ path: text, before: looks, after: looks })),
    /** Folders that are made for them, each after the one that holds it. */
    folders: z.array(text),
  }),
  /** Of the workspace, once this is carried out. Absent in one of an earlier Stint. */
  record: z.optional(workspaceRecord),
});
export type DeliveryIntent = Kept<z.infer<typeof deliveryIntent>>;

/** The intent of a delivery becomes the record once it is carried out: then the record is a field of it. */
export const storedRecord = z.pipe(
  z.transform((value: unknown) =>
    typeof value === "object" && value !== null && "record" in value ? value.record : value,
  ),
  workspaceRecord,
);

/** Each path that was brought, with how its file looked then. */
export const broughtInputs = z.array(z.tuple([text, z.string()]));

/** What a new workspace got, as relative paths. */
export const broughtPaths = z.array(text);

/** How brought files looked before a session, by their relative paths. */
export const broughtNote = z.object({
  session: z.int(),
  files: z.record(z.string(), z.string()),
  /** Thousands of files that are told as one. */
  dependencies: z.record(z.string(), z.object({ files: count, digest: text })),
});
export type BroughtNote = Kept<z.infer<typeof broughtNote>>;

/** What a workspace takes on the disk, as it was last measured. */
export const measuredUse = z.object({
  bytes: count,
  files: count,
  /** False: it is at least so much. */
  is_whole: z.boolean(),
  measured_at: instant,
});
export type MeasuredUse = Kept<z.infer<typeof measuredUse>>;
