import { adoptBranch, branchExchange } from './branch-exchange.ts';
import { openExchange } from './exchange.fixture.ts';

describe('two calls of one exchange', () => {
  it('note for themselves; what the chosen one noted holds', () => {
    const exchange = openExchange();
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
    const exchange = openExchange();
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
