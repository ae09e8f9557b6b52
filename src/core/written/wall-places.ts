// Which places of a machine walls are about: caches that common tools write, and what holds keys, credentials or the
// door of a daemon that acts for the person. Data and pure functions; who lays walls looks which of them are there.
import { isWithin } from "../files.ts";
import { placeBelow } from "./protect.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** A folder that a tool writes beside the work. */
export interface CachePlace {
  readonly path: string;
  /** The program that needs it; where that is installed, the folder is made. */
  readonly program: string;
  /** Programs lie in it, which are of no use empty: `strict` shows them and lets nobody write there. */
  readonly isInstalled: boolean;
}

interface Cache {
  readonly program: string;
  /** The variable by which a person moved it, and where it then is below the value. */
  readonly variable?: string;
  /** Where it is else. */
  readonly at: string;
  /** Below the one or the other; absent: that itself. */
  readonly parts?: readonly string[];
  readonly isInstalled?: true;
}

/** Those below `~/.cache` need no line: all of that folder is a cache. */
const CACHES: readonly Cache[] = [
  { program: "sh", variable: "XDG_CACHE_HOME", at: "~/.cache" },
  { program: "npm", variable: "npm_config_cache", at: "~/.npm" },
  { program: "pnpm", at: "~/.local/share/pnpm/store" },
  { program: "pnpm", at: "~/.local/state/pnpm" },
  { program: "yarn", variable: "YARN_CACHE_FOLDER", at: "~/.cache/yarn" },
  { program: "yarn", variable: "YARN_GLOBAL_FOLDER", at: "~/.yarn/berry" },
  { program: "bun", variable: "BUN_INSTALL_CACHE_DIR", at: "~/.bun/install/cache" },
  { program: "deno", variable: "DENO_DIR", at: "~/.cache/deno" },
  { program: "pip", variable: "PIP_CACHE_DIR", at: "~/.cache/pip" },
  { program: "uv", variable: "UV_CACHE_DIR", at: "~/.cache/uv" },
  {
    program: "uv",
    variable: "UV_PYTHON_INSTALL_DIR",
    at: "~/.local/share/uv/python",
    isInstalled: true,
  },
  { program: "cargo", variable: "CARGO_HOME", at: "~/.cargo", parts: ["registry", "git"] },
  {
    program: "rustup",
    variable: "RUSTUP_HOME",
    at: "~/.rustup",
    parts: ["toolchains", "downloads", "tmp", "update-hashes"],
    isInstalled: true,
  },
  { program: "go", variable: "GOPATH", at: "~/go", parts: ["pkg"] },
  { program: "go", variable: "GOMODCACHE", at: "~/go/pkg/mod" },
  { program: "go", variable: "GOCACHE", at: "~/.cache/go-build" },
  {
    program: "gradle",
    variable: "GRADLE_USER_HOME",
    at: "~/.gradle",
    parts: ["caches", "wrapper", "daemon", "native", "notifications", "workers", ".tmp"],
  },
  { program: "mvn", at: "~/.m2/repository" },
  { program: "mvn", at: "~/.m2/wrapper" },
  { program: "dotnet", variable: "NUGET_PACKAGES", at: "~/.nuget/packages" },
  { program: "dotnet", at: "~/.local/share/NuGet" },
  { program: "composer", variable: "COMPOSER_CACHE_DIR", at: "~/.cache/composer" },
  { program: "composer", at: "~/.composer/cache" },
  { program: "gem", at: "~/.gem/ruby", isInstalled: true },
  { program: "gem", at: "~/.local/share/gem", isInstalled: true },
  { program: "bundle", at: "~/.bundle/cache" },
  {
    program: "playwright",
    variable: "PLAYWRIGHT_BROWSERS_PATH",
    at: "~/.cache/ms-playwright",
    isInstalled: true,
  },
];

export function cachePlaces(home: string, env: Env): CachePlace[] {
  return CACHES.flatMap(({ program, variable, at, parts = [""], isInstalled = false }) => {
    const base =
      (variable === undefined ? undefined : placeSet(env, variable)) ?? placeBelow(home, at);
    return parts.map((part) => ({
      path: part === "" ? base : `${base}/${part}`,
      program,
      isInstalled,
    }));
  });
}

