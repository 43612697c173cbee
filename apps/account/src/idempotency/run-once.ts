import { createHash } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import type { AccountModels } from '../persistence/account-database.ts';
import { hashIdempotencyKey, openReply, sealReply, type ReplyOwner } from './reply-seal.ts';

const hourMs = 3_600_000;
/** How long a stored reply is returned to repeated calls, in milliseconds. */
const keptMs = 24 * hourMs;
/**
 * Maximum number of stored replies per account. If there are too many replies, the oldest replies are deleted
 * first.
 */
export const recordsMax = 1_000;
/**
 * Maximum total size of an account's stored replies, in bytes. One reply for an API key with the longest
 * possible tool lists takes up half of this size.
 */
export const replyBytesMax = 8 * 1024 * 1024;

/** A call that creates an object, with the data by which a repeated call is recognized. */
interface CreatingCall {
  readonly accountId: string;
  /**
   * The SHA-256 of the idempotency key. Undefined if the request has no `Idempotency-Key`. The
   * reply to a call without an idempotency key is not stored.
   */
  readonly idempotencyKeySha256: string | undefined;
  /**
   * The operation and its arguments. It is an error to use an idempotency key for a different operation or
   * different arguments.
   */
  readonly request: unknown;
  readonly now: Date;
}

/**
 * Runs a call at most once per idempotency key. For one day, repeated calls with the idempotency key return
 * the stored reply (as JSON, including secrets). Callers must be in a transaction that locks the account's
 * row (`takeNextEpoch`). Because of the lock, the second of two concurrent calls waits and returns the reply
 * of the first call. The reply to a failed call is not stored. Throws `idempotency_key_reused` if the
 * idempotency key was used for a different request.
 */
export async function runOnce<Reply>(
  tx: AccountModels,
  pepper: Buffer,
  { accountId, idempotencyKeySha256, request, now }: CreatingCall,
  run: () => Promise<Reply>,
): Promise<{ reply: Reply; replayed: boolean }> {
  if (idempotencyKeySha256 === undefined) return { reply: await run(), replayed: false };
  const owner: ReplyOwner = { accountId, idempotencyKeySha256 };
  const keyHash = hashIdempotencyKey(pepper, owner);
  const requestHash = createHash('sha256').update(renderCanonical(request)).digest();
  await tx.idempotencyRecord.deleteMany({ where: { expiresAt: { lte: now } } });
  const stored = await tx.idempotencyRecord.findFirst({ where: { keyHash } });
  if (stored !== null) {
    if (!requestHash.equals(stored.requestHash)) throw new GatewayError('idempotency_key_reused');
    const json = openReply(pepper, owner, stored.sealedAnswer).toString('utf8');
    return { reply: JSON.parse(json) as Reply, replayed: true };
  }
  const reply = await run();
  const sealedAnswer = sealReply(pepper, owner, Buffer.from(JSON.stringify(reply)));
  const expiresAt = new Date(now.getTime() + keptMs);
  await tx.idempotencyRecord.create({
    data: {
      accountId,
      keyHash,
      requestHash,
      sealedAnswer,
      answerBytes: sealedAnswer.length,
      createdAt: now,
      expiresAt,
    },
  });
  await deleteOldest(tx);
  return { reply, replayed: false };
}

/** Deletes the oldest stored replies that exceed the account's limits. */
async function deleteOldest(tx: AccountModels): Promise<void> {
  const records = await tx.idempotencyRecord.findMany({
    orderBy: [{ createdAt: 'desc' }, { keyHash: 'desc' }],
    select: { keyHash: true, answerBytes: true },
  });
  let bytes = 0;
  const excess = records.filter(({ answerBytes }, index) => {
    bytes += answerBytes;
    return index > 0 && (index >= recordsMax || bytes > replyBytesMax);
  });
  if (excess.length === 0) return;
  await tx.idempotencyRecord.deleteMany({ where: { keyHash: { in: excess.map(({ keyHash }) => keyHash) } } });
}

/**
 * Renders JSON so that equal objects always give the same string. The members of JSON objects are sorted by
 * name, and undefined members are omitted.
 */
export function renderCanonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    const entries = Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(entries);
  });
}
