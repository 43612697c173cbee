import { createLogger } from '@gateway/observability';
import { countTokens } from '../text/count-tokens.ts';
import { CountingThread } from './counting-thread.adapter.ts';
import { DefinitionCounter } from './definition-counter.ts';

const thread = new CountingThread(createLogger({ service: 'test', instanceId: 'test', level: 'silent' }));
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
    count: (texts) => {
      asked.push(texts);
      return thread.count(texts);
    },
  });
  expect(await counter.count('one', ['a', 'a b'])).toEqual([1, 2]);
  expect(await counter.count('two', ['a b', 'a b c'])).toEqual([2, 3]);
  expect(asked).toEqual([['a', 'a b'], ['a b c']]);
});
