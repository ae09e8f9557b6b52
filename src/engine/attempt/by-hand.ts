// A session that no agent is started for: whoever asked for it gets its brief and works in the person's folder, without
// a process of Stint beside them. It is an attempt like any other whose end nobody has seen yet: a run that comes
// in between collects it as one, and a verb that ends it keeps its end first, as a run would.
import { mkdirSync } from "node:fs";
import { saidByMarker } from "../../agents/judge-end.ts";
import { currentTask } from "../../core/project-state.ts";
import type { ProjectState } from "../../core/schema/project.ts";
import type { SaidWord, SessionStart } from "../../core/schema/session-records.ts";
import { MOST_WORDS } from "../../core/session-words.ts";
import { StintError } from "../../core/stint-error.ts";
import { nowOf } from "../base/fact.ts";
import {
  keepEnd,
  type Keeping,
  keepRecord,
  readEnd,
  readStart,
  sessionPath,
} from "../base/kept-record.ts";
import type { RunContext } from "../base/run-context.ts";
import { openSecrets } from "../base/secrets.ts";
import type { Store } from "../../store/store.ts";
import { isInTree } from "../people/manifest-texts.ts";
import { setupTrouble } from "../space/set-up.ts";
import { archiveMarker, giveBrief, hear, sessionFolder } from "./run-session.ts";
import { wordsOf } from "../base/session-words.ts";

interface Looking {
  readonly store: Store;
  readonly holder: { readonly state: ProjectState };
}

/** The session by hand that is begun and not ended; null where there is none. */
export function sessionInHand(kept: Looking): SessionStart | null {
  const start = startInHand(kept);
  if (start === null || currentTask(kept.holder.state)?.status !== "in_progress") return null;
  return readEnd(kept, start.session) === undefined ? start : null;
}

/** The same, also where it has ended and what it left is not collected or checked yet. */
export function startInHand(kept: Looking): SessionStart | null {
  const task = currentTask(kept.holder.state);
  if (task?.status !== "in_progress" && task?.status !== "validating") return null;
  const start = readStart(kept, task.attempt.session);
  return start?.by_hand === true ? start : null;
}

/** Undefined where nobody has it yet: a kill came between its attempt and its brief. */
export function briefInHand(
  { store, holder }: Looking,
  { session }: SessionStart,
): string | undefined {
  return store.kept(holder.state.project_id, sessionPath(session, "brief.md"))?.toString("utf8");
}

/**
 * Once its attempt is durable. The brief comes last: who has none has not begun, and a kill before it has this done
 * again.
 */
export async function handOut(context: RunContext, start: SessionStart): Promise<void> {
  const { holder, space } = context;
  const { session } = start;
  // A stale marker must not speak for this session.
  archiveMarker(context, session, "stale-marker");
  mkdirSync(sessionFolder(context, session), { recursive: true });
  const trouble = await setupTrouble(context);
  // From here on, what changes among the files is the session's.
  await space.freshGit({ branch: `stint/${holder.entry.slug}`, canPush: false });
  giveBrief(context, start, { serve: null }, trouble);
  holder.settle();
}

/**
 * What a kill left of a session in hand: it said how it ends, and has not ended; or it was begun, and nobody has its
 * brief. @returns whether rounds are to follow
 */
export async function takeUpByHand(context: RunContext): Promise<boolean> {
  const start = sessionInHand(context);
  if (start === null) return true;
  if (!hasSaidItsEnd(context, start)) {
    await handOut(context, start);
    return false;
  }
  endByHand(context);
  return true;
}

/**
 * Keeps the end of the session in hand, once. What it said so far decides how it ended; without a word it is finished,
 * and its checks decide.
 */
export function endByHand(context: RunContext): void {
  const { copy, holder } = context;
  const start = sessionInHand(context);
  if (start === null) return;
  const { session } = start;
  const marker = hear(context, session);
  const end = {
    outcome: saidByMarker(marker) ?? ({ kind: "finished" } as const),
    exit_code: null,
    signal: null,
    marker,
    stopped: null,
    last_text: null,
    left_behind: 0,
    ended_at: nowOf(context),
    // Nobody has seen how long it was at work, or what it used.
    wall_ms: 0,
    tokens: null,
    cost_usd: null,
  };
  const manifest = isInTree(context) ? copy.manifestBytes() : Buffer.from(start.manifest);
  keepEnd(context, start, end, manifest);
  holder.settle();
}

/** Whether it has said what ends a session by hand, and a kill came before its end. */
export function hasSaidItsEnd(kept: Looking, { session }: SessionStart): boolean {
  const last = ["ask", "block", "dispatch"];
  return wordsOf(kept, session).some(({ verb }) => last.includes(verb));
}

/** A word of the session in hand, durable when this returns. Written by Stint itself, so it needs no seal. */
export function keepWord(
  kept: Keeping,
  { session }: SessionStart,
  { text, returns, ...word }: Omit<SaidWord, "name">,
  env: Readonly<Record<string, string | undefined>>,
): void {
  const redact = openSecrets(env, kept.holder.entry.root).redactor();
  const before = wordsOf(kept, session);
  if (before.length >= MOST_WORDS) {
    throw new StintError(
      "bad-input",
      `session ${session} has sent ${MOST_WORDS} messages, which is the limit`,
      "Put the rest into files, then: stint done",
    );
  }
  const said = {
    name: `by-hand-${before.length + 1}`,
    ...word,
    text: redact(text),
    ...(returns !== undefined && { returns: redact(returns) }),
  };
  const all = [...before, said];
  keepRecord(kept, sessionPath(session, "words.json"), all);
}
