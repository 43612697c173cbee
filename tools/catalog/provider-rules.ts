import type { ModelKind, ModelRecordInput } from '@gateway/model-catalog';
import type { ProviderFormat } from '@gateway/interchange';

type CacheRule = NonNullable<ModelRecordInput['cache']>;

/** Facts about a provider that the model lists do not contain, with the provider's keys in the lists. */
export interface ProviderRule {
  /** The provider's name in this gateway. */
  readonly provider: string;
  /** The provider's key in models.dev, or null if the provider is not listed. */
  readonly modelsDev: string | null;
  /** The key of the models' maker in models.dev, needed if the provider's model ids omit the maker. */
  readonly maker?: string;
  /** The provider's id in genai-prices, or null if the provider is not listed. */
  readonly genaiPrices: string | null;
  readonly formats: readonly ProviderFormat[];
  /**
   * The cache rule for models with a cached input price. For models without a cached input price, the cache
   * rule is unknown.
   */
  readonly cache: CacheRule | null;
  /** The models with the cache rule, by default all models. */
  readonly cachedModels?: RegExp;
  /** The kinds of models that the provider serves at its address. By default, these are all kinds. */
  readonly kinds?: readonly ModelKind[];
  /** The npm library of the provider's models in models.dev. Models with any other npm library are excluded. */
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
 * The cache rules come from the providers' own pages about prompt caching or context caching. For OpenAI's
 * models, OpenAI and Azure cache prefixes of at least 1,024 tokens for at least five minutes. DeepSeek caches
 * prefixes in units of 64 tokens. Groq caches prefixes for two hours. Moonshot, xAI and Z.ai cache prefixes
 * automatically, but their pages give no lengths or lifetimes. Anthropic and Amazon Bedrock cache marked
 * prefixes for five minutes. The minimum length for Anthropic and Bedrock is null, because it depends on the
 * model. Gemini caches prefixes automatically since Gemini 2.5, but its page gives no cache duration. All
 * other providers' cache rules are unknown.
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

/**
 * The models of OpenAI and Azure that only the Responses API serves.
 * Source: https://platform.openai.com/docs/models
 */
export const responsesOnly: {
  readonly providers: readonly string[];
  readonly modelId: RegExp;
  readonly formats: readonly ProviderFormat[];
} = {
  providers: ['openai', 'azure'],
  modelId: /^(?:o1-pro|o3-pro|gpt-[\d.]+-pro|gpt-[\d.]+-codex.*|codex-mini)$/,
  formats: ['responses'],
};

interface Exclusion {
  /** The providers that the exclusion applies to, by default all providers. */
  readonly providers?: readonly string[];
  readonly modelId: RegExp;
  readonly reason: string;
}

/**
 * The kinds of certain models, by model id. The model lists treat these models as chat models, because they
 * read and write text.
 */
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

/** Kinds of models by output type, for outputs other than text. */
export const kindsByOutput: Readonly<Record<string, ModelKind>> = {
  image: 'image',
  video: 'video',
  audio: 'speech',
};

/**
 * Models that the catalogue excludes. Some excluded models are of a kind that the catalogue does not contain.
 * Other excluded models are not served at the provider's address.
 */
export const exclusions: readonly Exclusion[] = [
  { modelId: /\blyria\b/i, reason: 'generates music' },
  { modelId: /realtime|-live\b|-native-audio/i, reason: 'needs a WebSocket session' },
  { modelId: /deep-research/i, reason: 'runs as a background task of another API' },
  { modelId: /gliner-pii/i, reason: 'marks personal data, does not chat' },
  {
    providers: ['nvidia'],
    modelId:
      /esm2|esmfold|active-speaker|bevformer|sparsedrive|streampetr|studiovoice|synthetic-video|usdvalidate|riva-|voicechat|paligemma/,
    reason: 'has a different API (https://build.nvidia.com/models)',
  },
  { modelId: /^gpt-3\.5-turbo-instruct/, reason: 'completes text, does not chat' },
];

/** The sandbox provider's model. The facts about the sandbox model come from apps/sandbox-provider. */
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
      jsonMode: true,
      streaming: true,
      thinking: false,
    },
    cache: { kind: 'none', minTokens: null, ttlSeconds: null },
    releasedAt: '2026-11-20',
    sources: ['agent-gateway'],
  },
];
