import type { CacheMarker, JsonObject } from '@gateway/interchange';
import { asObject, asText, optional } from '../json/read-members.ts';

/** The block that asks for what stands before it to be cached. Undefined for any other, or for one that says more. */
export function parseCachePoint(block: JsonObject): CacheMarker | undefined {
  const point = asObject(block.cachePoint);
  if (point === undefined || Object.keys(block).length !== 1 || point.type !== 'default') return undefined;
  const ttl = asText(point.ttl);
  const isWhole = Object.keys(point).length === (ttl === undefined ? 1 : 2);
  return isWhole ? optional('ttl', ttl) : undefined;
}

export function renderCachePoint(marker: CacheMarker): JsonObject {
  return { cachePoint: { type: 'default', ...optional('ttl', marker.ttl) } };
}
