import type { CacheMarker, JsonObject } from '@gateway/interchange';
import { ownMembersOf } from '../../common/own-members.ts';
import { asObject, asText, optional } from '../../json/read-members.ts';

/** What this format alone knows. `spelling` tells how it said what the interchange carries. */
export const own = ownMembersOf('messages');

/** The member `cache_control`, where the interchange says all of it; else it stays among the members of this format. */
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
