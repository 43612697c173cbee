import type { PlannedConversation } from '@gateway/contracts';
import { withTimeout, type Logger } from '@gateway/observability';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { accountKey } from '../../../../cache/account-keys.ts';

/** The cache commands that the memo uses (`AccountCache`). */
export interface ConversationRedis {
  get(key: string): Promise<string | null>;
  set(accountId: string, key: string, value: string, seconds: number): Promise<unknown>;
}

/** Conversation state that the transcript does not show. Positions refer to the tool list. */
export interface RememberedConversation extends Omit<PlannedConversation, 'isUndecided' | 'lateTokens'> {
  /** Whether the tool set is undecided: no turn says anything about tools yet, or the plan was late. */
  readonly isUndecided: boolean;
  /**
   * Estimated tokens of instructions and messages that were sent with all tools before a late plan was made.
   * Null if no plan was late.
   */
  readonly lateTokens: number | null;
  /** Tools that recovery rounds restored. */
  readonly recovered: readonly number[];
  /**
   * Tools that the model requested in a response that also called client tools. The model has not received
   * their definitions yet.
   */
  readonly requested: readonly number[];
  /** Whether definitions were sent unshortened because the compressor did not respond in time. */
  readonly hasPlainSchemas: boolean;
}

/** After a longer pause, the provider's prompt cache has expired anyway. */
const keptSeconds = 24 * 3600;
/** How exact the expiry in memory is. The clock is read at most this often. */
const ttlResolutionMs = 1_000;
/** How long planning waits for Redis. After that, the plan is computed from the transcript. */
const waitMs = 25;
const kind = 'session:v2';
const position = z.int().min(0).max(4095);
const stored = z.tuple([
  z.array(position).max(4096),
  z.int().min(0),
  z.string().max(200),
  z.enum(['semantic', 'keyword']),
  z.enum(['in_place', 'regrown']).nullable(),
  z.boolean(),
  z.array(position).max(4096),
  z.boolean(),
  z.array(position).max(64),
  /** Whether the tool set is undecided, and the tokens sent before a late plan. Older entries lack both. */
  z.boolean().optional(),
  z.int().min(0).nullable().optional(),
]);

/**
 * Stores a conversation's state after its last request, by conversation key. Entries are kept in this process
 * and, for the other replicas, in Redis. If an entry is missing, the plan is computed again, with the same
 * result under the same policy version.
 */
export class ConversationMemo {
  readonly #redis: ConversationRedis;
  readonly #log: Logger;
  readonly #kept = new LRUCache<string, RememberedConversation>({
    max: 100_000,
    ttl: keptSeconds * 1_000,
    ttlResolution: ttlResolutionMs,
    maxSize: 64 * 1024 * 1024,
    sizeCalculation: ({ forwarded, recovered }) => 400 + (forwarded.length + recovered.length) * 8,
  });

  constructor(redis: ConversationRedis, log: Logger) {
    this.#redis = redis;
    this.#log = log;
  }

  /**
   * Never fails. If Redis is unavailable, slow or returns invalid data, the conversation is treated as
   * unknown.
   */
  find(
    accountId: string,
    name: string,
    signal: AbortSignal,
  ): RememberedConversation | undefined | Promise<RememberedConversation | undefined> {
    return this.#kept.get(name) ?? this.#load(accountId, name, signal);
  }

  /** Returns this process's entry without a Redis lookup. */
  peek(name: string): RememberedConversation | undefined {
    return this.#kept.get(name);
  }

  keep(accountId: string, name: string, conversation: RememberedConversation): void {
    this.#kept.set(name, conversation);
    const key = accountKey(kind, accountId, name);
    this.#redis.set(accountId, key, renderStored(conversation), keptSeconds).catch(this.#isAway);
  }

  async #load(
    accountId: string,
    name: string,
    signal: AbortSignal,
  ): Promise<RememberedConversation | undefined> {
    try {
      const key = accountKey(kind, accountId, name);
      const value = await withTimeout(this.#redis.get(key), signal.aborted ? 0 : waitMs, null);
      const conversation = value === null ? undefined : parseStored(value);
      if (conversation !== undefined) this.#kept.set(name, conversation);
      return conversation;
    } catch (error) {
      this.#isAway(error);
      return undefined;
    }
  }

  readonly #isAway = (error: unknown): void => {
    this.#log.debug({ err: error }, 'conversation memo unavailable, planning without it');
  };
}

function renderStored(conversation: RememberedConversation): string {
  const { forwarded, turns, policyVersion, lane, way, isShadow, recovered, hasPlainSchemas, requested } =
    conversation;
  const value: z.input<typeof stored> = [
    [...forwarded],
    turns,
    policyVersion,
    lane,
    way,
    isShadow,
    [...recovered],
    hasPlainSchemas,
    requested.slice(0, 64),
    conversation.isUndecided,
    conversation.lateTokens,
  ];
  return JSON.stringify(value);
}

function parseStored(value: string): RememberedConversation | undefined {
  const parsed = stored.safeParse(parseJson(value));
  if (!parsed.success) return undefined;
  const [forwarded, turns, policyVersion, lane, way, isShadow, recovered, hasPlainSchemas, requested] =
    parsed.data;
  const [isUndecided, lateTokens] = [parsed.data[9] ?? false, parsed.data[10] ?? null];
  return {
    ...{ forwarded, turns, policyVersion, lane, way, isShadow, recovered, hasPlainSchemas, requested },
    ...{ isUndecided, lateTokens },
  };
}

function parseJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
