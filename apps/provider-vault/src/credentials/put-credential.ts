import type { Actor, AuditChanges, CredentialCheckResult, CredentialSummary } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { isForeignKeyConflict, isUniqueConflict, newId } from '@gateway/persistence';
import { queueAudit } from '../audit/audit-outbox.ts';
import type { CredentialPlace } from '../encryption/associated-data.ts';
import { renderHealth } from './credential-health.ts';
import { credentialsMax, renderSummary, summaryColumns, writeAudit } from './credential-row.ts';
import { closeEnvelope, forgetFields, type Envelope } from '../encryption/envelope.ts';
import type { VaultModels } from '../persistence/vault-database.ts';
import { openSealedSecret, type ReceivedSecret } from './credential-secret.ts';
import type { CredentialsContext } from './manage-credentials.ts';

export interface PutCredentialRequest extends CredentialPlace {
  /** A credential as JSON, encrypted with the vault's public key. */
  readonly sealedSecret: string;
  /** The result of the gateway's check of the credential. Undefined if the gateway checked nothing. */
  readonly check?: CredentialCheckResult | undefined;
  /** The user or API key that changes the credential, for the audit log. */
  readonly actor?: Actor | undefined;
}

type CheckedSecret = ReceivedSecret & Pick<PutCredentialRequest, 'check'>;

const attemptsMax = 3;
const unchecked: CredentialCheckResult = { outcome: 'unknown', status: null };

/**
 * Stores a credential, or replaces the account's credential for the provider. A credential is bound to its base URL,
 * so the caller must send the credential again to change the base URL. Throws the errors of `openSealedSecret`. The
 * function also throws `invalid_field` for too many credentials, and `not_found` for a deleted account.
 */
export async function putCredential(
  context: CredentialsContext,
  { sealedSecret, accountId, provider, baseUrl, check, actor }: PutCredentialRequest,
): Promise<{ credential: CredentialSummary }> {
  const place = { accountId, provider, baseUrl };
  const versions = await context.keyVersions.list();
  const received = await openSealedSecret(
    sealedSecret,
    versions.map((version) => () => context.sealingKeys.open(version)),
  );
  try {
    const credential = await storeSecret(context, place, { ...received, check }, actor);
    context.events.announceChange({ accountId, provider });
    return { credential };
  } finally {
    forgetFields(received.fields);
  }
}

/**
 * Stores the credential, and retries after a race with another process. A concurrent deletion of the account
 * causes a conflict on the deletion mark. The retry finds the mark and throws. If a key version is retired
 * during encryption, the retry uses the current key version.
 */
async function storeSecret(
  { database, keyRing, keyVersions }: CredentialsContext,
  place: CredentialPlace,
  { fields, hint, additionalKeys, check = unchecked }: CheckedSecret,
  actor: Actor | undefined,
): Promise<CredentialSummary> {
  for (let attempt = 1; ; attempt++) {
    const [current] = await keyVersions.list();
    if (current === undefined)
      throw new GatewayError('service_unavailable', { detail: 'no key version is active' });
    const envelope = await closeEnvelope(keyRing, current.version, place, fields);
    try {
      return await database.transactionForAccount(place.accountId, (tx) =>
        unlessForgotten(tx, place.accountId, () =>
          upsertCredential(tx, place, { ...envelope, hint, additionalKeys, ...renderHealth(check) }, actor),
        ),
      );
    } catch (error) {
      const mayDoNext = isUniqueConflict(error) || isForeignKeyConflict(error);
      if (!mayDoNext || attempt >= attemptsMax) throw error;
    }
  }
}

async function upsertCredential(
  tx: VaultModels,
  { accountId, provider, baseUrl }: CredentialPlace,
  content: Envelope & { hint: string | null; additionalKeys: number } & ReturnType<typeof renderHealth>,
  actor: Actor | undefined,
): Promise<CredentialSummary> {
  const written = { ...content, baseUrl };
  const where = { accountId_provider: { accountId, provider } };
  const before = await tx.credential.findUnique({ where, select: summaryColumns });
  const row = await tx.credential.upsert({
    where,
    create: { id: newId(), accountId, provider, ...written },
    update: { ...written, rotatedAt: new Date() },
    select: { id: true, ...summaryColumns },
  });
  if (row.rotatedAt === null && (await tx.credential.count()) > credentialsMax) {
    throw new GatewayError('invalid_field', {
      param: 'provider',
      message: `An account can have at most ${credentialsMax} provider credentials. Delete one first.`,
    });
  }
  await writeAudit(tx, { accountId, provider, credentialId: row.id, action: 'put' });
  const saved = renderSummary(row);
  const changes = diffSummaries(before && renderSummary(before), saved);
  const action = before === null ? 'provider.saved' : 'provider.rotated';
  await queueAudit(tx, { accountId, provider, action, changes, actor });
  return saved;
}

/**
 * The changes that the audit log shows. The audit log contains only fields that are also visible in the list
 * of providers.
 */
function diffSummaries(before: CredentialSummary | null, after: CredentialSummary): AuditChanges {
  const changes: AuditChanges = {};
  const note = (field: string, from: unknown, to: unknown): void => {
    if (from !== to) changes[field] = { from, to };
  };
  note('credential_hint', before?.hint ?? null, after.hint);
  note('base_url', before?.baseUrl ?? null, after.baseUrl);
  note('additional_keys', before?.additionalKeys ?? 0, after.additionalKeys);
  return changes;
}

/**
 * Runs `store` unless the account has been deleted. Locks the row of the account's deletion mark until the
 * transaction ends. A concurrent deletion waits for the end of the transaction, and then finds the stored
 * credential.
 */
async function unlessForgotten<T>(tx: VaultModels, accountId: string, store: () => Promise<T>): Promise<T> {
  if ((await tx.forgottenAccount.findUnique({ where: { accountId } })) !== null) {
    throw new GatewayError('not_found', { message: 'This account was deleted.' });
  }
  await tx.forgottenAccount.create({ data: { accountId }, select: { accountId: true } });
  const stored = await store();
  await tx.forgottenAccount.delete({ where: { accountId }, select: { accountId: true } });
  return stored;
}
