import type { CredentialSummary } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { isUniqueConflict, newId } from '@gateway/persistence';
import { credentialsMax } from '../domain/bounds.ts';
import { chooseHint } from '../domain/credential-hint.ts';
import { closeEnvelope, type CredentialPlace, type Envelope } from '../domain/envelope.ts';
import { renderSummary, summaryColumns } from '../domain/render-summary.ts';
import type { VaultContext } from '../domain/vault-context.ts';
import type { VaultModels } from '../persistence/vault-database.ts';
import { writeAudit } from '../persistence/write-audit.ts';
import { openSealedSecret } from './open-sealed-secret.ts';

export interface PutCredentialRequest extends CredentialPlace {
  /** A sealed box around the JSON of a credential. */
  readonly sealedSecret: string;
}

const attemptsMax = 3;

/**
 * Stores a credential, or replaces the one of that provider. The address it may be sent to is bound to it: a change of
 * address needs the credential again. Throws what `openSealedSecret` throws, and `invalid_field` for one too many.
 */
export async function putCredential(
  context: VaultContext,
  { sealedSecret, accountId, provider, baseUrl }: PutCredentialRequest,
): Promise<{ credential: CredentialSummary }> {
  const secret = openSealedSecret(sealedSecret, context.keyRing.sealingKeyPairs);
  const place = { accountId, provider, baseUrl };
  const envelope = await closeEnvelope(context.keyRing, place, secret);
  const credential = await storeEnvelope(context, place, envelope, chooseHint(secret.apiKey));
  context.announceCredentialChange({ accountId, provider });
  return { credential };
}

/** Two that are first at the same time collide on the unique index: the one that lost finds the other's row then. */
async function storeEnvelope(
  { database }: VaultContext,
  place: CredentialPlace,
  envelope: Envelope,
  hint: string | null,
): Promise<CredentialSummary> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.transactionForAccount(place.accountId, (tx) =>
        upsertCredential(tx, place, { ...envelope, hint }),
      );
    } catch (error) {
      if (!isUniqueConflict(error) || attempt >= attemptsMax) throw error;
    }
  }
}

async function upsertCredential(
  tx: VaultModels,
  { accountId, provider, baseUrl }: CredentialPlace,
  content: Envelope & { hint: string | null },
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
