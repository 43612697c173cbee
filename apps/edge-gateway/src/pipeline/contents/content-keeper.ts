import type { RequestContent } from '@gateway/contracts';
import { requestContent, storeContent } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import type { Counter, Metrics } from '@gateway/observability';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import type { ContentCopy } from './content-copy.ts';

/**
 * Max bytes of request contents that may wait for the worker. Contents that would exceed the limit are not
 * stored.
 */
const waitingBytesMax = 64 * 1024 * 1024;
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
  /** Removes secrets from text. */
  readonly redact: (text: string) => string;
}

/**
 * Sends request contents to the worker, for accounts that opted in. Runs after the response is complete.
 * Contents that the worker does not accept are dropped and counted.
 */
export class ContentKeeper {
  readonly #options: ContentKeeperOptions;
  readonly #kept: Counter<'result'>;
  #waitingBytes = 0;

  constructor(options: ContentKeeperOptions) {
    this.#options = options;
    this.#kept = options.metrics.counter({
      name: 'gateway_contents_total',
      help: 'Request contents of accounts that opted in, by result. Only kept contents are stored.',
      labels: ['result'],
    });
  }

  keep(copy: ContentCopy, request: KeptRequest): void {
    const { bytes } = copy;
    if (this.#waitingBytes + bytes > waitingBytesMax) {
      this.#kept.inc({ result: 'no_room' });
      return;
    }
    this.#waitingBytes += bytes;
    setImmediate(() => {
      void this.#store(copy, request)
        .then(
          (result) => this.#kept.inc({ result }),
          () => this.#kept.inc({ result: 'failed' }),
        )
        .finally(() => (this.#waitingBytes -= bytes));
    });
  }

  async #store(
    copy: ContentCopy,
    { accountId, requestId, acceptedAt, retentionDays }: KeptRequest,
  ): Promise<'kept' | 'unreadable'> {
    const content = copy.render(this.#options.redact);
    if (content === null) return 'unreadable';
    const expiresAt = new Date(acceptedAt.getTime() + retentionDays * dayMs).toISOString();
    const packed = await packContent(content);
    await this.#options.messaging.call(storeContent, { accountId, requestId, expiresAt, packed });
    return 'kept';
  }
}

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** This level is about as fast as gzip and compresses better. */
const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** Larger than two content parts can be, escapes included. */
const unpackedBytesMax = 32 * 1024 * 1024;

/**
 * Packs contents for encryption and for sending over NATS: JSON, compressed off the event loop and encoded as
 * base64.
 */
export async function packContent(content: RequestContent): Promise<string> {
  return (await compress(Buffer.from(JSON.stringify(content)), options)).toString('base64');
}

/** @throws if the text was not packed by `packContent`. */
export async function unpackContent(packed: string): Promise<RequestContent> {
  const json = await decompress(Buffer.from(packed, 'base64'), { maxOutputLength: unpackedBytesMax });
  return requestContent.parse(JSON.parse(json.toString('utf8')));
}
