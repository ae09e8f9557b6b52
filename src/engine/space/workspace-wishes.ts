// What is wanted of the workspace: by the manifest as it is known, and where it says nothing by the
// settings. Commands that came into the manifest and that nobody has allowed yet are not among it: until
// somebody does, the text that was approved counts.
import type { WorkspaceWishes } from "../base/ports.ts";
import type { Sha256 } from "../../core/schema/scalar.ts";
import { frontMatterOf } from "../../manifest/settings.ts";
import { workspaceSettings } from "../../core/written/workspace-settings.ts";
import { consentOf } from "../people/consent.ts";
import type { RunContext } from "../base/run-context.ts";

export function wishesOf(
  context: Pick<RunContext, "store" | "holder" | "settings">,
): WorkspaceWishes {
  const { store, holder, settings } = context;
  const digest = allowedText(context);
  const text = digest === null ? "" : store.manifestText(holder.state.project_id, digest);
  const { setup, serve, dir } = { ...settings.wishes, ...workspaceSettings(frontMatterOf(text)) };
  return {
    ...(setup === undefined ? {} : { setup }),
    ...(serve === undefined ? {} : { serve }),
    ...(dir === undefined ? {} : { dir }),
  };
}

/** The manifest's text whose commands for the workspace may be executed; null for none. */
function allowedText({ store, holder }: Pick<RunContext, "store" | "holder">): Sha256 | null {
  const { manifest, plan } = holder.state;
  const isAllowed = consentOf(store, holder.state).missingOfWorkspace().length === 0;
  return isAllowed ? manifest.digest : (plan?.digest ?? null);
}
