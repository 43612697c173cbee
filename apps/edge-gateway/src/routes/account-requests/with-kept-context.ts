import { readTokenCounts, recallOriginals, type RequestDetail } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';

interface Scope {
  readonly accountId: string;
  readonly session: string | null;
  readonly blocks: readonly string[];
}

type Compression = NonNullable<RequestDetail['compression']>;

/**
 * A request with what compression left out of it and how many tokens were counted, as far as that is kept. The row is shown all
 * the same while nobody answers.
 */
export async function withKeptContext(
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

async function readExact({ blocks }: Scope, messaging: Messaging): Promise<Compression['exact']> {
  if (blocks.length === 0) return null;
  const counts = await messaging
    .call(readTokenCounts, { blocks: [...blocks] })
    .then((reply) => reply.counts.filter((each) => each !== null))
    .catch(() => []);
  if (counts.length === 0) return null;
  return {
    blocks: counts.length,
    tokens_before: counts.reduce((sum, { before }) => sum + before, 0),
    tokens_after: counts.reduce((sum, { after }) => sum + after, 0),
  };
}
