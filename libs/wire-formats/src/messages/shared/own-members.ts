import type { CacheMarker, JsonObject } from '@gateway/interchange';
import { ownMembersOf } from '../../common/own-members.ts';
import { asObject, asText, optional } from '../../json/read-members.ts';

/**
 * Extension fields of the messages format. The `spelling` field records how the client wrote values that the
 * interchange normalizes.
 */
export const own = ownMembersOf('messages');

/**
 * Parses `cache_control` into a cache marker. If the interchange cannot represent the complete field,
 * returns undefined, and `cache_control` stays in the extensions.
 */
export function parseCacheControl(raw: JsonObject): CacheMarker | undefined {
  const control = asObject(raw.cache_control);
  if (control?.type !== 'ephemeral') return undefined;
  const isKnown = Object.keys(control).every((name) => name === 'type' || name === 'ttl');
  const ttl = control.ttl ?? undefined;
  return isKnown && (ttl === undefined || typeof ttl === 'string')
    ? { ...optional('ttl', asText(ttl)) }
    : undefined;
}

export function renderCacheControl(marker: CacheMarker | undefined): JsonObject {
  if (marker === undefined) return {};
  return { cache_control: { type: 'ephemeral', ...optional('ttl', marker.ttl) } };
}
