import { createMetrics } from '@gateway/observability';
import { DecisionMetrics, sumDecisions } from './write-request-log.metrics.ts';

const row = {
  candidates: [
    ['search', 0.9, 1, 1],
    ['create', 0.5, 2, 0],
    ['delete', 0.1, 3, 0],
  ] as const,
  called_tools: ['search', 'create', 'search', 'unheard_of'],
  recovered_tools: ['delete'],
  gross_savings_usd: 0.5,
  provider_savings_usd: 0.3,
};

test('calls are told by what the plan did with their tools, each tool of a request once', () => {
  const { forwarded, leftOut } = sumDecisions([row, row]);
  expect({ forwarded, leftOut }).toEqual({ forwarded: 2, leftOut: 4 });
  expect(sumDecisions([{ ...row, candidates: null }])).toMatchObject({ forwarded: 0, leftOut: 0 });
});

test('savings less what they cost are what the bill was lower by, even where it was higher', () => {
  for (const net of [0.3, -0.2]) {
    const { savedUsd, spentUsd } = sumDecisions([{ ...row, provider_savings_usd: net }]);
    expect(savedUsd - spentUsd).toBeCloseTo(net);
    expect(spentUsd).toBeGreaterThanOrEqual(0);
  }
  const { savedUsd, spentUsd } = sumDecisions([
    { ...row, gross_savings_usd: null, provider_savings_usd: -0.1 },
  ]);
  expect(savedUsd - spentUsd).toBeCloseTo(-0.1);
});

test('every series is there before anything was counted', async () => {
  const metrics = createMetrics('worker');
  const decisions = new DecisionMetrics(metrics);
  expect((await metrics.render()).body).toMatch(/^tool_calls_total\{outcome="left_out",.*\} 0$/m);
  decisions.count([row]);
  expect((await metrics.render()).body).toMatch(/^provider_savings_usd_total\{kind="saved",.*\} 0\.5$/m);
});
