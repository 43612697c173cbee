import { setTimeout as waitMs } from 'node:timers/promises';
import { withTimeout } from './with-timeout.ts';

describe('withTimeout', () => {
  it('returns the result if the work finishes in time', async () => {
    expect(await withTimeout(Promise.resolve('result'), 1_000, 'fallback')).toBe('result');
  });

  it('returns the fallback once the time is up', async () => {
    expect(await withTimeout(waitMs(10_000, 'result', { ref: false }), 10, 'fallback')).toBe('fallback');
  });

  it('passes on a rejection before the limit and ignores a later one', async () => {
    await expect(withTimeout(Promise.reject(new Error('broken')), 1_000, null)).rejects.toThrow('broken');
    const lateFailure = waitMs(30).then(() => Promise.reject(new Error('too late')));
    expect(await withTimeout(lateFailure, 1, 'fallback')).toBe('fallback');
    await waitMs(40);
  });
});
