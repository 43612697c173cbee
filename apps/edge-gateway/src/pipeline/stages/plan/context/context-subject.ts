import { setTimeout as pause } from 'node:timers/promises';
import { GatewayError } from '@gateway/errors';
import type { RequestOutline } from '@gateway/interchange';
import type { CatalogModel } from '@gateway/model-catalog';
import type { ContextPart, JsonTape } from '@gateway/wire-formats';
import type { KnownMessages } from '../../../../request/known-messages.ts';
import { findFirstTurn } from '../../../../request/request-facts.ts';

/** The conversation in a request that may be compressed. */
export interface ContextSubject {
  readonly tape: JsonTape;
  readonly outline: RequestOutline;
  /** The messages that an earlier request contained. */
  readonly known?: KnownMessages | undefined;
  /** The text of the whole conversation, in order. */
  readonly parts: readonly ContextPart[];
  /**
   * Indexes of the messages that may be compressed, from `listCandidates`. At least one message may be compressed.
   */
  readonly candidates: readonly number[];
  readonly requestId: string;
  /**
   * Signal that is aborted when the client disconnects. After an abort, the gateway sends no further data to
   * the provider.
   */
  readonly left: AbortSignal;
  readonly accountId: string;
  readonly settings: ContextSettings;
  /**
   * Whether the account permits the recall of removed text. The account's setting applies even if this request has
   * no recovery tool.
   */
  readonly isRecallable: boolean;
  /**
   * The model that determines the context window and prices. Undefined if the catalogue does not list the
   * model.
   */
  readonly model: CatalogModel | undefined;
  /**
   * Set only if the conversation has bound reasoning. With bound reasoning, every request must repeat
   * the earlier messages byte for byte.
   */
  readonly pinned?: UnchangedTurns | undefined;
}

/**
 * A durable store for turns of conversations with bound reasoning. If a turn of the model is in the store, the
 * messages that followed it were sent unchanged.
 */
export interface UnchangedTurns {
  /** Returns the given names that are in the store. Rejects if the store is unavailable or `signal` aborts. */
  find(names: readonly string[], signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Records the name of a conversation turn. The promise is rejected if the store of turn names is unavailable.
   * Absent for a token-counting request, which records nothing.
   */
  readonly keep?: (name: string) => Promise<void>;
  /** Absent if no request must wait, because the provider accepts a changed prefix. */
  readonly wait?: Wait | undefined;
}

/** Maximum total time in milliseconds that a request waits for the records of earlier requests. */
const waitMsMax = 5_000;
/**
 * Pause in milliseconds after a failed wait, during which no request waits. If every request waited during an
 * outage, requests would pile up in the gateway.
 */
const restMs = 10_000;
const firstPauseMs = 200;
const pauseMsMax = 800;

/**
 * Limits how long requests wait for the records of earlier requests. Only conversations with bound reasoning need
 * the records. All requests in a process share one limit.
 */
export class Patience {
  readonly #waitMs: number;
  #restsUntil = -Infinity;

  constructor(waitMs = waitMsMax) {
    this.#waitMs = waitMs;
  }

  get isRested(): boolean {
    return performance.now() >= this.#restsUntil;
  }

  rest(): void {
    this.#restsUntil = performance.now() + restMs;
  }

  /** @param left a signal that aborts when the client disconnects */
  start(left: AbortSignal): Wait {
    return new Wait(this, left, performance.now() + this.#waitMs);
  }
}

/** The remaining time that one request may wait. */
export class Wait {
  readonly #patience: Patience;
  readonly #left: AbortSignal;
  readonly #endsAt: number;

  constructor(patience: Patience, left: AbortSignal, endsAt: number) {
    this.#patience = patience;
    this.#left = left;
    this.#endsAt = endsAt;
  }

