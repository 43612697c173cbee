import type { ReportedAuditEvent } from '@gateway/contracts';
import { isForeignKeyConflict } from '@gateway/persistence';
import type { AccountDatabase, Prisma } from '../persistence/account-database.ts';
import { describeActor, renderOrigin, renderTarget } from './record-audit.ts';

/**
 * Stores events of other services. Skips events that are already stored, and events of deleted accounts.
 * Throws if any other event could not be stored. The caller then repeats the whole report.
 */
export async function reportAuditEvents(
  { database }: { readonly database: AccountDatabase },
  { events }: { events: readonly ReportedAuditEvent[] },
): Promise<Record<string, never>> {
  for (const event of events) await storeEvent(database, event);
  return {};
}

async function storeEvent(
  database: AccountDatabase,
  { id, accountId, at, action, target, changes, actor }: ReportedAuditEvent,
): Promise<void> {
  const models = database.forAccount(accountId);
  const data = {
    ...{ id, accountId, at: new Date(at), action },
    ...renderTarget(target),
    ...(changes === null ? {} : { changes: changes as Prisma.InputJsonObject }),
    ...(await describeActor(models, accountId, actor)),
    ...renderOrigin(actor),
  };
  try {
    await models.auditEvent.createMany({ data: [data], skipDuplicates: true });
  } catch (error) {
    if (!isForeignKeyConflict(error)) throw error;
  }
}
