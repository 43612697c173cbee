import type { CacheMarker, ChatPart, JsonObject } from '@gateway/interchange';
import { asObject, asText, optional } from '../json/read-members.ts';

/**
 * Anthropic's member, which resellers take in this format too. It stays among the members of this format, so that it
 * goes on as it was written.
 */
export function readCacheMarker(raw: JsonObject | undefined): { cacheMarker?: CacheMarker } {
  const control = asObject(raw?.cache_control);
  return control?.type === 'ephemeral' ? { cacheMarker: { ...optional('ttl', asText(control.ttl)) } } : {};
}

/** A marker on a message stands for one on its last part. */
export function markLast(parts: readonly ChatPart[], raw: JsonObject): readonly ChatPart[] {
  const last = parts.at(-1);
  const marker = readCacheMarker(raw);
  return last === undefined || marker.cacheMarker === undefined
    ? parts
    : [...parts.slice(0, -1), { ...last, ...marker }];
}
