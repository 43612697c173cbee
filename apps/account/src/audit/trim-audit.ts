import type { AccountDatabase } from '../persistence/account-database.ts';

export interface AuditLimits {
  /** Older events are deleted. */
  readonly retentionDays: number;
  /** Maximum number of events per account. Above it, the oldest are deleted. */
  readonly eventsMax: number;
}

const dayMs = 86_400_000;
/** Accounts without events in this time are below the limit, because an earlier round checked them. */
const activeMs = dayMs;
/** Events per statement. Each statement takes a fraction of a second. */
const eventsAtOnce = 5_000;

/** Deletes events that are too old, and the oldest ones of accounts with too many. Can run concurrently. */
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