  /**
   * Retries a query until it succeeds or the wait ends. The method does not retry a query that cannot succeed later.
   * If a wait has recently failed, the method runs the query only once.
   * @param hurry the abort signal for the query if the method runs it only once
   */
  async insist<Answer>(
    ask: (signal: AbortSignal) => Promise<Answer>,
    hurry: AbortSignal = this.#left,
  ): Promise<Answer> {
    if (!this.#patience.isRested) return ask(hurry);
    const endsIn = AbortSignal.timeout(Math.max(0, Math.ceil(this.#endsAt - performance.now())));
    const signal = AbortSignal.any([this.#left, endsIn]);
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
      try {
        return await ask(signal);
      } catch (error) {
        if (isHopeless(error)) throw error;
        await pause(pauseMs, undefined, { signal }).catch(() => undefined);
        if (!signal.aborted) continue;
        if (!this.#left.aborted && !isOfAccount(error)) this.#patience.rest();
        throw error;
      }
    }
  }
}

/** Whether a query can never succeed because its content is invalid. */
function isHopeless(error: unknown): boolean {
  return error instanceof GatewayError && error.definition.status < 500 && !isOfAccount(error);
}

/** Whether the error affects only this account. */
function isOfAccount(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'rate_limit_exceeded';
}

export interface ContextSettings {
  readonly mode: 'lossless' | 'balanced';
  /** Whether the model can retrieve removed text. The compressor removes text only if the model can retrieve it. */
  readonly recoverable: boolean;
  /** The version of the compression steps. */
  readonly version: number;
}

/** Returns other compression settings that earlier requests of the conversation may have used. */
export function otherSettings({ settings, isRecallable }: ContextSubject): ContextSettings[] {
  const { mode, recoverable, version } = settings;
  const all: ContextSettings[] = [
    { mode: 'lossless', recoverable: false, version },
    { mode: 'balanced', recoverable: false, version },
    ...(isRecallable ? [{ mode: 'balanced', recoverable: true, version } as const] : []),
  ];
  return all.filter((other) => other.mode !== mode || other.recoverable !== recoverable);
}

type Messages = Pick<RequestOutline, 'messages'>;

/**
 * Returns the index of the model's last message before the given index. Returns -1 if the model has no
 * earlier message.
 */
export function findTurn({ messages }: Messages, before: number): number {
  let at = before - 1;
  while (at >= 0 && messages[at]?.role !== 'assistant') at -= 1;
  return at;
}

/** Returns the index of the first message that the model has not yet answered. */
export function findTail({ messages }: Messages): number {
  return findTurn({ messages }, messages.length) + 1;
}

/**
 * Returns the index of the last message that contains one of the client's cache markers. Returns -1 if no
 * message has a cache marker.
 */
export function findLastMarked({ messages }: Messages): number {
  return messages.findLastIndex(({ cacheControl }) => cacheControl);
}

/**
 * Minimum sizes of a message's text in bytes. Compressing a message below the minimum would not save any tokens.
 * The minimum for user text is higher, because compression shortens only repetitions in user text. Because of these
 * minimums, compression does not delay ordinary chats.
 */
const resultBytesMin = 40;
const wordsBytesMin = 560;

/**
 * Returns the indexes of the messages that may be compressed, which are user and tool messages after the model's
 * first turn. The choice of messages depends only on their text, because cache markers move from turn to turn.
 */
export function listCandidates({ messages }: RequestOutline, parts: readonly ContextPart[]): number[] {
  const first = findFirstTurn({ messages });
  const lengths = new Map<number, number>();
  for (const { message, range } of parts)
    if (range !== undefined && message >= first)
      lengths.set(message, (lengths.get(message) ?? 0) + range.end - range.start);
  return [...lengths].flatMap(([index, length]) => {
    const { role, toolResultIds = [] } = messages[index] ?? {};
    if (role !== 'tool' && role !== 'user') return [];
    const isResult = role === 'tool' || toolResultIds.length > 0;
    return length >= (isResult ? resultBytesMin : wordsBytesMin) ? [index] : [];
  });
}
