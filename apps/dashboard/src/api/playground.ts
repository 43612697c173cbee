import { api, unwrap } from './client.ts';

/** Tools beyond this K would be left out all the same; no list is that long but few. */
const everything = 512;
/** A key is replaced before it ends, so that no answer breaks off. */
const marginMs = 5 * 60_000;

export type PlaygroundColumn = 'pruned' | 'full';

interface PlaygroundKey {
  readonly secret: string;
  readonly expiresAtMs: number;
}

// In memory alone: a key is gone with the page, and with whoever was signed in when it was made.
const keys = new Map<PlaygroundColumn, Promise<PlaygroundKey>>();

async function createKey(column: PlaygroundColumn): Promise<PlaygroundKey> {
  const body = column === 'full' ? { k_target_override: everything } : {};
  const { key, expires_at } = await unwrap(api.POST('/v1/account/playground-key', { body }));
  return { secret: key, expiresAtMs: expires_at === null ? Infinity : Date.parse(expires_at) };
}

/** The column's short-lived API key: chat takes no session token. `full` has one whose K is as wide as it can be. */
export async function playgroundKey(column: PlaygroundColumn): Promise<string> {
  const kept = await keys.get(column)?.catch(() => undefined);
  if (kept !== undefined && kept.expiresAtMs - marginMs > Date.now()) return kept.secret;
  const made = createKey(column);
  keys.set(column, made);
  return (await made).secret;
}

/** A key that the gateway refused: the next call makes another. */
export function forgetPlaygroundKey(column: PlaygroundColumn): void {
  keys.delete(column);
}

/** Another person may be signed in next: no key is theirs. */
export function forgetPlaygroundKeys(): void {
  keys.clear();
}
