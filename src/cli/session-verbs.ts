// The door of a session: its verbs are read and answered without the rest of the command line, which takes longer to
// load than they take.
import type { ErrorView } from "../core/schema/views.ts";
import { StintError } from "../core/stint-error.ts";
import { inSession, isForSession, type SessionCall } from "../operations/in-session.ts";
import { exitCodeOfError } from "./exit-codes.ts";

/** What was said and its exit code; null where the words are for the command line. */
export function sayInSession(
  call: SessionCall,
): { readonly out: string; readonly err: string; readonly code: number } | null {
  if (!isForSession(call)) return null;
  const words = call.words.filter((word) => word !== "--json");
  const isJson = words.length < call.words.length;
  try {
    const said = inSession({ ...call, words });
    return { out: `${isJson ? JSON.stringify({ said }) : said}\n`, err: "", code: 0 };
  } catch (error) {
    if (!(error instanceof StintError)) throw error;
    const { code, message, hint } = error;
    if (isJson) {
      const view: ErrorView = { error: { code, message, hint } };
      return { out: `${JSON.stringify(view)}\n`, err: "", code: exitCodeOfError(code) };
    }
    return {
      out: "",
      err: `stint: ${plain(message)}\n  ${plain(hint)}\n`,
      code: exitCodeOfError(code),
    };
  }
}

/** Nothing that a terminal would obey. */
function plain(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ");
}
