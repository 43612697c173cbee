import { Backend, type BackendNews } from './backend.ts';

const name = { accountId: 'a', provider: 'openai', credential: 0 };
const broken = { kind: 'server', isPassing: true, retryAfterMs: undefined } as const;
const throttled = { kind: 'throttled', isPassing: true, retryAfterMs: 3_000 } as const;

function backendOf(inFlightMax = 100) {
  let time = 1_000_000;
  const news: BackendNews[] = [];
  const backend = new Backend({ name, inFlightMax, onNews: (told) => news.push(told), now: () => time });
  const fail = (times = 1) => {
    for (let at = 0; at < times; at += 1) backend.noteFailure(broken);
  };
  const skip = () => {
    for (let at = 0; at < 5; at += 1) backend.skip();
  };
  return { backend, news, fail, skip, pass: (ms: number) => (time += ms) };
}

describe('a backend’s circuit breaker', () => {
  it('opens after five failures in a row, and not earlier', () => {
    const { backend, news, fail } = backendOf();
    fail(4);
    expect(backend.state()).toBe('ready');
    backend.noteSuccess();
    fail(4);
    expect(backend.state()).toBe('ready');
    fail();
    expect(backend.state()).toBe('open');
    expect(news).toEqual([{ kind: 'opened' }]);
  });

  it('opens when more than half of many calls fail, even if some succeed in between', () => {
    const { backend, fail } = backendOf();
    for (let at = 0; at < 12; at += 1) {
      fail(2);
      backend.noteSuccess();
    }
    expect(backend.state()).toBe('open');
  });

  it('does not open for throttled or rejected calls, which do not indicate a provider failure', () => {
    const { backend } = backendOf();
    const refused = { kind: 'refused', retryAfterMs: 30_000 } as const;
    for (let at = 0; at < 20; at += 1) for (const each of [throttled, refused]) backend.noteFailure(each);
    expect(backend.isOpen).toBe(false);
  });

  it('sends one probe within ten seconds and closes if the probe succeeds', () => {
    const { backend, news, fail, skip, pass } = backendOf();
    fail(5);
    skip();
    pass(10_000);
    expect(backend.state()).toBe('ready');
    expect(backend.begin()).toBe(true);
    expect(backend.state()).toBe('open');
    backend.noteSuccess();
    expect(backend.state()).toBe('open');
    backend.noteSuccess(true);
    expect(backend.state()).toBe('ready');
    expect(news.at(-1)).toEqual({ kind: 'closed' });
  });

  it('sends the next probe within ten seconds even if the previous probe hangs', () => {
    const { backend, fail, skip, pass } = backendOf();
    fail(5);
    for (let at = 0; at < 10; at += 1) {
      pass(10_000);
      skip();
      expect(backend.state()).toBe('ready');
      backend.begin();
      expect(backend.state()).toBe('open');
    }
  });
});

it('sends at most one of six requests as a probe, unless requests are rare', () => {
  const { backend, fail, skip, pass } = backendOf();
  fail(5);
  pass(10_000);
  expect(backend.state()).toBe('open');
  skip();
  expect(backend.state()).toBe('ready');
  backend.begin();
  pass(20_000);
  expect(backend.state()).toBe('ready');
});

describe('a backend that requests a pause', () => {
  it('is paused for the requested time', () => {
    const { backend, pass } = backendOf();
    backend.noteFailure(throttled);
    expect([backend.state(), backend.waitMs]).toEqual(['cooling', 3_000]);
    pass(2_999);
    expect(backend.state()).toBe('cooling');
    pass(1);
    expect(backend.state()).toBe('ready');
  });

  it('is paused longer each time it throttles calls again, up to ten seconds', () => {
    const { backend, pass } = backendOf();
    const pauses: number[] = [];
    for (let at = 0; at < 8; at += 1) {
      backend.noteFailure({ kind: 'throttled', retryAfterMs: undefined });
      pauses.push(backend.waitMs);
      pass(backend.waitMs);
    }
    expect(pauses[0]).toBeLessThan(3_000);
    expect(pauses.at(-1)).toBeGreaterThan(5_000);
    expect(Math.max(...pauses)).toBeLessThan(10_001);
  });

  it('broadcasts a single pause when many calls fail at the same time', () => {
    const { backend, news } = backendOf();
    for (let at = 0; at < 50; at += 1) backend.noteFailure(throttled);
    expect(news).toEqual([{ kind: 'cooling', forMs: 3_000 }]);
  });
});

describe('a state change that another gateway process broadcasts', () => {
  it('makes the next local call a probe if the remote breaker opened, and the probe decides the state of the local breaker', () => {
    const { backend, news } = backendOf();
    backend.hear({ kind: 'opened' });
    expect(backend.state()).toBe('ready');
    expect(backend.begin()).toBe(true);
    expect(backend.state()).toBe('open');
    backend.noteSuccess();
    expect(backend.state()).toBe('open');
    backend.noteSuccess(true);
    expect(backend.state()).toBe('ready');
    expect(news).toEqual([{ kind: 'closed' }]);
  });

  it('lets an open local breaker send a probe immediately if the remote breaker closed', () => {
    const { backend, fail } = backendOf();
    fail(5);
    expect(backend.state()).toBe('open');
    backend.hear({ kind: 'closed' });
    expect(backend.state()).toBe('ready');
    expect(backend.isOpen).toBe(true);
  });

  it('pauses the local backend if the remote backend was paused', () => {
    const { backend, pass } = backendOf();
    backend.hear({ kind: 'cooling', forMs: 1_000 });
    expect(backend.state()).toBe('cooling');
    pass(1_000);
    expect(backend.state()).toBe('ready');
  });
});

it('a backend never exceeds its limit of concurrent calls', () => {
  const { backend } = backendOf(2);
  backend.begin();
  backend.begin();
  expect(backend.state()).toBe('full');
  backend.end();
  expect(backend.state()).toBe('ready');
});

it('a backend starts again as healthy when its credential is replaced', () => {
  const { backend, fail } = backendOf();
  fail(5);
  backend.reset();
  expect([backend.state(), backend.isOpen]).toEqual(['ready', false]);
});
