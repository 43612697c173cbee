import { storeContent } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import type { Counter, Logger, Metrics, SecretSet } from '@gateway/observability';
import type { ContentCopy } from './content-copy.ts';
import { ContentThread } from './content-thread.ts';
import { packContent } from './pack-content.ts';
import { renderContent } from './render-content.ts';

/**
 * Maximum number of bytes of request contents that may wait for the worker service. Contents that would exceed the
 * maximum are not stored.
 */
const waitingBytesMax = 64 * 1024 * 1024;
/**
 * Maximum number of bytes of waiting contents per account. An account with many contents cannot displace the
 * contents of other accounts.
 */
const accountBytesMax = waitingBytesMax / 4;
/**
 * Contents up to this number of bytes are redacted on the event loop. Redacting small contents takes less
 * time than sending them to a thread.
 */
const inlineBytesMax = 16 * 1024;
/** Minimum interval between two log lines about dropped contents, in milliseconds. */
const saidEveryMs = 60_000;
const dayMs = 86_400_000;

/** Identifies a request with stored contents, its account, and the retention period. */
interface KeptRequest {
  readonly accountId: string;
  readonly requestId: string;
  readonly acceptedAt: Date;
  readonly retentionDays: number;
}

interface ContentKeeperOptions {
  readonly messaging: Pick<Messaging, 'call'>;
  readonly metrics: Metrics;
  readonly log: Pick<Logger, 'warn'>;
  /** Redacts and packs large contents. */
  readonly thread?: Pick<ContentThread, 'pack' | 'close'>;
  /** Returns the Unix time in milliseconds. */
  readonly now?: () => number;
}

type KeepResult = 'kept' | 'unreadable' | 'no_room' | 'over_share' | 'failed';

/**
 * Redacts request contents and sends the redacted contents to the worker service. Only contents of accounts
 * that opted in to content logging are sent to the worker service. Request contents are sent after the
 * response is complete. The stored contents contain none of the account's credentials. Large request contents
 * are redacted in a thread. Contents that exceed the limits or that the worker service rejects are dropped,
 * counted and logged. The usage of a request is always recorded, even if its contents are dropped.
 */
export class ContentKeeper {
  readonly #options: ContentKeeperOptions;
  readonly #thread: Pick<ContentThread, 'pack' | 'close'>;
  readonly #kept: Counter<'result'>;
  readonly #bytesByAccount = new Map<string, number>();
  #waitingBytes = 0;
  #droppedSinceSaid = 0;
  #saidAt = -Infinity;

  constructor(options: ContentKeeperOptions) {
    this.#options = options;
    this.#thread = options.thread ?? new ContentThread();
    this.#kept = options.metrics.counter({
      name: 'gateway_contents_total',
      help: 'Request contents of accounts that opted in, by result. Only kept contents are stored.',
      labels: ['result'],
    });
  }

  /** @param secrets the secrets of the request's account, for redaction */
  keep(copy: ContentCopy, request: KeptRequest, secrets: SecretSet): void {
    const { bytes } = copy;
    const { accountId } = request;
    const ofAccount = this.#bytesByAccount.get(accountId) ?? 0;
    // A single request body may be larger than the account's share of the memory for contents.
    // An account may exceed its share with a single request if no other contents of the account are waiting.
    if (ofAccount > 0 && ofAccount + bytes > accountBytesMax) return this.#count('over_share', request);
    if (this.#waitingBytes + bytes > waitingBytesMax) return this.#count('no_room', request);
    this.#reserve(accountId, bytes);
    setImmediate(() => {
      void this.#store(copy, request, secrets)
        .then(
          (result) => this.#count(result, request),
          () => this.#count('failed', request),
        )
        .finally(() => this.#reserve(accountId, -bytes));
    });
  }

  close(): void {
    this.#thread.close();
  }

  #reserve(accountId: string, bytes: number): void {
    this.#waitingBytes += bytes;
    const ofAccount = (this.#bytesByAccount.get(accountId) ?? 0) + bytes;
    if (ofAccount > 0) this.#bytesByAccount.set(accountId, ofAccount);
    else this.#bytesByAccount.delete(accountId);
  }

  #count(result: KeepResult, { accountId, requestId }: KeptRequest): void {
    this.#kept.inc({ result });
    if (result === 'kept' || result === 'unreadable') return;
    this.#droppedSinceSaid += 1;
    const now = (this.#options.now ?? Date.now)();
    if (now - this.#saidAt < saidEveryMs) return;
    const fields = { account_id: accountId, request_id: requestId, result, dropped: this.#droppedSinceSaid };
    this.#options.log.warn(fields, 'request contents dropped; the requests and their usage are recorded');
    this.#saidAt = now;
    this.#droppedSinceSaid = 0;
  }

  async #store(
    copy: ContentCopy,
    { accountId, requestId, acceptedAt, retentionDays }: KeptRequest,
    secrets: SecretSet,
  ): Promise<'kept' | 'unreadable'> {
    const copied = copy.take();
    if (copied === null) return 'unreadable';
    const packed =
      copied.request.shown.length + (copied.answer?.shown.length ?? 0) <= inlineBytesMax
        ? await packContent(renderContent(copied, secrets))
        : await this.#thread.pack(accountId, { copied, secrets: secrets.list() });
    const expiresAt = new Date(acceptedAt.getTime() + retentionDays * dayMs).toISOString();
    await this.#options.messaging.call(storeContent, { accountId, requestId, expiresAt, packed });
    return 'kept';
  }
}
