import { foldAnswer, type StreamEvent } from '@gateway/interchange';
import type { UpstreamAnswer } from '../../request/upstream-answer.ts';
import { RecoveryRounds, type NextRound } from './recovery-rounds.ts';
import { recoveryFor, requestWith } from './recovery.fixture.ts';
import type { Recovery } from './recovery.ts';

type Call = readonly [id: string, name: string, args: unknown];

function tell(
  text: string | undefined,
  calls: readonly Call[],
  tokens: readonly [number, number] = [10, 1],
): StreamEvent[] {
  const spoken: StreamEvent[] =
    text === undefined
      ? []
      : [
          { type: 'text-start', choice: 0, block: 0 },
          { type: 'text-delta', choice: 0, block: 0, text },
          { type: 'text-end', choice: 0, block: 0 },
        ];
  const first = spoken.length === 0 ? 0 : 1;
  const called = calls.flatMap(([id, name, args], index): StreamEvent[] => {
    const place = { choice: 0, block: first + index };
    return [
      { type: 'tool-call-start', ...place, id, name, kind: 'function' },
      { type: 'tool-call-delta', ...place, argumentsText: JSON.stringify(args) },
      { type: 'tool-call-end', ...place },
    ];
  });
  const reason = calls.length > 0 ? 'tool-calls' : 'stop';
  const usage = { inputTokens: tokens[0], outputTokens: tokens[1] };
  return [
    { type: 'message-start', format: 'chat-completions', id: 'x' },
    ...spoken,
    ...called,
    { type: 'finish', choice: 0, reason, rawReason: reason === 'stop' ? 'stop' : 'tool_calls' },
    { type: 'usage', usage },
    { type: 'message-end' },
  ];
}

const answer = { status: 200, headers: {} } as unknown as UpstreamAnswer;
const closed = { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] };
const request = requestWith('chat-completions', [
  { name: 'here' },
  { name: 'away', parameters: closed },
  { name: 'far', parameters: closed },
]);
const ask = (id: string, ...names: string[]): Call => [id, 'svc_more_tools', { action: 'describe', names }];
const through = (id: string, name: string, args: unknown): Call => [
  id,
  'svc_more_tools',
  { action: 'call', name, arguments: args },
];

async function run(
  rounds: readonly StreamEvent[][],
  recovery: Recovery = recoveryFor(request, { forwarded: [0] }),
) {
  const asked: NextRound[] = [];
  const left = [...rounds];
  const hidden = new RecoveryRounds({
    recovery,
    signal: new AbortController().signal,
    send: (next) => {
      asked.push(next);
      return Promise.resolve(answer);
    },
  });
  const shown: StreamEvent[] = [];
  for (let more = true; more;) {
    shown.push(...hidden.push(left.shift() ?? tell('nothing left', [])));
    more = (await hidden.next()) !== undefined;
  }
  shown.push(...hidden.rest());
  const folded = foldAnswer(shown);
  const parts = folded.choices[0]?.parts ?? [];
  const calls = parts.flatMap((part) =>
    part.type === 'tool-call' ? [[part.id, part.name, part.argumentsText]] : [],
  );
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  return { hidden, asked, shown, folded, calls, text };
}

const resultsOf = ({ messages }: NextRound): string =>
  JSON.stringify(messages.filter(({ role }) => role === 'tool'));

it('answers a describe call after the last message, and delivers the recovered call', async () => {
  const { asked, calls, hidden, folded } = await run([
    tell(undefined, [ask('h', 'away')], [100, 5]),
    tell(undefined, [through('c', 'away', { x: 1 })], [150, 7]),
  ]);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({ added: [], recovery: { mode: 'in_place' } });
  expect(resultsOf(asked[0]!)).toContain('what away alone says');
  expect(calls).toEqual([['c', 'away', '{"x":1}']]);
  expect(hidden).toMatchObject({ count: 1, recovered: ['away'], definitionsAdded: 1 });
  expect(folded.usage).toEqual({ inputTokens: 150, outputTokens: 12 });
  expect(hidden.summary).toMatchObject({ usage: { inputTokens: 250, outputTokens: 12 }, sawEnd: true });
});

