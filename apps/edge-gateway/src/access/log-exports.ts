import { reportAuditEvents, type Actor, type ReportedAuditEvent } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { uuidv7 } from 'uuidv7';

interface ReportedExport {
  readonly accountId: string;
  readonly actor: Actor;
  readonly action: Extract<ReportedAuditEvent['action'], `${string}.exported`>;
  /** The name of the file that the caller receives. */
  readonly file: string;
}

/**
 * Records an export in the account's audit log before the first byte is sent. Throws `service_unavailable` if
 * it cannot be recorded: there is no export without its event.
 */
export async function reportExport(
  messaging: Pick<Messaging, 'call'>,
  { accountId, actor, action, file }: ReportedExport,
): Promise<void> {
  const event: ReportedAuditEvent = {
    id: uuidv7(),
    ...{ accountId, action, actor, changes: null },
    at: new Date().toISOString(),
    target: { type: 'log', id: action.split('.')[0] ?? '', name: file },
  };
  await messaging.call(reportAuditEvents, { events: [event] });
}
