import type { AccountDeletion, Actor } from '@gateway/contracts';
import type { Logger } from '@gateway/observability';
import { GatewayError } from '@gateway/errors';
import { newId } from '@gateway/persistence';
import { takeNextEpoch } from '../persistence/row-changes.ts';
import type { AccountChange, ChangeAnnouncer, LoginSessionChange } from '../announce/change-announcer.ts';
import type { AccountDatabase, AccountModels, Prisma } from '../persistence/account-database.ts';
import type { DeletionRunner } from './deletion-runner.ts';
import { ownStep } from './deletion-steps.ts';

export interface DeleteAccountContext {
  readonly database: AccountDatabase;
  readonly changes: Pick<ChangeAnnouncer, 'announceAccountChange' | 'announceLoginSessionChange'>;
  readonly deletions: Pick<DeletionRunner, 'services' | 'wake'>;
  /**
   * The issuer name of the embedded identity service. Null if an external OpenID Connect issuer is
   * used.
   */
  readonly embeddedIssuer: string | null;
  readonly logger: Pick<Logger, 'info'>;
}
export const DELETION_LOGGER = Symbol('DeletionLogger');

/**
 * Deletes an account. A single transaction deletes all rows of the account in the account service. The
 * account's keys and login sessions become invalid when the transaction commits. The transaction also records
 * the deletion and the deletion steps of other services. Throws `not_found` for an unknown account.
 */
export async function deleteAccount(
  context: DeleteAccountContext,
  { accountId, actor }: { accountId: string; actor?: Actor | undefined },
): Promise<{ deletion: AccountDeletion }> {
  const known = await findDeletion(context, accountId);
  if (known !== null) return { deletion: announceAgain(context, known) };
  try {
    const deletion = await beginDeletion(context, accountId);
    noteRequest(context, accountId, deletion.id, actor);
    return { deletion };
  } catch (error) {
    // A concurrent call may already have deleted the account.
    const other = error instanceof GatewayError ? await findDeletion(context, accountId) : null;
    if (other === null) throw error;
    return { deletion: announceAgain(context, other) };
  }
}

/** Announces a deletion again, because the process that began the deletion may have been killed. */
function announceAgain(
  { changes, deletions }: Pick<DeleteAccountContext, 'changes' | 'deletions'>,
  { receipt, change }: KnownDeletion,
): AccountDeletion {
  changes.announceAccountChange({ ...change, deleted: true });
  deletions.wake();
  return receipt;
}

/** An account deletion that has started, and the account change to announce. */
interface KnownDeletion {
  readonly receipt: AccountDeletion;
  readonly change: AccountChange;
}

async function beginDeletion(context: DeleteAccountContext, accountId: string): Promise<AccountDeletion> {
  // The query covers all accounts, because sign-in data belongs to people and not to accounts.
  const { deletion, epoch, people } = await context.database.transactionAcrossAccounts(async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    const people = await deleteRows(tx, accountId, context.embeddedIssuer);
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
  context.changes.announceAccountChange({ accountId, epoch, deleted: true });
  for (const person of people) context.changes.announceLoginSessionChange(person);
  context.deletions.wake();
  return deletion;
}

/** The service's log names the actor, because the audit log of the account is deleted together with the account. */
function noteRequest(
  { logger }: Pick<DeleteAccountContext, 'logger'>,
  accountId: string,
  deletionId: string,
  actor: Actor | undefined,
): void {
  const by = { key_id: actor?.keyId ?? null, person_id: actor?.personId ?? null };
  const fields = {
    account_id: accountId,
    deletion_id: deletionId,
    ...by,
    request_id: actor?.requestId ?? null,
  };
  logger.info(fields, 'account deletion requested');
}

async function findDeletion(
  { database }: Pick<DeleteAccountContext, 'database'>,
  accountId: string,
): Promise<KnownDeletion | null> {
  const where = { accountId };
  const row = await database.forAccount(accountId).accountDeletion.findUnique({ where, include: withSteps });
  return row && { receipt: renderDeletion(row), change: { accountId, epoch: row.epoch } };
}

function renderStep(service: string, position: number, now: Date) {
  return { service, position, completedAt: service === ownStep ? now : null };
}

/**
 * Deletes every row in this service that belongs to the account, including the account's people. Returns the
 * deleted people.
 */
async function deleteRows(
  tx: AccountModels,
  accountId: string,
  embeddedIssuer: string | null,
): Promise<LoginSessionChange[]> {
  const where = { accountId };
  const people = await tx.person.findMany({ where, select: { issuer: true, subject: true } });
  const users = people.filter(({ issuer }) => issuer === embeddedIssuer).map(({ subject }) => subject);
  await tx.identityUser.deleteMany({ where: { id: { in: users } } });
  await tx.person.deleteMany({ where });
  await tx.apiKey.deleteMany({ where });
  await tx.modelToggle.deleteMany({ where });
  await tx.declaredModel.deleteMany({ where });
  await tx.conversationPlan.deleteMany({ where });
  await tx.auditEvent.deleteMany({ where });
  await tx.idempotencyRecord.deleteMany({ where });
  await tx.routingPreferences.deleteMany({ where });
  await tx.accountPolicy.deleteMany({ where });
  const { count } = await tx.account.deleteMany({ where: { id: accountId } });
  if (count === 0) throw new GatewayError('not_found');
  return people;
}

/**
 * Reads the receipt of an account deletion. The receipt id is the only credential, because a deleted account
 * has no API keys to authenticate with.
 */
export async function getAccountDeletion(
  { database }: Pick<DeleteAccountContext, 'database'>,
  { deletionId }: { deletionId: string },
): Promise<{ deletion: AccountDeletion | null }> {
  const where = { id: deletionId };
  const row = await database.acrossAccounts.accountDeletion.findUnique({ where, include: withSteps });
  return { deletion: row && renderDeletion(row) };
}

const withSteps = { steps: { orderBy: { position: 'asc' } } } as const;
type DeletionRow = Prisma.AccountDeletionGetPayload<{ include: typeof withSteps }>;

/** Renders the receipt of an account deletion for API responses. */
function renderDeletion(row: DeletionRow): AccountDeletion {
  return {
    id: row.id,
    object: 'account.deletion',
    status: mapStatus(row.completedAt),
    requested_at: row.requestedAt.toISOString(),
    completed_at: row.completedAt?.toISOString() ?? null,
    steps: row.steps.map(({ service, completedAt }) => ({
      service,
      status: mapStatus(completedAt),
      completed_at: completedAt?.toISOString() ?? null,
    })),
  };
}

const mapStatus = (completedAt: Date | null) => (completedAt === null ? 'pending' : 'done');