it('in `regrown` mode, adds the tool to the list and removes it from the pruned tools', async () => {
  const recovery = recoveryFor(request, { forwarded: [0], mode: 'regrown' });
  const { asked, calls } = await run(
    [tell(undefined, [ask('h', 'away')]), tell(undefined, [['c', 'away', { x: 1 }]])],
    recovery,
  );
  expect(asked[0]?.added).toEqual(['away']);
  expect([...(asked[0]?.recovery?.pruned.keys() ?? [])]).toEqual(['far']);
  expect(asked[0]?.recovery?.recoveryTool.name).toBe(recovery.recoveryTool.name);
  expect(resultsOf(asked[0]!)).not.toContain('what away alone says');
  expect(calls).toEqual([['c', 'away', '{"x":1}']]);
});

it('keeps text that was already shown, numbers blocks across rounds, and separates the text of two rounds', async () => {
  const { text, shown } = await run([tell('One.', [ask('h', 'away')]), tell('Two.', [['c', 'here', {}]])]);
  expect(text).toBe('One.\n\nTwo.');
  const starts = shown.flatMap((event) =>
    event.type.endsWith('-start') && 'block' in event ? [event.block] : [],
  );
  expect(starts).toEqual([0, 1, 2]);
  expect(shown.filter(({ type }) => type === 'message-start')).toHaveLength(1);
  expect(shown.filter(({ type }) => type === 'message-end')).toHaveLength(1);
});

it('corrects invalid arguments once, then delivers them unchanged', async () => {
  const wrong = tell(undefined, [through('h', 'away', {})]);
  const insisting = tell(undefined, [through('c', 'away', {})]);
  const { asked, calls } = await run([wrong, insisting]);
  expect(resultsOf(asked[0]!)).toContain('x is required');
  expect(calls).toEqual([['c', 'away', '{}']]);
});

it('neither corrects nor describes if the response also has a call for the client: delivers one, drops the other', async () => {
  const mixed = tell(undefined, [['own', 'here', {}], through('c', 'away', {}), ask('h', 'far')]);
  const { asked, calls, hidden } = await run([mixed]);
  expect(asked).toEqual([]);
  expect(calls).toEqual([
    ['own', 'here', '{}'],
    ['c', 'away', '{}'],
  ]);
  expect(hidden.unanswered).toEqual({ names: ['far'], needs: [] });
});

it('forwards all tools after two rounds; a response with only recovery calls then ends empty', async () => {
  const { asked, folded, calls } = await run(
    [1, 2, 3, 4].map((at) => tell(undefined, [ask(`h${at}`, 'away')])),
  );
  expect(asked.map(({ recovery }) => recovery === null)).toEqual([false, false, true]);
  expect(calls).toEqual([]);
  expect(folded.choices[0]).toMatchObject({ finishReason: 'stop', rawReason: 'stop' });
});

it('does not continue a response that was truncated at its length limit', async () => {
  const cut = tell(undefined, [ask('h', 'away')]).map((event) =>
    event.type === 'finish' ? { ...event, reason: 'length' as const, rawReason: 'length' } : event,
  );
  const { asked, folded } = await run([cut]);
  expect(asked).toEqual([]);
  expect(folded.choices[0]).toMatchObject({ finishReason: 'length', parts: [] });
});

it('recalls the content behind a marker, or says that nothing is stored', async () => {
  const recall = (id: string) => Promise.resolve(id === 'aaaaaaaaaaaa' ? 'the original' : null);
  const recovery = recoveryFor(request, { forwarded: [0, 1, 2], recall });
  const originals: Call[] = ['aaaaaaaaaaaa', 'bbbbbbbbbbbb'].map((id) => [
    id,
    recovery.recoveryTool.name,
    { action: 'original', id },
  ]);
  const { asked } = await run([tell(undefined, originals), tell('Thanks.', [])], recovery);
  expect(resultsOf(asked[0]!)).toContain('the original');
  expect(resultsOf(asked[0]!)).toContain('Nothing is kept under that id');
});

it('passes every event in a response without recovery calls', async () => {
  const events = tell('Hello.', [['own', 'here', { a: 1 }]]);
  const { shown, hidden } = await run([events]);
  expect(shown).toEqual(events);
  expect(hidden.isUnchanged).toBe(true);
});
