import { BoundRun } from './bound-run.fixture.ts';

/**
 * Tests groups of conversations with bound reasoning in three formats. Between two turns, the test disrupts
 * the stack. The test restarts services, empties caches, or changes policies, settings or the compressor
 * version.
 */

const conversationsMax = 1_000;
const groupSize = 100;

const run = new BoundRun();
beforeAll(() => run.open(), 300_000);
afterAll(() => run.close(), 60_000);

const { emptyCache, restart, prefer, upgrade, setShadowShare } = run;

/** For each group of conversations, two restarts or changes: one before the second turn and one before the third. */
const events: readonly (readonly [() => Promise<unknown>, () => Promise<unknown>])[] = [
  [emptyCache, () => restart('tool-router')],
  [() => prefer({ pruning: { recall_target: 0.99 } }), () => restart('compressor')],
  [() => restart('edge-gateway'), () => prefer({ pruning: { mode: 'off' }, compression: { mode: 'off' } })],
  [
    () => prefer({ pruning: { mode: 'on', recall_target: 0.9 }, compression: { mode: 'lossless' } }),
    // Half of the new conversations become shadow conversations.
    // The worker computes routing policies from shadow conversations.
    () => setShadowShare(0.5),
  ],
  [upgrade, emptyCache],
  [() => restart('account'), () => Promise.all([emptyCache(), restart('edge-gateway')])],
  [() => restart('compressor-2'), () => restart('redis-cache')],
  [() => prefer({ compression: { mode: 'balanced' } }), () => restart('edge-gateway-2')],
  [
    () => Promise.all([emptyCache(), restart('edge-gateway', 'edge-gateway-2', 'compressor-2')]),
    () => restart('worker'),
  ],
  [() => restart('tool-router', 'compressor-2'), emptyCache],
];

it(`${conversationsMax} conversations with bound reasoning: no request is rejected, and no reasoning is dropped`, async () => {
  for (let group = 0; group < conversationsMax / groupSize; group += 1)
    await run.runGroup(groupSize, events[group % events.length]!);
  run.expectUntouched(conversationsMax * 3);
  expect(run.countCompressed().chat).toBeGreaterThan(conversationsMax);
  expect(run.countCompressed().responses).toBeGreaterThan(conversationsMax / 4);
  // During the test, the routing policy changed at least twice.
  expect(run.policies.size).toBeGreaterThan(2);
});
