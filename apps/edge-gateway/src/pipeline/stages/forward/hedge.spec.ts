import { setTimeout as waitMs } from 'node:timers/promises';
import { GatewayError } from '@gateway/errors';
import { findProvider, type Provider } from '@gateway/providers';
import { BackendBook } from '../../../backends/backend-book.ts';
import { RetryBudget } from '../../../backends/retry-budget.ts';
import type { Caller, Target } from '../../../request/request.ts';
import { AnswerBody } from '../../../upstream/answer-body.ts';
import type { Attempt } from '../../exchange/attempt.ts';
import { openExchange } from '../../exchange/exchange.fixture.ts';
import { renderAnswerHeaders } from '../../exchange/exchange.ts';
import { markSent } from './call-provider.ts';
import type { Candidate } from './candidates.ts';
import { runHedged, type HedgeServices } from './hedge.ts';
import type { ForwardTask } from './run-attempt.ts';

const none = (): undefined => undefined;
const counter = { inc: none };
const targetAt = (provider: string): Target => ({
  provider: findProvider(provider) as Provider,
  model: 'm',
  lane: { kind: 'same-format', format: 'chat-completions' },
  ownCredential: null,
});
const key = { apiKey: 'k', secretValues: [], health: { note: none } };

type Respond = (target: Target, attempt: Attempt, signal: AbortSignal) => Promise<number>;

/** Runs one hedged request. `open` resolves with the account's keys, and `respond` resolves with a status. */
function run(open: () => Promise<unknown>, respond: Respond, fallback?: Target) {
  const exchange = openExchange();
  const backends = new BackendBook({
    messaging: { broadcast: none, onBroadcast: none } as never,
    inFlightMax: 100,
    metrics: { breakerChanges: counter, watchOpenBreakers: none } as never,
  });
  const services = {
    ...{ backends, connections: { open }, retryBudget: new RetryBudget({ share: 0.2, floor: 10 }) },
    resilience: { upstreamFailures: counter, retries: counter, retryBudgetExhausted: counter },
    settings: { hedgeAfterMs: 5, firstByteMsMax: 1_000, plainAnswerMsMax: 1_000 },
  };
  const chosen = targetAt('openai');
  const target = fallback === undefined ? chosen : { ...chosen, alternatives: () => [fallback] };
  exchange.ledger.provider = 'openai';
  exchange.ledger.model = 'm';
  const task: ForwardTask = {
    ...{ target, exchange, caller: { accountId: 'a' } as Caller, isRepeatable: true, isHedgeable: true },
    send: async (candidate, attempt, signal) => {
      markSent(attempt, exchange);
      const status = await respond(candidate.target, attempt, signal);
      attempt.headersAt = 7;
      const body = new AnswerBody({ pause: none, resume: none, abort: none });
      return { status, headers: {}, body };
    },
  };
  const connection = {
    ...{ credential: 'k', baseUrl: null, secrets: [], health: key.health },
    backend: backends.find({ accountId: 'a', provider: 'openai', credential: 0 }),
  };
  const candidate: Candidate = { target, connection };
  const outcome = runHedged(task, candidate, services as unknown as HedgeServices);
  return { outcome, exchange };
}

const slow: Respond = async () => {
  await waitMs(30);
  return 200;
};

describe('a slow provider call without a second candidate', () => {
  it('is awaited, and its attempt becomes the current attempt', async () => {
    const { outcome, exchange } = run(() => Promise.resolve({ keys: [key], baseUrl: null }), slow);
    expect((await outcome).answer?.status).toBe(200);
    expect(exchange.attempts.current).toMatchObject({ headersAt: 7, target: { model: 'm' } });
  });

  it('is awaited even if the search for a second candidate fails', async () => {
    const { outcome } = run(() => Promise.reject(new GatewayError('service_unavailable')), slow);
    expect((await outcome).answer?.status).toBe(200);
  });
});

describe('two hedged attempts', () => {
  const open = () => Promise.resolve({ keys: [key], baseUrl: null });

  it('keep separate state, and the attempt with the first good response becomes the current attempt', async () => {
    const { outcome, exchange } = run(
      open,
      (target, attempt, signal) => {
        attempt.bodyBytes = target.provider.name === 'openai' ? 5 : 9;
        if (target.provider.name === 'groq') return Promise.resolve(200);
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        });
      },
      targetAt('groq'),
    );
    expect((await outcome).answer?.target.provider.name).toBe('groq');
    const { attempts } = exchange;
    expect(attempts.current).toMatchObject({ bodyBytes: 9, target: { provider: { name: 'groq' } } });
    expect(attempts.abandoned).toEqual([{ provider: 'openai', model: 'm', bytes: 5 }]);
    expect(exchange.abort.signal.aborted).toBe(false);
    expect(renderAnswerHeaders(exchange)).toMatchObject({ 'x-svc-provider': 'groq', 'x-svc-attempts': '2' });
  });

  it('are both cancelled when the client disconnects', async () => {
    const reasons: unknown[] = [];
    const { outcome, exchange } = run(
      open,
      (_, __, signal) =>
        new Promise((___, reject) => {
          signal.addEventListener('abort', () => {
            reasons.push(signal.reason);
            reject(signal.reason as Error);
          });
        }),
      targetAt('groq'),
    );
    const left = new Error('the client left');
    setTimeout(() => exchange.abort.abort(left), 20);
    await expect(outcome).rejects.toBe(left);
    expect(reasons).toEqual([left, left]);
  });
});
