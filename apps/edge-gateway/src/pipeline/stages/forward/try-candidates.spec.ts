import { GatewayError } from '@gateway/errors';
import { createMetrics } from '@gateway/observability';
import { findProvider } from '@gateway/providers';
import { BackendBook } from '../../../backends/backend-book.ts';
import { RetryBudget } from '../../../backends/retry-budget.ts';
import type { OpenedCredential } from '../../../connections/connections.ts';
import { createResilienceMetrics } from '../../../metrics/edge-metrics.ts';
import { AnswerBody } from '../../../upstream/answer-body.ts';
import type { Caller, Target } from '../../../request/request.ts';
import { openExchange } from '../../exchange/exchange.fixture.ts';
import type { Candidate } from './candidates.ts';
import type { ForwardTask } from './run-attempt.ts';
import { tryCandidates, type TryServices } from './try-candidates.ts';

const caller = { accountId: '0190f3a0-0000-7000-8000-000000000001' } as Caller;
const target = {
  ...{ provider: findProvider('openai')!, model: 'gpt-4o-mini', ownCredential: null },
  lane: { kind: 'same-format', format: 'chat-completions' },
} as const;

/** Creates the services. `open` returns the stored provider keys. */
function createServices(open: () => Promise<OpenedCredential | null>, inFlightMax = 100): TryServices {
  const resilience = createResilienceMetrics(createMetrics('edge-gateway'));
  const messaging = { broadcast: () => undefined, onBroadcast: () => undefined };
  return {
    ...{ resilience, retryBudget: new RetryBudget({ share: 0.2, floor: 10 }) },
    backends: new BackendBook({ messaging, inFlightMax, metrics: resilience }),
    connections: { list: () => Promise.resolve([]), open },
    settings: {
      hedgeAfterMs: 0,
      retriesMax: 2,
      retryAfterMsMax: 5_000,
      firstByteMsMax: 1_000,
      plainAnswerMsMax: 50,
    },
  } as unknown as TryServices;
}

function credentialOf(...apiKeys: string[]): OpenedCredential {
  const keys = apiKeys.map((apiKey) => ({ apiKey, secretValues: [], health: { note: () => undefined } }));
  return { keys, baseUrl: null };
}

function createTask(send: ForwardTask['send'], alternatives?: Target['alternatives']): ForwardTask {
  const asked = alternatives === undefined ? target : { ...target, alternatives };
  return { target: asked, exchange: openExchange(), caller, isRepeatable: true, send };
}

function createBody() {
  const aborted: Error[] = [];
  const source = { pause: () => undefined, resume: () => undefined };
  return { aborted, body: new AnswerBody({ ...source, abort: (reason) => void aborted.push(reason) }) };
}

describe('simultaneous requests', () => {
  it.each([20, 7])(
    'use the provider key with the fewest calls in flight: %i requests to two keys',
    async (count) => {
      const opened = Promise.resolve(credentialOf('first', 'second'));
      const services = createServices(() => opened);
      const calls: Record<string, number> = {};
      const call = ({ connection: { credential } }: Candidate) => {
        calls[credential!] = (calls[credential!] ?? 0) + 1;
        return Promise.resolve({ status: 200, headers: {}, body: createBody().body });
      };
      await Promise.all(Array.from({ length: count }, () => tryCandidates(createTask(call), services)));
      expect(calls).toEqual({ first: Math.ceil(count / 2), second: Math.floor(count / 2) });
    },
  );

  it('of one conversation use the same key if its reasoning is bound to the provider account', async () => {
    const services = createServices(() => Promise.resolve(credentialOf('first', 'second', 'third')));
    const keysOf = async (affinity: string, statuses: readonly number[]) => {
      const keys: string[] = [];
      const left = [...statuses];
      const send = ({ connection: { credential } }: Candidate) => {
        keys.push(credential!);
        return Promise.resolve({ status: left.shift() ?? 200, headers: {}, body: createBody().body });
      };
      const task = createTask(send);
      await tryCandidates({ ...task, target: { ...target, affinity } }, services);
      return keys;
    };
    const conversations = Array.from({ length: 12 }, (_, at) => `conversation ${at}`);
    const first = (await Promise.all(conversations.map((name) => keysOf(name, [])))).flat();
    expect((await Promise.all(conversations.map((name) => keysOf(name, [])))).flat()).toEqual(first);
    expect(new Set(first).size).toBe(3);
    // After an overload error, the same provider key is used again. After an authentication error, another key is used.
    expect(await keysOf(conversations[0]!, [529])).toEqual([first[0], first[0]]);
    const [own, other] = await keysOf(conversations[0]!, [401]);
    expect([own, other === own]).toEqual([first[0], false]);
  });

  it('do not exceed the provider’s limit for calls in flight', async () => {
    const services = createServices(() => Promise.resolve(credentialOf('only')), 5);
    const call = () => Promise.resolve({ status: 200, headers: {}, body: createBody().body });
    const asked = Array.from({ length: 8 }, () => tryCandidates(createTask(call), services));
    const outcomes = await Promise.allSettled(asked);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(3);
    for (const each of refused) expect(each).toMatchObject({ reason: { code: 'upstream_unavailable' } });
  });
});

