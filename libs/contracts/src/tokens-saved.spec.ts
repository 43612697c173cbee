import fc from 'fast-check';
import { plannedSavings, tokensSaved } from './tokens-saved.ts';

const tokens = fc.nat(200_000);
const step = fc.record({ step: fc.constant('s'), tokensBefore: tokens, tokensAfter: tokens });
const usage = {
  ...{ inputTokens: 100, outputTokens: 10, cachedInputTokens: 0, cacheWriteTokens: 0 },
  estimated: false,
};
const event = fc.record({
  toolsIn: fc.nat(400),
  toolsOut: fc.nat(400),
  recoveryTokens: tokens,
  compressionSteps: fc.array(step, { maxLength: 4 }),
  status: fc.constantFrom('ok', 'error', 'cancelled', 'truncated', 'interrupted'),
  usage: fc.constantFrom(usage, null),
});

describe('the saved tokens of a request', () => {
  it('the saved tokens are never negative, and their parts add up to the net figure, in 10,000 random requests', () => {
    fc.assert(
      fc.property(event, (ended) => {
        const { tools, compression, recovery, net } = tokensSaved(ended);
        for (const part of [tools, compression, recovery, net]) expect(part).toBeGreaterThanOrEqual(0);
        expect(net).toBe(tools + compression - recovery);
        expect(recovery).toBeLessThanOrEqual(ended.recoveryTokens);
        expect(tools).toBe(tools === 0 ? 0 : (ended.toolsIn - ended.toolsOut) * 100);
      }),
      { numRuns: 10_000 },
    );
  });

  it('the saved tokens are at most the planned savings, and zero if no model processed the request', () => {
    fc.assert(
      fc.property(event, (ended) => {
        const saved = tokensSaved(ended);
        expect(saved.net).toBeLessThanOrEqual(plannedSavings(ended).net);
        if (ended.usage === null || ended.status === 'error' || ended.status === 'interrupted')
          expect(saved).toEqual({ tools: 0, compression: 0, recovery: 0, net: 0 });
      }),
    );
  });

  it('the saved tokens do not depend on the number of requests that are added up in one step', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), (events) => {
        const all = events.map((ended) => tokensSaved(ended));
        const sum = (read: (saved: (typeof all)[number]) => number) =>
          all.reduce((total, saved) => total + read(saved), 0);
        const parts =
          sum((each) => each.tools) + sum((each) => each.compression) - sum((each) => each.recovery);
        expect(sum((each) => each.net)).toBe(parts);
      }),
    );
  });
});
