// Which programs put something in front of others, told from their names and arguments: registries, clusters, clouds,
// other machines, shared branches. A table of programs; whoever asks has taken the command apart.
import type { StartedProgram } from "./programs-started.ts";
import { packageWords } from "./scripts-called.ts";
import { plainWords, wordSet } from "./shell-commands.ts";

/**
 * `releases`: it does. `stays`: what it does is known and stays on this machine, or only looks.
 * `unknown`: a program of the person's own, or one that is not in the table.
 */
export type Judged = "releases" | "stays" | "unknown";

export function judgeProgram({ name: written, args, isFollowed }: StartedProgram): Judged {
  const name = written.replace(/\.(?:exe|cmd)$/i, "");
  const isDry = args.some((word) => DRY.test(word)) || (args.length === 1 && isVersion(args[0]));
  if (saysRelease(name)) return isDry ? "stays" : "releases";
  const judge = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  if (judge !== undefined) {
    if (isDry) return "stays";
    const judged = judge(args);
    return judged === "unknown" && isFollowed ? "stays" : judged;
  }
  if (LOCAL.has(name)) return "stays";
  if (isFollowed) return "stays";
  return "unknown";
}

/** Says what would be done, and does nothing of it. */
const DRY =
  /^--?(?:dry-?run(?:=(?!none$|false$).*)?|check(?:-only)?|simulate|what-?if|no-publish|syntax-check|list-(?:hosts|tasks)|help|snapshot)$/i;

function isVersion(word = ""): boolean {
  return /^(?:--version|-v|-V)$/.test(word);
}

const SAYS = /^(?:release|publish|deploy|rollout|ship|shipit)(?:[-_.][\w.-]*)?$/i;
const ONLY_PREPARES =
  /^(?:test|e2e)[-_:.]|(?:^|[-_:.])(?:check|dry-?run|notes?|lint|verify|plan|build|docs?|changelog|config|status|logs?)(?:$|[-_:.])/i;

/** The name of a script, a target or a program that says so: `publish`, `deploy.sh`, `web:deploy`. */
function saysRelease(name: string): boolean {
  if (ONLY_PREPARES.test(name)) return false;
  return name.split(":").some((part) => SAYS.test(part));
}

type Judge = (args: readonly string[]) => Judged;

function when(isSo: boolean, otherwise: Judged = "stays"): Judged {
  return isSo ? "releases" : otherwise;
}

/** `acts`: the words that a releasing call begins with, an entry each; `valued`: options whose value is the next word. */
function acts(list: string, valued = ""): Judge {
  const wanted = list.split(",").map((act) => act.trim().split(" "));
  const options = wordSet(valued);
  return (args) => {
    const words = plainWords(args, options);
    return when(wanted.some((act) => act.every((word, at) => words[at] === word)));
  };
}

/** Releases when one of the words is this, wherever it stands. */
function anywhere(pattern: RegExp, valued = ""): Judge {
  const options = wordSet(valued);
  return (args) => when(plainWords(args, options).some((word) => pattern.test(word)));
}

/** Releases unless it is asked for one of these. */
function unless(pattern: RegExp, valued = ""): Judge {
  const options = wordSet(valued);
  return (args) =>
    when(
      !plainWords(args, options)
        .slice(0, 1)
        .some((word) => pattern.test(word)),
    );
}

/** What runs something by a name: the name says it, or nothing does. */
const byName: Judge = (args) => {
  // Only says what it would do.
  if (args.includes("-n")) return "stays";
  const words = plainWords(args, NAMED_VALUED).map(lastPart);
  return when(words.some(saysRelease), "unknown");
};
const NAMED_VALUED = wordSet("-C -f -j -p -e --file --directory --project");

/** An interpreter runs the first file that it is given; with none, nobody knows. */
const byScript: Judge = (args) => {
  const [script = "", ...rest] = plainWords(
    args,
    new Set(["-r", "--require", "--import", "--loader"]),
  );
  const isUpload = lastPart(script) === "setup.py" && rest.includes("upload");
  return when(saysRelease(lastPart(script)) || isUpload, "unknown");
};

