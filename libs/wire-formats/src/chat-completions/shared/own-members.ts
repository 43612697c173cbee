import type { CacheMarker, ChatPart, Extensions, JsonObject } from '@gateway/interchange';
import { asObject, asText, isEmpty, optional } from '../../json/read-members.ts';

/** What only this format knows, for spreading into a part or an event; nothing when there is nothing. */
export function withOwn(members: JsonObject): { extensions?: Extensions } {
  return isEmpty(members) ? {} : { extensions: ownExtensions(members) };
}

export function ownExtensions(members: JsonObject): Extensions {
  return { 'chat-completions': members };
}

/** What this format once kept for itself. */
export function readOwn(holder: { readonly extensions?: Extensions } | undefined): JsonObject {
  return holder?.extensions?.['chat-completions'] ?? {};
}

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
