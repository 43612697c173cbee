import { z } from 'zod';
import { count } from '../base/common.ts';

/**
 * The cause of a cache miss. A cache miss means that the prompt of the conversation's previous request
 * was not in the provider's prompt cache. `client` means that the client changed the prompt. `gateway` means
 * that the gateway changed the prompt. `expired` means that the cached prompt expired. `provider` means that
 * no other cause was found.
 */
export const cacheMissCause = z.enum(['client', 'gateway', 'expired', 'provider']);
export type CacheMissCause = z.infer<typeof cacheMissCause>;

/**
 * The part of the prompt that changed. The values are in the order in which providers process a prompt.
 * `idle` and `evicted` mean that the prompt did not change.
 */
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
      'Input tokens that the previous request left in the provider’s cache, and that this request did not read from the cache.',
    examples: [8_192],
  }),
  usd: z
    .number()
    .nullable()
    .meta({
      description:
        'Additional cost of the missed tokens compared with a read from the cache. Null if prices are unknown.',
      examples: [0.0471],
    }),
};

/** A prompt cache miss. */
export const cacheMiss = z.object({ cause: cacheMissCause, detail: cacheMissDetail, ...missedTokens });
export type CacheMiss = z.infer<typeof cacheMiss>;
