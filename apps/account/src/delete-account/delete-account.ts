import type { AccountDeletion } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { newId } from '@gateway/persistence';
import type { AccountContext } from '../domain/account-context.ts';
import { takeNextEpoch } from '../domain/next-epoch.ts';
import type { SessionChange } from '../identity/identity.ts';
import type { AccountModels } from '../persistence/account-database.ts';
import { ownStep } from './deletion-steps.ts';
import { renderDeletion, withSteps } from './render-deletion.ts';

type Context = Pick<
  AccountContext,
  'database' | 'identity' | 'announceAccountChange' | 'announceSessionChange' | 'deletions'
>;

/**
 * Deletes an account. What this service has of it goes in one transaction, so that from its commit on no key and no session
 * works; the row of the deletion, which has the steps that other services have yet to do, comes with the same commit.
 * Throws `not_found` for an account that never was.
 */
export async function deleteAccount(
  context: Context,
  { accountId }: { accountId: string },
): Promise<{ deletion: AccountDeletion }> {
  const known = await findDeletion(context, accountId);
  if (known !== null) return { deletion: known };
  try {
    return { deletion: await beginDeletion(context, accountId) };
  } catch (error) {
    // Somebody else's call may have come first.
    const other = error instanceof GatewayError ? await findDeletion(context, accountId) : null;
    if (other === null) throw error;
    return { deletion: other };
  }
}

async function beginDeletion(context: Context, accountId: string): Promise<AccountDeletion> {
  // Across accounts: users of the embedded identity belong to people, and only through them to an account.
  const { deletion, epoch, people } = await context.database.transactionAcrossAccounts(async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    const people = await deleteRows(tx, accountId, context.identity?.issuer);
    const now = new Date();
    const services = [ownStep, ...context.deletions.services];
    const deletion = await tx.accountDeletion.create({
      data: {
        ...{ id: newId(), accountId, epoch, requestedAt: now },
        steps: { create: services.map((service, position) => renderStep(service, position, now)) },
      },
      include: withSteps,
    });
    return { deletion: renderDeletion(deletion), epoch, people };
  });
  context.announceAccountChange({ accountId, epoch, deleted: true });
  for (const person of people) context.announceSessionChange(person);
  context.deletions.wake();
  return deletion;
}

async function findDeletion({ database }: Context, accountId: string): Promise<AccountDeletion | null> {
  const where = { accountId };
  const row = await database.forAccount(accountId).accountDeletion.findUnique({ where, include: withSteps });
  return row && renderDeletion(row);
}

function renderStep(service: string, position: number, now: Date) {
  return { service, position, completedAt: service === ownStep ? now : null };
}

/** Everything that this service has of an account, people who can act for no other among it. Answers who they were. */
async function deleteRows(
  tx: AccountModels,
  accountId: string,
  embeddedIssuer: string | undefined,
): Promise<SessionChange[]> {
  const where = { accountId };
  const people = await tx.person.findMany({ where, select: { issuer: true, subject: true } });
  const users = people.filter(({ issuer }) => issuer === embeddedIssuer).map(({ subject }) => subject);
  await tx.identityUser.deleteMany({ where: { id: { in: users } } });
  await tx.person.deleteMany({ where });
  await tx.apiKey.deleteMany({ where });
  await tx.modelToggle.deleteMany({ where });
  await tx.idempotencyRecord.deleteMany({ where });
  await tx.routingPreferences.deleteMany({ where });
  await tx.accountPolicy.deleteMany({ where });
  const { count } = await tx.account.deleteMany({ where: { id: accountId } });
  if (count === 0) throw new GatewayError('not_found');
  return people;
}
