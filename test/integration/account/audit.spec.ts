import {
  attachPerson,
  createAccount,
  listAuditEvents,
  registerAccount,
  reportAuditEvents,
  type AuditEvent,
  type ReportedAuditEvent,
} from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import type pg from 'pg';
import { uuidv7 } from 'uuidv7';
import { recordPersonEvent } from '../../../apps/account/src/audit/record-audit.ts';
import { trimAudit } from '../../../apps/account/src/audit/trim-audit.ts';
import type { AccountDatabase } from '../../../apps/account/src/persistence/account-database.ts';
import { undoAll, type Undo } from '../stack.fixture.ts';
import { openAccountService } from './account-service.fixture.ts';

let edge: Messaging;
let operator: Messaging;
let database: AccountDatabase;
let pool: pg.Pool;
let accountId: string;
const undo: Undo[] = [];

beforeAll(async () => {
  ({ edge, operator, database, pool } = await openAccountService(undo));
}, 180_000);
afterAll(() => undoAll(undo), 120_000);
beforeEach(async () => {
  ({ accountId } = await operator.call(createAccount, { name: `audit ${uuidv7()}` }));
});

async function readLog(): Promise<readonly AuditEvent[]> {
  return (await edge.call(listAuditEvents, { accountId, limit: 500, offset: 0 })).events;
}
const createEvent = (ageMs = 0): ReportedAuditEvent => ({
  ...{ id: uuidv7(), accountId, action: 'requests.exported', changes: null },
  at: new Date(Date.now() - ageMs).toISOString(),
  target: { type: 'log', id: 'requests', name: 'requests.csv' },
});
const report = (...events: ReportedAuditEvent[]) => edge.call(reportAuditEvents, { events });

describe('the audit log', () => {
  it('the audit log cannot be changed, not even by the account service', async () => {
    const change = pool.query("UPDATE audit_events SET actor_name = 'nobody'");
    await expect(change).rejects.toThrow('audit events cannot be changed');
    expect(await readLog()).toMatchObject([{ action: 'account.registered', actor: { type: 'operator' } }]);
  });

  it('the audit log stores a repeated report once, and drops a report about an unknown account', async () => {
    const event = createEvent();
    await report(event);
    await report(event, createEvent());
    await report({ ...createEvent(), accountId: uuidv7() });
    const events = await readLog();
    expect(events.filter(({ action }) => action === 'requests.exported')).toHaveLength(2);
    expect(events.filter(({ id }) => id === event.id)).toHaveLength(1);
  });

  it('the audit log keeps events for the retention time, and at most as many events as the account’s limit', async () => {
    const dayMs = 86_400_000;
    const { accountId: quiet } = await operator.call(createAccount, { name: `audit ${uuidv7()}` });
    await report(...[0, 1, 2, 3, 4].map((minutes) => createEvent(minutes * 60_000)), createEvent(9 * dayMs));
    const before = await readLog();
    expect(before).toHaveLength(7);
    await trimAudit(database, { retentionDays: 8, eventsMax: 3 });
    expect(await readLog()).toEqual(before.slice(0, 3));
    const { total } = await edge.call(listAuditEvents, { accountId: quiet, limit: 1, offset: 0 });
    expect(total).toBe(1);
  });
});

describe('events of a person', () => {
  const issuer = 'https://issuer.example';
  const origin = { address: '203.0.113.9', userAgent: 'browser', requestId: uuidv7() };
  const ada = () => ({ issuer, subject: uuidv7(), name: 'ada@example.com' });
  const record = (person: ReturnType<typeof ada>, action: Parameters<typeof recordPersonEvent>[3]) =>
    recordPersonEvent(database.acrossAccounts, person, origin, action);

  it('events of a person are in the log of the person’s account', async () => {
    const person = ada();
    await operator.call(attachPerson, { accountId, issuer, subject: person.subject });
    await record(person, 'session.signed_in');
    const [signedIn, attached] = await readLog();
    expect(attached).toMatchObject({ action: 'account.person_attached', actor: { type: 'operator' } });
    expect(signedIn).toMatchObject({
      action: 'session.signed_in',
      actor: { type: 'person', id: attached?.target?.id, name: 'ada@example.com' },
      ...{ address: origin.address, user_agent: 'browser', request_id: origin.requestId },
    });
  });

  it('events of a person without an account are not recorded', async () => {
    const person = ada();
    await record(person, 'session.sign_in_failed');
    const { accountId: own } = await edge.call(registerAccount, {
      ...{ issuer, subject: person.subject, name: null, origin },
    });
    const { events } = await edge.call(listAuditEvents, { accountId: own, limit: 10, offset: 0 });
    expect(events).toMatchObject([
      { action: 'account.registered', actor: { name: person.subject }, address: origin.address },
    ]);
  });

  it('password guesses add at most 20 failed sign-ins per hour, and hide no other event', async () => {
    const person = ada();
    await operator.call(attachPerson, { accountId, issuer, subject: person.subject });
    for (let guess = 0; guess < 30; guess += 1) await record(person, 'session.sign_in_failed');
    await record(person, 'password.changed');
    const events = await readLog();
    expect(events[0]?.action).toBe('password.changed');
    expect(events.filter(({ action }) => action === 'session.sign_in_failed')).toHaveLength(20);
  });
});
