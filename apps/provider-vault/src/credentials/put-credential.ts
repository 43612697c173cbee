import type { CredentialSummary } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { isForeignKeyConflict, isUniqueConflict, newId } from '@gateway/persistence';
import type { CredentialPlace } from '../encryption/associated-data.ts';
import { credentialsMax, renderSummary, summaryColumns, writeAudit } from './credential-row.ts';
import { closeEnvelope, forgetFields, type Envelope } from '../encryption/envelope.ts';
import type { VaultModels } from '../persistence/vault-database.ts';
import { openSealedSecret, type ReceivedSecret } from './credential-secret.ts';
import type { CredentialsContext } from './manage-credentials.ts';

export interface PutCredentialRequest extends CredentialPlace {
  /** A sealed box around the JSON of a credential. */
  readonly sealedSecret: string;
}

const attemptsMax = 3;

/**
 * Stores a credential, or replaces the one of that provider. The address it may be sent to is bound to it: a change of
 * address needs the credential again. Throws what `openSealedSecret` throws, `invalid_field` for one too many, and
 * `not_found` for an account that was deleted.
 */
export async function putCredential(
  context: CredentialsContext,
  { sealedSecret, accountId, provider, baseUrl }: PutCredentialRequest,
): Promise<{ credential: CredentialSummary }> {
  const place = { accountId, provider, baseUrl };
  const versions = await context.keyVersions.list();
  const received = await openSealedSecret(
    sealedSecret,
    versions.map((version) => () => context.sealingKeys.open(version)),
  );
  try {
    const credential = await storeSecret(context, place, received);
    context.events.announceChange({ accountId, provider });
    return { credential };
  } finally {
    forgetFields(received.fields);
  }
}

/**
 * One whose account is forgotten at the same moment collides with the tombstone: it finds that then. And a key version may
 * be retired while the record is closed under it: then it is closed under the present one.
 */
async function storeSecret(
  { database, keyRing, keyVersions }: CredentialsContext,
  place: CredentialPlace,
  { fields, hint, additionalKeys }: ReceivedSecret,
): Promise<CredentialSummary> {
  for (let attempt = 1; ; attempt++) {
    const [current] = await keyVersions.list();
    if (current === undefined) throw new GatewayError('service_unavailable', { detail: 'no key is in use' });
    const envelope = await closeEnvelope(keyRing, current.version, place, fields);
    try {
      return await database.transactionForAccount(place.accountId, (tx) =>
        unlessForgotten(tx, place.accountId, () =>
          upsertCredential(tx, place, { ...envelope, hint, additionalKeys }),
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
  content: Envelope & { hint: string | null; additionalKeys: number },
): Promise<CredentialSummary> {
  const written = { ...content, baseUrl, lastError: null };
  const row = await tx.credential.upsert({
    where: { accountId_provider: { accountId, provider } },
    create: { id: newId(), accountId, provider, ...written },
    update: { ...written, rotatedAt: new Date() },
    select: { id: true, ...summaryColumns },
  });
  if (row.rotatedAt === null && (await tx.credential.count()) > credentialsMax) {
    throw new GatewayError('invalid_field', {
      param: 'provider',
      message: `An account has at most ${credentialsMax} provider credentials. Delete one first.`,
    });
  }
  await writeAudit(tx, { accountId, provider, credentialId: row.id, action: 'put' });
  return renderSummary(row);
}

/**
 * Stores for an account that was not deleted. Its tombstone's place is taken until the transaction ends: who forgets the
 * account meanwhile waits for that, and then finds what was stored.
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
