import fc from 'fast-check';
import { costUsd } from './cost-usd.ts';

const at = Date.parse('2026-11-23T12:00:00Z');
const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

describe('costUsd', () => {
  test('regular input and output are priced per million tokens', () => {
    expect(costUsd({ prices }, { inputTokens: 1_000_000, outputTokens: 100_000 }, at)).toBeCloseTo(4.5, 12);
    expect(costUsd({ prices }, { inputTokens: 0, outputTokens: 0 }, at)).toBe(0);
  });

  test('cached and written tokens are part of the input and have separate prices', () => {
    const usage = { inputTokens: 10_000, outputTokens: 0, cachedInputTokens: 6000, cacheWriteTokens: 3000 };
    expect(costUsd({ prices }, usage, at)).toBeCloseTo((1000 * 3 + 6000 * 0.3 + 3000 * 3.75) / 1e6, 12);
  });

  test('cached and written tokens cost as much as regular input if they have no separate price', () => {
    const usage = { inputTokens: 10_000, outputTokens: 0, cachedInputTokens: 6000, cacheWriteTokens: 3000 };
    expect(costUsd({ prices: { input: 3, output: 15 } }, usage, at)).toBeCloseTo(0.03, 12);
  });

  test('reasoning has its own price if the model defines one', () => {
    const usage = { inputTokens: 0, outputTokens: 1000, reasoningTokens: 400 };
    expect(costUsd({ prices: { ...prices, reasoning: 30 } }, usage, at)).toBeCloseTo(
      (600 * 15 + 400 * 30) / 1e6,
      12,
    );
    expect(costUsd({ prices }, usage, at)).toBeCloseTo(0.015, 12);
  });

  test('a tier applies to the whole request as soon as the input exceeds its bound', () => {
    const tiered = {
      prices: {
        input: 1,
        output: 2,
        tiers: [
          { aboveInputTokens: 200, input: 10, output: 20 },
          { aboveInputTokens: 400, input: 100, output: 200 },
        ],
      },
    };
    const cost = (inputTokens: number) => (costUsd(tiered, { inputTokens, outputTokens: 1 }, at) ?? 0) * 1e6;
    expect(cost(200)).toBeCloseTo(202, 6);
    expect(cost(201)).toBeCloseTo(2030, 6);
    expect(cost(401)).toBeCloseTo(40_300, 6);
  });

  test('without prices, the cost is unknown, not zero', () => {
    expect(costUsd({ prices: null }, { inputTokens: 1, outputTokens: 1 }, at)).toBeNull();
  });

  test('the cost is never negative, even with inconsistent token counts from the provider', () => {
    const tokens = fc.nat(1e9);
    fc.assert(
      fc.property(tokens, tokens, tokens, tokens, tokens, (input, output, cached, written, reasoning) => {
        const usage = {
          inputTokens: input,
          outputTokens: output,
          cachedInputTokens: cached,
          cacheWriteTokens: written,
          reasoningTokens: reasoning,
        };
        expect(costUsd({ prices }, usage, at)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

test('the cost is based on billed tokens if the provider reports them', () => {
  const prices = { input: 2, output: 10, cacheRead: 1 };
  const usage = { inputTokens: 1445, outputTokens: 43, cachedInputTokens: 704 };
  const billed = { ...usage, billedInputTokens: 46, billedOutputTokens: 14 };
  expect(costUsd({ prices }, billed, at)).toBeCloseTo((46 * 2 + 14 * 10) / 1_000_000, 12);
});

describe('prices at the time of the request', () => {
  const clock = (time: string) => Date.parse(time);
  const million = { inputTokens: 1_000_000, outputTokens: 0 };

  test('a dated price applies from the first moment of its day, in UTC', () => {
    const dated = {
      prices: {
        input: 2,
        output: 10,
        periods: [
          { from: '2026-12-01', input: 4, output: 20 },
          { from: '2027-03-01', input: 3, output: 15 },
        ],
      },
    };
    const inputAt = (time: string) => costUsd(dated, million, clock(time));
    expect(inputAt('2026-11-30T23:59:59.999Z')).toBe(2);
    expect(inputAt('2026-12-01T00:00:00Z')).toBe(4);
    expect(inputAt('2026-12-01T01:00:00+02:00')).toBe(2);
    expect(inputAt('2027-03-01T00:00:00Z')).toBe(3);
  });

  test('a price with an end date applies until the end of the day before', () => {
    const before = {
      prices: { input: 2, output: 10, periods: [{ until: '2026-10-08', input: 5, output: 10 }] },
    };
    expect(costUsd(before, million, clock('2026-10-07T23:59:00Z'))).toBe(5);
    expect(costUsd(before, million, clock('2026-10-08T00:00:00Z'))).toBe(2);
  });

  test('a price for certain hours applies from the first hour until the end, and only on certain days', () => {
    const hourly = {
      prices: {
        input: 2,
        output: 10,
        periods: [
          { weekdays: [0, 6], input: 1, output: 5 },
          { weekdays: [1], hours: [['10:00', '24:00'] as [string, string]], input: 1, output: 5 },
        ],
      },
    };
    const inputAt = (time: string) => costUsd(hourly, million, clock(time));
    // 2026-11-23 is a Monday.
    expect(inputAt('2026-11-22T12:00:00Z')).toBe(1);
    expect(inputAt('2026-11-23T09:59:59Z')).toBe(2);
    expect(inputAt('2026-11-23T10:00:00Z')).toBe(1);
    expect(inputAt('2026-11-23T23:59:59Z')).toBe(1);
    expect(inputAt('2026-11-24T10:00:00Z')).toBe(2);
  });

  test('a period has its own tiers and its own cache prices', () => {
    const own = {
      prices: {
        input: 2,
        output: 10,
        cacheRead: 0.2,
        tiers: [{ aboveInputTokens: 100, input: 4, output: 20 }],
        periods: [
          {
            from: '2026-12-01',
            ...{ input: 1, output: 5, cacheRead: 0.1 },
            tiers: [{ aboveInputTokens: 2_000_000, input: 8, output: 40 }],
          },
        ],
      },
    };
    const cached = { ...million, cachedInputTokens: 1_000_000 };
    expect(costUsd(own, cached, clock('2026-11-30T00:00:00Z'))).toBe(4);
    expect(costUsd(own, cached, clock('2026-12-02T00:00:00Z'))).toBeCloseTo(0.1, 12);
  });
});
