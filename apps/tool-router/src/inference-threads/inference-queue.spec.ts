import { InferenceQueue } from './inference-queue.ts';
import { TimeShare } from '@gateway/messaging';
import { InferenceRefused, type Urgency } from '../inference/inference.port.ts';
import { vectorShare } from '../shares/router-shares.ts';

function fill(
  queue: InferenceQueue,
  urgency: Urgency,
  count: number,
  options: { deadlineAt?: number; accountId?: string } = {},
) {
  const refused: unknown[] = [];
  for (let at = 0; at < count; at += 1) {
    queue.add({
      task: { kind: 'encode', texts: [] },
      options: { urgency, ...options },
      resolve: () => undefined,
      reject: (error) => refused.push(error),
    });
  }
  return refused;
}
const openQueue = () => new InferenceQueue(new TimeShare(vectorShare));
const urgenciesOf = (batch: ReturnType<InferenceQueue['take']>) =>
  batch.map(({ options }) => options.urgency);

describe('InferenceQueue', () => {
  it('returns tasks by urgency: plan tasks share a batch, and every other task gets its own batch', () => {
    const queue = openQueue();
    fill(queue, 'later', 1);
    fill(queue, 'awaited', 2);
    fill(queue, 'plan', 70);
    expect(queue.take(0)).toHaveLength(64);
    expect(queue.take(0)).toHaveLength(6);
    expect(urgenciesOf(queue.take(0))).toEqual(['awaited']);
    expect(urgenciesOf(queue.take(0))).toEqual(['awaited']);
    expect(urgenciesOf(queue.take(0))).toEqual(['later']);
    expect(queue.take(0)).toEqual([]);
  });

  it('regularly returns the least urgent task even under constant load', () => {
    const queue = openQueue();
    fill(queue, 'later', 1);
    const seen = Array.from({ length: 8 }, () => {
      fill(queue, 'plan', 1);
      return urgenciesOf(queue.take(0))[0];
    });
    expect(seen).toContain('later');
  });

  it('returns no background task while other tasks wait, even under constant load', () => {
    const queue = openQueue();
    fill(queue, 'background', 16);
    fill(queue, 'later', 2);
    const seen = Array.from({ length: 16 }, () => {
      fill(queue, 'plan', 1);
      return urgenciesOf(queue.take(0))[0];
    });
    expect(seen.filter((urgency) => urgency === 'later')).toHaveLength(2);
    expect(seen).not.toContain('background');
  });

  it('returns background tasks last, one per batch, and never counts them as vector time', () => {
    const queue = new InferenceQueue(new TimeShare({ ...vectorShare, contendedShare: 0, burstMs: 0 }));
    fill(queue, 'background', 2, { accountId: 'busy' });
    fill(queue, 'plan', 1, { accountId: 'busy' });
    fill(queue, 'plan', 1, { accountId: 'quiet' });
    const plans = queue.take(0);
    expect(urgenciesOf(plans)).toEqual(['plan', 'plan']);
    const background = queue.take(0);
    expect(urgenciesOf(background)).toEqual(['background']);
    queue.noteTime(background, 1_000);
    expect(urgenciesOf(queue.take(0))).toEqual(['background']);
  });

  it('returns tasks for the second encoder after plan tasks and in small batches, so that the first encoder never waits', () => {
    const queue = openQueue();
    const refused = fill(queue, 'refined', 90);
    expect(refused).toHaveLength(26);
    fill(queue, 'plan', 3);
    expect(urgenciesOf(queue.take(0))).toEqual(['plan', 'plan', 'plan']);
    expect(urgenciesOf(queue.take(0))).toEqual(['refined', 'refined']);
    fill(queue, 'plan', 1);
    expect(urgenciesOf(queue.take(0))).toEqual(['plan']);
  });

  it('rejects tasks whose deadline has passed', () => {
    const queue = openQueue();
    const late = fill(queue, 'plan', 2, { deadlineAt: 100 });
    fill(queue, 'plan', 1, { deadlineAt: 300 });
    expect(queue.take(200)).toHaveLength(1);
    expect(late).toEqual([new InferenceRefused('late'), new InferenceRefused('late')]);
  });

  it('rejects new tasks when it is full', () => {
    const queue = openQueue();
    const refused = fill(queue, 'plan', 520);
    expect(queue.size).toBe(512);
    expect(refused).toHaveLength(8);
    expect(refused[0]).toMatchObject({ reason: 'busy' });
  });

  it('serves accounts in turn, so that the tasks of one account do not delay another account', () => {
    const queue = openQueue();
    fill(queue, 'plan', 100, { accountId: 'busy' });
    fill(queue, 'plan', 2, { accountId: 'quiet' });
    const batch = queue.take(0).map(({ options }) => options.accountId);
    expect(batch.slice(0, 4)).toEqual(['busy', 'quiet', 'busy', 'quiet']);
    expect(batch).toHaveLength(18);
    fill(queue, 'later', 2, { accountId: 'busy' });
    fill(queue, 'later', 1, { accountId: 'quiet' });
    while (queue.size > 3) queue.take(0);
    const later = Array.from({ length: 3 }, () => queue.take(0)[0]?.options.accountId);
    expect(later).toEqual(['busy', 'quiet', 'busy']);
  });

  it('keeps room for an account with few tasks when another account has filled the queue', () => {
    const queue = openQueue();
    fill(queue, 'plan', 600, { accountId: 'busy' });
    expect(fill(queue, 'plan', 16, { accountId: 'quiet' })).toEqual([]);
    expect(fill(queue, 'plan', 1, { accountId: 'quiet' })).toHaveLength(1);
    expect(queue.size).toBe(528);
  });

  it('limits an account’s vector tasks to its share of time while another account requests plans, and never limits plans', () => {
    let now = 0;
    const queue = new InferenceQueue(new TimeShare({ ...vectorShare, now: () => now }));
    const takeFor = (ms: number) => {
      const batch = queue.take(now);
      now += ms;
      queue.noteTime(batch, ms);
      return urgenciesOf(batch);
    };
    fill(queue, 'later', 50, { accountId: 'busy' });
    // While only the account `busy` requests plans, the account's vector tasks are not limited.
    fill(queue, 'plan', 1, { accountId: 'busy' });
    for (let at = 0; at < 10; at += 1) takeFor(100);
    expect(queue.size).toBe(41);
    fill(queue, 'plan', 1, { accountId: 'busy' });
    fill(queue, 'plan', 1, { accountId: 'quiet' });
    expect(takeFor(2)).toEqual(['plan', 'plan']);
    expect(takeFor(0)).toEqual([]);
    fill(queue, 'later', 1, { accountId: 'quiet' });
    expect(takeFor(2)).toEqual(['later']);
    expect(queue.size).toBe(41);
    now += 900;
    expect(takeFor(2)).toEqual(['later']);
  });
});
