import { createMetrics } from '@gateway/observability';
import { DecisionMetrics, sumDecisions } from './decision-metrics.ts';

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

test('tool calls are counted by the choice of the plan, and each tool is counted once per request', () => {
  const { forwarded, pruned } = sumDecisions([row, row]);
  expect({ forwarded, pruned }).toEqual({ forwarded: 2, pruned: 4 });
  expect(sumDecisions([{ ...row, candidates: null }])).toMatchObject({ forwarded: 0, pruned: 0 });
});

test('savings minus costs equal the change in the bill, even if the change is negative', () => {
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

test('every time series exists before the first event', async () => {
  const metrics = createMetrics('worker');
  const decisions = new DecisionMetrics(metrics);
  expect((await metrics.render()).body).toMatch(/^tool_calls_total\{outcome="left_out",.*\} 0$/m);
  decisions.count([row]);
  expect((await metrics.render()).body).toMatch(/^provider_savings_usd_total\{kind="saved",.*\} 0\.5$/m);
});
