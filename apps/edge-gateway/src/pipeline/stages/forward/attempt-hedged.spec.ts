import { setTimeout as waitMs } from 'node:timers/promises';
import { GatewayError } from '@gateway/errors';
import { findProvider, type Provider } from '@gateway/providers';
import { BackendBook } from '../../../backends/backend-book.ts';
import type { Caller, Target } from '../../../request/request.ts';
import { openExchange } from '../../exchange/exchange.fixture.ts';
import { attemptHedged, type HedgeServices } from './attempt-hedged.ts';
import type { Candidate } from './candidates.ts';
import type { Made, Quest } from './quest.ts';

const none = (): undefined => undefined;
const target: Target = {
  provider: findProvider('openai') as Provider,
  model: 'm',
  lane: { kind: 'same-format', format: 'chat-completions' },
  ownCredential: null,
};

/** A call that stays silent for long, where the account's keys are looked up again meanwhile. */
async function call(open: () => Promise<unknown>) {
  const exchange = openExchange();
  const backends = new BackendBook({
    messaging: { broadcast: none, onBroadcast: none } as never,
    inFlightMax: 100,
    metrics: { breakerChanges: { inc: none }, watchOpenBreakers: none } as never,
  });
  const services = { backends, connections: { open }, settings: { hedgeAfterMs: 5 } };
  const backend = backends.find({ accountId: 'a', provider: 'openai', credential: 0 });
  const quest = { target, exchange, caller: { accountId: 'a' } as Caller } as Quest;
  const made = await attemptHedged(
    quest,
    { target, connection: { backend } } as Candidate,
    services as unknown as HedgeServices,
    async ({ exchange: noted }): Promise<Made> => {
      await waitMs(30);
      noted.timings.upstreamHeadersAt = 7;
      return { failure: undefined, answer: 'answered' as never };
    },
  );
  return { made, exchange };
}

describe('a call that stays silent, with nobody to call beside it', () => {
  it('is waited for, and all that it notes holds', async () => {
    const { made, exchange } = await call(() => Promise.resolve({ keys: [], baseUrl: null }));
    expect(made.answer).toBe('answered');
    expect(exchange.timings.upstreamHeadersAt).toBe(7);
  });

  it('is waited for where nobody can say who else there is', async () => {
    const { made } = await call(() => Promise.reject(new GatewayError('service_unavailable')));
    expect(made.answer).toBe('answered');
  });
});
