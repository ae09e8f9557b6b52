// What the path of a file says of it. Paths are plain, with forward slashes; nothing is looked up.

/** Whether a path is a folder or lies below it; both absolute, or both relative to the same root. */
export function isWithin(path: string, folder: string): boolean {
  const plain = folder.replace(/\/+$/, "");
  return path === plain || path.startsWith(`${plain}/`);
}

/** A manifest that lies outside of its repository has a path that leads up; null: nothing of it is in any tree. */
export function pathInTree(manifest: string): string | null {
  return manifest === ".." || manifest.startsWith("../") ? null : manifest;
}

// Documentation: words about the work rather than the work. By itself `.txt` says nothing: programs read
// requirements.txt, robots.txt and word lists, so a text file is documentation by its name or its folder.

const DOCUMENT_ENDINGS = /\.(?:md|mdx|markdown|rst|adoc|asciidoc|org)$/i;
const DOCUMENT_FOLDERS = /(?:^|\/)docs?\//i;
const DOCUMENT_NAMES =
  /(?:^|\/)(?:readme|changelog|changes|contributing|authors|credits|notes|news|todo|license|licence|copying|notice|history|install|faq)(?:\.txt)?$/i;
/** Text files that programs read, wherever they lie. */
const READ_BY_PROGRAMS =
  /(?:^|\/)(?:cmakelists|[^/]*requirements[^/]*|constraints[^/]*|robots)\.txt$/i;

export function isDocs(path: string): boolean {
  if (READ_BY_PROGRAMS.test(path)) return false;
  return DOCUMENT_ENDINGS.test(path) || DOCUMENT_FOLDERS.test(path) || DOCUMENT_NAMES.test(path);
}

// Folders of what a build makes: a command that names a file in one most likely made it itself.

const BUILD_FOLDERS = new Set(
  ".cache .next .nuxt .svelte-kit .turbo __pycache__ build coverage dist out target".split(" "),
);

export function isBuilt(path: string): boolean {
  return path.split("/").some((part) => BUILD_FOLDERS.has(part));
}

// Files that say which dependencies are installed. When one of them changes, a workspace is set up again.

const NAMES: ReadonlySet<string> = new Set(
  `package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock
  poetry.lock uv.lock pdm.lock pixi.lock pylock.toml pipfile.lock conda-lock.yml environment.yml
  cargo.lock go.sum gemfile.lock gems.locked composer.lock mix.lock rebar.lock pubspec.lock
  podfile.lock package.resolved cartfile.resolved packages.lock.json paket.lock gradle.lockfile
  stack.yaml.lock cabal.project.freeze renv.lock flake.lock conan.lock .terraform.lock.hcl`.split(
    /\s+/,
  ),
);

/** `requirements.txt`, `requirements-dev.txt`, `dev-requirements.txt`, and one in a folder of them. */
const REQUIREMENTS = /(?:^|\/)(?:[\w.-]*requirements[\w.-]*\.txt|requirements\/[^/]+\.txt)$/i;

export function isLockFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return NAMES.has(name) || REQUIREMENTS.test(path);
}

// Which files `check: render` can show: those that a browser draws as a page which holds their text.
// Markdown is turned into one.

const RENDERED = /\.(?:html?|xhtml|svg|md|markdown|txt|log|json|xml|csv)$/i;

/** Undefined for a file that can be shown, else why not. */
export function renderProblem(path: string): string | undefined {
  if (RENDERED.test(path)) return undefined;
  const shown = "render shows .html, .svg, .md, .txt, .json, .xml and .csv";
  const instead = /\.pdf$/i.test(path)
    ? `; for a PDF: check: \`pdftotext ${path} - | grep -q "Total"\``
    : "";
  return `${path} cannot be rendered as text; ${shown}${instead}`;
}
