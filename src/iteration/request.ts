// What a person asks for in one sentence, or in a few lines: the pieces of work in it, and how much of each kind
// can be told before anything is done. Counts are of what is named; what a session really changes is measured.
import { capitalised } from "../core/words/plain-line.ts";
import type { Limits } from "../core/written/bounds.ts";
import { filesNamed } from "../core/written/files-named.ts";
import { splitAtVerbs } from "../manifest/lint/split-title.ts";

export interface Request {
  readonly text: string;
  /** In the person's words, one piece of work each. */
  readonly deliverables: readonly string[];
  readonly planned: PlannedWork;
}

export interface PlannedWork {
  readonly steps: number;
  /** The most that one piece of work names. */
  readonly files: number;
  readonly newFiles: number;
  readonly moves: number;
}

/** A bound that the request would break, with both numbers. */
export interface Excess {
  readonly bound: string;
  readonly planned: number;
  readonly limit: number;
}

const LISTED = /^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(\S.*)$/u;
const NEW = /\b(?:create|add|write|generate|introduce)\b/iu;
const MOVE = /\b(?:move|rename)\b/giu;
/** "Add a flag and test it" is one piece of work. */
const SAME_OBJECT = /^\S+\s+(?:it|them|this|that|these|those)\b/iu;

export function readRequest(text: string): Request {
  const words = text.replace(/\r\n?/gu, "\n").trim();
  const deliverables = deliverablesOf(words);
  return { text: words, deliverables, planned: plannedWork(deliverables) };
}

/** Lines of a list each stand for themselves; of running text, each sentence. */
function deliverablesOf(text: string): string[] {
  const listed = text.split("\n").flatMap((line) => LISTED.exec(line)?.[1] ?? []);
  if (listed.length > 1) return listed;
  const sentences = text.replace(/\s+/gu, " ").split(/(?<=[a-z)\]"'`][.!?])\s+(?=[A-Z])/u);
  const pieces = sentences.flatMap((sentence) => splitAtVerbs(sentence.replace(/[.!]$/u, "")));
  return pieces.reduce<string[]>((joined, piece) => {
    const before = joined.at(-1);
    if (before === undefined || !SAME_OBJECT.test(piece)) return [...joined, capitalised(piece)];
    return [...joined.slice(0, -1), `${before} and ${uncapitalised(piece)}`];
  }, []);
}

function plannedWork(deliverables: readonly string[]): PlannedWork {
  const named = deliverables.map(namedIn);
  return {
    steps: deliverables.length,
    files: Math.max(0, ...named.map(({ files }) => files.length)),
    newFiles: named.reduce((sum, { newFiles }) => sum + newFiles, 0),
    moves: Math.max(0, ...named.map(({ moves }) => moves)),
  };
}

export interface NamedWork {
  /** Each once. */
  readonly files: readonly string[];
  readonly newFiles: number;
  readonly moves: number;
}

/** What the words of one piece of work name. */
export function namedIn(piece: string): NamedWork {
  const files = [...new Set(filesNamed(piece))];
  return {
    files,
    newFiles: NEW.test(piece) ? files.length : 0,
    moves: piece.match(MOVE)?.length ?? 0,
  };
}

/** Which bounds the request would break, as far as that can be told from its words. */
export function excessOf({ steps, files, newFiles, moves }: PlannedWork, limits: Limits): Excess[] {
  const measured: Excess[] = [
    { bound: "max_steps_per_iteration", planned: steps, limit: limits.tasks_per_session },
    { bound: "max_files_per_step", planned: files, limit: limits.files_per_task },
    {
      bound: "max_new_files_per_iteration",
      planned: newFiles,
      limit: limits.new_files_per_session,
    },
    { bound: "max_move_operations_per_step", planned: moves, limit: limits.moves_per_task },
  ];
  return measured.filter(({ planned, limit }) => planned > limit);
}

function uncapitalised(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
