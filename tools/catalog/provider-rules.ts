import type { ModelRecordInput } from '@gateway/model-catalog';
import type { ProviderFormat } from '@gateway/interchange';

type CacheRule = NonNullable<ModelRecordInput['cache']>;

/** What the lists do not say of a provider, and where its entries are found in them. */
export interface ProviderRule {
  /** Our name of it. */
  readonly provider: string;
  /** Its key in models.dev; null where it has none. */
  readonly modelsDev: string | null;
  /** Its id in genai-prices; null where it has none. */
  readonly genaiPrices: string | null;
  readonly formats: readonly ProviderFormat[];
  /** Holds for models whose entry names a price for cached input; others are not known to be cached. */
  readonly cache: CacheRule | null;
}

const automatic = (minTokens: number | null, ttlSeconds: number | null): CacheRule => ({
  kind: 'automatic',
  minTokens,
  ttlSeconds,
});

const rule = (
  provider: string,
  modelsDev: string | null,
  genaiPrices: string | null,
  cache: CacheRule | null = null,
): ProviderRule => ({ provider, modelsDev, genaiPrices, formats: ['chat-completions'], cache });

/**
 * Cache rules are those of the provider's own page: OpenAI "Prompt caching" (1,024 tokens, five minutes at the least),
 * DeepSeek "Context caching" (units of 64 tokens), Groq "Prompt caching" (two hours), Moonshot, xAI and Z.ai (automatic,
 * no figures given). Others are left unknown.
 */
export const providerRules: readonly ProviderRule[] = [
  rule('openai', 'openai', 'openai', automatic(1024, 300)),
  rule('mistral', 'mistral', 'mistral'),
  rule('groq', 'groq', 'groq', automatic(null, 7200)),
  rule('deepseek', 'deepseek', 'deepseek', automatic(64, null)),
  rule('xai', 'xai', 'x-ai', automatic(null, null)),
  rule('together', 'togetherai', 'together'),
  rule('fireworks', 'fireworks-ai', 'fireworks'),
  rule('openrouter', 'openrouter', 'openrouter'),
  rule('perplexity', 'perplexity', 'perplexity'),
  rule('cerebras', 'cerebras', 'cerebras'),
  rule('deepinfra', 'deepinfra', null),
  rule('sambanova', null, null),
  rule('nebius', 'nebius', null),
  rule('moonshot', 'moonshotai', 'moonshotai', automatic(null, null)),
  rule('zai', 'zai', null, automatic(null, null)),
  rule('dashscope', 'alibaba', null),
  rule('siliconflow', 'siliconflow', null),
  rule('novita', 'novita-ai', 'novita'),
  rule('nvidia', 'nvidia', null),
  rule('huggingface', 'huggingface', null),
];

interface Exclusion {
  /** Where it applies; everywhere if left out. */
  readonly provider?: string;
  readonly modelId: RegExp;
  readonly reason: string;
}

/** Models that answer no chat request, although the list does not tell them from those that do. */
export const exclusions: readonly Exclusion[] = [
  { modelId: /embed|bge-|nv-embedcode/i, reason: 'makes embeddings' },
  { modelId: /rerank/i, reason: 'ranks passages' },
  { modelId: /whisper|asr\b|-asr-|transcribe|parakeet/i, reason: 'transcribes speech' },
  { modelId: /\btts\b|-tts/i, reason: 'makes speech' },
  {
    modelId: /-ocr\b|paddleocr|moderation|prompt-guard|safeguard|content-safety/i,
    reason: 'judges or reads, does not chat',
  },
  { modelId: /\blyria\b/i, reason: 'makes music' },
  { modelId: /llama-guard|safety-guard|gliner-pii/i, reason: 'judges or reads, does not chat' },
  {
    provider: 'nvidia',
    modelId:
      /esm2|esmfold|active-speaker|bevformer|sparsedrive|streampetr|studiovoice|synthetic-video|usdvalidate|riva-|voicechat|paligemma/,
    reason: 'has an interface of its own (https://build.nvidia.com/models)',
  },
  {
    provider: 'openai',
    // https://platform.openai.com/docs/models: these have no chat-completions endpoint, only responses.
    modelId: /^(o1-pro|o3-pro|gpt-[\d.]+-pro|gpt-[\d.]+-codex.*|o\d(-mini)?-deep-research)$/,
    reason: 'spoken to through the Responses API alone',
  },
];

/**
 * Claude signs its thinking, and its newest models bind the signature to system, tools and earlier messages. Which ones
 * is nowhere listed, so it is taken for all that think: a wrong "bound" costs some pruning, a wrong "free" a failed call.
 */
export function bindsThinking(modelId: string, thinking: boolean | null): boolean {
  return /claude/i.test(modelId) && thinking !== false;
}

/** The demo provider's model: the facts are those of apps/sandbox-provider. */
export const ownModels: readonly ModelRecordInput[] = [
  {
    provider: 'sandbox',
    modelId: 'sandbox-1',
    formats: ['chat-completions'],
    contextWindow: 128_000,
    maxOutputTokens: 4096,
    prices: { input: 0, output: 0 },
    capabilities: {
      tools: true,
      images: false,
      documents: false,
      jsonMode: false,
      streaming: true,
      thinking: false,
    },
    cache: { kind: 'none', minTokens: null, ttlSeconds: null },
    releasedAt: '2026-11-20',
    sources: ['agent-gateway'],
  },
];
