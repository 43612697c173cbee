import {
  readContent,
  readTokenCounts,
  recallOriginals,
  type ContentPart,
  type RequestDetail,
} from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { unpackContent } from '../../pipeline/contents/pack-content.ts';

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
