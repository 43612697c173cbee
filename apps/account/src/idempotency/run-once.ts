import { createHash } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import type { AccountModels } from '../persistence/account-database.ts';
import type { AnswerOwner } from './answer-seal.ts';
import { hashIdempotencyKey, openAnswer, sealAnswer } from './answer-seal.ts';

const hourMs = 3_600_000;
/** How long an answer is given again. */
const keptMs = 24 * hourMs;
/** Answers that an account keeps; the oldest go first. */
export const recordsMax = 1_000;
/** What they may take together. A key's answer with the longest tool lists is half of it. */
export const answerBytesMax = 8 * 1024 * 1024;

/** A call that creates something, as far as telling it from others goes. */
interface CreatingCall {
  readonly accountId: string;
  /** Undefined when the caller gave no `Idempotency-Key`: the call is made, and nothing is kept. */
  readonly idempotencyKeySha256: string | undefined;
  /** What is called, and what with: the same key with another request is an error. */
  readonly request: unknown;
  readonly now: Date;
}

/**
 * Makes a call at most once for its idempotency key, and gives its answer (JSON, secrets included) to those who make it
 * again within a day. Needs a transaction that holds the account's row (`takeNextEpoch`): of two at once, the second waits
 * and gets the first one's answer. A call that fails keeps nothing. Throws `idempotency_key_reused`.
 */
export async function runOnce<Answer>(
  tx: AccountModels,
  pepper: Buffer,
  { accountId, idempotencyKeySha256, request, now }: CreatingCall,
  run: () => Promise<Answer>,
): Promise<{ answer: Answer; replayed: boolean }> {
  if (idempotencyKeySha256 === undefined) return { answer: await run(), replayed: false };
  const owner: AnswerOwner = { accountId, idempotencyKeySha256 };
  const keyHash = hashIdempotencyKey(pepper, owner);
  const requestHash = createHash('sha256').update(renderCanonical(request)).digest();
  await tx.idempotencyRecord.deleteMany({ where: { expiresAt: { lte: now } } });
  const kept = await tx.idempotencyRecord.findFirst({ where: { keyHash } });
  if (kept !== null) {
    if (!requestHash.equals(kept.requestHash)) throw new GatewayError('idempotency_key_reused');
    const json = openAnswer(pepper, owner, kept.sealedAnswer).toString('utf8');
    return { answer: JSON.parse(json) as Answer, replayed: true };
  }
  const answer = await run();
  const sealedAnswer = sealAnswer(pepper, owner, Buffer.from(JSON.stringify(answer)));
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
  return { answer, replayed: false };
}

/** Keeps within the bounds what one more answer may have exceeded. */
async function deleteOldest(tx: AccountModels): Promise<void> {
  const records = await tx.idempotencyRecord.findMany({
    orderBy: [{ createdAt: 'desc' }, { keyHash: 'desc' }],
    select: { keyHash: true, answerBytes: true },
  });
  let bytes = 0;
  const excess = records.filter(({ answerBytes }, index) => {
    bytes += answerBytes;
    return index > 0 && (index >= recordsMax || bytes > answerBytesMax);
  });
  if (excess.length === 0) return;
  await tx.idempotencyRecord.deleteMany({ where: { keyHash: { in: excess.map(({ keyHash }) => keyHash) } } });
}

/** JSON in which equal values are equal texts: members in the order of their names, those that are undefined left out. */
export function renderCanonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    const entries = Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(entries);
  });
}