describe('a failed search for the next candidate', () => {
  /** Returns services in which only the first vault lookup succeeds. All later vault lookups fail in this test. */
  function createVaultlessServices() {
    let opened = 0;
    return createServices(() => {
      opened += 1;
      if (opened > 1) return Promise.reject(new GatewayError('service_unavailable'));
      return Promise.resolve(credentialOf('only'));
    });
  }

  it('gives the client the provider’s own error', async () => {
    const { body, aborted } = createBody();
    const task = createTask(() => Promise.resolve({ status: 500, headers: {}, body }));
    expect(await tryCandidates(task, createVaultlessServices())).toMatchObject({ status: 500, body });
    expect(aborted).toEqual([]);
  });

  it('gives the client the failure of a call without a response', async () => {
    const task = createTask(() => Promise.reject(new GatewayError('upstream_unreachable')));
    await expect(tryCandidates(task, createVaultlessServices())).rejects.toMatchObject({
      code: 'upstream_unreachable',
    });
  });

  it('discards the pending response if the client disconnects during the search', async () => {
    const { body, aborted } = createBody();
    const task = createTask(() => Promise.resolve({ status: 500, headers: {}, body }));
    const services = createServices(() => Promise.resolve(credentialOf('only')));
    const asked = tryCandidates(task, services);
    setTimeout(() => task.exchange.abort.abort(), 5);
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
    expect(aborted).toHaveLength(1);
  });
});

describe('a silent provider', () => {
  const fallback: Target = { ...target, provider: findProvider('groq')!, model: 'llama' };

  /**
   * Returns a provider that responds after `silentMs` unless the call is cancelled first. The list `asked`
   * contains the models that have been called.
   */
  function createSilence(silentMs: number, alternatives: () => readonly Target[]) {
    const asked: string[] = [];
    const task = createTask(async (candidate, _, signal) => {
      asked.push(candidate.target.model);
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(resolve, silentMs);
        signal.addEventListener('abort', () => {
          clearTimeout(timer);
          reject(signal.reason as Error);
        });
      });
      return { status: 200, headers: {}, body: createBody().body };
    }, alternatives);
    return { asked, task };
  }
  const services = createServices(() => Promise.resolve(credentialOf('only')));

  it('is cancelled if another candidate is available, but the last candidate is never cancelled', async () => {
    const { asked, task } = createSilence(500, () => [fallback]);
    expect(await tryCandidates(task, services)).toMatchObject({ status: 200, target: { model: 'llama' } });
    expect(asked).toEqual(['gpt-4o-mini', 'llama']);
  });

  it('is not cancelled if there are no fallbacks', async () => {
    const { asked, task } = createSilence(500, () => []);
    expect(await tryCandidates(task, services)).toMatchObject({ status: 200 });
    expect(asked).toEqual(['gpt-4o-mini']);
  });
});
