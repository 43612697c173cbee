import type { RequestAcceptedV1 } from '@gateway/contracts';
import { createSummary } from '@gateway/interchange';
import type { ModelCatalog } from '@gateway/model-catalog';
import type { Exchange, Ledger } from '../../exchange/exchange.ts';
import { createLedger } from '../../exchange/exchange.ts';
import type { RelayOutcome } from '../../exchange/answer.ts';
import { createAttempts } from '../../exchange/attempt.ts';
import { addSavings } from './add-savings.ts';
import { renderEvent } from './render-record.ts';

const periods = [{ from: '2026-12-01', input: 6, output: 30 }];
const model = { prices: { input: 3, output: 15, periods }, cache: null };
const catalog = { find: () => model } as unknown as ModelCatalog;
const answered = { ...createSummary(), usage: { inputTokens: 1_000, outputTokens: 10 } };
const outcome = {
  status: 'ok',
  summary: answered,
  providerRequestId: null,
  errorMessage: null,
} as RelayOutcome;
const price = { tokensSaved: 100, savedUsd: 0.1, rewrittenUsd: 0.5 };

function render(context: Ledger['context'], acceptedAt = new Date('2026-11-23')) {
  const ledger = { ...createLedger(), provider: 'openai', model: 'm', context };
  const exchange = {
    ...{ ledger, acceptedAt, attempts: createAttempts(), timings: { startedAt: 0 } },
    contextPrice: price,
  };
  const event = renderEvent(exchange as unknown as Exchange, {} as RequestAcceptedV1, outcome, 1, catalog);
  return addSavings(event, exchange as unknown as Exchange, catalog);
}

describe('the savings for a request', () => {
  it('subtract the rewritten part of the conversation', () => {
    const context = {
      session: 's',
      decision: 'cleared',
      savedUsd: 0.1,
      rewrittenUsd: 0.5,
      markers: [],
      blocks: [],
    };
    expect(render(context as Ledger['context'])).toMatchObject({ providerSavingsUsd: -0.5 });
  });

  it('are zero if the conversation was sent unchanged, because the budget was exhausted or the plan was dropped', () => {
    expect(render(null)).toMatchObject({ providerSavingsUsd: 0 });
  });
});

describe('the cost of a request', () => {
  it('uses the prices of the time at which the request was accepted', async () => {
    const costAt = async (time: string) => (await render(null, new Date(time))).costUsd;
    const cost = (1_000 * 3 + 10 * 15) / 1e6;
    expect(await costAt('2026-11-30T23:59:59.999Z')).toBeCloseTo(cost, 12);
    expect(await costAt('2026-12-01T00:00:00Z')).toBeCloseTo(2 * cost, 12);
  });
});
