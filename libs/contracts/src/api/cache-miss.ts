import { z } from 'zod';
import { count } from '../base/common.ts';

/**
 * Why a request did not read the prompt of the request before it from the provider's cache. `client`: the client
 * changed the prompt. `gateway`: the gateway did. `expired`: the cache's lifetime was over. `provider`: no
 * reason is known but the provider's own.
 */
export const cacheMissCause = z.enum(['client', 'gateway', 'expired', 'provider']);
export type CacheMissCause = z.infer<typeof cacheMissCause>;

/** What changed, in the order in which providers read a prompt. `idle` and `evicted`: nothing. */
export const cacheMissDetail = z.enum([
  'model_changed',
  'tools_changed',
  'tools_reordered',
  'system_changed',
  'message_edited',
  'idle',
  'evicted',
]);
export type CacheMissDetail = z.infer<typeof cacheMissDetail>;

const missedTokens = {
  tokens: count.meta({
    description:
      'Input tokens that the request before left in the provider’s cache, and that were not read from it.',
    examples: [8_192],
  }),
  usd: z
    .number()
    .nullable()
    .meta({
      description:
        'What these tokens cost more than reading them from the cache. Null if prices are unknown.',
      examples: [0.0471],
    }),
};

/** A missed prompt cache. */
export const cacheMiss = z.object({ cause: cacheMissCause, detail: cacheMissDetail, ...missedTokens });
export type CacheMiss = z.infer<typeof cacheMiss>;
