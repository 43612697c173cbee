import type { AccountDatabase } from '../persistence/account-database.ts';

export interface AuditLimits {
  /** Age in days above which audit events are deleted. */
  readonly retentionDays: number;
  /** Maximum number of audit events per account. The oldest audit events above the maximum are deleted. */
  readonly eventsMax: number;
}

const dayMs = 86_400_000;
/**
 * How far back the cleanup job looks for accounts with new audit events, in milliseconds. Accounts without
 * audit events in this period are skipped, because an earlier run has already checked them.
 */
const activeMs = dayMs;
/**
 * Maximum number of events that one SQL statement deletes. Each SQL statement takes a fraction of a second.
 */
const eventsAtOnce = 5_000;

/**
 * Deletes audit events that are too old, and the oldest events of accounts with too many events. Several replicas can
 * run this function concurrently.
 */
export async function trimAudit(
  database: AccountDatabase,
  { retentionDays, eventsMax }: AuditLimits,
  now = Date.now(),
): Promise<void> {
  const { auditEvent } = database.acrossAccounts;
  await deleteAll(database, { at: { lt: new Date(now - retentionDays * dayMs) } });
  const active = await auditEvent.groupBy({
    by: ['accountId'],
    where: { at: { gt: new Date(now - activeMs) } },
  });
  for (const { accountId } of active) {
    const oldestKept = await auditEvent.findFirst({
      where: { accountId },
      orderBy: [{ at: 'desc' }, { id: 'desc' }],
      skip: eventsMax - 1,
      select: { at: true, id: true },
    });
    if (oldestKept === null) continue;
    const { at, id } = oldestKept;
    await deleteAll(database, { accountId, OR: [{ at: { lt: at } }, { at, id: { lt: id } }] });
  }
}

type Where = NonNullable<
  Parameters<AccountDatabase['acrossAccounts']['auditEvent']['deleteMany']>[0]
>['where'];

async function deleteAll(database: AccountDatabase, where: Where): Promise<void> {
  for (let count = eventsAtOnce; count === eventsAtOnce;) {
    ({ count } = await database.acrossAccounts.auditEvent.deleteMany({
      ...(where === undefined ? {} : { where }),
      limit: eventsAtOnce,
    }));
  }
}
