import type { Actor, ReportedAuditEvent } from '@gateway/contracts';
import {
  exportAuditEvents as exportAuditEventsContract,
  listAuditEvents as listAuditEventsContract,
  reportAuditEvents as reportAuditEventsContract,
} from '@gateway/contracts';
import { isForeignKeyConflict } from '@gateway/persistence';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { RpcHandler } from '@gateway/messaging/nest-transport';
import { Controller, Inject } from '@nestjs/common';
import type { AccountDatabase, Prisma } from '../persistence/account-database.ts';
import { ACCOUNT_DATABASE } from '../persistence/account-database.ts';
import { describeActor, renderOrigin, renderTarget } from './record-audit.ts';
import { exportAuditEvents, listAuditEvents } from './read-audit.ts';

/**
 * Stores audit events that other services report. Skips events that are already stored, and events of deleted
 * accounts. Throws an error if an event of an existing account could not be stored. After an error, the
 * reporting service repeats the whole report.
 */
async function reportAuditEvents(
  { database }: { readonly database: AccountDatabase },
  { events }: { events: readonly ReportedAuditEvent[] },
): Promise<Record<string, never>> {
  const byAccount = Map.groupBy(events, ({ accountId }) => accountId);
  for (const [accountId, own] of byAccount) await storeEvents(database, accountId, own);
  return {};
}

async function storeEvents(
  database: AccountDatabase,
  accountId: string,
  events: readonly ReportedAuditEvent[],
): Promise<void> {
  const models = database.forAccount(accountId);
  const described = new Map<string, ReturnType<typeof describeActor>>();
  const describe = (actor: Actor | undefined): ReturnType<typeof describeActor> => {
    const key = `${actor?.personId ?? ''}:${actor?.keyId ?? ''}`;
    const known = described.get(key) ?? describeActor(models, accountId, actor);
    described.set(key, known);
    return known;
  };
  const data = await Promise.all(
    events.map(async ({ id, at, action, target, changes, actor }) => ({
      ...{ id, accountId, at: new Date(at), action },
      ...renderTarget(target),
      ...(changes === null ? {} : { changes: changes as Prisma.InputJsonObject }),
      ...(await describe(actor)),
      ...renderOrigin(actor),
    })),
  );
  try {
    await models.auditEvent.createMany({ data, skipDuplicates: true });
  } catch (error) {
    if (!isForeignKeyConflict(error)) throw error;
  }
}

/** Implements the contracts for the audit log. */
@Controller()
export class AuditController {
  readonly #context: { readonly database: AccountDatabase };

  constructor(@Inject(ACCOUNT_DATABASE) database: AccountDatabase) {
    this.#context = { database };
  }

  @RpcHandler(listAuditEventsContract)
  listAuditEvents(
    request: ParsedRequestOf<typeof listAuditEventsContract>,
  ): Promise<ReplyOf<typeof listAuditEventsContract>> {
    return listAuditEvents(this.#context, request);
  }

  @RpcHandler(exportAuditEventsContract)
  exportAuditEvents(
    request: ParsedRequestOf<typeof exportAuditEventsContract>,
  ): Promise<ReplyOf<typeof exportAuditEventsContract>> {
    return exportAuditEvents(this.#context, request);
  }

  @RpcHandler(reportAuditEventsContract)
  reportAuditEvents(
    request: ParsedRequestOf<typeof reportAuditEventsContract>,
  ): Promise<ReplyOf<typeof reportAuditEventsContract>> {
    return reportAuditEvents(this.#context, request);
  }
}
