import type { AuditAction, AuditEvent } from '../../api/audit.ts';
import { unknown } from '../../lib/format.ts';

/** Labels of the audited actions, in the order in which the filter lists the actions. */
export const actionLabels: Readonly<Record<AuditAction, string>> = {
  'account.registered': 'Account registered',
  'account.updated': 'Account changed',
  'account.person_attached': 'Person added',
  'key.created': 'Key created',
  'key.updated': 'Key changed',
  'key.tool_lists_updated': 'Tool lists changed',
  'key.rotated': 'Key rotated',
  'key.revoked': 'Key revoked',
  'provider.saved': 'Provider connected',
  'provider.rotated': 'Provider credential replaced',
  'provider.deleted': 'Provider disconnected',
  'routing.preferences_updated': 'Routing changed',
  'routing.model_toggled': 'Model switched on or off',
  'routing.model_declared': 'Model declared',
  'routing.model_removed': 'Declared model deleted',
  'session.signed_in': 'Signed in',
  'session.sign_in_failed': 'Sign-in failed',
  'session.signed_out': 'Signed out',
  'session.refresh_token_reused': 'Session ended: token used twice',
  'password.changed': 'Password changed',
  'password.reset_requested': 'Password reset requested',
  'password.reset': 'Password reset',
  'email.verified': 'E-mail address confirmed',
  'requests.exported': 'Request log exported',
  'audit.exported': 'Audit log exported',
};

export const auditActions = Object.keys(actionLabels) as AuditAction[];

/** The name of an audit event's actor, or the id if the person or API key was deleted. */
export function describeActor({ actor }: Pick<AuditEvent, 'actor'>): string {
  return actor.type === 'operator' ? 'Operator' : (actor.name ?? actor.id ?? unknown);
}

/** Renders the changed fields as text, for example `rate_limit_rpm: 600 → 60`. */
export function describeChanges({ changes }: Pick<AuditEvent, 'changes'>): string {
  return Object.entries(changes ?? {})
    .map(([field, { from, to }]) => `${field}: ${renderValue(from)} → ${renderValue(to)}`)
    .join(', ');
}

function renderValue(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
