import type { StreamEvent } from '@gateway/interchange';
import { joinReasoning } from './reasoning.ts';
import { recoveryFor, requestWith } from './recovery.fixture.ts';
import { ask, run, tell, type Call } from './rounds.fixture.ts';

describe('reasoning', () => {
  const think = (text: string, signature: string, calls: readonly Call[], said?: string): StreamEvent[] => {
    const place = { choice: 0, block: 0 };
    const [start, ...others] = tell(said, calls);
    return [
      start!,
      { type: 'thinking-start', ...place },
      { type: 'thinking-delta', ...place, text },
      { type: 'thinking-end', ...place, signature },
      ...others.map((event) => ('block' in event ? { ...event, block: event.block + 1 } : event)),
    ];
  };
  const detail = (piece: object): StreamEvent => ({
    type: 'extension',
    scope: 'message',
    choice: 0,
    extensions: {
      'chat-completions': { reasoning_details: [{ type: 'reasoning.text', index: 0, ...piece }] },
    },
  });
  const thoughtsIn = (events: readonly StreamEvent[]): (string | undefined)[] =>
    events.flatMap((event) => (event.type === 'thinking-end' ? [event.signature] : []));
  const messages = requestWith('messages', [{ name: 'here' }, { name: 'away' }]);
  const inBlocks = { recovery: recoveryFor(messages, { forwarded: [0] }) };

  it('is sent to the provider unmodified, in one message per recovery round', async () => {
    const { asked } = await run(
      [
        think('a', 's1', [ask('h1', 'away')]),
        think('b', 's2', [ask('h2', 'away')]),
        think('c', 's3', [['c', 'away', {}]]),
      ],
      inBlocks,
    );
    expect(asked[1]?.messages.map(({ role, parts }) => [role, parts[0]])).toMatchObject([
      ['assistant', { type: 'thinking', text: 'a', signature: 's1' }],
      ['tool', { callId: 'h1' }],
      ['assistant', { type: 'thinking', text: 'b', signature: 's2' }],
      ['tool', { callId: 'h2' }],
    ]);
  });

  it('reaches the client from one recovery round only, so that the reasoning of two rounds is never joined', async () => {
    const { shown } = await run(
      [think('a', 's1', [ask('h1', 'away')]), think('b', 's2', [['c', 'away', {}]])],
      inBlocks,
    );
    expect(thoughtsIn(shown)).toEqual(['s1']);
    const starts = shown.flatMap((event) =>
      event.type.endsWith('-start') && 'block' in event ? [event.block] : [],
    );
    expect(starts).toEqual([0, 1]);
  });

  it('of a later recovery round reaches the client only before all content, if the format has blocks', async () => {
    const rounds = [tell('Wait.', [ask('h1', 'away')]), think('b', 's2', [['c', 'away', { x: 1 }]])];
    expect(thoughtsIn((await run(rounds, inBlocks)).shown)).toEqual([]);
    expect(thoughtsIn((await run(rounds)).shown)).toEqual(['s2']);
    const silent = [tell(undefined, [ask('h1', 'away')]), rounds[1]!];
    expect(thoughtsIn((await run(silent, inBlocks)).shown)).toEqual(['s2']);
  });

  it('in chat-completions fields is joined by block for the provider, and sent to the client once', async () => {
    const [start, ...others] = tell('Hm.', [ask('h1', 'away')]);
    const first = [
      start!,
      detail({ text: 'be' }),
      detail({ text: 'cause' }),
      detail({ signature: 's1' }),
      ...others,
    ];
    const second = [
      start!,
      detail({ text: 'so', signature: 's2' }),
      ...tell(undefined, [['c', 'away', { x: 1 }]]).slice(1),
    ];
    const { asked, shown } = await run([first, second]);
    expect(asked[0]?.messages[0]?.extensions).toEqual({
      'chat-completions': {
        reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'because', signature: 's1' }],
      },
    });
    const passed = shown.filter(({ type }) => type === 'extension');
    expect(passed).toEqual(first.filter(({ type }) => type === 'extension'));
  });

  it('of a response with 100,000 blocks is joined in linear time', () => {
    const pieces = Array.from({ length: 200_000 }, (_, at) => detail({ text: 'a', index: at % 100_000 }));
    const before = process.threadCpuUsage();
    const joined = joinReasoning(pieces)?.['chat-completions']?.['reasoning_details'] as object[];
    const { user, system } = process.threadCpuUsage(before);
    expect(joined).toHaveLength(100_000);
    expect(joined[7]).toEqual({ type: 'reasoning.text', index: 7, text: 'aa' });
    expect((user + system) / 1_000).toBeLessThan(5_000);
  });
});
