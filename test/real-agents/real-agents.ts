// The agents: which package, and how a person would point each of them at a model of their own. All
// of it is environment and files in HOME; nothing of it is known to Stint.

export interface Provider {
  /** Without a path. */
  readonly url: string;
  readonly key: string;
}

export interface Setup {
  readonly env: Readonly<Record<string, string>>;
  /** By path below HOME. */
  readonly files: Readonly<Record<string, string>>;
}

export interface RealAgent {
  readonly package: { readonly name: string; readonly version: string };
  readonly needsNewerNode: boolean;
  /** Whether its stream says what was used. */
  readonly tells: { readonly tokens: boolean; readonly cost: boolean };
  /** What a person is told to do about a key that is refused. */
  readonly login: string;
  /** For a CLI that never gives up: how long Stint lets a session go on. */
  readonly longestSession?: string;
  /** It works with its vendor's account alone: nothing of it but being logged out can be tried here. */
  readonly vendorOnly?: boolean;
  /** A limit that it takes when it is started, as options of `stint run`, and how a session ends by it. */
  readonly budget?: {
    readonly options: readonly string[];
    /** Where the limit is one of time. */
    readonly behaviour?: "hold";
    readonly outcome: "budget-exceeded" | "finished";
    readonly exitCode: number;
  };
  /** What a session that was refused for its allowance looks like, where that is not told. */
  readonly limitLooksLike?: "overloaded" | "rate-limited";
  /** Refused for its allowance, it asks again for an hour and says nothing: Stint ends it for its silence. */
  readonly isSilentWhenLimited?: boolean;
  /** Of an agent with a stream of its own that is driven over the Agent Client Protocol instead: its program and words. */
  readonly overAcp?: readonly [program: string, ...words: string[]];
  setUp(provider: Provider): Setup;
  /** As after logging in with its vendor, who cannot be reached from here. */
  readonly ofVendor?: () => Setup;
  /** Where a subscription, not a key, is what runs out. */
  readonly subscription?: (provider: Provider) => Setup;
}

const WITH_ADAPTER = {
  claude: {
    package: { name: "@anthropic-ai/claude-code", version: "2.1.325" },
    needsNewerNode: false,
    tells: { tokens: true, cost: true },
    login: "claude /login",
    // The task costs more than twice that.
    budget: { options: ["--max-cost", "0.01"], outcome: "budget-exceeded", exitCode: 1 },
    setUp: ({ url, key }) => ({
      env: { ...claudeEnv(url), ANTHROPIC_API_KEY: key },
      files: {},
    }),
    subscription: ({ url, key }) => ({
      env: { ...claudeEnv(url), CLAUDE_CODE_OAUTH_TOKEN: key },
      files: {},
    }),
    ofVendor: () => ({ env: { CLAUDE_CODE_OAUTH_TOKEN: "scripted-token" }, files: {} }),
  },
  codex: {
    package: { name: "@openai/codex", version: "0.166.0" },
    needsNewerNode: false,
    tells: { tokens: true, cost: false },
    login: "codex login",
    setUp: ({ url, key }) => ({
      env: { CODEX_MODEL_KEY: key },
      files: { ".codex/config.toml": codexConfig(url) },
    }),
    ofVendor: () => ({ env: {}, files: { ".codex/auth.json": codexLogin() } }),
  },
  gemini: {
    package: { name: "@google/gemini-cli", version: "0.61.0" },
    needsNewerNode: false,
    tells: { tokens: true, cost: false },
    login: "set GEMINI_API_KEY",
    setUp: ({ url, key }) => ({
      env: { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url },
      files: {
        ".gemini/settings.json": JSON.stringify({
          security: { auth: { selectedType: "gemini-api-key" } },
          privacy: { usageStatisticsEnabled: false },
          // Else it asks a second model which model to ask.
          model: { name: "gemini-2.5-pro" },
        }),
      },
    }),
  },
  opencode: {
    package: { name: "opencode-ai", version: "1.18.33" },
    needsNewerNode: false,
    tells: { tokens: true, cost: true },
    login: "opencode auth login",
    setUp: ({ url, key }) => ({
      env: {
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      },
      files: { ".config/opencode/opencode.json": opencodeConfig(url, key) },
    }),
  },
  copilot: {
    package: { name: "@github/copilot", version: "1.0.102" },
    needsNewerNode: false,
    tells: { tokens: true, cost: false },
    login: "copilot login",
    // Of a provider of one's own it counts nothing.
    budget: { options: ["--max-cost", "0.30"], outcome: "finished", exitCode: 0 },
    setUp: ({ url, key }) => ({
      env: {
        COPILOT_OFFLINE: "true",
        COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
        COPILOT_PROVIDER_API_KEY: key,
        COPILOT_MODEL: "gpt-5.1",
      },
      files: {},
    }),
    ofVendor: () => ({ env: { GH_TOKEN: `gho_${"0".repeat(36)}` }, files: {} }),
  },
  qwen: {
    package: { name: "@qwen-code/qwen-code", version: "0.24.4" },
    needsNewerNode: true,
    tells: { tokens: true, cost: false },
    login: "set OPENAI_API_KEY",
    budget: {
      options: ["--max-wall", "120s"],
      behaviour: "hold",
      outcome: "budget-exceeded",
      exitCode: 55,
    },
    // Refused, it tries for 95 silent seconds, then says that it waits for a minute, and so on.
    longestSession: "170s",
    setUp: ({ url, key }) => ({
      env: { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "scripted-model" },
      files: {
        ".qwen/settings.json": JSON.stringify({
          security: { auth: { selectedType: "openai" } },
          privacy: { usageStatisticsEnabled: false },
        }),
      },
    }),
  },
  cline: {
    package: { name: "cline", version: "3.0.65" },
    needsNewerNode: false,
    tells: { tokens: true, cost: false },
    login: "cline auth",
    setUp: ({ url, key }) => ({
      env: {},
      files: { ".cline/data/settings/providers.json": clineProviders(url, key) },
    }),
  },
  kimi: {
    package: { name: "@moonshot-ai/kimi-code", version: "2.1.0" },
    needsNewerNode: true,
    tells: { tokens: false, cost: false },
    login: "kimi login",
    setUp: ({ url, key }) => ({
      env: {},
      files: { ".kimi-code/config.toml": kimiConfig(url, key) },
    }),
    limitLooksLike: "overloaded",
  },
  qodercli: {
    package: { name: "@qoder-ai/qodercli", version: "1.1.52" },
    needsNewerNode: false,
    tells: { tokens: false, cost: false },
    login: "qodercli login",
    vendorOnly: true,
    setUp: () => ({ env: {}, files: {} }),
  },
  auggie: {
    package: { name: "@augmentcode/auggie", version: "0.36.0" },
    needsNewerNode: false,
    tells: { tokens: false, cost: false },
    login: "auggie login",
    vendorOnly: true,
    setUp: () => ({ env: {}, files: {} }),
  },
} satisfies Readonly<Record<string, RealAgent>>;

