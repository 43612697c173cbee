import { classifyIntent } from './intent.ts';

describe('what a turn is about', () => {
  it.each([
    ['Hello there', 'chat'],
    ['What is the weather in Paris?', 'lookup'],
    ['Create an issue in acme/widgets', 'act'],
    ['Find the failing job, then rerun it', 'multi-step'],
    ['Refactor the parser and add unit tests', 'code'],
    ['yes please', 'continue'],
    ['', 'chat'],
  ])('%j: %s', (turn, intent) => {
    expect(classifyIntent(turn, false)).toBe(intent);
  });

  it('goes on while results of calls are open', () => {
    expect(classifyIntent('Create an issue', true)).toBe('continue');
  });
});
