import type { RoutingPolicy } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import type { Logger } from '@gateway/observability';
import { NatsRoutingPolicies } from './routing-policies.adapter.ts';

const accountId = '019a9f5e-0000-7000-8000-000000000001';
const policyOf = (version: string): RoutingPolicy => ({
  ...{ accountId, version, madeAt: '2026-11-20T12:00:00.000Z', buckets: [] },
});

/** A test worker that replies only when the test resolves a call. */
function open() {
  const calls: PromiseWithResolvers<{ policy: RoutingPolicy | null }>[] = [];
  let announce: (message: { policy: RoutingPolicy }) => void = () => undefined;
  let reconnect: () => void = () => undefined;
  const messaging = {
    call: () => {
      const call = Promise.withResolvers<{ policy: RoutingPolicy | null }>();
      calls.push(call);
      return call.promise;
    },
    onBroadcast: (_: unknown, listener: typeof announce) => (announce = listener),
    onReconnect: (listener: typeof reconnect) => (reconnect = listener),
  } as unknown as Messaging;
  const policies = new NatsRoutingPolicies(messaging, { debug: () => undefined } as unknown as Logger);
  return {
    calls,
    policies,
    announce: (policy: RoutingPolicy) => announce({ policy }),
    reconnect: () => reconnect(),
  };
}

describe('an account’s routing policy', () => {
  it('is looked up only once', async () => {
    const { calls, policies } = open();
    const [one, other] = [policies.find(accountId, null), policies.find(accountId, null)];
    calls[0]?.resolve({ policy: policyOf('c1') });
    expect([await one, await other]).toEqual([policyOf('c1'), policyOf('c1')]);
    expect(await policies.find(accountId, null)).toEqual(policyOf('c1'));
    expect(calls).toHaveLength(1);
  });

  it.each([
    [
      'the one before',
      (call: PromiseWithResolvers<{ policy: RoutingPolicy | null }>) =>
        call.resolve({ policy: policyOf('c1') }),
    ],
    [
      'nothing',
      (call: PromiseWithResolvers<{ policy: RoutingPolicy | null }>) => call.reject(new Error('late')),
    ],
  ])('that arrived in a broadcast is kept when an earlier lookup returns %s', async (_, answer) => {
    const { calls, policies, announce } = open();
    const asked = policies.find(accountId, null);
    announce(policyOf('c2'));
    const [call] = calls;
    if (call !== undefined) answer(call);
    await asked;
    expect(await policies.find(accountId, null)).toEqual(policyOf('c2'));
  });

  it('is looked up again after a reconnect, because broadcasts may have been lost', async () => {
    const { calls, policies, reconnect } = open();
    const asked = policies.find(accountId, null);
    reconnect();
    calls[0]?.resolve({ policy: policyOf('c1') });
    await asked;
    const again = policies.find(accountId, null);
    calls[1]?.resolve({ policy: policyOf('c2') });
    expect(await again).toEqual(policyOf('c2'));
  });
});
