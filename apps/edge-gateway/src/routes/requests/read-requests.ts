import {
  listRequests,
  readContent,
  readRequests,
  readTokenCounts,
  recallOriginals,
  type ContentPart,
  type RequestDetail,
  type RequestFilter,
  type RequestLogEntry,
  type RequestOrder,
} from '@gateway/contracts';
import {
  FairQueue,
  TimeShare,
  type FairQueueOptions,
  type Messaging,
  type TimeShareOptions,
} from '@gateway/messaging';
import { unpackContent } from '../../pipeline/contents/pack-content.ts';

/**
 * Number of requests that one reply of the worker contains. For a reply with this number of requests, the
 * worker and the gateway each need a few milliseconds of processor time.
 */
const rowsAtOnce = 100;

/**
 * Maximum number of large pages that the gateway reads for one account at the same time. An account that reads many
 * large pages at the same time would occupy several services.
 */
const largePages: FairQueueOptions = {
  slots: 16,
  slotsPerAccount: 1,
  waitingPerAccountMax: 64,
  waitingMax: 1_024,
  waitMsMax: 5_000,
};

/**
 * The share of the time in which one account may read large pages while other accounts read the request log. An
 * account may read about three large pages at once.
 */
const largePageTime: TimeShareOptions = { contendedShare: 0.5, burstMs: 100 };

interface PageQuery {
  readonly accountId: string;
  readonly limit: number;
  readonly offset: number;
  readonly filter: RequestFilter;
  /** The order of the list. By default, the newest request comes first. */
  readonly order?: RequestOrder;
}

interface RequestsOfPage {
  readonly total: number;
  readonly requests: readonly RequestLogEntry[];
}

/**
 * Reads pages of the request log. The large pages of an account are read one at a time. While other accounts read the
 * log, these pages get only a share of the time.
 */
export class RequestPages {
  readonly #messaging: Pick<Messaging, 'call'>;
  readonly #largePages = new FairQueue(largePages);
  readonly #largePageTime = new TimeShare(largePageTime);

  constructor(messaging: Pick<Messaging, 'call'>) {
    this.#messaging = messaging;
  }

  read(query: PageQuery): Promise<RequestsOfPage> {
    const { accountId, limit } = query;
    this.#largePageTime.note(accountId);
    if (limit <= rowsAtOnce) return readPage(this.#messaging, query);
    return this.#largePages.run(accountId, () =>
      this.#largePageTime.run(accountId, () => readPage(this.#messaging, query)),
    );
  }
}

/**
 * Reads a large page in parts, so that requests from other accounts can run between the parts. The worker counts and
 * sorts only for the first part, which contains the ids of the other parts.
 */
async function readPage(
  messaging: Pick<Messaging, 'call'>,
  { limit, offset, ...query }: PageQuery,
): Promise<RequestsOfPage> {
  const rows = Math.min(limit, rowsAtOnce);
  const first = { ...query, offset, limit: rows, further: limit - rows };
  const { total, requests, further } = await messaging.call(listRequests, first);
  if (further === undefined) return readByOffset(messaging, { limit, offset, ...query }, { total, requests });
  for (let at = 0; at < further.length; at += rowsAtOnce) {
    const ids = further.slice(at, at + rowsAtOnce);
    const part = await messaging.call(readRequests, { accountId: query.accountId, ids });
    requests.push(...part.requests);
  }
  return { total, requests };
}

/** Reads the rest of a large page from a worker of the previous release, which returns no ids of further requests. */
async function readByOffset(
  messaging: Pick<Messaging, 'call'>,
  { limit, offset, ...query }: PageQuery,
  { total, requests }: { total: number; requests: RequestLogEntry[] },
): Promise<RequestsOfPage> {
  let isMore = requests.length === rowsAtOnce;
  while (isMore && requests.length < limit) {
    const asked = Math.min(rowsAtOnce, limit - requests.length);
    const next = { ...query, offset: offset + requests.length, limit: asked };
    const part = await messaging.call(listRequests, next);
    requests.push(...part.requests);
    isMore = part.requests.length === asked;
  }
  return { total, requests };
}

interface Scope {
  readonly accountId: string;
  readonly session: string | null;
  readonly blocks: readonly string[];
}

type Compression = NonNullable<RequestDetail['compression']>;

/**
 * Adds the original messages that compression changed, and the token counts. Omits data that is no longer
 * stored, and data from an unavailable service.
 */
export async function addStoredContext(
  request: RequestDetail,
  scope: Scope,
  messaging: Messaging,
): Promise<RequestDetail> {
  const { compression } = request;
  if (compression === null) return request;
  const [omissions, exact] = await Promise.all([
    readOmissions(compression, scope, messaging),
    readExact(scope, messaging),
  ]);
  return { ...request, compression: { ...compression, omissions, exact } };
}

async function readOmissions(
  { omissions }: Compression,
  { accountId, session }: Scope,
  messaging: Messaging,
): Promise<Compression['omissions']> {
  if (session === null || omissions.length === 0) return omissions;
  const ids = omissions.map(({ marker }) => marker);
  const originals = await messaging
    .call(recallOriginals, { accountId, session, ids })
    .then((reply) => reply.originals)
    .catch(() => []);
  return ids.map((marker, at) => ({ marker, original: originals[at] ?? null }));
}

async function readExact({ accountId, blocks }: Scope, messaging: Messaging): Promise<Compression['exact']> {
  if (blocks.length === 0) return null;
  const counts = await messaging
    .call(readTokenCounts, { accountId, blocks: [...blocks] })
    .then((reply) => reply.counts.filter((each) => each !== null))
    .catch(() => []);
  if (counts.length === 0) return null;
  return {
    blocks: counts.length,
    tokens_before: counts.reduce((sum, { before }) => sum + before, 0),
    tokens_after: counts.reduce((sum, { after }) => sum + after, 0),
  };
}

/**
 * Returns the stored content of a request. Returns null if no content is stored or the content cannot be read
 * at the moment.
 */
export async function readStoredContent(
  accountId: string,
  requestId: string,
  messaging: Pick<Messaging, 'call'>,
): Promise<RequestDetail['content']> {
  try {
    const { content } = await messaging.call(readContent, { accountId, requestId });
    if (content === null) return null;
    const { request, answer } = await unpackContent(content.packed);
    return {
      request: renderPart(request),
      answer: answer && renderPart(answer),
      expires_at: content.expiresAt,
    };
  } catch {
    return null;
  }
}

function renderPart({ isCut, ...part }: ContentPart) {
  return { ...part, is_cut: isCut };
}
