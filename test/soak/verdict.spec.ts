import { randomFrom } from '@gateway/testing';
import { estimateSlope } from './slope.ts';
import { judge, warmUpShare, windowsCount, type Series } from './verdict.ts';

const durationMs = 30 * 60_000;
const everyMs = 2_000;

/** Returns a series of memory samples, computed from the minute and a random number between -1 and 1. */
function renderSeries(valueAt: (minute: number, noise: number) => number, seed = 1): Series {
  const random = randomFrom(seed);
  const samples = Array.from({ length: durationMs / everyMs }, (_, at) => ({
    atMs: at * everyMs,
    value: valueAt((at * everyMs) / 60_000, 2 * random() - 1),
  }));
  return { name: 'edge-gateway memory', unit: 'MiB', window: 'lowest', samples };
}

/** Memory between two garbage collections grows by 30 MiB within 40 seconds. */
const sawtooth = (minute: number): number => 30 * ((minute * 1.5) % 1);

describe('a series', () => {
  it.each([1, 2, 3, 4, 5])('with noise but no trend is a plateau (seed %i)', (seed) => {
    const verdict = judge(
      renderSeries((minute, noise) => 120 + sawtooth(minute) + 4 * noise, seed),
      durationMs,
    );
    expect(verdict).toMatchObject({ isPlateau: true });
    expect(verdict.lowPerMinute).toBeLessThanOrEqual(0);
    expect(verdict.highPerMinute).toBeGreaterThanOrEqual(0);
  });

  it.each([1, 2, 3, 4, 5])('that leaks 0.5 MiB per minute grows, despite the noise (seed %i)', (seed) => {
    const leaking = renderSeries((minute, noise) => 120 + 0.5 * minute + sawtooth(minute) + 4 * noise, seed);
    const verdict = judge(leaking, durationMs);
    expect(verdict.isPlateau).toBe(false);
    expect(verdict.slopePerMinute).toBeCloseTo(0.5, 0);
    expect(verdict.growth).toBeGreaterThan(verdict.allowed);
  });

  it('that grows only during the warm-up is a plateau', () => {
    const warm = warmUpShare * 30;
    const verdict = judge(
      renderSeries((minute, noise) => 100 + 10 * Math.min(minute, warm) + noise),
      durationMs,
    );
    expect(verdict).toMatchObject({ isPlateau: true });
  });

  it('that gains a single descriptor is a plateau, and one that gains one per minute is not', () => {
    const descriptors = (perMinute: number): Series => ({
      ...renderSeries((minute) => 60 + Math.floor(perMinute * minute)),
      ...{ unit: 'descriptors', window: 'median' },
    });
    expect(judge(descriptors(0.05), durationMs).isPlateau).toBe(true);
    expect(judge(descriptors(1), durationMs).isPlateau).toBe(false);
  });

  it('without samples in most windows is an error', () => {
    const { samples, ...rest } = renderSeries(() => 1);
    const short = { ...rest, samples: samples.slice(0, samples.length / 2) };
    expect(() => judge(short, durationMs)).toThrow(/has only 6 measured windows/);
    expect(windowsCount).toBe(24);
  });
});

describe('the estimated slope', () => {
  it('ignores single outliers', () => {
    const values = Array.from({ length: 20 }, (_, at) => (at === 7 ? 1_000 : 3 * at));
    expect(estimateSlope(values)).toEqual({ perStep: 3, low: 3, high: 3 });
  });

  it('has an interval that contains the true slope in nearly all of 200 random series', () => {
    const random = randomFrom(7);
    const contained = Array.from({ length: 200 }, () => {
      const values = Array.from({ length: 24 }, (_, at) => 0.2 * at + 3 * (random() + random() + random()));
      const { low, high } = estimateSlope(values);
      return low <= 0.2 && high >= 0.2;
    });
    expect(contained.filter(Boolean).length).toBeGreaterThanOrEqual(194);
  });
});
