// Which credentials of the person's environment an agent needs: the key of its own provider. Everything else that lets
// somebody act in the person's name stays outside of its sessions, unless `env.allow` names it.

/** Keys of providers of models, for agents that work with any of them. */
const MODEL_PROVIDERS = [
  "AI_GATEWAY_*",
  "ANTHROPIC_*",
  "AZURE_OPENAI_*",
  "CEREBRAS_*",
  "COHERE_*",
  "DASHSCOPE_*",
  "DEEPSEEK_*",
  "FIREWORKS_*",
  "GEMINI_*",
  "GOOGLE_API_KEY",
  "GOOGLE_GENERATIVE_AI_API_KEY",
  "GROQ_*",
  "HF_TOKEN",
  "KIMI_*",
  "LITELLM_*",
  "MINIMAX_*",
  "MISTRAL_*",
  "MOONSHOT_*",
  "OPENAI_*",
  "OPENROUTER_*",
  "PERPLEXITY_*",
  "TOGETHER_*",
  "XAI_*",
  "ZAI_*",
  "ZHIPU_*",
] as const;

const OWN: Readonly<Record<string, readonly string[]>> = {
  claude: ["ANTHROPIC_*", "CLAUDE_*"],
  codex: ["OPENAI_*", "AZURE_OPENAI_*", "CODEX_*"],
  gemini: ["GEMINI_*", "GOOGLE_*"],
  copilot: ["GH_TOKEN", "GITHUB_TOKEN", "COPILOT_*"],
  qwen: ["OPENAI_*", "DASHSCOPE_*", "QWEN_*", "BAILIAN_*"],
  opencode: [...MODEL_PROVIDERS, "OPENCODE_*"],
  cline: [...MODEL_PROVIDERS, "CLINE_*"],
  kimi: [...MODEL_PROVIDERS],
  qodercli: ["QODER_*"],
  auggie: ["AUGMENT_*"],
};

/** A cloud through which an agent reaches its model, where a variable says so. */
const CLOUDS: readonly { readonly when: string; readonly names: readonly string[] }[] = [
  { when: "CLAUDE_CODE_USE_BEDROCK", names: ["AWS_*"] },
  { when: "CLAUDE_CODE_USE_VERTEX", names: ["GOOGLE_*", "CLOUDSDK_*"] },
];

/** Names of variables, or beginnings followed by `*`. */
export function credentialsFor(
  agent: string,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const clouds = agent === "claude" ? CLOUDS.filter(({ when }) => env[when] !== undefined) : [];
  return [...(OWN[agent] ?? MODEL_PROVIDERS), ...clouds.flatMap(({ names }) => names)];
}
