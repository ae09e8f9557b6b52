// What walls cost a child: a command that does nothing in a namespace, with walls around it and without.
import { spawnSync } from "node:child_process";
import { isAvailable, KINDS, namespaceOf, wallsOf } from "./internals.mjs";
import { medians, row } from "./measure.mjs";

export async function benchWalls() {
  const { env } = process;
  const walls = wallsOf({
    protect: "home",
    writable: [],
    show: [],
    env,
    never: [],
    copies: "/tmp",
  });
  const plain = { hide: [], mounts: [] };
  console.log("A command that does nothing, with walls");
  for (const kind of KINDS.filter((each) => each !== "group" && isAvailable(each))) {
    const namespace = namespaceOf(kind);
    const run = (view) => {
      const [file, ...args] = [...namespace.words(view, "/"), "/bin/true"];
      const { users } = namespace;
      const stdio = ["ignore", "ignore", "ignore", "ignore", users ?? "ignore"];
      spawnSync(file, args, { stdio });
    };
    const result = medians(
      { without: () => run(plain), walls: () => run(walls.around(plain)) },
      25,
    );
    // With util-linux every step starts a program.
    const goal = kind === "bwrap" ? 3 : 8;
    row(`  ${kind}`, result.walls, "without walls", result.without, goal);
  }
}
