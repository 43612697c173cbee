import { GatewayError } from '@gateway/errors';
import type { StreamEvent } from '@gateway/interchange';
import { ask, run, tell, through } from './rounds.fixture.ts';

describe('after two recovery rounds, the gateway', () => {
  const asks = [1, 2, 3, 4].map((at) => tell(undefined, [ask(`h${at}`, 'away')]));

  it('starts afresh with the client’s own request if the client has received nothing yet', async () => {
    const { asked, end, hidden } = await run(asks, { isSent: false });
    expect(asked.map(({ recovery }) => recovery === null)).toEqual([false, false]);
    expect(end).toBe('fresh-start');
    expect(hidden).toMatchObject({ startsAfresh: true, count: 3, recovered: ['away'] });
    expect(hidden.earlier.usages).toHaveLength(3);
  });

  it('sends one last request with every tool and without the recovery tool if the client has received text', async () => {
    const spoken = [
      tell('Wait.', [ask('h1', 'away')]),
      ...asks.slice(1, 3),
      tell(undefined, [['c', 'far', { x: 1 }]]),
    ];
    const { asked, calls, text, hidden } = await run(spoken);
    expect(asked.map(({ recovery }) => recovery === null)).toEqual([false, false, true]);
    expect(asked[2]?.messages).toHaveLength(6);
    expect([text, calls]).toEqual(['Wait.', [['c', 'far', '{"x":1}']]]);
    expect(hidden).toMatchObject({ count: 3, recovered: ['away', 'far'], definitionsAdded: 2 });
  });

  it('fails if the model still calls only the recovery tool, because an empty response would end an agent', async () => {
    await expect(run(asks)).rejects.toMatchObject({ code: 'upstream_invalid' });
  });

  it('delivers the last call through the recovery tool as a call to the named tool', async () => {
    const { calls } = await run([...asks.slice(0, 3), tell(undefined, [through('c', 'away', { x: 1 })])]);
    expect(calls).toEqual([['c', 'away', '{"x":1}']]);
  });
});

describe('the failure of a later recovery round', () => {
  const asking = tell(undefined, [ask('h', 'away')], [100, 5]);
  const overloaded: StreamEvent[] = [
    { type: 'message-start', format: 'chat-completions', id: 'x' },
    { type: 'error', message: 'Overloaded' },
  ];

  it.each([
    ['is throttled', [429]],
    ['breaks at the provider', [500]],
    ['is rejected', [400]],
    ['does not reach the provider', [new GatewayError('upstream_unreachable')]],
    ['times out', [new GatewayError('upstream_timeout')]],
  ])('leads to a fresh start if the round %s and the client has received nothing yet', async (_, results) => {
    const { asked, end, hidden } = await run([asking], { results, isSent: false });
    expect([asked.length, end]).toEqual([1, 'fresh-start']);
    expect(hidden.earlier).toMatchObject({
      usages: [{ inputTokens: 100, outputTokens: 5 }],
      isUsageEstimated: false,
    });
  });

  it('leads to the last request if the client has received part of the response', async () => {
    const { asked, calls, text } = await run(
      [tell('One.', [ask('h', 'away')]), tell('Two.', [['c', 'away', { x: 1 }]])],
      { results: [500] },
    );
    expect(asked.map(({ recovery }) => recovery === null)).toEqual([false, true]);
    expect(asked[1]?.messages).toEqual(asked[0]?.messages);
    expect([text, calls]).toEqual(['One.\n\nTwo.', [['c', 'away', '{"x":1}']]]);
  });

  it('leads to the last request if an error precedes all content, and the usage is estimated', async () => {
    const { calls, hidden, shown } = await run([
      tell('One.', [ask('h', 'away')], [100, 5]),
      overloaded,
      tell(undefined, [['c', 'away', { x: 1 }]], [300, 7]),
    ]);
    expect(calls).toEqual([['c', 'away', '{"x":1}']]);
    expect(shown.some(({ type }) => type === 'error')).toBe(false);
    expect(hidden.usages).toEqual([
      { inputTokens: 100, outputTokens: 5 },
      { inputTokens: 1_000, outputTokens: 0 },
      { inputTokens: 300, outputTokens: 7 },
    ]);
    expect(hidden.isUsageEstimated).toBe(true);
  });

  it('is sent to the client if the client has part of the recovery round, or if no other request can be sent', async () => {
    const partly = [...tell('Two.', []).slice(0, 3), { type: 'error', message: 'Overloaded' } as const];
    const broken = await run([tell('One.', [ask('h', 'away')]), partly]);
    expect([broken.text, broken.asked.length]).toEqual(['One.\n\nTwo.', 1]);
    expect(broken.shown.filter(({ type }) => type === 'error')).toHaveLength(1);
    const twice = await run([tell('One.', [ask('h', 'away')]), overloaded, overloaded]);
    expect(twice.asked).toHaveLength(2);
    expect(twice.shown.filter(({ type }) => type === 'error')).toHaveLength(1);
  });

  it('is an ordinary error if the credential is rejected or the gateway itself fails', async () => {
    const rejected = await run([asking], { results: [401], isSent: false });
    expect(rejected.asked).toHaveLength(1);
    const own = new GatewayError('overloaded');
    await expect(run([asking], { results: [own], isSent: false })).rejects.toBe(own);
  });
});

it('starts afresh if only a recovery call was cut at the length limit, but never after the client has received text', async () => {
  const cutShort = (events: readonly StreamEvent[]): StreamEvent[] =>
    events.map((event) =>
      event.type === 'finish' ? { ...event, reason: 'length' as const, rawReason: 'length' } : event,
    );
  const unseen = await run([cutShort(tell(undefined, [ask('h', 'away')]))], { isSent: false });
  expect([unseen.asked, unseen.end]).toEqual([[], 'fresh-start']);
  const seen = await run([cutShort(tell('Wait.', [ask('h', 'away')]))]);
  expect(seen.asked).toEqual([]);
  expect(seen.folded.choices[0]).toMatchObject({ finishReason: 'length', parts: [{ text: 'Wait.' }] });
});
