import { isSandboxOnly, priceNotionally } from './notional.ts';

const used = {
  ...{ prompt_tokens: 1_000_000, completion_tokens: 100_000, cost_usd: 0, provider_savings_usd: 0 },
  ...{ tool_tokens_saved: 500_000, compression_tokens_saved: 100_000, recovery_tokens: 200_000 },
};

it('prices the tokens of the sandbox, net of recovery', () => {
  expect(priceNotionally(used)).toEqual({
    ...used,
    ...{ cost_usd: 3.5, gross_savings_usd: 1.5, provider_savings_usd: 1 },
  });
  expect(priceNotionally({ ...used, tool_tokens_saved: null })).toMatchObject({
    ...{ cost_usd: 3.5, gross_savings_usd: null, provider_savings_usd: null },
  });
});

it.each([
  [[], false],
  [null, false],
  [[{ provider: 'sandbox' }], true],
  [[{ provider: 'sandbox' }, { provider: 'openai' }], false],
])('applies only if all requests used the sandbox: %j', (models, isOnly) => {
  expect(isSandboxOnly(models)).toBe(isOnly);
});
