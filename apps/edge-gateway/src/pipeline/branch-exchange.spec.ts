import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { startRequestTrace } from '@gateway/observability';
import { adoptBranch, branchExchange } from './branch-exchange.ts';
import { createExchange } from './exchange.ts';

function open() {
  const request = new IncomingMessage(new Socket());
  return createExchange({
    ...{ requestId: 'r', endpoint: '/v1/chat/completions', format: 'chat-completions', route: undefined },
    request,
    response: new ServerResponse(request),
    trace: startRequestTrace(),
  });
}

describe('two calls of one exchange', () => {
  it('note for themselves; what the chosen one noted holds', () => {
    const exchange = open();
    exchange.headers['x-svc-losses'] = 'seed';
    const [first, second] = [branchExchange(exchange), branchExchange(exchange)];
    first.ledger.provider = 'openai';
    second.ledger.provider = 'groq';
    second.headers['x-svc-provider'] = 'groq';
    delete second.headers['x-svc-losses'];
    second.timings.forwardedAt = 7;
    second.outboundBytes = 9;
    expect(exchange.ledger.provider).toBeNull();
    adoptBranch(exchange, second);
    expect(exchange).toMatchObject({
      ledger: { provider: 'groq' },
      timings: { forwardedAt: 7 },
      outboundBytes: 9,
    });
    expect(exchange.headers).toEqual({ 'x-request-id': 'r', 'x-svc-provider': 'groq' });
  });

  it('end one by one, and both with their client', () => {
    const exchange = open();
    const first = branchExchange(exchange);
    first.timings.forwardedAt = 7;
    const second = branchExchange(exchange, first);
    expect(second.timings.forwardedAt).toBe(7);
    first.abort.abort();
    expect([exchange.abort.signal.aborted, second.abort.signal.aborted]).toEqual([false, false]);
    exchange.abort.abort(new Error('left'));
    expect(second.abort.signal.reason).toBe(exchange.abort.signal.reason);
    expect(branchExchange(exchange).abort.signal.aborted).toBe(true);
  });
});
