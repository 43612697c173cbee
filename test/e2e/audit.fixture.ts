import { auditPage, type AuditAction, type AuditEvent } from '@gateway/contracts';
import { sharedStack } from '@gateway/testing';
import { eventually } from '../integration/stack.fixture.ts';
import { send } from './http.fixture.ts';

const { baseUrl } = sharedStack();

/** Reads one page of the audit log. */
export async function readAudit(key: string, query: Readonly<Record<string, string>> = {}) {
  const path = `/v1/account/audit?${new URLSearchParams(query).toString()}`;
  const answer = await send(baseUrl, { path, key });
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  return auditPage.parse(answer.json());
}

/** Waits until the audit log contains an event with the given action, and returns the newest such event. */
export function waitForEvent(key: string, action: AuditAction): Promise<AuditEvent> {
  return eventually(async () => (await readAudit(key, { action })).data[0]);
}