/** The absolute path that a variable holds, of a list the first. npm's variables may be in capitals. */
function placeSet(env: Env, variable: string): string | undefined {
  const [first = ""] = (env[variable] ?? env[variable.toUpperCase()] ?? "").split(":");
  return first.startsWith("/") ? first : undefined;
}

/** What an agent writes of its own in a home: a folder, or a file with its first text. */
export interface StatePlace {
  /** Below `~/`. */
  readonly path: string;
  /** The variable by which a person moved it, and where it then is below the value; absent: that itself. */
  readonly variable?: string;
  readonly below?: string;
  /** It is a file; this is what a new one holds. */
  readonly text?: string;
  /** Not made where it is missing. */
  readonly isOptional?: true;
}

/** Folders and files of a home that hold keys and credentials. */
const SECRETS = [
  "~/.ssh",
  "~/.gnupg",
  "~/.aws",
  "~/.azure",
  "~/.kube",
  "~/.config/gcloud",
  "~/.config/gh/hosts.yml",
  "~/.config/glab-cli",
  "~/.config/hub",
  "~/.config/doctl",
  "~/.config/rclone",
  "~/.config/op",
  "~/.config/sops",
  "~/.config/stripe",
  "~/.config/netlify",
  "~/.config/helm/registry",
  "~/.config/uv/credentials.toml",
  "~/.local/share/uv/credentials",
  "~/.local/share/com.vercel.cli",
  "~/.config/containers/auth.json",
  "~/.config/git/credentials",
  "~/.config/composer/auth.json",
  "~/.config/pypoetry/auth.toml",
  "~/.composer/auth.json",
  "~/.docker/config.json",
  "~/.git-credentials",
  "~/.netrc",
  "~/.authinfo",
  "~/.authinfo.gpg",
  "~/.pypirc",
  "~/.pgpass",
  "~/.s3cfg",
  "~/.boto",
  "~/.oci",
  "~/.fly",
  "~/.cache/huggingface/token",
  "~/.my.cnf",
  "~/.cargo/credentials",
  "~/.cargo/credentials.toml",
  "~/.gem/credentials",
  "~/.terraform.d/credentials.tfrc.json",
  "~/.vault-token",
  "~/.password-store",
  "~/.local/share/keyrings",
  "~/.mozilla",
  "~/.thunderbird",
  "~/snap/firefox",
  "~/.config/BraveSoftware",
  "~/.config/microsoft-edge",
  "~/.config/google-chrome",
  "~/.config/chromium",
] as const;

/** Sockets of daemons that sign, log in or act for whoever reaches them. */
const SOCKETS = [
  "/run/dbus/system_bus_socket",
  "/run/docker.sock",
  "/run/podman/podman.sock",
  "/run/containerd/containerd.sock",
  "/run/crio/crio.sock",
  "/run/snapd.socket",
  "/run/systemd/private",
  "/run/libvirt/libvirt-sock",
  "~/.docker/run/docker.sock",
  "~/.docker/desktop/docker.sock",
] as const;

/** Where a variable moves what is else in the home. */
const MOVED: readonly (readonly [at: string, variable: string])[] = [
  ["~/.config", "XDG_CONFIG_HOME"],
  ["~/.local/share", "XDG_DATA_HOME"],
  ["~/.cache", "XDG_CACHE_HOME"],
  ["~/.cache/huggingface", "HF_HOME"],
  ["~/.config/gh", "GH_CONFIG_DIR"],
  ["~/.config/composer", "COMPOSER_HOME"],
  ["~/.cargo", "CARGO_HOME"],
  ["~/.docker", "DOCKER_CONFIG"],
  ["~/.password-store", "PASSWORD_STORE_DIR"],
];

