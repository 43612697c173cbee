import type { ReportedAuditEvent } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { setTimeout as sleep } from 'node:timers/promises';
import { AuditShipper } from './audit-outbox.ts';

const accountId = '019a9f5e-0000-7000-8000-000000000001';
const idOf = (at: number): string => `019a9f5e-0000-7000-8000-${String(at).padStart(12, '0')}`;
const eventOf = (at: number): ReportedAuditEvent => ({
  ...{ id: idOf(at), accountId, at: '2026-11-01T00:00:00.000Z', action: 'provider.saved' },
  target: { type: 'provider', id: 'openai', name: 'openai' },
  changes: null,
});

/**
 * Creates an event shipper with queued events. The parameter `isRejected` selects the events that the account
 * service rejects. Calls with more than `storedMax` events fail as if they had timed out.
 */
function openShipper(count: number, isRejected: (id: string) => boolean = () => false, storedMax = Infinity) {
  const queued = new Map(
    Array.from({ length: count }, (_, at) => [idOf(at), { id: idOf(at), event: eventOf(at) }]),
  );
  const calls: string[][] = [];
  const dropped: unknown[] = [];
  const shipper = new AuditShipper({
    database: {
      acrossAccounts: {
        auditOutboxEvent: {
          findMany: ({ take }: { take: number }) => Promise.resolve([...queued.values()].slice(0, take)),
          deleteMany: ({ where }: { where: { id: { in: string[] } } }) => {
            for (const id of where.id.in) queued.delete(id);
            return Promise.resolve();
          },
        },
      },
    } as never,
    messaging: {
      broadcast: () => undefined,
      call: (_: unknown, { events }: { events: ReportedAuditEvent[] }) => {
        calls.push(events.map(({ id }) => id));
        if (events.some(({ id }) => isRejected(id)))
          return Promise.reject(new GatewayError('invalid_field', { param: 'events' }));
        if (events.length > storedMax) return Promise.reject(new GatewayError('service_unavailable'));
        return Promise.resolve({});
      },
    } as never,
    logger: { warn: () => undefined, error: (fields: { event_id: string }) => dropped.push(fields.event_id) },
  });
  const untilEmpty = async (): Promise<void> => {
    while (queued.size > 0) await sleep(5);
    await shipper.stop();
  };
  return { shipper, calls, dropped, untilEmpty, isEmpty: () => queued.size === 0 };
}

describe('queued audit events', () => {
  it('are sent together, at most 100 per call', async () => {
    const { shipper, calls, untilEmpty } = openShipper(130);
    for (let at = 0; at < 10; at += 1) shipper.wake();
    await untilEmpty();
    expect(calls.map((ids) => ids.length)).toEqual([100, 30]);
  });

  it('are sent separately if the account service rejects them together, and only rejected events are dropped', async () => {
    const { shipper, calls, dropped, untilEmpty } = openShipper(3, (id) => id === idOf(1));
    shipper.wake();
    await untilEmpty();
    expect(calls).toEqual([[idOf(0), idOf(1), idOf(2)], [idOf(0)], [idOf(1)], [idOf(2)]]);
    expect(dropped).toEqual([idOf(1)]);
  });

  it('are sent in smaller groups after a call that timed out', async () => {
    const { shipper, calls, isEmpty } = openShipper(130, undefined, 30);
    while (!isEmpty() && calls.length < 20) {
      shipper.wake();
      await sleep(5);
    }
    await shipper.stop();
    expect(isEmpty()).toBe(true);
    const sizes = calls.map((ids) => ids.length);
    expect(sizes.slice(0, 6)).toEqual([100, 50, 25, 30, 35, 18]);
  });
});
