import { systemToolsMax, type PlannedConversation } from '@gateway/contracts';
import type { Logger } from '@gateway/observability';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { accountKey } from '../../../../cache/account-keys.ts';
import { SharedMemo, type ConversationRedis } from './shared-memo.ts';

/**
 * Conversation state that the transcript does not show. The positions of tools are indexes into the tool list.
 */
export interface RememberedConversation extends Omit<PlannedConversation, 'isUndecided' | 'lateTokens'> {
  /**
   * True until the tool set of the conversation is decided. The tool set stays undecided until a turn mentions
   * tools and the plan arrives in time.
   */
  readonly isUndecided: boolean;
  /**
   * Estimated tokens of instructions and messages that were sent with all tools because the first plan was late.
   * Null if the first plan arrived in time.
   */
  readonly lateTokens: number | null;
  /** Tools that were recovered in recovery rounds. */
  readonly recovered: readonly number[];
  /**
   * Tools that the model requested in a response that also called the client's tools. The model has not
   * received the definitions of the requested tools yet.
   */
  readonly requested: readonly number[];
  /** Whether complete tool definitions were sent because the compressor was late. */
  readonly hasPlainSchemas: boolean;
  /** Tools that are named in the instructions of the first planned request. */
  readonly systemTools: readonly number[];
}

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
  /** The fields `isUndecided` and `lateTokens`. State that was stored by an older release lacks both fields. */
  z.boolean().optional(),
  z.int().min(0).nullable().optional(),
  /** State that was stored by an older release lacks this field. */
  z.array(position).max(systemToolsMax).optional(),
]);

/**
 * Stores the state of each conversation after its last request, under the conversation key. If the state is
 * missing, the gateway computes the plan again. The new plan is the same if the policy version has not changed.
 */
export class ConversationMemo extends SharedMemo<RememberedConversation> {
  constructor(redis: ConversationRedis, log: Logger) {
    super(redis, log, {
      kind: 'session:v2',
      sizeOf: ({ forwarded, recovered }) => 400 + (forwarded.length + recovered.length) * 8,
      render: renderStored,
      parse: parseStored,
      unavailable: 'conversation memo unavailable, planning without it',
    });
  }
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
    conversation.systemTools.slice(0, systemToolsMax),
  ];
  return JSON.stringify(value);
}

function parseStored(value: string): RememberedConversation | undefined {
  const parsed = stored.safeParse(JSON.parse(value));
  if (!parsed.success) return undefined;
  const [forwarded, turns, policyVersion, lane, way, isShadow, recovered, hasPlainSchemas, requested] =
    parsed.data;
  const [isUndecided, lateTokens] = [parsed.data[9] ?? false, parsed.data[10] ?? null];
  return {
    ...{ forwarded, turns, policyVersion, lane, way, isShadow, recovered, hasPlainSchemas, requested },
    ...{ isUndecided, lateTokens, systemTools: parsed.data[11] ?? [] },
  };
}

/** The Redis commands that the rate counter uses. One transaction counts a request and sets the expiry. */
interface CountingRedis {
  multi(): {
    incr(key: string): {
      expire(key: string, seconds: number): { exec(): Promise<[Error | null, unknown][] | null> };
    };
  };
}

/**
 * Number of requests of each account that count as its first requests. Users examine their first requests
 * closely, so these requests are never in shadow conversations.
 */
const firstRequests = 5;
/**
 * Lifetime of the request counter after its last change. After the counter expires, the next requests of the
 * account count as first requests again.
 */
const firstRequestsKeptSeconds = 30 * 24 * 3600;

/** Detects accounts that have already sent their first requests with tools. */
export class FirstRequests {
  readonly #redis: CountingRedis;
  readonly #log: Logger;
  // With `max`, LRUCache reserves memory for all entries. With `maxSize`, LRUCache reserves no memory in advance.
  readonly #passed = new LRUCache<string, true>({ maxSize: 100_000, sizeCalculation: () => 1 });

  constructor(redis: CountingRedis, log: Logger) {
    this.#redis = redis;
    this.#log = log;
  }

  /**
   * Counts a request in the current window. Returns whether the account is known to have sent its first
   * requests already. The method does not wait for Redis.
   */
  hasPassed(accountId: string): boolean {
    if (this.#passed.has(accountId)) return true;
    const key = accountKey('first-requests:v2', accountId);
    this.#redis
      .multi()
      .incr(key)
      .expire(key, firstRequestsKeptSeconds)
      .exec()
      .then((replies) => {
        if (Number(replies?.[0]?.[1]) >= firstRequests) this.#passed.set(accountId, true);
      })
      .catch((error: unknown) => this.#log.debug({ err: error }, 'counting the first requests failed'));
    return false;
  }
}
