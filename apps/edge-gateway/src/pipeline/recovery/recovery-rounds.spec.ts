import { recoveryFor } from './recovery.fixture.ts';
import type { NextRound } from './round-requests.ts';
import { ask, request, run, tell, through, type Call } from './rounds.fixture.ts';

const resultsOf = ({ messages }: NextRound): string =>
  JSON.stringify(messages.filter(({ role }) => role === 'tool'));

it('answers a recovery tool call in messages after the client’s last message, and delivers the recovered tool call', async () => {
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

it('adds the recovered tool to the list and removes the tool from the pruned tools in `regrown` mode', async () => {
  const recovery = recoveryFor(request, { forwarded: [0], mode: 'regrown' });
  const { asked, calls } = await run(
    [tell(undefined, [ask('h', 'away')]), tell(undefined, [['c', 'away', { x: 1 }]])],
    { recovery },
  );
  expect(asked[0]?.added).toEqual(['away']);
  expect([...(asked[0]?.recovery?.pruned.keys() ?? [])]).toEqual(['far']);
  expect(asked[0]?.recovery?.recoveryTool.name).toBe(recovery.recoveryTool.name);
  expect(resultsOf(asked[0]!)).not.toContain('what away alone says');
  expect(calls).toEqual([['c', 'away', '{"x":1}']]);
});

it('keeps text that was already shown, numbers blocks across recovery rounds, and separates the text of two rounds', async () => {
  const { text, shown } = await run([tell('One.', [ask('h', 'away')]), tell('Two.', [['c', 'here', {}]])]);
  expect(text).toBe('One.\n\nTwo.');
  const starts = shown.flatMap((event) =>
    event.type.endsWith('-start') && 'block' in event ? [event.block] : [],
  );
  expect(starts).toEqual([0, 1, 2]);
  expect(shown.filter(({ type }) => type === 'message-start')).toHaveLength(1);
  expect(shown.filter(({ type }) => type === 'message-end')).toHaveLength(1);
});

it('corrects invalid arguments once, and delivers repeated invalid arguments unchanged', async () => {
  const wrong = tell(undefined, [through('h', 'away', {})]);
  const insisting = tell(undefined, [through('c', 'away', {})]);
  const { asked, calls } = await run([wrong, insisting]);
  expect(resultsOf(asked[0]!)).toContain('x is required');
  expect(calls).toEqual([['c', 'away', '{}']]);
});

it('delivers recovered tool calls, and drops requests for tools, if the response has a tool call for the client', async () => {
  const mixed = tell(undefined, [['own', 'here', {}], through('c', 'away', {}), ask('h', 'far')]);
  const { asked, calls, hidden } = await run([mixed]);
  expect(asked).toEqual([]);
  expect(calls).toEqual([
    ['own', 'here', '{}'],
    ['c', 'away', '{}'],
  ]);
  expect(hidden.unanswered).toEqual({ names: ['far'], needs: [] });
});

it('recalls the content behind a marker, or answers that no content is stored', async () => {
  const recall = (id: string) => Promise.resolve(id === 'aaaaaaaaaaaa' ? 'the original' : null);
  const recovery = recoveryFor(request, { forwarded: [0, 1, 2], recall });
  const originals: Call[] = ['aaaaaaaaaaaa', 'bbbbbbbbbbbb'].map((id) => [
    id,
    recovery.recoveryTool.name,
    { action: 'original', id },
  ]);
  const { asked } = await run([tell(undefined, originals), tell('Thanks.', [])], { recovery });
  expect(resultsOf(asked[0]!)).toContain('the original');
  expect(resultsOf(asked[0]!)).toContain('Nothing is kept under that id');
});

it('passes every event in a response without recovery tool calls', async () => {
  const events = tell('Hello.', [['own', 'here', { a: 1 }]]);
  const { shown, hidden } = await run([events]);
  expect(shown).toEqual(events);
  expect(hidden.isUnchanged).toBe(true);
});
