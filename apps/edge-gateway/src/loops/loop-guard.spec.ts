import type { Logger } from '@gateway/observability';
import { LoopGuard, type DeploymentIdStore } from './loop-guard.ts';

/** A fake Redis that several gateway processes share. */
function openStore(): DeploymentIdStore & { forget(): void } {
  let stored: string | null = null;
  return {
    set: (_key, value) => {
      const earlier = stored;
      stored ??= value;
      return Promise.resolve(earlier);
    },
    forget: () => (stored = null),
  };
}

const warnings: unknown[] = [];
const log = { warn: (line: unknown) => warnings.push(line) } as unknown as Pick<Logger, 'warn'>;
const guards: LoopGuard[] = [];
afterEach(() => guards.splice(0).forEach((guard) => guard.close()));

async function startReplica(store: DeploymentIdStore): Promise<LoopGuard> {
  const guard = new LoopGuard({ store, log });
  guards.push(guard);
  await guard.load();
  return guard;
}

describe('a request that loops back to the gateway', () => {
  it('is recognized by the process that sent the request', async () => {
    const guard = await startReplica(openStore());
    expect(guard.isLoop(undefined)).toBe(false);
    expect(guard.isLoop(guard.renderHeader(undefined))).toBe(true);
  });

  it('is recognized by every process of the deployment, and by no other deployment', async () => {
    const store = openStore();
    const [one, replica, other] = [
      await startReplica(store),
      await startReplica(store),
      await startReplica(openStore()),
    ];
    expect(replica.isLoop(one.renderHeader(undefined))).toBe(true);
    expect(other.isLoop(one.renderHeader(undefined))).toBe(false);
  });

  it('is recognized after passing another gateway, and next to the header entries of other networks', async () => {
    const [first, second] = [await startReplica(openStore()), await startReplica(openStore())];
    const received = `cloudflare; loops=1, ${first.renderHeader(undefined)};x=1`;
    const sent = second.renderHeader(received);
    expect(sent).not.toContain('cloudflare');
    expect(first.isLoop(sent)).toBe(true);
    expect(first.isLoop([`other; a=1`, sent.toUpperCase()])).toBe(true);
  });

  it('is rejected after eight other gateways, even if this gateway is not one of the eight', async () => {
    const guard = await startReplica(openStore());
    let header: string | undefined;
    for (let at = 0; at < 8; at += 1) header = (await startReplica(openStore())).renderHeader(header);
    expect(guard.isLoop(header)).toBe(false);
    expect(guard.isLoop((await startReplica(openStore())).renderHeader(header))).toBe(true);
  });

  it('is recognized by the sending process without Redis, and after Redis lost the deployment’s id', async () => {
    const alone = await startReplica({ set: () => Promise.reject(new Error('down')) });
    expect(alone.isLoop(alone.renderHeader(undefined))).toBe(true);
    expect(warnings).toHaveLength(1);
    const store = openStore();
    const guard = await startReplica(store);
    const before = guard.renderHeader(undefined);
    store.forget();
    await guard.load();
    expect(guard.renderHeader(undefined)).not.toBe(before);
    expect([guard.isLoop(before), guard.isLoop(guard.renderHeader(undefined))]).toEqual([true, true]);
  });

  it('reveals nothing in the loop header except a random id', async () => {
    const guard = await startReplica(openStore());
    expect(guard.renderHeader(undefined)).toMatch(/^agent-gateway-[0-9a-f]{32}$/);
  });
});
