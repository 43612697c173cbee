import { api, unwrap } from './client.ts';

/** The largest K (number of ranked tools) that an API key accepts. Few tool lists contain more than 512 tools. */
const everything = 512;
/** An API key is replaced this many milliseconds before it expires, so that no response is interrupted. */
const marginMs = 5 * 60_000;

export type PlaygroundColumn = 'pruned' | 'full';

interface PlaygroundKey {
  readonly secret: string;
  readonly expiresAtMs: number;
}

// The playground keeps API keys only in memory.
// The playground drops its API keys when the page closes and when another person signs in.
const keys = new Map<PlaygroundColumn, Promise<PlaygroundKey>>();

async function createKey(column: PlaygroundColumn): Promise<PlaygroundKey> {
  const body = column === 'full' ? { k_target_override: everything } : {};
  const { key, expires_at } = await unwrap(api.POST('/v1/account/playground-key', { body }));
  return { secret: key, expiresAtMs: expires_at === null ? Infinity : Date.parse(expires_at) };
}

/**
 * The short-lived API key for a playground column. The chat endpoints accept no access token. In the column
 * `full`, the API key has the largest possible K (number of ranked tools).
 */
export async function playgroundKey(column: PlaygroundColumn): Promise<string> {
  const current = await keys.get(column)?.catch(() => undefined);
  if (current !== undefined && current.expiresAtMs - marginMs > Date.now()) return current.secret;
  const created = createKey(column);
  keys.set(column, created);
  return (await created).secret;
}

/** Drops an API key that the gateway has rejected. The playground creates a new API key for its next request. */
export function forgetPlaygroundKey(column: PlaygroundColumn): void {
  keys.delete(column);
}

/** Drops all API keys of the playground, because another person may sign in next. */
export function forgetPlaygroundKeys(): void {
  keys.clear();
}