const PUBLISHED_BY_NPM = /^(?:publish|unpublish|deprecate)$/;

const byPackageManager: Judge = (args) => {
  const [first = "", second = "", third = ""] = packageWords(args);
  if (PUBLISHED_BY_NPM.test(first)) return "releases";
  if (first === "dist-tag" && /^(?:add|rm)$/.test(second)) return "releases";
  if (first === "run" || first === "run-script") return when(saysRelease(second), "unknown");
  // `pnpm deploy <folder>` copies a package; without a folder somebody means their script.
  if (first === "deploy") return when(second === "");
  return when(saysRelease(first) && third === "");
};

/** These start programs of installed packages, too: `yarn changeset publish`. */
const byPackageRunner: Judge = (args) => {
  const [first = ""] = packageWords(args);
  const judge = Object.hasOwn(TOOLS, first) ? TOOLS[first] : undefined;
  return judge?.(args.slice(args.indexOf(first) + 1)) ?? byPackageManager(args);
};

/** The last word is where it goes. */
function to(target: RegExp, verbs: string | null, valued = ""): Judge {
  const options = wordSet(valued);
  return (args) => {
    const words = plainWords(args, options);
    const isVerb = verbs === null || verbs.split(" ").includes(words[0] ?? "");
    return when(isVerb && target.test(words.at(-1) ?? ""));
  };
}

/** `host:path`, `user@host:path`, `rsync://host`; not a folder, and not a drive. */
const ELSEWHERE = /^(?:[\w.-]+@)?[\w.-]{2,}:|^rsync:\/\//;

const git: Judge = (args) => {
  const words = plainWords(args, wordSet("-C -c --git-dir --work-tree --namespace"));
  const [first, second] = words;
  if (first === "push") return when(!args.includes("-n"));
  const pushes = ["svn dcommit", "subtree push", "lfs push", "p4 submit"];
  return when(first === "send-email" || pushes.includes(`${first} ${second}`));
};

const docker: Judge = (args) => {
  const words = plainWords(args, wordSet("-H --host -c --context --config -l -f --file -p"));
  const call = words.slice(0, 2).join(" ");
  const pushes = /^(?:push\b|image push|manifest push|compose push|stack deploy|service update)/;
  const isBuild = /^(?:build|buildx|image build|bake)\b/.test(call);
  return when(pushes.test(call) || (isBuild && args.includes("--push")));
};

const aws: Judge = (args) => {
  const words = plainWords(args, CLOUD_VALUED);
  const [service = "", verb = ""] = words;
  if (service === "s3") {
    const isTo = /^(?:cp|mv|sync)$/.test(verb) && (words[3] ?? "").startsWith("s3:");
    return when((isTo || verb === "rm" || verb === "rb") && !args.includes("--dryrun"));
  }
  return when(
    /^(?:deploy|create-(?:stack|deployment|invalidation)|update-(?:stack|service|function-code|environment)|start-deployment|put-object)$/.test(
      verb,
    ),
  );
};
const CLOUD_VALUED = wordSet(
  "--profile --region --output --endpoint-url --project --account --exclude --include --acl -g --resource-group --subscription -n --name",
);

const az: Judge = (args) => {
  const words = plainWords(args, CLOUD_VALUED);
  const call = words.join(" ");
  const isUpload = /^storage blob (?:upload|upload-batch|sync)/.test(call);
  return when(
    /\b(?:up|deploy)$/.test(call) ||
      /\bdeployment\b.*\b(?:create|config-zip|sync)\b/.test(call) ||
      isUpload,
  );
};

const ansible: Judge = (args) => when(!args.includes("-C"));
const KUBE_VALUED =
  "-n --namespace --context --kubeconfig --kube-context --cluster --user -s --server -f -l -o";
