import { z } from 'zod';

/** A provider's chat API, named after its wire format. `responses` is OpenAI's Responses API. */
export const apiName = z.enum(['chat-completions', 'responses', 'messages', 'converse', 'gemini', 'cohere']);

/**
 * Whether an API takes tools for a model. `effort_none`: only with `reasoning_effort: "none"`.
 * `effort_unset`: only without `reasoning_effort`, or with `"none"`.
 */
export const toolCondition = z.enum(['yes', 'no', 'effort_none', 'effort_unset']);

/**
 * What a provider does with reasoning in a transcript if `system`, tools or earlier messages have changed
 * since. `rejects`: the request fails with 400. `drops`: the reasoning is ignored without an error.
 */
export const binding = z.strictObject({
  effect: z.enum(['rejects', 'drops', 'none']),
  /** Only provider accounts created on this day or later are affected, unless the request demands the check. */
  accountsSince: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/)
    .optional(),
  /** Reasoning is valid only in the provider account that produced it. */
  isAccountBound: z.literal(true).optional(),
});

/** The facts on which a decision can depend. */
const factName = z.enum([
  'toolsOn',
  'thinksByDefault',
  'binding',
  'defersOn',
  'addsToolsOn',
  'cacheMinTokens',
  'cacheRead',
  'cacheWrite',
]);

/**
 * How certain a fact is. `documented`: the provider's own page or SDK states it. `derived`: it follows from
 * such a page by our reading. `second_hand`: another source states it. `assumed`: no source states it, and
 * the catalogue takes the value of the model's family.
 */
const confidence = z.enum(['documented', 'derived', 'second_hand', 'assumed']);

/** For each fact its source, a key of the file's `sources`, and its certainty. */
export const evidence = z.partialRecord(factName, z.strictObject({ source: z.string().min(1), confidence }));

export type ApiName = z.infer<typeof apiName>;
export type FactName = z.infer<typeof factName>;
