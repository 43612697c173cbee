import { setImmediate as turn } from 'node:timers/promises';
import { findProvider, type Provider } from '@gateway/providers';
import { BackendBook } from '../../../backends/backend-book.ts';
import { RetryBudget } from '../../../backends/retry-budget.ts';
import { AnswerBody } from '../../../upstream/answer-body.ts';
import type { UpstreamReply } from '../../../upstream/upstream.port.ts';
import type { Caller, Target } from '../../../request/request.ts';
import { openExchange } from '../../exchange/exchange.fixture.ts';
import type { Outbound } from '../../exchange/tool-plan.ts';
import { forward } from './forward.ts';

const none = (): undefined => undefined;
const target: Target = {
  provider: findProvider('sandbox') as Provider,
  model: 'm',
  lane: { kind: 'same-format', format: 'chat-completions' },
  ownCredential: null,
};
const caller = { accountId: 'a' } as Caller;

/** A send function that rejects requests with deferral, and never responds to requests with all tools. */
function send({ body }: { body: unknown }): Promise<UpstreamReply> {
  const isPlain = String(body) === 'plain';
  const answer = new AnswerBody({ pause: none, resume: none, abort: none });
  if (!isPlain) {
    answer.push(Buffer.from('{"error":{}}'));
    answer.end();
  }
  return Promise.resolve({ status: isPlain ? 200 : 400, headers: {}, body: answer });
}

it('counts a rejected deferral as a provider response, so circuit breakers stay closed', async () => {
  const counter = { inc: none };
  const backends = new BackendBook({
    messaging: { broadcast: none, onBroadcast: none } as never,
    inFlightMax: 100,
    metrics: { breakerChanges: counter, watchOpenBreakers: none } as never,
  });
  const services = {
    ...{ backends, upstream: { send }, retryBudget: new RetryBudget({ share: 0, floor: 0 }) },
    resilience: { upstreamFailures: counter, retries: counter, retryBudgetExhausted: counter },
    settings: { sandboxUrl: 'http://sandbox.test', hedgeAfterMs: 0 },
    log: { warn: none },
  };
  const outbound = {
    plan: {},
    body: Buffer.from('own'),
    added: [],
    plainBodyFor: () => Buffer.from('plain'),
  };
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      forward(outbound as unknown as Outbound, target, openExchange(), caller, services as never),
    ),
  );
  await turn();
  await turn();
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const backend = backends.find({ accountId: 'a', provider: 'sandbox', credential: 0 });
  expect([backend.isOpen, backend.inFlight]).toEqual([false, 10]);
});
