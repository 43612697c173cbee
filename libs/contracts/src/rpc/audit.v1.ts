import { z } from 'zod';
import { auditAction, auditChanges, auditEvent, auditTarget, reportedAuditAction } from '../api/audit.ts';
import { byActor } from '../base/actor.ts';
import { count, id, timestamp } from '../base/common.ts';
import { defineRpc, interactiveMs } from '../base/define.ts';

const common = { server: 'account', callers: ['edge-gateway'], deadlineMs: interactiveMs } as const;

/** Filters for the audit log. `since` is inclusive, and `until` is exclusive. */
export const auditFilter = z.object({
  action: auditAction.optional(),
  /** The id or the exact name of the actor. */
  actor: z.string().max(320).optional(),
  since: timestamp.optional(),
  until: timestamp.optional(),
});
export type AuditFilter = z.infer<typeof auditFilter>;

/** Lists audit events, newest first. */
export const listAuditEvents = defineRpc({
  ...common,
  subject: 'account.list-audit-events.v1',
  request: z.object({
    accountId: id,
    limit: z.int().min(1).max(500),
    offset: count,
    filter: auditFilter.default({}),
  }),
  reply: z.object({ total: count, events: z.array(auditEvent) }),
});

/**
 * Exports audit events, newest first, starting after the event `before`. If `before` is null, the export
 * starts with the newest event. If the reply contains fewer than `limit` events, the log has no older events.
 */
export const exportAuditEvents = defineRpc({
  ...common,
  subject: 'account.export-audit-events.v1',
  request: z.object({
    accountId: id,
    limit: z.int().min(1).max(1_000),
    before: id.nullable(),
    filter: auditFilter,
  }),
  reply: z.object({ events: z.array(auditEvent) }),
});

/** An audit event that was recorded by another service. Repeated reports with the same id are ignored. */
export const reportedAuditEvent = z.object({
  id,
  accountId: id,
  at: timestamp,
  action: reportedAuditAction,
  target: auditTarget.nullable(),
  changes: auditChanges.nullable(),
  ...byActor,
});
export type ReportedAuditEvent = z.infer<typeof reportedAuditEvent>;

/**
 * Writes audit events from other services to the audit log. Audit events of deleted accounts are dropped. The
 * call is idempotent. A reply confirms that all audit events are stored.
 */
export const reportAuditEvents = defineRpc({
  ...common,
  callers: ['edge-gateway', 'provider-vault'],
  subject: 'account.report-audit-events.v1',
  request: z.object({ events: z.array(reportedAuditEvent).min(1).max(100) }),
  reply: z.object({}),
});