const kubectl = acts(
  "apply, create, replace, patch, delete, scale, set, run, expose, rollout restart, rollout undo",
  KUBE_VALUED,
);
const terraform = acts("apply, destroy, run-all apply, run-all destroy", "-chdir");
const firebase = anywhere(
  /^(?:deploy|hosting:channel:deploy|appdistribution:distribute)$/,
  "-P --project",
);
const vercel = unless(
  /^(?:dev|build|env|login|logout|logs|ls|list|pull|link|inspect|whoami|help|init|domains|dns|certs|teams|switch|project|git|bisect)$/,
  "--token --scope -S -A --local-config --cwd",
);
const gradle = anywhere(
  /^(?::?[\w-]+:)*(?:publish(?!\w*ToMavenLocal)\w*|uploadArchives|closeAndRelease\w*|release|deploy\w*)$/,
  "-p -b -x --project-dir",
);
const maven = anywhere(
  /^(?:deploy|site-deploy|deploy:[\w-]+|release:perform|nexus-staging:release)$/,
  "-f -pl -P",
);
const uploads: Judge = (args) =>
  when(
    args.some((word) => /^(?:-T.*|--upload-file(?:=.*)?)$/.test(word)),
    "stays",
  );
const cargo: Judge = (args) => {
  const [first, second] = plainWords(
    args.filter((word) => !word.startsWith("+")),
    wordSet("-p --package --manifest-path --registry --bin --example --features"),
  );
  if (first === "release") return when(args.includes("--execute") || args.includes("-x"));
  return when(first === "publish" || (first === "make" && saysRelease(second ?? "")));
};

