import { classifyIntent } from './intent.ts';

describe('what a turn is about', () => {
  it.each([
    ['Hello there', 'chat'],
    ['What is the weather in Paris?', 'lookup'],
    ['Create an issue in acme/widgets', 'act'],
    ['Find the failing job, then rerun it', 'multi-step'],
    ['Refactor the parser and add unit tests', 'code'],
    ['To do:\n \n\n  1. Create an issue\n  2. Close it', 'multi-step'],
    ['\n\t* list what is there', 'multi-step'],
    ['yes please', 'continue'],
    ['', 'chat'],
  ])('%j: %s', (turn, intent) => {
    expect(classifyIntent(turn, false)).toBe(intent);
  });

  it('goes on while results of calls are open', () => {
    expect(classifyIntent('Create an issue', true)).toBe('continue');
  });

  it('takes no longer for a long run of line breaks', () => {
    const before = process.cpuUsage();
    for (let at = 0; at < 200; at += 1) expect(classifyIntent('\n'.repeat(4_000), false)).toBe('chat');
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });
});
