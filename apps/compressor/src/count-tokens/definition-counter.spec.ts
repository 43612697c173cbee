import { countTokens } from '../text/count-tokens.ts';
import { DefinitionCounter } from './definition-counter.ts';

it('counts the tokens of each definition, for several accounts at once', async () => {
  const counter = new DefinitionCounter();
  const short = JSON.stringify({ name: 'get_weather', description: 'Get the weather of a city.' });
  const long = JSON.stringify({ name: 'write', description: 'Write a file. '.repeat(500) });
  const counts = await Promise.all([
    counter.count('one', [short, long, short]),
    counter.count('two', [long]),
    counter.count('one', []),
  ]);
  const [ofShort, ofLong] = [countTokens(short), counts[1][0]!];
  expect(counts).toEqual([[ofShort, ofLong, ofShort], [ofLong], []]);
  // A long text is counted in pieces, so a token at a cut may count twice.
  expect(Math.abs(ofLong - countTokens(long))).toBeLessThan(10);
});
