import type { Logger } from '@gateway/observability';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';

/** The part of Redis that pins need. Its commands fail when they are not answered soon. */
export interface PinRedis {
  get(key: string): Promise<string | null>;
  set(key: string, value: string, unit: 'EX', seconds: number): Promise<unknown>;
}

const pinned = z.object({
  /** `<provider>/<model>` that answered last. */
  id: z.string().max(320),
  level: z.enum(['low', 'medium', 'high']),
  /** Of its last request, as billed. */
  inputTokens: z.int().min(0),
  turns: z.int().min(1),
  /** When it answered, in milliseconds of Unix time. */
  at: z.number(),
});
export type PinnedModel = z.infer<typeof pinned>;

/** A session that rests longer than this has lost its prompt cache anyway. */
const keptSeconds = 24 * 3600;

/**
 * The model that each session is with: in this process, and in Redis for the other replicas. Only a memo: without it the
 * choice is made again by what the session began with.
 */
export class ConversationPins {
  readonly #redis: PinRedis;
  readonly #log: Pick<Logger, 'debug'>;
  readonly #kept = new LRUCache<string, PinnedModel>({ max: 50_000 });

  constructor(redis: PinRedis, log: Pick<Logger, 'debug'>) {
    this.#redis = redis;
    this.#log = log;
  }

  /**
   * The newer of what this process knows and what Redis does: the session's last turn may have been another replica's.
   * Never fails: Redis away, slow or wrong is a session that only this process remembers.
   */
  async find(name: string): Promise<PinnedModel | undefined> {
    const kept = this.#kept.get(name);
    try {
      const value = await this.#redis.get(keyOf(name));
      const found = value === null ? undefined : parsePinned(value);
      return found === undefined || (kept !== undefined && kept.at >= found.at) ? kept : found;
    } catch (error) {
      this.#isAway(error);
      return kept;
    }
  }

  keep(name: string, pin: PinnedModel): void {
    this.#kept.set(name, pin);
    this.#redis.set(keyOf(name), JSON.stringify(pin), 'EX', keptSeconds).catch(this.#isAway);
  }

  readonly #isAway = (error: unknown): void => {
    this.#log.debug({ err: error }, 'the memo of sessions and their models is away');
  };
}

function keyOf(name: string): string {
  return `model-pin:v1:${name}`;
}

function parsePinned(value: string): PinnedModel | undefined {
  try {
    return pinned.safeParse(JSON.parse(value)).data;
  } catch {
    return undefined;
  }
}
