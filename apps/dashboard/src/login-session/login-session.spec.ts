import type { Identity, Tokens } from './login-session.ts';
import { LoginSession } from './login-session.ts';

const tokens = (accessToken: string, expiresInMs = 600_000): Tokens => ({
  accessToken,
  expiresInMs,
  email: 'me@example.com',
});

/** A test identity provider that returns the given outcomes in order, and then null. */
function createIdentity(...given: (Tokens | null | Error)[]) {
  const calls = { renewals: 0, ends: 0 };
  const identity: Identity = {
    mayHaveSession: () => true,
    renew: () => {
      const next = given[calls.renewals++] ?? null;
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    },
    end: () => {
      calls.ends += 1;
      return Promise.reject(new Error('not reached'));
    },
  };
  return { identity, calls };
}

describe('the login session of a page', () => {
  it('is restored from an earlier visit', async () => {
    const session = new LoginSession();
    expect(session.state().status).toBe('restoring');
    await session.restore(createIdentity(tokens('one')).identity);
    expect(session.state()).toEqual({ status: 'signed-in', email: 'me@example.com' });
    expect(await session.token()).toBe('one');
  });

  it('renews a token before it expires, with one renewal for concurrent callers', async () => {
    const session = new LoginSession();
    const { identity, calls } = createIdentity(tokens('old', 1_000), tokens('new'));
    await session.restore(identity);
    expect(await Promise.all([session.token(), session.token(), session.renew('old')])).toEqual([
      'new',
      'new',
      'new',
    ]);
    expect(calls.renewals).toBe(2);
  });

  it('returns the replacement of a rejected token that was already renewed', async () => {
    const session = new LoginSession();
    const { identity, calls } = createIdentity(tokens('one'), tokens('two'));
    await session.restore(identity);
    await session.renew('one');
    expect(await session.renew('one')).toBe('two');
    expect(calls.renewals).toBe(2);
  });

  it('ends when the identity provider ends the session, and continues when the provider cannot be reached', async () => {
    const session = new LoginSession();
    await session.restore(createIdentity(tokens('one'), new Error('away'), null).identity);
    expect(await session.renew('one')).toBeNull();
    expect(session.state().status).toBe('signed-in');
    expect(await session.renew('one')).toBeNull();
    expect(session.state().status).toBe('signed-out');
  });

  it('ignores a renewal that was in progress when the login session ended', async () => {
    const session = new LoginSession();
    const { promise, resolve } = Promise.withResolvers<Tokens | null>();
    const { identity } = createIdentity(tokens('one'));
    await session.restore(identity);
    identity.renew = () => promise;
    const renewed = session.renew('one');
    const ended = session.end();
    resolve(tokens('two'));
    await ended;
    expect(await renewed).toBeNull();
    expect([session.state().status, await session.token()]).toEqual(['signed-out', null]);
  });

  it('does not continue when a different person signs in in another tab', async () => {
    let others = 0;
    const session = new LoginSession(() => {
      others += 1;
    });
    const other = { ...tokens('two'), email: 'other@example.com' };
    await session.restore(createIdentity(tokens('one'), other).identity);
    expect(await session.renew('one')).toBeNull();
    expect([others, await session.token()]).toEqual([1, null]);
  });

  it('ends in this browser even if the identity provider cannot be reached', async () => {
    const session = new LoginSession();
    const { identity, calls } = createIdentity(tokens('one'));
    await session.restore(identity);
    await session.end();
    expect([session.state().status, await session.token(), calls.ends]).toEqual(['signed-out', null, 1]);
  });
});
