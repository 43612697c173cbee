import { createHash } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import { seal } from '@gateway/messaging';
import { z } from 'zod';
import { openEnvelope, type Envelope } from '../domain/envelope.ts';
import type { VaultContext } from '../domain/vault-context.ts';
import type { CredentialRow } from '../persistence/vault-database.ts';
import { writeAudit } from '../persistence/write-audit.ts';

export interface OpenCredentialRequest {
  readonly accountId: string;
  readonly provider: string;
  /** The gateway process that the secret is sealed to. */
  readonly recipientPublicKey: string;
}

const storedFields = z.record(z.string(), z.string());

/**
 * Gives a credential to one gateway process, sealed to its key; nulls when there is none. The audit row is committed
 * before the secret is even decrypted: no audit, no secret. Throws `internal_error` for a row that was tampered with.
 */
export async function openCredential(
  context: Pick<VaultContext, 'database' | 'keyRing' | 'countOpening'>,
  request: OpenCredentialRequest,
): Promise<{ sealedSecret: string | null; baseUrl: string | null }> {
  const row = await readAudited(context, request);
  if (row === null) {
    context.countOpening('missing');
    return { sealedSecret: null, baseUrl: null };
  }
  const { accountId, provider } = request;
  // The account and provider that were asked for, not the row's: a row that was moved must not open.
  const place = { accountId, provider, baseUrl: row.baseUrl };
  const secret = await openEnvelope(context.keyRing, place, parseEnvelope(row)).catch((cause: unknown) => {
    context.countOpening('failed');
    throw new GatewayError('internal_error', { detail: 'a stored credential does not open', cause });
  });
  context.countOpening('opened');
  const bytes = Buffer.from(JSON.stringify(secret));
  try {
    return { sealedSecret: sealTo(request.recipientPublicKey, bytes), baseUrl: row.baseUrl };
  } finally {
    bytes.fill(0);
  }
}

function readAudited(
  { database }: Pick<VaultContext, 'database'>,
  { accountId, provider, recipientPublicKey }: OpenCredentialRequest,
): Promise<CredentialRow | null> {
  const recipientKeySha256 = createHash('sha256').update(recipientPublicKey).digest('hex');
  return database.transactionForAccount(accountId, async (tx) => {
    const row = await tx.credential.findUnique({ where: { accountId_provider: { accountId, provider } } });
    if (row === null) return null;
    await writeAudit(tx, { accountId, provider, credentialId: row.id, action: 'open', recipientKeySha256 });
    await tx.credential.updateMany({ where: { id: row.id }, data: { lastUsedAt: new Date() } });
    return row;
  });
}

function parseEnvelope({ keyVersion, wrappedDataKey, fields }: CredentialRow): Envelope {
  return { keyVersion, wrappedDataKey, fields: storedFields.parse(fields) };
}

function sealTo(recipientPublicKey: string, secret: Buffer): string {
  try {
    return seal(secret, recipientPublicKey);
  } catch (cause) {
    throw new GatewayError('invalid_field', {
      param: 'recipientPublicKey',
      message: 'recipientPublicKey is not an X25519 public key.',
      cause,
    });
  }
}
