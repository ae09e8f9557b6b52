// The walls that a run would have here, tried for a person who asks: a write outside that has to fail, and a look at what
// is hidden that has to find nothing.
import { existsSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isWithin } from "../../core/files.ts";
import { newRunId } from "../../core/ids.ts";
import type { ProtectSettings } from "../../core/written/protect.ts";
import { chooseIsolation, whyNoWalls } from "../../process/namespace/isolation.ts";
import { innermost } from "../../process/namespace/view.ts";
import { homeOf, placesNow, wallsOf } from "../../process/namespace/walls.ts";
import { runCommand } from "../../process/run-command.ts";
import { makeTemporaryFolder } from "../../process/temporary-folder.ts";
import type { Host } from "../../store/host.ts";

export interface WallsTried {
  /** Why there are none; null where there are. */
  readonly whyNot: string | null;
  readonly writable: readonly string[];
  readonly hidden: readonly string[];
  /** What went through them, in words; none where they hold. */
  readonly broken: readonly string[];
}

const TRY_MS = 20_000;

/** Prints what it could do. Its words are a name for a probe, empty where it may be written, and what is hidden. */
const TRY = `probe=$1; shift
if [ -n "$probe" ] && (: >"$probe") 2>/dev/null; then echo "a file could be written at $probe"; rm -f "$probe"; fi
for place; do
  if [ -d "$place" ]; then seen=$(ls -A "$place" 2>/dev/null); else seen=$(head -c 1 "$place" 2>/dev/null); fi
  if [ -n "$seen" ]; then echo "$place could be read"; fi
done`;

export async function tryWalls(machine: {
  readonly settings: ProtectSettings;
  readonly isolation: "auto" | "on" | "off";
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stateHome: string;
  readonly host: Host;
}): Promise<WallsTried> {
  const { settings, env, stateHome, host } = machine;
  const isolation = chooseIsolation(machine.isolation);
  const whyNot = whyNoWalls(isolation);
  if (settings.protect === "off" || whyNot !== null) {
    return { whyNot: whyNot ?? "protect: off", writable: [], hidden: [], broken: [] };
  }
  const folder = makeTemporaryFolder("stint-try-");
  try {
    const input = {
      ...settings,
      protect: settings.protect,
      env,
      never: [stateHome],
      copies: join(folder, "shown"),
    };
    const { writable, locked, hide, cover } = placesNow(input);
    const hidden = [...(existsSync(stateHome) ? [stateHome] : []), ...hide, ...cover];
    const isWhole = (path: string): boolean =>
      ![...writable, ...locked].some((at) => isWithin(at, path));
    const home = realpathSync(homeOf(env));
    const isOpen = writable.includes(innermost([...writable, ...locked, ...hide], home) ?? "");
    const probe = isOpen ? "" : join(home, `.stint-try-${process.pid}`);
    const { output } = await runCommand(
      {
        program: "/bin/sh",
        args: ["-c", TRY, "sh", probe, ...hidden.filter(isWhole)],
        cwd: "/",
        env: { PATH: env["PATH"] ?? "/usr/bin:/bin" },
      },
      {
        timeoutMs: TRY_MS,
        maxOutputBytes: 64 * 1024,
        runId: newRunId((count) => host.randomBytes(count)),
        isolation,
        redact: (line) => line,
        view: wallsOf(input).around({ hide: [stateHome], mounts: [] }),
      },
    );
    if (probe !== "") rmSync(probe, { force: true });
    const broken = output.split("\n").filter((line) => line !== "");
    return { whyNot: null, writable, hidden, broken };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
