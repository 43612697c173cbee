import type { RequestContent } from '@gateway/contracts';
import { requestContent, storeContent } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import type { Counter, Metrics } from '@gateway/observability';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import type { ContentCopy } from './content-copy.ts';

/** Limit of the contents that wait for the worker at one time. Contents above it are not stored. */
const waitingBytesMax = 64 * 1024 * 1024;
const dayMs = 86_400_000;

/** The owner of a content and its retention. */
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
 * Sends the contents of requests to the worker, for accounts that opted in. Runs after the response. Contents
 * that the worker does not accept are dropped and counted.
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

/** About as fast as gzip, with a smaller result. */
const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** More than two content parts need, escapes included. */
const unpackedBytesMax = 32 * 1024 * 1024;

/**
 * The form in which a content is sent over NATS and encrypted: JSON, compressed off the event loop, as
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
