import type { RequestOrigin } from '@gateway/contracts';
import { recordPersonEvent, type PersonAction } from '../audit/record-audit.ts';
import type { AccountDatabase, AccountModels } from '../persistence/account-database.ts';

export interface AuditedUser {
  readonly id: string;
  readonly email: string;
}

/** Adds an event to the audit log of the user's account, in the same transaction as the audited change. */
export function auditUser(
  tx: Pick<AccountModels, 'person' | 'auditEvent'>,
  { issuer }: { readonly issuer: string },
  { id: subject, email: name }: AuditedUser,
  event: { readonly action: PersonAction; readonly origin: RequestOrigin | undefined },
): Promise<void> {
  return recordPersonEvent(tx, { issuer, subject, name }, event.origin, event.action);
}

/**
 * Adds an event in the background, so that the response time does not reveal whether the user exists. A
 * failure to add the event is reported, but does not fail the request.
 */
export function auditUserLater(
  identity: {
    readonly issuer: string;
    readonly database: AccountDatabase;
    readonly onAuditError: (error: unknown) => void;
  },
  user: AuditedUser,
  event: { readonly action: PersonAction; readonly origin: RequestOrigin | undefined },
): void {
  auditUser(identity.database.acrossAccounts, identity, user, event).catch(identity.onAuditError);
}
