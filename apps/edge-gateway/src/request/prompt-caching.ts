import type { CatalogModel } from '@gateway/model-catalog';
import { deriveKey, type Conversation } from './conversation.ts';
import type { Caller, Target } from './request.ts';

/** Facts about a request that indicate whether its conversation will send the same prefix again. */
export interface ConversationShape {
  readonly hasTools: boolean;
  /** Whether the transcript contains at least one turn of the model. */
  readonly hasTurns: boolean;
}

/**
 * Returns whether adding cache markers to a translated request is expected to save money. Markers save money only
 * if the model caches only marked prefixes. In addition, one cache write plus one cache read of a prefix must cost
 * less than sending the prefix twice. The request must contain tools or earlier turns. A conversation without tools
 * often ends after one request, so its first request does not get markers. The decision about markers stays
 * constant in a conversation with tools, because the ratios between prices are constant.
 */
export function paysToCache(
  model: CatalogModel | undefined,
  { hasTools, hasTurns }: ConversationShape,
): boolean {
  if (model?.cache?.kind !== 'explicit' || !(hasTools || hasTurns)) return false;
  const { readMultiplier, writeMultiplier } = model.cache;
  return readMultiplier !== null && readMultiplier + (writeMultiplier ?? 1) < 2;
}

/**
 * Derives the prompt cache key of a conversation. The provider uses the key to serve all requests of the
 * conversation from the same cache. The key does not change within the conversation, and reveals neither the
 * account nor the conversation. The key has 64 characters, the maximum that OpenAI accepts for `prompt_cache_key`.
 */
export function derivePromptCacheKey(accountId: string, { key }: Pick<Conversation, 'key'>): string {
  return deriveKey(`prompt cache\n${accountId}`, key);
}

/** Returns whether the translation adds cache markers. The request must contain tools and a long enough prompt. */
export function marksInTranslation(
  model: CatalogModel | undefined,
  { lane }: Pick<Target, 'lane'>,
  { caching }: Pick<Caller, 'caching'>,
): boolean {
  if (lane.kind !== 'translated' || !caching.markers) return false;
  return paysToCache(model, { hasTools: true, hasTurns: false });
}
