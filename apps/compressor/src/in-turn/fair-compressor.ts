import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CompressBlocksRequest, CompressSchemasReply } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import {
  FairQueue,
  TimeShare,
  type ActiveAccounts,
  type FairQueueOptions,
  type TimeShareOptions,
} from '@gateway/messaging';
import { LRUCache } from 'lru-cache';
import {
  compressBlocks,
  type Compressed,
  type ConversationStore,
} from '../compress-blocks/compress-blocks.ts';
import { compressSchemas, type SchemaMode } from '../compress-schemas/compress-schemas.ts';
import type { CompressionThread } from './compression-thread.adapter.ts';
import type { LargeTask, LargeTaskResults } from './large-work.ts';

/**
 * Requests up to this size in UTF-16 units are compressed on the event loop. The event loop compresses a request of
 * this size in about 5 ms (`npm run bench:compressor`). A request on the event loop delays other requests by at most
 * about 5 ms. The worker thread compresses larger requests.
 */
export const smallUnitsMax = 64 * 1024;

/**
 * Limits on the queue of requests. Compression requests run one at a time, and the accounts take turns. A
 * request that has waited for a second is rejected, because its gateway has already stopped waiting
 * (`PLAN_DEADLINE_MS`).
 */
const turns: FairQueueOptions = {
  slots: 1,
  slotsPerAccount: 1,
  waitingPerAccountMax: 64,
  waitingMax: 1_024,
  waitMsMax: 1_000,
};

/**
 * The share of the worker thread's time that one account gets while other accounts are active. The initial
 * allowance `burstMs` is enough for a long conversation, because the thread compresses a megabyte in about 130 ms.
 */
const threadShare: TimeShareOptions = { contendedShare: 0.25, burstMs: 250 };

const retryAfterMs = 1_000;

type Definitions = Parameters<typeof compressSchemas>[0];

interface FairCompressorOptions {
  readonly thread: Pick<CompressionThread, 'run'>;
  readonly conversations: ConversationStore;
  readonly instanceId: string;
  /** The accounts with recent requests of any size. */
  readonly active: ActiveAccounts;
  /** A callback for each request that is rejected because a queue or the worker thread has reached its limit. */
  readonly onRefused: NonNullable<FairQueueOptions['onRefused']>;
}

/**
 * Compresses requests from all accounts in turn, so that the conversations of one account do not delay other
 * accounts. Small requests are compressed on the event loop. Large requests run in a worker thread. The
 * operating system divides processor time between the worker thread and the event loop.
 */
export class FairCompressor {
  readonly #options: FairCompressorOptions;
  readonly #small: FairQueue;
  readonly #large: FairQueue;
  readonly #threadTime: TimeShare;
  /** Hashes of the conversations in the worker thread. */
  readonly #inThread = new LRUCache<string, true>({ max: 50_000 });

  constructor(options: FairCompressorOptions) {
    this.#options = options;
    this.#threadTime = new TimeShare({ ...threadShare, active: options.active });
    this.#small = new FairQueue({ ...turns, onRefused: options.onRefused });
    this.#large = new FairQueue({ ...turns, onRefused: options.onRefused });
  }

  /**
   * @throws GatewayError `rate_limit_exceeded` or `service_unavailable` if too many requests wait, if the
   * request waits too long, or if the account has used its share of the worker thread.
   */
  compressBlocks(request: CompressBlocksRequest): Promise<Compressed> {
    const { conversations: store, instanceId } = this.#options;
    const { accountId = '', after } = request;
    this.#threadTime.note(accountId);
    if (after !== null && this.#inThread.has(after)) return this.#compressInThread(accountId, request);
    const units = request.blocks.reduce((sum, { text }) => sum + text.length, 0);
    if (units <= smallUnitsMax) {
      return this.#small.run(accountId, async () => {
        // Requests that have already arrived enter the queue before this request is compressed.
        await nextTurn();
        return compressBlocks(request, { store, instanceId });
      });
    }
    if (after === null) return this.#compressInThread(accountId, request);
    // The worker thread lacks this conversation, so the gateway sends the whole conversation.
    store.take(after);
    return Promise.resolve({ reply: { status: 'unknown', instanceId }, originals: new Map(), changed: [] });
  }

  /** @throws GatewayError the errors of `compressBlocks` */
  compressSchemas(
    accountId: string,
    definitions: Definitions,
    mode: SchemaMode,
  ): Promise<CompressSchemasReply> {
    this.#threadTime.note(accountId);
    const units = definitions.reduce((sum, { text }) => sum + text.length, 0);
    if (units > smallUnitsMax) return this.#runInThread(accountId, { kind: 'schemas', mode, definitions });
    return this.#small.run(accountId, async () => {
      await nextTurn();
      return compressSchemas(definitions, mode);
    });
  }

  async #compressInThread(accountId: string, request: CompressBlocksRequest): Promise<Compressed> {
    const made = await this.#runInThread(accountId, { kind: 'blocks', request });
    if (request.after !== null) this.#inThread.delete(request.after);
    if (made.reply.status === 'compressed') this.#inThread.set(request.upTo, true);
    return made;
  }

  #runInThread<Kind extends LargeTask['kind']>(
    accountId: string,
    task: Extract<LargeTask, { kind: Kind }>,
  ): Promise<LargeTaskResults[Kind]> {
    return this.#large.run(accountId, () => {
      if (!this.#threadTime.mayRun(accountId)) throw this.#refuse();
      return this.#threadTime.run(accountId, () => this.#options.thread.run(task));
    });
  }

  /** The request is rejected, because it would stay in the queue for longer than its gateway waits. */
  #refuse(): GatewayError {
    this.#options.onRefused('account_full');
    return new GatewayError('service_unavailable', {
      detail: 'the account has used its share of the compression thread',
      retryAfterMs,
    });
  }
}
