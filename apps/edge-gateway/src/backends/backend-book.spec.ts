import { BackendBook } from './backend-book.ts';
import type { Backend } from './backend.ts';

function openBook() {
  const told: unknown[] = [];
  const broadcast = (...news: unknown[]) => told.push(news);
  const book = new BackendBook({
    inFlightMax: 10,
    messaging: { broadcast, onBroadcast: () => undefined },
    metrics: { breakerChanges: { inc: () => undefined }, watchOpenBreakers: () => undefined } as never,
  });
  return { book, told };
}

function fail(backend: Backend): void {
  for (let at = 0; at < 5; at += 1) {
    backend.begin();
    backend.noteFailure({ kind: 'unreachable', retryAfterMs: undefined });
    backend.end();
  }
}

const place = { accountId: 'a', provider: 'hosted' };
const credential = (region: string, key = 'key'): string => JSON.stringify({ api_key: key, region });

describe('a provider credential that a request contains', () => {
  it('has a separate circuit breaker: its failures do not affect the stored credential', () => {
    const { book, told } = openBook();
    const stored = book.find({ ...place, credential: 0 });
    fail(book.findForRequest(place, credential('zz-none-1')));
    expect(book.findForRequest(place, credential('zz-none-1')).state()).toBe('open');
    expect(stored.state()).toBe('ready');
    expect(told).toEqual([]);
  });

  it('has one circuit breaker per key, region and account', () => {
    const { book } = openBook();
    fail(book.findForRequest(place, credential('zz-none-1')));
    const others = [
      book.findForRequest(place, credential('eu-west-1')),
      book.findForRequest(place, credential('zz-none-1', 'another')),
      book.findForRequest({ ...place, accountId: 'b' }, credential('zz-none-1')),
    ];
    expect(others.map((backend) => backend.state())).toEqual(['ready', 'ready', 'ready']);
    expect(book.openCount).toBe(1);
  });

  it('is forgotten once its account has used 32 other credentials, and credentials of other accounts are kept', () => {
    const { book } = openBook();
    const [first, foreign] = [
      book.findForRequest(place, credential('eu-west-1', 'first')),
      book.findForRequest({ ...place, accountId: 'b' }, credential('eu-west-1')),
    ];
    for (let at = 0; at < 32; at += 1) book.findForRequest(place, credential('eu-west-1', `key ${at}`));
    expect(book.findForRequest(place, credential('eu-west-1', 'first'))).not.toBe(first);
    expect(book.findForRequest({ ...place, accountId: 'b' }, credential('eu-west-1'))).toBe(foreign);
  });
});
