import type { Logger } from '@gateway/observability';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { accountKey } from '../cache/account-keys.ts';

/**
 * The cache commands that store and read the model of a conversation (`AccountCache`). Each command fails after a
 * short timeout.
 */
export interface PinRedis {
  get(key: string): Promise<string | null>;
  set(accountId: string, key: string, value: string, seconds: number): Promise<unknown>;
}

const pinned = z.object({
  /** The model that served the last turn, as `<provider>/<model>`. */
  id: z.string().max(320),
  level: z.enum(['low', 'medium', 'high']),
  /** Billed input tokens of the conversation's last request. */
  inputTokens: z.int().min(0),
  turns: z.int().min(1),
  /** Unix time in milliseconds of the conversation's last response. */
  at: z.number(),
});
export type PinnedModel = z.infer<typeof pinned>;

/**
 * How long the gateway remembers the model of a conversation after the last request. After one day, the
 * conversation's prompt cache has already expired.
 */
const keptSeconds = 24 * 3600;
/** Minimum time between two readings of the clock for the expiry in memory, in milliseconds. */
const ttlResolutionMs = 1_000;

/**
 * Remembers the model of each conversation (the pinned model) in memory and in Redis. Other gateway processes read
 * the pinned model from Redis. If the pinned model is lost, the gateway chooses a model in the same way as at the
 * start of a conversation.
 */
export class ConversationPins {
  readonly #redis: PinRedis;
  readonly #log: Pick<Logger, 'debug'>;
  readonly #kept = new LRUCache<string, PinnedModel>({
    max: 50_000,
    ttl: keptSeconds * 1_000,
    ttlResolution: ttlResolutionMs,
  });

  constructor(redis: PinRedis, log: Pick<Logger, 'debug'>) {
    this.#redis = redis;
    this.#log = log;
  }

  /**
   * Returns the newer of the two models that this process and Redis have stored for the conversation. Another
   * process may have served the last turn. The method never throws. If Redis is unavailable, slow or returns
   * invalid data, the method returns the model that this process has stored.
   */
  async find(accountId: string, name: string): Promise<PinnedModel | undefined> {
    const kept = this.#kept.get(name);
    try {
      const value = await this.#redis.get(accountKey('model-pin:v2', accountId, name));
      const found = value === null ? undefined : parsePinned(value);
      return found === undefined || (kept !== undefined && kept.at >= found.at) ? kept : found;
    } catch (error) {
      this.#isAway(error);
      return kept;
    }
  }

  keep(accountId: string, name: string, pin: PinnedModel): void {
    this.#kept.set(name, pin);
    const key = accountKey('model-pin:v2', accountId, name);
    this.#redis.set(accountId, key, JSON.stringify(pin), keptSeconds).catch(this.#isAway);
  }

  readonly #isAway = (error: unknown): void => {
    this.#log.debug({ err: error }, 'Redis error: model pins are not shared');
  };
}

function parsePinned(value: string): PinnedModel | undefined {
  try {
    return pinned.safeParse(JSON.parse(value)).data;
  } catch {
    return undefined;
  }
}
