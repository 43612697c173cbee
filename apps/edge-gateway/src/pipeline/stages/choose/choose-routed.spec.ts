import { loadCatalog } from '@gateway/model-catalog';
import { findProvider, type Provider } from '@gateway/providers';
import type { Caller, Target } from '../../../request/request.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { requestWith } from '../../recovery/recovery.fixture.ts';
import { chooseRouted } from './choose-routed.ts';

const lane = { kind: 'same-format', format: 'chat-completions' } as const;
const find = (model: string): Target => ({
  ...{ provider: findProvider('openai') as Provider, model, lane, ownCredential: null },
});

function choose(ids: readonly string[]): Promise<Target> {
  const candidates = ids.map((id) => ({ id, score: 1, quality: 1, costUsd: 1 }));
  const choice = { reason: 'cheapest', level: 'low', candidates, excluded: [] };
  const routed = { choice, complexity: 0, turns: 1 };
  const request = requestWith('chat-completions', []);
  const exchange = { request: { headers: {} }, trace: { span: { isRecording: () => false } } };
  const caller = {
    accountId: 'a',
    routing: { mode: 'auto', allowedProviders: null, maxCostUsdPerMtok: null },
  };
  return chooseRouted(
    { requested: 'cheap', request, connected: new Set(['openai']), catalog: loadCatalog(), find },
    exchange as unknown as Exchange,
    caller as unknown as Caller,
    { modelRouter: { choose: () => Promise.resolve(routed as never) } },
  );
}

describe('a model that the gateway chose', () => {
  it('has the next best models as fallbacks', async () => {
    const target = await choose(['a', 'b', 'c']);
    expect([target, ...(target.alternatives?.() ?? [])].map(({ model }) => model)).toEqual(['a', 'b', 'c']);
  });

  it('has no fallbacks if no other model is available', async () => {
    expect((await choose(['a'])).alternatives).toBeUndefined();
  });
});
