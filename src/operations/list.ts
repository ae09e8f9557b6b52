// `list`: every project of this user, from any folder. One that cannot be read is listed with why.
import type { ListView } from "../core/schema/views.ts";
import type { RegistryEntry } from "../store/store.ts";
import { orFault } from "./or-fault.ts";
import { progressOf } from "./project-view.ts";
import type { System } from "./system.ts";

export function list(system: System): ListView {
  return {
    projects: system.store.list().map((entry) => ({
      id: entry.project_id,
      slug: entry.slug,
      root: entry.root,
      manifest: entry.manifest,
      created_at: entry.created_at,
      state: stateOf(system, entry),
    })),
  };
}

function stateOf(system: System, entry: RegistryEntry): ListView["projects"][number]["state"] {
  const read = orFault(() => system.store.read(entry.project_id));
  if (!read.ok) return { readable: false, reason: read.fault.message };
  const { state, lease } = read.value;
  return {
    readable: true,
    status: state.status,
    revision: state.revision,
    progress: progressOf(state),
    delivery: state.delivery ?? null,
    held: lease.held,
    updated_at: state.updated_at,
  };
}
