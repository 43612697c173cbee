import { z } from 'zod';
import { count } from '../base/common.ts';

/** The first 64 bits of a SHA-256 that covers the account, in hex. */
const promptHash = z.string().regex(/^[0-9a-f]{16}$/);

/** Hashes of a prompt's parts, in the order in which providers read them. They contain no content. */
export const promptHashes = z.object({
  /** The tool list in its order; null without tools. */
  tools: promptHash.nullable(),
  /** The same tools, whatever their order. */
  toolSet: promptHash.nullable(),
  /** The leading instructions; null without any. */
  system: promptHash.nullable(),
  /** The messages before the model's first turn. */
  opening: promptHash,
  /** The messages before each of the model's last eight turns, newest first. */
  before: z.array(promptHash).max(8),
  /** All messages. The next request of the conversation has it in `before`. */
  here: promptHash,
});
export type PromptHashes = z.infer<typeof promptHashes>;

/** A change between two prompts of a conversation, as the provider reports it. */
export const promptPart = z.enum(['model', 'tools', 'system', 'messages']);
export type PromptPart = z.infer<typeof promptPart>;

/** What is known about a request and the provider's prompt cache. */
export const requestPrompt = z.object({
  /** Identifies the conversation within its account. SHA-256, the first 32 hex digits. */
  conversation: z.string().regex(/^[0-9a-f]{32}$/),
  client: promptHashes,
  /** The prompt that was sent; null if the gateway did not change the client's. */
  sent: promptHashes.nullable(),
  caching: z.enum(['automatic', 'explicit']),
  /** How long the provider keeps an unused prefix at least; null if unknown. */
  ttlSeconds: count.nullable(),
  /** Token counts of the first provider call of the request. Input contains the other two. */
  inputTokens: count,
  cachedTokens: count,
  writtenTokens: count,
  /** Prices at the time of the request; null if unknown. */
  usdPerMtok: z.object({ input: z.number(), read: z.number(), write: z.number() }).nullable(),
  /** Why the cache was missed, as the provider reports it if the client asks for it; null without a report. */
  diagnosis: z.object({ part: promptPart, tokens: count.nullable() }).nullable(),
});
export type RequestPrompt = z.infer<typeof requestPrompt>;
