import { z } from 'zod';
import { modelPrices } from './prices.ts';
import { toolCondition, apiName, binding, evidence } from './provider-facts.ts';

/** A date with the same precision as in the source, such as `2026`, `2026-07` or `2026-07-31`. */
const date = z.string().regex(/^\d{4}(-\d{2}){0,2}$/);
const tokens = z.int().positive();
/** Whether the model supports a capability. Null if no source documents the capability. */
const known = z.boolean().nullable();

/** The method by which the provider caches prompt prefixes. Null means that the method is unknown. */
const cacheRule = z.strictObject({
  /**
   * Which prompt prefixes the provider caches. `automatic` means every prompt prefix. `explicit` means only
   * prompt prefixes marked in the request. `none` means no prompt prefix.
   */
  kind: z.enum(['automatic', 'explicit', 'none']),
  /** Minimum length of a cacheable prompt prefix, in tokens. */
  minTokens: tokens.nullable(),
  /** Minimum time for which an unused prompt prefix stays cached, in seconds. */
  ttlSeconds: z.int().positive().nullable(),
});

/**
 * A model's result in one public benchmark. Two results are comparable only if they have the same measure,
 * unit and setting.
 */
const qualityFigure = z.strictObject({
  /** The name of the benchmark. */
  measure: z.string().min(1),
  value: z.number(),
  /** The unit of the result, as the source spells it, for example `percent correct`. */
  unit: z.string().optional(),
  /** The section, version or variant of the benchmark, as the source names it. */
  setting: z.string().optional(),
  source: z.url(),
  measuredOn: date.optional(),
});

/** A property value in one source that differs from the value in the catalogue. */
const dispute = z.strictObject({
  /** The name of the field in the catalogue, for example `input` or `contextWindow`. */
  field: z.string().min(1),
  other: z.union([z.number(), z.string()]),
  /** The source of the value, as a key in the file's `sources`. */
  source: z.string().min(1),
  /**
   * The reason why the catalogue does not use the value from this source. `npm run catalog:check` requires a
   * reason for current models.
   */
  reason: z.string().min(1).optional(),
});

/** The type of requests that a model serves. */
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
  /** The provider's id for the model. */
  modelId: z.string().min(1),
  /** Other ids that the provider accepts for the same model. */
  aliases: z.array(z.string().min(1)).default([]),
  kind: modelKind.default('chat'),
  /** The chat formats of the model. A chat model has at least one format, and other models have none. */
  formats: z.array(z.enum(['chat-completions', 'messages', 'converse', 'responses', 'gemini', 'cohere'])),
  /** Maximum number of input and output tokens together. */
  contextWindow: tokens.nullable(),
  /** Maximum number of input tokens, if the maximum is smaller than the context window. */
  maxInputTokens: tokens.optional(),
  maxOutputTokens: tokens.nullable(),
  /**
   * Null if no source documents the prices. The cost of a model without prices is unknown, not zero.
   */
  prices: modelPrices.nullable(),
  capabilities: z.strictObject({
    tools: known,
    images: known,
    documents: known,
    jsonMode: known,
    /** Whether the provider can stream the model's responses. Null for models that are not chat models. */
    streaming: known,
    thinking: known,
  }),
  /** Null if the caching rule is unknown. */
  cache: cacheRule.nullable(),
  /**
   * The APIs for which a source documents whether the model accepts tools. Use `takesToolsOn` to read `toolsOn`.
   */
  toolsOn: z.partialRecord(apiName, toolCondition).optional(),
  /**
   * Whether the model reasons if the request does not mention reasoning. Absent if the model's behavior is
   * unknown.
   */
  thinksByDefault: z.boolean().optional(),
  /**
   * Whether a request can disable reasoning. `between_tools` means that the request can restrict
   * reasoning to the time between tool calls. Absent if the behavior is unknown.
   */
  thinkingOff: z.union([z.boolean(), z.literal('between_tools')]).optional(),
  /**
   * The effect of a changed prompt prefix on the model's reasoning. Absent if the effect is unknown. Use
   * `bindsReasoning` to read `binding`.
   */
  binding: binding.optional(),
  /**
   * The APIs in which tools can be deferred behind the provider's tool search. Use `defersNatively` to read
   * `defersOn`.
   */
  defersOn: z.array(apiName).optional(),
  /**
   * The APIs in which a message can add tools to the end of a conversation. Use the function `addsToolsOn` to
   * read this field.
   */
  addsToolsOn: z.array(apiName).optional(),
  /**
   * The source and certainty of the model's documented properties. If a property has no entry in `evidence`,
   * the certainty of the record's `sources` applies.
   */
  evidence: evidence.optional(),
  /**
   * The provider's built-in feature for selecting tools. `deferred_loading` means that tool definitions stay
   * out of the prompt until the model searches for the tools. `allowed_tools` means that all tool definitions
   * are in the prompt, and the request lists the tools that the model may call.
   */
  nativeSelection: z.enum(['deferred_loading', 'allowed_tools']).optional(),
  /**
   * Public benchmark results with their sources. Routing uses benchmark results until requests to the model
   * have been observed.
   */
  quality: z.array(qualityFigure).default([]),
  /** Whether the provider has announced the model's retirement. */
  deprecated: z.boolean().default(false),
  releasedAt: date.nullable(),
  /** The announced date from which the model is unavailable. Null if no date is known. */
  retiredAt: date.nullable().default(null),
  /** The date before which the provider does not retire the model, as announced by the provider. */
  retiresNotBefore: date.optional(),
  /**
   * Sources for the properties in this record, as keys in the file's `sources`. Earlier sources take precedence.
   */
  sources: z.array(z.string()).min(1),
  /** Property values in other sources that differ from this record. */
  disputes: z.array(dispute).optional(),
});

const checkedRecord = modelRecord.refine(({ kind, formats }) => (kind === 'chat') === formats.length > 0, {
  path: ['formats'],
  message: 'a chat model must have at least one format, and a model of another kind must have none',
});

const source = z.strictObject({ title: z.string(), licence: z.string(), takenOn: date });

export const catalogFile = z.strictObject({
  sources: z.record(z.string(), source),
  models: z.array(checkedRecord),
});

export type QualityFigure = z.infer<typeof qualityFigure>;
export type ModelKind = z.infer<typeof modelKind>;
export type ModelRecord = z.infer<typeof modelRecord>;
/** A model record as written in the data file, before defaults are applied. */
export type ModelRecordInput = z.input<typeof modelRecord>;
export type CatalogFile = z.infer<typeof catalogFile>;
export type CatalogFileInput = z.input<typeof catalogFile>;
