import { auditEvent, type AuditEvent, type AuditFilter } from '@gateway/contracts';
import { z } from 'zod';
import type { AccountDatabase, Prisma } from '../persistence/account-database.ts';

type AuditRow = Prisma.AuditEventGetPayload<object>;

const newestFirst = [{ at: 'desc' }, { id: 'desc' }] as const;

/** Lists a page of an account's audit log, newest first. For an unknown account, the log is empty. */
export async function listAuditEvents(
  { database }: { readonly database: AccountDatabase },
  {
    accountId,
    limit,
    offset,
    filter,
  }: { accountId: string; limit: number; offset: number; filter: AuditFilter },
): Promise<{ total: number; events: AuditEvent[] }> {
  const { auditEvent: events } = database.forAccount(accountId);
  const where = renderWhere(filter);
  const [total, rows] = await Promise.all([
    events.count({ where }),
    events.findMany({ where, orderBy: [...newestFirst], take: limit, skip: offset }),
  ]);
  return { total, events: rows.map(renderEvent) };
}

/**
 * Reads the audit events that are older than the event with the id `before`, newest first. Returns an empty list if
 * `before` is unknown, so that the export ends.
 */
export async function exportAuditEvents(
  { database }: { readonly database: AccountDatabase },
  {
    accountId,
    limit,
    before,
    filter,
  }: { accountId: string; limit: number; before: string | null; filter: AuditFilter },
): Promise<{ events: AuditEvent[] }> {
  const { auditEvent: events } = database.forAccount(accountId);
  const last =
    before === null ? null : await events.findUnique({ where: { id: before }, select: { at: true } });
  if (before !== null && last === null) return { events: [] };
  const after =
    before === null || last === null
      ? []
      : [{ OR: [{ at: { lt: last.at } }, { at: last.at, id: { lt: before } }] }];
  const where = { AND: [renderWhere(filter), ...after] };
  const rows = await events.findMany({ where, orderBy: [...newestFirst], take: limit });
  return { events: rows.map(renderEvent) };
}

function renderWhere({ action, actor, since, until }: AuditFilter): Prisma.AuditEventWhereInput {
  const at = {
    ...(since === undefined ? {} : { gte: new Date(since) }),
    ...(until === undefined ? {} : { lt: new Date(until) }),
  };
  return {
    ...(action === undefined ? {} : { action }),
    ...(actor === undefined ? {} : isId(actor) ? { actorId: actor } : { actorName: actor }),
    ...(Object.keys(at).length === 0 ? {} : { at }),
  };
}

const isId = (text: string): boolean => z.uuid().safeParse(text).success;

/** Renders an audit event for API responses. Throws an error if the database row was not written by this service. */
function renderEvent(row: AuditRow): AuditEvent {
  const { targetType, targetId, targetName } = row;
  return auditEvent.parse({
    id: row.id,
    object: 'audit_event',
    created_at: row.at.toISOString(),
    action: row.action,
    actor: { type: row.actorType, id: row.actorId, name: row.actorName },
    target: targetType === null ? null : { type: targetType, id: targetId, name: targetName },
    changes: row.changes,
    address: row.address,
    user_agent: row.userAgent,
    request_id: row.requestId,
  });
}
