import fc from 'fast-check';
import { costUsd } from './cost-usd.ts';

const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

describe('costUsd', () => {
  test('regular input and output are priced per million tokens', () => {
    expect(costUsd({ prices }, { inputTokens: 1_000_000, outputTokens: 100_000 })).toBeCloseTo(4.5, 12);
    expect(costUsd({ prices }, { inputTokens: 0, outputTokens: 0 })).toBe(0);
  });

  test('cached and written tokens are part of the input and have separate prices', () => {
    const usage = { inputTokens: 10_000, outputTokens: 0, cachedInputTokens: 6000, cacheWriteTokens: 3000 };
    expect(costUsd({ prices }, usage)).toBeCloseTo((1000 * 3 + 6000 * 0.3 + 3000 * 3.75) / 1e6, 12);
  });

  test('cached and written tokens cost as much as regular input if they have no separate price', () => {
    const usage = { inputTokens: 10_000, outputTokens: 0, cachedInputTokens: 6000, cacheWriteTokens: 3000 };
    expect(costUsd({ prices: { input: 3, output: 15 } }, usage)).toBeCloseTo(0.03, 12);
  });

  test('reasoning has its own price if the model defines one', () => {
    const usage = { inputTokens: 0, outputTokens: 1000, reasoningTokens: 400 };
    expect(costUsd({ prices: { ...prices, reasoning: 30 } }, usage)).toBeCloseTo(
      (600 * 15 + 400 * 30) / 1e6,
      12,
    );
    expect(costUsd({ prices }, usage)).toBeCloseTo(0.015, 12);
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
    const cost = (inputTokens: number) => (costUsd(tiered, { inputTokens, outputTokens: 1 }) ?? 0) * 1e6;
    expect(cost(200)).toBeCloseTo(202, 6);
    expect(cost(201)).toBeCloseTo(2030, 6);
    expect(cost(401)).toBeCloseTo(40_300, 6);
  });

  test('without prices, the cost is unknown, not zero', () => {
    expect(costUsd({ prices: null }, { inputTokens: 1, outputTokens: 1 })).toBeNull();
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
        expect(costUsd({ prices }, usage)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

test('the cost is based on billed tokens if the provider reports them', () => {
  const prices = { input: 2, output: 10, cacheRead: 1 };
  const usage = { inputTokens: 1445, outputTokens: 43, cachedInputTokens: 704 };
  const billed = { ...usage, billedInputTokens: 46, billedOutputTokens: 14 };
  expect(costUsd({ prices }, billed)).toBeCloseTo((46 * 2 + 14 * 10) / 1_000_000, 12);
});
