import type { Logger } from '@gateway/observability';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';

/** The Redis commands that pins need. They fail if they are not answered soon. */
export interface PinRedis {
  get(key: string): Promise<string | null>;
  set(key: string, value: string, unit: 'EX', seconds: number): Promise<unknown>;
}

const pinned = z.object({
  /** The model of the last turn, as `<provider>/<model>`. */
  id: z.string().max(320),
  level: z.enum(['low', 'medium', 'high']),
  /** Billed input tokens of the last request. */
  inputTokens: z.int().min(0),
  turns: z.int().min(1),
  /** Time of the response, in milliseconds of Unix time. */
  at: z.number(),
});
export type PinnedModel = z.infer<typeof pinned>;

/** The prompt cache of a conversation that is idle for longer has expired anyway. */
const keptSeconds = 24 * 3600;

/**
 * The model of each conversation, in memory and in Redis for the other replicas. Without it the model is chosen again
 * from the start of the conversation.
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
   * The newer pin of this process and of Redis: another replica may have served the last turn. Never fails: if Redis
   * is unavailable, slow or wrong, the local pin is used.
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
    this.#log.debug({ err: error }, 'Redis error: model pins are not shared');
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
