import { randomFrom } from '@gateway/testing';
import { RecoveryBlocks, type WatchedRecovery } from './recovery-blocks.ts';

const usual = 0.15;

/**
 * Conversations for tests, with 200 conversations per day, in groups of similar consecutive conversations.
 * Within each group, either all conversations need recovery or none of them does.
 */
function draw(seed: number, episode: number, count = 4_000): WatchedRecovery[] {
  const random = randomFrom(seed);
  let recovered = 0;
  return Array.from({ length: count }, (_, at) => {
    if (at % episode === 0) recovered = Number(random() < usual);
    return { at: new Date(Date.UTC(2026, 0, 1) + at * 432_000).toISOString(), k: 10, recovered };
  });
}

function dispersionOf(conversations: readonly WatchedRecovery[]): number {
  const blocks = new RecoveryBlocks();
  for (const conversation of conversations) blocks.add(conversation);
  return blocks.measureDispersion(() => usual);
}

describe('the dispersion of recoveries', () => {
  it('equals one for most accounts with independent conversations', () => {
    const measured = Array.from({ length: 40 }, (_, seed) => dispersionOf(draw(seed, 1)));
    expect(measured.filter((each) => each === 1).length).toBeGreaterThanOrEqual(34);
  });

  it('is not underestimated for series of similar conversations', () => {
    const measured = Array.from({ length: 40 }, (_, seed) => dispersionOf(draw(seed, 10)));
    expect(measured.filter((each) => each >= 10).length).toBeGreaterThanOrEqual(34);
  });
});
