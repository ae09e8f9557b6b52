// New files that no machine should commit without a person's word: by name, and by size.

export const LARGE_FILE_BYTES = 5 * 1024 * 1024;

const SECRET_NAMES = [
  /^\.env(?:\..+)?$/,
  /^.+\.env$/,
  /\.(?:pem|key|p12|pfx|p8|jks|keystore|kdbx|ppk|asc|gpg)$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/,
  /^credentials?(?:\..+)?$/,
  /^(?:client_)?secrets?(?:\.(?:json|ya?ml|toml|ini|txt|env|tfvars))?$/,
  /^service[-_]?account.*\.json$/,
  /^\.(?:npmrc|pypirc|netrc|git-credentials|htpasswd|pgpass|dockercfg)$/,
  /^_netrc$/,
  /^kubeconfig(?:\..+)?$/,
  /\.tfstate(?:\.backup)?$/,
  /\.tfvars$/,
];

/** Folders whose files are secrets whatever their names. */
const SECRET_FOLDERS = /(?:^|\/)\.(?:ssh|aws|gnupg|kube|azure)\//;

/** Templates that hold names without values, and the public half of a key. */
const HARMLESS = /(?:\.(?:example|sample|template|dist|defaults?)|\.pub)$/;

export function looksSecret(path: string): boolean {
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf("/") + 1);
  if (HARMLESS.test(name)) return false;
  return SECRET_FOLDERS.test(lower) || SECRET_NAMES.some((pattern) => pattern.test(name));
}
