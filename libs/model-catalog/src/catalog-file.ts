import { z } from 'zod';

/** A date as precise as its source: `2026`, `2026-07` or `2026-07-31`. */
const date = z.string().regex(/^\d{4}(-\d{2}){0,2}$/);
const usdPerMillionTokens = z.number().nonnegative();
const tokens = z.int().positive();
/** Null if no source states it. */
const known = z.boolean().nullable();

const basePrices = z.strictObject({
  input: usdPerMillionTokens,
  output: usdPerMillionTokens,
  /** Price for input tokens read from the prompt cache. Absent: the provider has no separate price. */
  cacheRead: usdPerMillionTokens.optional(),
  /** Price for input tokens written to the prompt cache. */
  cacheWrite: usdPerMillionTokens.optional(),
  /** Price for output tokens spent on reasoning, if it differs from other output. */
  reasoning: usdPerMillionTokens.optional(),
});

/** Prices in USD per million tokens. */
const prices = basePrices.extend({
  /** Prices that apply to the whole request when its input exceeds a bound. Sorted by bound, ascending. */
  tiers: z.array(basePrices.extend({ aboveInputTokens: tokens })).optional(),
});

/** How the provider caches prompt prefixes. Null means unknown. */
const cacheRule = z.strictObject({
  /**
   * `automatic`: every prefix. `explicit`: only prefixes marked in the request. `none`: nothing is cached.
   */
  kind: z.enum(['automatic', 'explicit', 'none']),
  /** Minimum length of a cacheable prefix. */
  minTokens: tokens.nullable(),
  /** Minimum time that an unused prefix stays cached. */
  ttlSeconds: z.int().positive().nullable(),
});

/**
 * A model's result in one public benchmark. Results are comparable only if measure, unit and setting are
 * equal.
 */
const qualityFigure = z.strictObject({
  /** The name of the benchmark. */
  measure: z.string().min(1),
  value: z.number(),
  /** The unit as the source names it: `percent correct`. */
  unit: z.string().optional(),
  /** The part, version or variant of the benchmark, as the source names it. */
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

/** A provider's model, as stored in the data file. Optional fields without a value are omitted. */
export const modelRecord = z.strictObject({
  provider: z.string().min(1),
  /** The provider's own model id. */
  modelId: z.string().min(1),
  /** Other ids that the provider accepts for the same model. */
  aliases: z.array(z.string().min(1)).default([]),
  kind: modelKind.default('chat'),
  /** The model's chat formats: at least one for a chat model, none for other kinds. */
  formats: z.array(z.enum(['chat-completions', 'messages', 'converse', 'gemini', 'cohere'])),
  /** Maximum number of input and output tokens together. */
  contextWindow: tokens.nullable(),
  maxOutputTokens: tokens.nullable(),
  /** Null if no source states prices. The cost for such a model is unknown, not zero. */
  prices: prices.nullable(),
  capabilities: z.strictObject({
    tools: known,
    images: known,
    documents: known,
    jsonMode: known,
    /** Null for models that are not chat models. */
    streaming: known,
    thinking: known,
  }),
  /** Null if unknown. */
  cache: cacheRule.nullable(),
  /**
   * This model's signed reasoning is bound to `system`, the tools and all earlier messages. If any of them
   * changes, the next request fails.
   */
  thinkingBinding: z.boolean().default(false),
  /**
   * The provider's built-in tool selection. `deferred_loading`: definitions stay out of the prompt until the
   * model searches for them. `allowed_tools`: definitions are in the prompt, and the request lists the tools
   * that may be called.
   */
  nativeSelection: z.enum(['deferred_loading', 'allowed_tools']).optional(),
  /**
   * Public benchmark results with their sources. Routing uses them until it has observations of the model.
   */
  quality: z.array(qualityFigure).default([]),
  /** Whether the provider has announced the model's retirement. */
  deprecated: z.boolean().default(false),
  releasedAt: date.nullable(),
  /** The announced date from which the model is unavailable. Null if no date is known. */
  retiredAt: date.nullable().default(null),
  /** Sources for these facts: keys in the file's `sources`. The first source takes precedence. */
  sources: z.array(z.string()).min(1),
  /** Prices that differ in another source, by field. */
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
/** A record as written in the file, before defaults are applied. */
export type ModelRecordInput = z.input<typeof modelRecord>;
export type CatalogFile = z.infer<typeof catalogFile>;
export type CatalogFileInput = z.input<typeof catalogFile>;
export type ModelPrices = z.infer<typeof prices>;
