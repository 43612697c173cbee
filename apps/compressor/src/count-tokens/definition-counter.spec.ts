import { createLogger } from '@gateway/observability';
import { countTokens } from '../text/count-tokens.ts';
import { BackgroundCounter } from './background-counter.ts';
import type { CountStore } from './redis-count-store.adapter.ts';
import { CountingThread } from './counting-thread.adapter.ts';
import { DefinitionCounter } from './definition-counter.ts';

const thread = new CountingThread(createLogger({ service: 'test', instanceId: 'test', level: 'silent' }));
// Loading the tokenizer at low priority takes seconds on a busy machine.
beforeAll(() => thread.count('one', ['a']), 60_000);
afterAll(() => thread.close());

it('counts the tokens of each tool definition, for several concurrent accounts', async () => {
  const counter = new DefinitionCounter(thread);
  const short = JSON.stringify({ name: 'get_weather', description: 'Get the weather of a city.' });
  const long = JSON.stringify({ name: 'write', description: 'Write a file. '.repeat(5_000) });
  const counts = await Promise.all([
    counter.count('one', [short, long, short]),
    counter.count('two', [long]),
    counter.count('one', []),
  ]);
  const [ofShort, ofLong] = [countTokens(short), countTokens(long)];
  expect(counts).toEqual([[ofShort, ofLong, ofShort], [ofLong], []]);
  expect(await counter.count('one', [long, short])).toEqual([ofLong, ofShort]);
});

it('stores token counts in memory', async () => {
  const asked: (readonly string[])[] = [];
  const counter = new DefinitionCounter({
    count: (accountId, texts) => {
      asked.push(texts);
      return thread.count(accountId, texts);
    },
  });
  expect(await counter.count('one', ['a', 'a b'])).toEqual([1, 2]);
  expect(await counter.count('two', ['a b', 'a b c'])).toEqual([2, 3]);
  expect(asked).toEqual([['a', 'a b'], ['a b c']]);
});

it('counts for one account do not wait until a long list of another account is counted', async () => {
  const counter = new DefinitionCounter(thread);
  const ended: string[] = [];
  const long = Array.from({ length: 40_000 }, (_, at) => `word${at}`).join(' ');
  await Promise.all([
    counter.count('busy', [long]).then(() => ended.push('busy')),
    counter.count('quiet', ['a b']).then(() => ended.push('quiet')),
  ]);
  expect(ended).toEqual(['quiet', 'busy']);
});

it('a block of one account is counted while a block of another account is in progress', async () => {
  const { promise, resolve } = Promise.withResolvers<number[]>();
  const kept: string[] = [];
  const counter = new BackgroundCounter({
    thread: { count: (accountId) => (accountId === 'busy' ? promise : Promise.resolve([2, 1])) },
    store: { keep: (accountId: string) => kept.push(accountId) } as unknown as CountStore,
    observe: () => undefined,
    log: createLogger({ service: 'test', instanceId: 'test', level: 'silent' }),
  });
  const block = { id: 'id', before: 'a b', after: 'a', estimated: { before: 2, after: 1 } };
  counter.add({ ...block, accountId: 'busy' });
  counter.add({ ...block, accountId: 'busy' });
  counter.add({ ...block, accountId: 'quiet' });
  await new Promise(setImmediate);
  expect(kept).toEqual(['quiet']);
  resolve([2, 1]);
  await new Promise(setImmediate);
  expect(kept).toEqual(['quiet', 'busy', 'busy']);
});
