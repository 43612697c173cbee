import type { ModelKind, ModelRecordInput } from '@gateway/model-catalog';
import type { ProviderFormat } from '@gateway/interchange';

type CacheRule = NonNullable<ModelRecordInput['cache']>;

/** What the lists do not say of a provider, and where its entries are found in them. */
export interface ProviderRule {
  /** Our name of it. */
  readonly provider: string;
  /** Its key in models.dev; null where it has none. */
  readonly modelsDev: string | null;
  /** Who makes the models that models.dev names without their maker, by its name there. */
  readonly maker?: string;
  /** Its id in genai-prices; null where it has none. */
  readonly genaiPrices: string | null;
  readonly formats: readonly ProviderFormat[];
  /** Holds for models whose entry names a price for cached input; others are not known to be cached. */
  readonly cache: CacheRule | null;
  /** The models that the cache rule is said of; all if left out. */
  readonly cachedModels?: RegExp;
  /** The kinds that the address answers; all if left out. */
  readonly kinds?: readonly ModelKind[];
  /** Models that the list gives a library of their own are spoken to otherwise; but for those of this library. */
  readonly library?: string;
}

const automatic = (minTokens: number | null, ttlSeconds: number | null): CacheRule => ({
  kind: 'automatic',
  minTokens,
  ttlSeconds,
});

const explicit = (ttlSeconds: number): CacheRule => ({ kind: 'explicit', minTokens: null, ttlSeconds });

const rule = (
  provider: string,
  modelsDev: string | null,
  genaiPrices: string | null,
  cache: CacheRule | null = null,
): ProviderRule => ({ provider, modelsDev, genaiPrices, formats: ['chat-completions'], cache });

/**
 * Cache rules are those of the provider's own page: OpenAI "Prompt caching" (1,024 tokens, five minutes at the least),
 * DeepSeek "Context caching" (units of 64 tokens), Groq "Prompt caching" (two hours), Moonshot, xAI and Z.ai (automatic,
 * no figures given), Anthropic "Prompt caching" and Amazon Bedrock "Prompt caching" (marked prefixes, five minutes; how
 * short they may be differs by model, so it is left open), Gemini "Context caching" (automatic since 2.5, no time given),
 * Azure "Prompt caching" (OpenAI's models, 1,024 tokens, five minutes at the least). Others are left unknown.
 */
export const providerRules: readonly ProviderRule[] = [
  { ...rule('openai', 'openai', 'openai', automatic(1024, 300)), maker: 'openai' },
  { ...rule('mistral', 'mistral', 'mistral'), maker: 'mistral' },
  rule('groq', 'groq', 'groq', automatic(null, 7200)),
  { ...rule('deepseek', 'deepseek', 'deepseek', automatic(64, null)), maker: 'deepseek' },
  { ...rule('xai', 'xai', 'x-ai', automatic(null, null)), maker: 'xai' },
  rule('together', 'togetherai', 'together'),
  rule('fireworks', 'fireworks-ai', 'fireworks'),
  rule('openrouter', 'openrouter', 'openrouter'),
  { ...rule('perplexity', 'perplexity', 'perplexity'), maker: 'perplexity' },
  rule('cerebras', 'cerebras', 'cerebras'),
  rule('deepinfra', 'deepinfra', null),
  rule('sambanova', null, null),
  rule('nebius', 'nebius', null),
  { ...rule('moonshot', 'moonshotai', 'moonshotai', automatic(null, null)), maker: 'moonshotai' },
  { ...rule('zai', 'zai', null, automatic(null, null)), maker: 'zhipuai' },
  { ...rule('dashscope', 'alibaba', null), maker: 'alibaba' },
  rule('siliconflow', 'siliconflow', null),
  rule('novita', 'novita-ai', 'novita'),
  rule('nvidia', 'nvidia', null),
  rule('huggingface', 'huggingface', null),
  {
    ...rule('anthropic', 'anthropic', 'anthropic', explicit(300)),
    maker: 'anthropic',
    formats: ['messages'],
  },
  { ...rule('google', 'google', 'google', automatic(null, null)), maker: 'google', formats: ['gemini'] },
  {
    ...rule('vertex', 'google-vertex', 'google', automatic(null, null)),
    maker: 'google',
    formats: ['gemini'],
  },
  { ...rule('cohere', 'cohere', 'cohere'), maker: 'cohere', formats: ['cohere'] },
  {
    ...rule('hosted', 'amazon-bedrock', 'aws', explicit(300)),
    formats: ['converse'],
    cachedModels: /claude|nova/,
  },
  {
    ...rule('azure', 'azure', 'azure', automatic(1024, 300)),
    maker: 'openai',
    cachedModels: /^(gpt-|o\d)/,
    library: '@ai-sdk/openai-compatible',
  },
  {
    ...rule('googleopenai', 'google', 'google', automatic(null, null)),
    maker: 'google',
    kinds: ['chat', 'embedding'],
  },
  {
    ...rule('cohereopenai', 'cohere', 'cohere'),
    maker: 'cohere',
    kinds: ['chat', 'embedding'],
    library: '@ai-sdk/openai-compatible',
  },
];

interface Exclusion {
  /** Where it applies; everywhere if left out. */
  readonly providers?: readonly string[];
  readonly modelId: RegExp;
  readonly reason: string;
}

/** Kinds by id, where the list does not tell them from chat models: what comes in and goes out is text there too. */
export const kindsById: readonly { readonly modelId: RegExp; readonly kind: ModelKind }[] = [
  { modelId: /embed|bge-/i, kind: 'embedding' },
  { modelId: /rerank/i, kind: 'rerank' },
  { modelId: /whisper|asr\b|-asr-|transcribe|parakeet/i, kind: 'transcription' },
  { modelId: /\btts\b|-tts/i, kind: 'speech' },
  { modelId: /-ocr\b|paddleocr/i, kind: 'ocr' },
  {
    modelId: /moderation|prompt-guard|safeguard|content-safety|llama-guard|safety-guard/i,
    kind: 'moderation',
  },
  { modelId: /^(chat)?gpt-image/, kind: 'image' },
];

/** The kind of a model that says no word. */
export const kindsByOutput: Readonly<Record<string, ModelKind>> = {
  image: 'image',
  video: 'video',
  audio: 'speech',
};

/** Models that are in none of our kinds, or not to be reached at their provider's address. */
export const exclusions: readonly Exclusion[] = [
  { modelId: /\blyria\b/i, reason: 'makes music' },
  { modelId: /gliner-pii/i, reason: 'marks personal data, does not chat' },
  {
    providers: ['nvidia'],
    modelId:
      /esm2|esmfold|active-speaker|bevformer|sparsedrive|streampetr|studiovoice|synthetic-video|usdvalidate|riva-|voicechat|paligemma/,
    reason: 'has an interface of its own (https://build.nvidia.com/models)',
  },
  {
    providers: ['openai', 'azure'],
    // https://platform.openai.com/docs/models: these have no chat-completions endpoint, only responses.
    modelId: /^(o1-pro|o3-pro|gpt-[\d.]+-pro|gpt-[\d.]+-codex.*|o\d(-mini)?-deep-research|codex-mini)$/,
    reason: 'spoken to through the Responses API alone',
  },
  { modelId: /^gpt-3\.5-turbo-instruct/, reason: 'completes text, does not chat' },
];

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
