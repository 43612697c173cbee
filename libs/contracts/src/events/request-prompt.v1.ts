import { z } from 'zod';
import { count } from '../base/common.ts';

/** The first 64 bits, in hex, of a SHA-256 over the account and a part of the prompt. */
const promptHash = z.string().regex(/^[0-9a-f]{16}$/);

/**
 * Hashes of a prompt's parts, in the order in which providers read the parts. The hashes contain no content.
 */
export const promptHashes = z.object({
  /** Hash of the tool list in the request's order. The value is null if the request has no tools. */
  tools: promptHash.nullable(),
  /** Hash of the tool list, independent of the order of the tools. */
  toolSet: promptHash.nullable(),
  /** Hash of the leading instructions. The value is null if there are no instructions. */
  system: promptHash.nullable(),
  /** Hash of the messages before the model's first turn. */
  opening: promptHash,
  /** Hashes of the messages before each of the model's last eight turns, newest first. */
  before: z.array(promptHash).max(8),
  /** Hash of all messages. The list `before` in the conversation's next request contains this hash. */
  here: promptHash,
});
export type PromptHashes = z.infer<typeof promptHashes>;

/** A change between two prompts of a conversation, as the provider reports it. */
export const promptPart = z.enum(['model', 'tools', 'system', 'messages']);
export type PromptPart = z.infer<typeof promptPart>;

/** The facts known about a request and the provider's prompt cache. */
export const requestPrompt = z.object({
  /** Identifies the conversation within its account, by the first 32 hex digits of a SHA-256. */
  conversation: z.string().regex(/^[0-9a-f]{32}$/),
  client: promptHashes,
  /** The hashes of the sent prompt. The value is null if the gateway did not change the client's prompt. */
  sent: promptHashes.nullable(),
  caching: z.enum(['automatic', 'explicit']),
  /** Minimum time for which the provider keeps an unused prefix. The value is null if the time is unknown. */
  ttlSeconds: count.nullable(),
  /** Token counts of the first provider call of the request. `inputTokens` includes the other two counts. */
  inputTokens: count,
  cachedTokens: count,
  writtenTokens: count,
  /** Prices at the time of the request. The value is null if the prices are unknown. */
  usdPerMtok: z.object({ input: z.number(), read: z.number(), write: z.number() }).nullable(),
  /**
   * The reason for the cache miss that the provider reported. Some providers report the reason only if the
   * client requests it. The value is null if there is no report.
   */
  diagnosis: z.object({ part: promptPart, tokens: count.nullable() }).nullable(),
});
export type RequestPrompt = z.infer<typeof requestPrompt>;
