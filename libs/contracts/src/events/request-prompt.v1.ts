import { z } from 'zod';
import { count } from '../base/common.ts';

/** The first 64 bits, in hex, of a SHA-256 hash of the account and a part of the prompt. */
const promptHash = z.string().regex(/^[0-9a-f]{16}$/);

/**
 * Hashes of a prompt's parts, in the order in which providers read the parts. The hashes do not reveal any of
 * the prompt's content.
 */
export const promptHashes = z.object({
  /** Hash of the tool list in the request's order. Null if the request has no tools. */
  tools: promptHash.nullable(),
  /** Hash of the tool list, independent of the order of the tools. */
  toolSet: promptHash.nullable(),
  /** Hash of the instructions before the first message. Null if there are no instructions. */
  system: promptHash.nullable(),
  /** Hash of the messages before the model's first turn. */
  opening: promptHash,
  /** Hashes of the messages before each of the model's last eight turns, newest first. */
  before: z.array(promptHash).max(8),
  /** Hash of all messages. The `before` list of the conversation's next request also contains this hash. */
  here: promptHash,
});
export type PromptHashes = z.infer<typeof promptHashes>;

/**
 * The part of the prompt that changed between two requests of a conversation, as reported by the provider.
 */
export const promptPart = z.enum(['model', 'tools', 'system', 'messages']);
export type PromptPart = z.infer<typeof promptPart>;

/** Data about a request and its use of the provider's prompt cache. */
export const requestPrompt = z.object({
  /** Identifies the conversation within its account. The id consists of the first 32 hex digits of a SHA-256 hash. */
  conversation: z.string().regex(/^[0-9a-f]{32}$/),
  client: promptHashes,
  /** Hashes of the prompt in the upstream request. Null if the gateway did not change the client's prompt. */
  sent: promptHashes.nullable(),
  caching: z.enum(['automatic', 'explicit']),
  /**
   * Minimum time, in seconds, for which the provider keeps an unused prefix in its cache. Null if the
   * lifetime is unknown.
   */
  ttlSeconds: count.nullable(),
  /**
   * Token counts of the first provider call of the request. `inputTokens` includes `cachedTokens` and
   * `writtenTokens`.
   */
  inputTokens: count,
  cachedTokens: count,
  writtenTokens: count,
  /** Token prices at the time of the request. Null if the prices are unknown. */
  usdPerMtok: z.object({ input: z.number(), read: z.number(), write: z.number() }).nullable(),
  /**
   * The cause of the cache miss, as reported by the provider. Some providers report the cause only if the
   * client requests the report. Null if the provider reported no cause.
   */
  diagnosis: z.object({ part: promptPart, tokens: count.nullable() }).nullable(),
});
export type RequestPrompt = z.infer<typeof requestPrompt>;
