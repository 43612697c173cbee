import { z } from 'zod';

/** `2026`, `2026-07` or `2026-07-31`: as exact as the source. */
const date = z.string().regex(/^\d{4}(-\d{2}){0,2}$/);
const usdPerMillionTokens = z.number().nonnegative();
const tokens = z.int().positive();
/** Null where no source says. */
const known = z.boolean().nullable();

const basePrices = z.strictObject({
  input: usdPerMillionTokens,
  output: usdPerMillionTokens,
  /** Input tokens read from the prompt cache. Absent: the provider names no price of its own for them. */
  cacheRead: usdPerMillionTokens.optional(),
  /** Input tokens written to the prompt cache. */
  cacheWrite: usdPerMillionTokens.optional(),
  /** Output tokens spent on thinking, where they cost otherwise than the rest. */
  reasoning: usdPerMillionTokens.optional(),
});

/** Prices in USD per million tokens. */
const prices = basePrices.extend({
  /** Other prices for the whole request, once its input is longer. Ascending. */
  tiers: z.array(basePrices.extend({ aboveInputTokens: tokens })).optional(),
});

/** How the provider caches prompt prefixes. What is not known is null. */
const cacheRule = z.strictObject({
  /** `automatic`: without asking. `explicit`: where the request marks a prefix. `none`: not at all. */
  kind: z.enum(['automatic', 'explicit', 'none']),
  /** The shortest prefix that is cached. */
  minTokens: tokens.nullable(),
  /** How long an unused prefix is kept at least. */
  ttlSeconds: z.int().positive().nullable(),
});

/**
 * How well a model does in one public measurement. Figures of other measures, units or settings do not compare.
 */
const qualityFigure = z.strictObject({
  /** The measurement's name. */
  measure: z.string().min(1),
  value: z.number(),
  /** What the value counts, in the source's words: `percent correct`. */
  unit: z.string().optional(),
  /** Which part, version or way of it, in the source's words. */
  setting: z.string().optional(),
  source: z.url(),
  measuredOn: date.optional(),
});

/** What a model does: answers chat, or takes another kind of request. */
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

/** A model at a provider, as it stands in the data file. Optional fields are left out where they say nothing. */
export const modelRecord = z.strictObject({
  provider: z.string().min(1),
  /** The provider's own id. */
  modelId: z.string().min(1),
  /** Other ids that the provider takes for the same model. */
  aliases: z.array(z.string().min(1)).default([]),
  kind: modelKind.default('chat'),
  /** The chat formats in which it is spoken to: at least one for a chat model, none for another kind. */
  formats: z.array(z.enum(['chat-completions', 'messages', 'converse', 'gemini', 'cohere'])),
  /** Tokens of input and output together. */
  contextWindow: tokens.nullable(),
  maxOutputTokens: tokens.nullable(),
  /** Null: no source names prices. Costs of such a model are unknown, not zero. */
  prices: prices.nullable(),
  capabilities: z.strictObject({
    tools: known,
    images: known,
    documents: known,
    jsonMode: known,
    /** Null for what is not a chat model. */
    streaming: known,
    thinking: known,
  }),
  /** Null: not known. */
  cache: cacheRule.nullable(),
  /**
   * Signed thinking of this model is bound to `system`, the tools and all earlier messages: changing any of them
   * makes the next call fail.
   */
  thinkingBinding: z.boolean().default(false),
  /**
   * The provider's own way to keep tools out of the model's way, in the format that is spoken to it. `deferred_loading`: definitions
   * stay out of the prompt until the model searches for them. `allowed_tools`: they are in it, and a request says which may be called.
   */
  nativeSelection: z.enum(['deferred_loading', 'allowed_tools']).optional(),
  /** Public measurements, each with its source: what routing starts from before it has seen the model answer. */
  quality: z.array(qualityFigure).default([]),
  /** The provider has announced the end of it. */
  deprecated: z.boolean().default(false),
  releasedAt: date.nullable(),
  /** The day from which on it answers no more, where one is announced. Null: none is known. */
  retiredAt: date.nullable().default(null),
  /** Where the facts come from: keys of the file's `sources`. The first is the one whose figures stand. */
  sources: z.array(z.string()).min(1),
  /** Prices that another source gives otherwise: its figures, by field. */
  disputed: z.record(z.string(), z.number()).optional(),
});

const checkedRecord = modelRecord.refine(({ kind, formats }) => (kind === 'chat') === formats.length > 0, {
  path: ['formats'],
  message: 'a chat model has formats, another kind has none',
});

const source = z.strictObject({ title: z.string(), licence: z.string(), takenOn: date });

export const catalogFile = z.strictObject({
  sources: z.record(z.string(), source),
  models: z.array(checkedRecord),
});

export type QualityFigure = z.infer<typeof qualityFigure>;
export type ModelKind = z.infer<typeof modelKind>;
export type ModelRecord = z.infer<typeof modelRecord>;
/** What is written in the file, before defaults. */
export type ModelRecordInput = z.input<typeof modelRecord>;
export type CatalogFile = z.infer<typeof catalogFile>;
export type CatalogFileInput = z.input<typeof catalogFile>;
export type ModelPrices = z.infer<typeof prices>;
