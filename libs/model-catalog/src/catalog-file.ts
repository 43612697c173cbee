import { z } from 'zod';

/** `2026`, `2026-07` or `2026-07-31`, as exact as the source. */
const date = z.string().regex(/^\d{4}(-\d{2}){0,2}$/);
const usdPerMillionTokens = z.number().nonnegative();
const tokens = z.int().positive();
/** Null when no source states it. */
const known = z.boolean().nullable();

const basePrices = z.strictObject({
  input: usdPerMillionTokens,
  output: usdPerMillionTokens,
  /** Input tokens read from the prompt cache. Absent: the provider has no separate price. */
  cacheRead: usdPerMillionTokens.optional(),
  /** Input tokens written to the prompt cache. */
  cacheWrite: usdPerMillionTokens.optional(),
  /** Output tokens spent on reasoning, if their price differs from other output. */
  reasoning: usdPerMillionTokens.optional(),
});

/** Prices in USD per million tokens. */
const prices = basePrices.extend({
  /** Prices for the whole request when its input exceeds a bound. Ascending by bound. */
  tiers: z.array(basePrices.extend({ aboveInputTokens: tokens })).optional(),
});

/** How the provider caches prompt prefixes. Null means unknown. */
const cacheRule = z.strictObject({
  /** `automatic`: always. `explicit`: only prefixes that the request marks. `none`: never. */
  kind: z.enum(['automatic', 'explicit', 'none']),
  /** Length of the shortest prefix that is cached. */
  minTokens: tokens.nullable(),
  /** Minimum lifetime of an unused prefix. */
  ttlSeconds: z.int().positive().nullable(),
});

/** A model's result in one public benchmark. Only results with the same measure, unit and setting are comparable. */
const qualityFigure = z.strictObject({
  /** The name of the benchmark. */
  measure: z.string().min(1),
  value: z.number(),
  /** The unit of the value, in the source's words: `percent correct`. */
  unit: z.string().optional(),
  /** The part, version or variant of the benchmark, in the source's words. */
  setting: z.string().optional(),
  source: z.url(),
  measuredOn: date.optional(),
});

/** The kind of requests that a model serves. */
const modelKind = z.enum([
  'chat',
  'embedding',
  'image',
  'speech',
  'transcription',
  'rerank',
  'ocr',
  'moderation',
  'video',
]);

/** A model of a provider, as stored in the data file. Optional fields are omitted when they have no value. */
export const modelRecord = z.strictObject({
  provider: z.string().min(1),
  /** The provider's own id. */
  modelId: z.string().min(1),
  /** Other ids that the provider accepts for the same model. */
  aliases: z.array(z.string().min(1)).default([]),
  kind: modelKind.default('chat'),
  /** The chat formats of the model: at least one for a chat model, none for other kinds. */
  formats: z.array(z.enum(['chat-completions', 'messages', 'converse', 'gemini', 'cohere'])),
  /** Tokens of input and output together. */
  contextWindow: tokens.nullable(),
  maxOutputTokens: tokens.nullable(),
  /** Null: no source states prices. The cost of such a model is unknown, not zero. */
  prices: prices.nullable(),
  capabilities: z.strictObject({
    tools: known,
    images: known,
    documents: known,
    jsonMode: known,
    /** Null for models of other kinds than chat. */
    streaming: known,
    thinking: known,
  }),
  /** Null means unknown. */
  cache: cacheRule.nullable(),
  /**
   * Signed reasoning of this model is bound to `system`, the tools and all earlier messages. If one of them changes, the
   * next request fails.
   */
  thinkingBinding: z.boolean().default(false),
  /**
   * The provider's own tool selection. `deferred_loading`: definitions stay out of the prompt until the model searches for
   * them. `allowed_tools`: definitions are in the prompt, and the request lists the tools that may be called.
   */
  nativeSelection: z.enum(['deferred_loading', 'allowed_tools']).optional(),
  /** Public benchmark results with their sources. Routing uses them until it has observed the model. */
  quality: z.array(qualityFigure).default([]),
  /** The provider has announced the end of the model. */
  deprecated: z.boolean().default(false),
  releasedAt: date.nullable(),
  /** The announced day from which the model is unavailable. Null: none is known. */
  retiredAt: date.nullable().default(null),
  /** The sources of the facts: keys of the file's `sources`. The first source takes precedence. */
  sources: z.array(z.string()).min(1),
  /** Different prices from another source, by field. */
  disputed: z.record(z.string(), z.number()).optional(),
});

const checkedRecord = modelRecord.refine(({ kind, formats }) => (kind === 'chat') === formats.length > 0, {
  path: ['formats'],
  message: 'a chat model must have at least one format; other kinds must have none',
});

const source = z.strictObject({ title: z.string(), licence: z.string(), takenOn: date });

export const catalogFile = z.strictObject({
  sources: z.record(z.string(), source),
  models: z.array(checkedRecord),
});

export type QualityFigure = z.infer<typeof qualityFigure>;
export type ModelKind = z.infer<typeof modelKind>;
export type ModelRecord = z.infer<typeof modelRecord>;
/** A record in the file, before defaults are applied. */
export type ModelRecordInput = z.input<typeof modelRecord>;
export type CatalogFile = z.infer<typeof catalogFile>;
export type CatalogFileInput = z.input<typeof catalogFile>;
export type ModelPrices = z.infer<typeof prices>;
