import { TimeShare } from './time-share.ts';

function openShare() {
  let now = 0;
  const share = new TimeShare({ contendedShare: 0.25, burstMs: 50, now: () => now });
  return { share, pass: (ms: number) => (now += ms) };
}

describe('a share of time', () => {
  it('does not limit the only active account', () => {
    const { share } = openShare();
    share.note('one');
    for (let at = 0; at < 10; at += 1) share.use('one', 100);
    expect(share.mayRun('one')).toBe(true);
  });

  it('limits an account to a burst and its share while another account is active', () => {
    const { share, pass } = openShare();
    share.note('busy');
    share.note('quiet');
    share.use('busy', 50);
    expect(share.mayRun('busy')).toBe(true);
    share.use('busy', 10);
    expect(share.mayRun('busy')).toBe(false);
    expect(share.mayRun('quiet')).toBe(true);
    pass(39);
    expect(share.mayRun('busy')).toBe(false);
    pass(1);
    expect(share.mayRun('busy')).toBe(true);
  });

  it('ends the limit a second after the last request of the other account', () => {
    const { share, pass } = openShare();
    share.note('quiet');
    share.note('busy');
    pass(999);
    share.note('busy');
    share.use('busy', 60);
    share.use('busy', 60);
    expect(share.mayRun('busy')).toBe(false);
    pass(1);
    expect(share.mayRun('busy')).toBe(true);
  });

  it('limits an account whose single request takes longer than a second', () => {
    const { share, pass } = openShare();
    share.note('busy');
    for (let at = 0; at < 200; at += 1) {
      pass(10);
      share.note('quiet');
      share.use('busy', 10);
    }
    expect(share.mayRun('busy')).toBe(false);
  });

  it('makes an account that was the only active one for a long time wait for at most one burst', () => {
    const { share, pass } = openShare();
    share.note('busy');
    share.use('busy', 60_000);
    share.note('quiet');
    expect(share.mayRun('busy')).toBe(false);
    pass(200);
    share.note('busy');
    share.note('quiet');
    expect(share.mayRun('busy')).toBe(true);
  });

  it('gives turns of the event loop, and counts the work until the next pause as used', async () => {
    const { share, pass } = openShare();
    share.note('quiet');
    share.note('busy');
    await share.turn('busy');
    pass(51);
    await Promise.resolve();
    expect(share.mayRun('busy')).toBe(true);
    await new Promise(setImmediate);
    expect(share.mayRun('busy')).toBe(false);
    expect(share.restMs('busy')).toBe(4);
  });

  it('runs work after the account has repaid the used time, and counts failed work as used', async () => {
    const share = new TimeShare({ contendedShare: 0.5, burstMs: 10 });
    share.note('quiet');
    share.note('busy');
    share.use('busy', 20);
    const startedAt = performance.now();
    const fail = () => new Promise((_, reject) => setTimeout(() => reject(new Error('failed')), 15));
    await expect(share.run('busy', fail)).rejects.toThrow('failed');
    expect(performance.now() - startedAt).toBeGreaterThan(33);
    expect(share.mayRun('busy')).toBe(false);
  });

  it('gives no turn before the account has repaid the used time', async () => {
    const share = new TimeShare({ contendedShare: 0.5, burstMs: 10 });
    share.note('quiet');
    share.note('busy');
    share.use('busy', 20);
    const startedAt = performance.now();
    await share.turn('busy');
    expect(performance.now() - startedAt).toBeGreaterThan(19);
    await share.turn('quiet');
  });
});
