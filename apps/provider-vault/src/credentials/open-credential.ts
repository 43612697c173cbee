import { createHash } from 'node:crypto';
import { GatewayError } from '@gateway/errors';
import { seal } from '@gateway/messaging';
import { renderSecret } from './credential-secret.ts';
import { forgetFields, openEnvelope, type OpenFields } from '../encryption/envelope.ts';
import { isRefusal, readRefusedKey } from './credential-health.ts';
import { parseEnvelope, versionOf, writeAudit } from './credential-row.ts';
import type { CredentialRow } from '../persistence/vault-database.ts';
import type { CredentialsContext } from './manage-credentials.ts';

export interface OpenCredentialRequest {
  readonly accountId: string;
  readonly provider: string;
  /** The public key of the gateway process, with which the secret is encrypted. */
  readonly recipientPublicKey: string;
}

/** The encrypted secret, together with the unencrypted fields of the credential that the gateway needs. */
export interface OpenedCredential {
  readonly sealedSecret: string | null;
  readonly baseUrl: string | null;
  /** Whether the latest report states that the provider rejected the credential. */
  readonly isFailing: boolean;
  /** The additional key that the provider rejected, counted from 1. */
  readonly refusedKey: number | null;
  /** The version of the credential, which changes with every write. Null if the credential does not exist. */
  readonly version: string | null;
  /** Whether the provider has accepted the credential. */
  readonly isVerified: boolean;
}

const missing: OpenedCredential = {
  ...{ sealedSecret: null, baseUrl: null, isFailing: false, isVerified: false },
  ...{ refusedKey: null, version: null },
};

type OpeningContext = Pick<CredentialsContext, 'database' | 'keyRing' | 'events'>;

/**
 * Returns a credential to one gateway process, encrypted with the public key of the process. All returned fields are
 * null if the credential does not exist. The audit row is committed before the secret is decrypted, so no secret
 * leaves the vault without an audit row. Throws `internal_error` for a tampered database row. Throws
 * `service_unavailable` if the key of the row cannot be used at the moment.
 */
export async function openCredential(
  context: OpeningContext,
  request: OpenCredentialRequest,
): Promise<OpenedCredential> {
  const row = await readAudited(context, request);
  if (row === null) {
    context.events.countOpening('missing');
    return missing;
  }
  const fields = await openRow(context, request, row);
  const { baseUrl, lastError, verifiedAt } = row;
  try {
    const sealedSecret = sealFields(request.recipientPublicKey, fields);
    return {
      ...{ sealedSecret, baseUrl, isFailing: isRefusal(lastError), isVerified: verifiedAt !== null },
      ...{ refusedKey: readRefusedKey(lastError), version: versionOf(row) },
    };
  } finally {
    forgetFields(fields);
  }
}

function readAudited(
  { database }: Pick<CredentialsContext, 'database'>,
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

async function openRow(
  context: OpeningContext,
  { accountId, provider }: OpenCredentialRequest,
  row: CredentialRow,
): Promise<OpenFields> {
  // Decryption uses the account and provider of the call, not the values in the database row.
  // A database row that was moved to another account therefore cannot be decrypted.
  const place = { accountId, provider, baseUrl: row.baseUrl };
  try {
    const fields = await openEnvelope(context.keyRing, place, parseEnvelope(row));
    context.events.countOpening('opened');
    return fields;
  } catch (cause) {
    if (cause instanceof GatewayError) {
      context.events.countOpening('unavailable');
      throw cause;
    }
    context.events.countOpening('failed');
    throw new GatewayError('internal_error', { detail: 'a stored credential cannot be decrypted', cause });
  }
}

function sealFields(recipientPublicKey: string, fields: OpenFields): string {
  const entries = Object.entries(fields).map(([field, value]) => [field, value.toString('utf8')]);
  const secret = renderSecret(Object.fromEntries(entries) as Record<string, string>);
  const bytes = Buffer.from(JSON.stringify(secret));
  try {
    return seal(bytes, recipientPublicKey);
  } catch (cause) {
    throw new GatewayError('invalid_field', {
      param: 'recipientPublicKey',
      message: 'recipientPublicKey is not an X25519 public key.',
      cause,
    });
  } finally {
    bytes.fill(0);
  }
}