const TOOLS: Readonly<Record<string, Judge>> = {
  // Packages.
  npm: byPackageManager,
  pnpm: byPackageRunner,
  yarn: byPackageRunner,
  bun: byPackageRunner,
  lerna: acts("publish"),
  changeset: acts("publish"),
  "semantic-release": () => "releases",
  "release-it": () => "releases",
  np: () => "releases",
  cargo,
  twine: acts("upload"),
  poetry: acts("publish"),
  flit: acts("publish"),
  hatch: acts("publish"),
  uv: acts("publish"),
  pdm: acts("publish"),
  maturin: acts("publish, upload"),
  gem: acts("push, yank"),
  mvn: maven,
  mvnw: maven,
  gradle,
  gradlew: gradle,
  dotnet: acts("nuget push"),
  nuget: acts("push"),
  mix: acts("hex.publish"),
  sbt: anywhere(/^(?:[\w-]+\/)?(?:publish|publishSigned|release)$/),
  dart: acts("pub publish", "-C"),
  flutter: acts("pub publish"),
  pod: acts("trunk push"),
  vsce: acts("publish"),
  ovsx: acts("publish"),
  snapcraft: acts("upload, push, release"),
  goreleaser: unless(
    /^(?:build|check|healthcheck|init|changelog|completion|jsonschema)$/,
    "-f --config",
  ),
  jreleaser: acts("release, full-release, publish, deploy, upload, announce"),
  // Images and clusters.
  docker,
  podman: docker,
  buildah: acts("push"),
  skopeo: acts("copy, sync"),
  crane: acts("push, copy"),
  ko: acts("apply, publish, resolve"),
  kubectl,
  oc: kubectl,
  helm: acts("push, upgrade, install, rollback, uninstall", KUBE_VALUED),
  helmfile: acts("apply, sync, destroy", "-e -f -l --environment --file"),
  skaffold: acts("run, deploy"),
  argocd: acts("app sync"),
  nomad: acts("run, job run"),
  kamal: acts("deploy, redeploy, setup, rollback"),
  // Infrastructure and clouds.
  terraform,
  tofu: terraform,
  terragrunt: terraform,
  pulumi: acts("up, update, destroy", "-s --stack -C --cwd"),
  cdk: acts("deploy, destroy", "-a --app -c --context --profile"),
  sam: acts("deploy, sync"),
  serverless: acts("deploy, remove", "-s --stage -r --region"),
  sls: acts("deploy, remove", "-s --stage -r --region"),
  sst: acts("deploy, remove", "--stage"),
  ansible,
  "ansible-playbook": ansible,
  aws,
  gcloud: anywhere(/^(?:deploy|submit)$/, "--project --region --zone --account --config"),
  gsutil: to(/^gs:/, "cp mv rsync"),
  az,
  azd: acts("up, deploy"),
  func: acts("azure functionapp publish"),
  firebase,
  "firebase-tools": firebase,
  vercel,
  vc: vercel,
  netlify: acts("deploy"),
  "netlify-cli": acts("deploy"),
  ntl: acts("deploy"),
  fly: acts("deploy, launch", "-a --app -c --config"),
  flyctl: acts("deploy, launch", "-a --app -c --config"),
  wrangler: acts(
    "deploy, publish, pages deploy, pages publish, versions upload, versions deploy",
    "-c --config -e --env",
  ),
  heroku: anywhere(
    /^(?:container:(?:push|release)|pipelines:promote|releases:rollback|deploy:\w+|builds:create|config:(?:un)?set|ps:scale|run)$/,
    "-a --app -r --remote",
  ),
  railway: acts("up, deploy, redeploy"),
  eb: acts("deploy"),
  cf: acts("push"),
  doctl: acts("apps create-deployment, apps update"),
  supabase: acts("db push, functions deploy"),
  prisma: acts("migrate deploy"),
  convex: acts("deploy"),
  surge: () => "releases",
  "gh-pages": () => "releases",
  mkdocs: acts("gh-deploy"),
  ng: acts("deploy"),
  hugo: acts("deploy"),
  eas: acts("submit, update"),
  // Shared branches, and other machines.
  git,
  hub: acts("push, release create"),
  gh: acts(
    "release create, release upload, release edit, release delete, pr merge, workflow run, repo create, gist create",
    "-R --repo",
  ),
  glab: acts("release create, release upload, mr merge, ci run", "-R --repo"),
  hg: acts("push", "-R"),
  jj: acts("git push", "-R"),
  svn: acts("commit, ci"),
  rsync: (args) =>
    args.some((word) => /^-[a-zA-Z]*n/.test(word))
      ? "stays"
      : to(ELSEWHERE, null, "-e --rsh --exclude --include --filter")(args),
  scp: to(ELSEWHERE, null, "-P -i -o -F -J -l -c"),
  sftp: () => "releases",
  lftp: () => "releases",
  rclone: to(ELSEWHERE, "copy sync move copyto moveto", "--config"),
  s3cmd: to(/^s3:/, "put sync mv", "-c"),
  curl: uploads,
  // What runs something by a name.
  make: byName,
  gmake: byName,
  just: byName,
  task: byName,
  rake: byName,
  grunt: byName,
  gulp: byName,
  nx: byName,
  turbo: byName,
  moon: byName,
  mage: byName,
  ant: byName,
  invoke: byName,
  fastlane: byName,
  cap: byName,
  dep: byName,
  mise: byName,
  composer: byName,
  rails: byName,
  ...Object.fromEntries(
    "sh bash dash zsh ksh node deno tsx ts-node python python3 ruby perl php pwsh source ."
      .split(" ")
      .map((name) => [name, byScript]),
  ),
};

/** Programs that look at files, or change them on this machine. */
const LOCAL = new Set(
  `[ awk basename bc cat chmod chown cmp comm cp cut date dd diff dirname du echo egrep env exit export expr
  false fd fgrep find fold gunzip gzip head id install jq kill ln local ls md5sum mkdir mktemp mv paste printf ps
  pwd read readlink realpath return rg rm rmdir sed seq set sha256sum shift sleep sort stat tail tar tee test touch
  tr trap true type ulimit umask uname uniq unset unzip wait wc wget which whoami xxd yq zip :`.split(
    /\s+/,
  ),
);

function lastPart(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}
