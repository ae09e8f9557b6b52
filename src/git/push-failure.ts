// What a failed push means and what a person does about it. The work stays committed in any case.

export interface PushFailure {
  readonly why: "diverged" | "protected" | "auth" | "network" | "hook" | "unknown";
  /** In the words of the remote, or of git where that said nothing. */
  readonly said: string;
  readonly hint: string;
}

const AUTH =
  /Authentication failed|Permission denied|could not read (?:Username|Password)|terminal prompts disabled|Host key verification failed|HTTP (?:401|403)|returned error: 40[13]|access denied/i;
const NETWORK =
  /Could not resolve host|Connection (?:timed out|refused|reset)|Network is unreachable|unable to access|Operation timed out|does not appear to be a git repository|repository .* not found|Could not read from remote repository|early EOF|returned error: 5\d\d/i;

/** `stdout` is the porcelain of `git push`: one line per ref, beginning with ! where it was refused. */
export function explainPushFailure(stdout: string, stderr: string, target: string): PushFailure {
  const refused = stdout.split("\n").find((line) => line.startsWith("!")) ?? "";
  const reason = /\[(?:remote )?rejected\] \((.+)\)/.exec(refused)?.[1];
  const said = [...(reason === undefined ? [] : [reason]), stderr.trim()].join(": ");
  return { said, ...whyAndHint(refused, stderr, target) };
}

function whyAndHint(refused: string, stderr: string, target: string): Omit<PushFailure, "said"> {
  if (/\[remote rejected\]/.test(refused)) {
    if (/protected branch/i.test(`${refused}\n${stderr}`)) {
      return {
        why: "protected",
        hint: `${target} takes no direct push. Push a branch of its own and open a pull request, or let it through there; then: stint resume`,
      };
    }
    return { why: "hook", hint: `${target} refused the commits; its words are above.` };
  }
  if (/\[rejected\]/.test(refused)) {
    return {
      why: "diverged",
      hint: `${target} has commits that are not here. Bring them in, then push: git pull --rebase && git push`,
    };
  }
  if (AUTH.test(stderr)) {
    return { why: "auth", hint: "Sign in so that this works without a question: git push" };
  }
  if (NETWORK.test(stderr)) {
    return { why: "network", hint: "When the remote can be reached again: git push" };
  }
  // A pre-push hook ends the push before anything is said about a ref.
  if (/failed to push some refs/.test(stderr) && refused === "") {
    return { why: "hook", hint: "The pre-push hook said no. Run it by hand: git push" };
  }
  return { why: "unknown", hint: "See it for yourself: git push" };
}
