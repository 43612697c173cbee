import type { CacheMarker, ChatPart, Extensions, JsonObject } from '@gateway/interchange';
import { asObject, asText, isEmpty, optional } from '../../json/read-members.ts';

/**
 * Returns an object with the fields as extensions of the chat completions format. Returns an empty object if
 * there are no fields.
 */
export function withOwn(members: JsonObject): { extensions?: Extensions } {
  return isEmpty(members) ? {} : { extensions: ownExtensions(members) };
}

export function ownExtensions(members: JsonObject): Extensions {
  return { 'chat-completions': members };
}

/**
 * Returns an object's extension fields for the chat completions format. Returns an empty object if there
 * are no extension fields.
 */
export function readOwn(holder: { readonly extensions?: Extensions } | undefined): JsonObject {
  return holder?.extensions?.['chat-completions'] ?? {};
}

/**
 * Reads Anthropic's cache marker, which resellers of Anthropic's models also accept in the chat completions
 * format. The cache marker also stays in the extensions, so that it is forwarded unchanged.
 */
export function readCacheMarker(raw: JsonObject | undefined): { cacheMarker?: CacheMarker } {
  const control = asObject(raw?.cache_control);
  return control?.type === 'ephemeral' ? { cacheMarker: { ...optional('ttl', asText(control.ttl)) } } : {};
}

/** A cache marker on a message applies to the message's last part. */
export function markLast(parts: readonly ChatPart[], raw: JsonObject): readonly ChatPart[] {
  const last = parts.at(-1);
  const marker = readCacheMarker(raw);
  return last === undefined || marker.cacheMarker === undefined
    ? parts
    : [...parts.slice(0, -1), { ...last, ...marker }];
}
