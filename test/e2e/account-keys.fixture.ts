import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StackUnderTest } from '@gateway/testing';
import { Redis } from 'ioredis';

/** A key on one of the test stack's Redis servers. */
export interface FoundKey {
  readonly key: string;
  /** Seconds until the Redis key expires, or -1 if the key never expires. */
  readonly ttlSeconds: number;
}

/**
 * Returns the Redis keys with the given id in their name or value, from all Redis servers of the test stack.
 */
export async function findKeysNaming(stack: StackUnderTest, id: string): Promise<FoundKey[]> {
  const urls = Object.entries(stack.dev).flatMap(([name, url]) =>
    name.startsWith('redis') && typeof url === 'string' ? [url] : [],
  );
  const found = await Promise.all([...new Set(urls)].map((url) => findKeysAt(url, id)));
  return found.flat().sort((one, other) => (one.key < other.key ? -1 : 1));
}

async function findKeysAt(url: string, id: string): Promise<FoundKey[]> {
  const redis = new Redis(url);
  const found: FoundKey[] = [];
  try {
    for await (const keys of redis.scanStream({ count: 1_000 }) as AsyncIterable<string[]>) {
      for (const key of keys) {
        if (!key.includes(id) && !(await readValue(redis, key)).includes(id)) continue;
        found.push({ key, ttlSeconds: await redis.ttl(key) });
      }
    }
  } finally {
    redis.disconnect();
  }
  return found;
}

/**
 * Returns the value of a Redis key as text. A value of an unknown type fails the test, because the value
 * could contain an id.
 */
async function readValue(redis: Redis, key: string): Promise<string> {
  switch (await redis.type(key)) {
    case 'none':
      return '';
    case 'string':
      return (await redis.get(key)) ?? '';
    case 'hash':
      return JSON.stringify(await redis.hgetall(key));
    case 'list':
      return JSON.stringify(await redis.lrange(key, 0, -1));
    case 'set':
      return JSON.stringify(await redis.smembers(key));
    case 'zset':
      return JSON.stringify(await redis.zrange(key, '0', '-1'));
    case 'stream':
      return JSON.stringify(await redis.xrange(key, '-', '+'));
    default:
      throw new Error(`the key ${key} has an unknown type`);
  }
}

/** Finds all spool files of the gateways that contain the given id, and returns their paths. */
export function findSpoolFilesNaming(stack: StackUnderTest, id: string): string[] {
  const files = readdirSync(stack.dataDir, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => {
    if (!/(^|\/)spool/.test(file)) return false;
    try {
      return readFileSync(join(stack.dataDir, file), 'utf8').includes(id);
    } catch {
      // A directory cannot be read as a file, and a gateway may delete a spool file during the search.
      return false;
    }
  });
}