/** Variables that name a file or a folder of credentials, or a socket. */
const NAMED_BY = [
  "GNUPGHOME",
  "KUBECONFIG",
  "AWS_SHARED_CREDENTIALS_FILE",
  "AWS_CONFIG_FILE",
  "PGPASSFILE",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "CLOUDSDK_CONFIG",
  "AZURE_CONFIG_DIR",
  "NETRC",
  "SSH_AUTH_SOCK",
  "SSH_AGENT_LAUNCHER_SOCK",
  "DBUS_SESSION_BUS_ADDRESS",
  "DBUS_SYSTEM_BUS_ADDRESS",
  "DOCKER_HOST",
  "CONTAINER_HOST",
  // All of it: the bus, the agents of keys and the rootless engines have their sockets there.
  "XDG_RUNTIME_DIR",
] as const;

/** What is hidden unless a person shows it, of these homes of the person. */
export function secretPlaces(homes: readonly string[], env: Env, uid: number): string[] {
  const below = homes.flatMap((home) =>
    [...SECRETS, ...SOCKETS].map((path) => placeBelow(home, path)),
  );
  const named = NAMED_BY.flatMap((name) => pathsIn(env[name] ?? ""));
  return [...new Set([...below, ...moved(SECRETS, env), ...named, `/run/user/${uid}`])];
}

/** Where variables put what is else at these places of a home. */
function moved(paths: readonly string[], env: Env): string[] {
  return MOVED.flatMap(([at, variable]) => {
    const base = placeSet(env, variable);
    const inside = base === undefined ? [] : paths.filter((path) => isWithin(path, at));
    return inside.map((path) => `${base}${path.slice(at.length)}`);
  });
}

/** Of a path, a list of them, or an address as `unix:path=/run/user/1000/bus,guid=…`. */
function pathsIn(value: string): string[] {
  const address = /^unix:(?:path=|\/\/)?(\/[^,;]*)/.exec(value)?.[1];
  if (address !== undefined) return [address];
  return value.startsWith("/") ? value.split(":").filter((each) => each.startsWith("/")) : [];
}

interface TokenFile {
  readonly path: string;
  readonly variable?: string;
  readonly token: RegExp;
}

const PASSWORD_IN_ADDRESS = /:\/\/[^\s/@]+@/;
const TOKEN_LINES = {
  npm: /_(?:authToken|auth|password)\s*=|^\s*(?:key|cert)\s*=/im,
  yarn: /npmAuth(?:Token|Ident)\s*:/i,
  bun: /\b(?:token|password)\s*=/i,
  cargo: /^\s*(?:token|secret-key)\s*=/im,
} as const;

/** Files with settings beside their tokens: shown without the lines that hold one. */
const TOKEN_FILES: readonly TokenFile[] = [
  { path: "~/.npmrc", token: TOKEN_LINES.npm },
  { path: "~/.npmrc", variable: "npm_config_userconfig", token: TOKEN_LINES.npm },
  { path: "~/.yarnrc.yml", token: TOKEN_LINES.yarn },
  { path: "~/.bunfig.toml", token: TOKEN_LINES.bun },
  { path: "~/.cargo/config.toml", token: TOKEN_LINES.cargo },
  { path: "~/.config/pip/pip.conf", token: PASSWORD_IN_ADDRESS },
  { path: "~/.config/pip/pip.conf", variable: "PIP_CONFIG_FILE", token: PASSWORD_IN_ADDRESS },
  { path: "~/.pip/pip.conf", token: PASSWORD_IN_ADDRESS },
  { path: "~/.config/uv/uv.toml", token: PASSWORD_IN_ADDRESS },
];

/** Where such files are, also where a variable puts one, with what tells a token in it. */
export function tokenFiles(
  home: string,
  env: Env,
): readonly { readonly path: string; readonly token: RegExp }[] {
  return TOKEN_FILES.flatMap(({ path, variable, token }) => {
    const set = variable === undefined ? undefined : placeSet(env, variable);
    const places = set === undefined ? [placeBelow(home, path), ...moved([path], env)] : [set];
    return places.map((place) => ({ path: place, token }));
  });
}

/** Its lines without those that hold a token; null where none does. */
export function withoutTokens(text: string, token: RegExp): string | null {
  if (!token.test(text)) return null;
  return text
    .split("\n")
    .filter((line) => !token.test(line))
    .join("\n");
}