/** The same programs as `acp:<program> [args]`, as far as they can be pointed at a model of one's own that way. */
const AS_ANY_ACP = {
  "acp-gemini": {
    ...WITH_ADAPTER.gemini,
    overAcp: ["gemini", "--acp"],
    login: "log in with gemini itself",
  },
  "acp-opencode": {
    ...WITH_ADAPTER.opencode,
    overAcp: ["opencode", "acp"],
    login: "log in with opencode itself",
  },
  "acp-copilot": {
    ...WITH_ADAPTER.copilot,
    overAcp: ["copilot", "--acp"],
    login: "log in with copilot itself",
  },
  "acp-qwen": {
    ...WITH_ADAPTER.qwen,
    overAcp: ["qwen", "--acp"],
    limitLooksLike: "overloaded",
    isSilentWhenLimited: true,
    login: "log in with qwen itself",
  },
} satisfies Readonly<Record<string, RealAgent>>;

const AGENTS = { ...WITH_ADAPTER, ...AS_ANY_ACP };

export type AgentName = keyof typeof AGENTS;

export const REAL_AGENTS: Readonly<Record<AgentName, RealAgent>> = AGENTS;

function claudeEnv(url: string): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    // Else it asks a refused key ten times over, for three minutes.
    CLAUDE_CODE_MAX_RETRIES: "1",
  };
}

function codexConfig(url: string): string {
  return `model = "gpt-5.5"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
env_key = "CODEX_MODEL_KEY"
wire_api = "responses"

[analytics]
enabled = false

# Else every session looks for plugins on the network first.
[features]
plugins = false
`;
}

/** Of an account that nobody has, with a token that has long expired. */
function codexLogin(): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const account = { chatgpt_plan_type: "plus", chatgpt_account_id: "scripted" };
  const claims = { exp: 1_700_000_000, "https://api.openai.com/auth": account };
  const token = `${part({ alg: "none" })}.${part(claims)}.scripted`;
  return JSON.stringify({
    OPENAI_API_KEY: null,
    auth_mode: "chatgpt",
    tokens: {
      id_token: token,
      access_token: token,
      refresh_token: "scripted",
      account_id: "scripted",
    },
    last_refresh: "2026-10-01T00:00:00Z",
  });
}

function opencodeConfig(url: string, key: string): string {
  const model = {
    limit: { context: 200_000, output: 8_000 },
    cost: { input: 3, output: 15 },
    tool_call: true,
  };
  return JSON.stringify({
    autoupdate: false,
    share: "disabled",
    enabled_providers: ["scripted"],
    model: "scripted/scripted-model",
    small_model: "scripted/scripted-model",
    provider: {
      scripted: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: `${url}/v1`, apiKey: key },
        models: { "scripted-model": model },
      },
    },
  });
}

function kimiConfig(url: string, key: string): string {
  return `default_model = "scripted"

[providers.scripted]
type = "openai"
base_url = "${url}/v1"
api_key = "${key}"

[models.scripted]
provider = "scripted"
model = "scripted-model"
max_context_size = 200000
`;
}

/** What `cline auth` writes for a provider of one's own. */
function clineProviders(url: string, key: string): string {
  const provider = "openai-compatible";
  const settings = { provider, apiKey: key, model: "scripted-model", baseUrl: `${url}/v1` };
  return JSON.stringify({
    version: 1,
    lastUsedProvider: provider,
    modes: {},
    providers: {
      [provider]: { settings, updatedAt: "2026-01-01T00:00:00.000Z", tokenSource: "manual" },
    },
  });
}
