import { interactiveMs } from '@gateway/contracts';
import { SilentServices } from './connection.ts';

const longMs = 10_000;
let services: SilentServices;
let nowMs: number;
beforeEach(() => {
  nowMs = 50_000;
  services = new SilentServices(() => nowMs);
});

/** A call that waits for the given time without a reply. */
function waitInVain(ms: number): void {
  const startedAtMs = nowMs;
  nowMs += ms;
  services.noteTimeout('worker', startedAtMs);
}

describe('a service without replies', () => {
  it('keeps the deadlines of its contracts until a call has waited for a whole deadline', () => {
    expect(services.limit('worker', longMs)).toEqual({ deadlineMs: longMs, isProbe: false });
    waitInVain(interactiveMs - 1);
    expect(services.limit('worker', longMs)).toEqual({ deadlineMs: longMs, isProbe: false });
  });

  it('lets one call at a time wait for the whole deadline, and all other calls for less than two seconds', () => {
    waitInVain(longMs);
    expect(services.limit('worker', longMs)).toEqual({ deadlineMs: longMs, isProbe: true });
    expect(services.limit('worker', longMs)).toEqual({ deadlineMs: interactiveMs, isProbe: false });
    expect(services.limit('worker', 150)).toEqual({ deadlineMs: 150, isProbe: false });
    expect(services.limit('account', longMs)).toEqual({ deadlineMs: longMs, isProbe: false });
    services.endProbe('worker');
    expect(services.limit('worker', longMs)).toEqual({ deadlineMs: longMs, isProbe: true });
  });

  it('is no longer silent after any reply', () => {
    waitInVain(longMs);
    services.noteReply('worker');
    expect(services.limit('worker', longMs)).toEqual({ deadlineMs: longMs, isProbe: false });
  });

  it('is not silent if another call got a reply meanwhile', () => {
    nowMs += longMs;
    services.noteReply('worker');
    services.noteTimeout('worker', nowMs - longMs);
    expect(services.limit('worker', longMs)).toEqual({ deadlineMs: longMs, isProbe: false });
  });
});
