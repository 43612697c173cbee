import { z } from 'zod';

/** A provider's chat API, named after its wire format. `responses` means OpenAI's Responses API. */
export const apiName = z.enum(['chat-completions', 'responses', 'messages', 'converse', 'gemini', 'cohere']);

/**
 * Whether a provider's API accepts tools for a model. `effort_none` means that the API accepts tools only if
 * `reasoning_effort` is `"none"`. `effort_unset` means that the API accepts tools only without
 * `reasoning_effort`, or with `"none"`.
 */
export const toolCondition = z.enum(['yes', 'no', 'effort_none', 'effort_unset']);

/**
 * The effect on reasoning in a transcript if `system`, tools or earlier messages changed after the reasoning
 * was produced. `rejects` means that the request fails with status 400. `drops` means that the provider
 * ignores the reasoning without an error.
 */
export const binding = z.strictObject({
  effect: z.enum(['rejects', 'drops', 'none']),
  /**
   * The earliest creation date of provider accounts that are affected. Older provider accounts are affected
   * only if the request enables the prefix check.
   */
  accountsSince: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/)
    .optional(),
  /** Reasoning is valid only in the provider account that produced the reasoning. */
  isAccountBound: z.literal(true).optional(),
});

/** Model properties on which a gateway decision can depend. */
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
 * The certainty of a model property. `documented` means that the provider's own page or SDK documents the
 * property. `derived` means that the property can be inferred from the provider's own page or SDK.
 * `second_hand` means that a source other than the provider documents the property. `assumed` means that no
 * source documents the property, and the catalogue uses the value of the model's family.
 */
const confidence = z.enum(['documented', 'derived', 'second_hand', 'assumed']);

/** The source of each property, as a key in the file's `sources`, and the certainty of the property. */
export const evidence = z.partialRecord(factName, z.strictObject({ source: z.string().min(1), confidence }));

export type ApiName = z.infer<typeof apiName>;
export type FactName = z.infer<typeof factName>;
