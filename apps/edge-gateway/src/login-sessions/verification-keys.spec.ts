import { createPublicKey } from 'node:crypto';
import { setTimeout as waitMs } from 'node:timers/promises';
import { createIssuerKey, type IssuerKey } from '@gateway/testing';
import { VerificationKeys } from './verification-keys.ts';

/**
 * Pause between two fetches of the key set, in milliseconds. Even on a busy machine, one pause is long enough
 * for all calls in a test.
 */
const pauseMs = 4_000;

/** A fake issuer that counts how often its key set is fetched. */
function createSource(...first: IssuerKey[]) {
  const source = { keys: first, reads: 0, away: false };
  const fetchKeySet = () => {
    source.reads += 1;
    if (source.away) return Promise.reject(new Error('away'));
    const keys = source.keys.map(({ kid, alg, publicKey }) => ({
      ...publicKey.export({ format: 'jwk' }),
      kid,
      alg,
    }));
    return Promise.resolve({ keys });
  };
  return { source, keys: new VerificationKeys({ fetchKeySet, pauseMs }) };
}

describe('an issuer’s verification keys', () => {
  const [one, other] = [createIssuerKey('ES256'), createIssuerKey('RS256')];

  it('are found by id and algorithm with a single fetch', async () => {
    const { source, keys } = createSource(one, other);
    const [found, again] = await Promise.all([keys.find('ES256', one.kid), keys.find('ES256', one.kid)]);
    expect(found).toBe(again);
    expect(createPublicKey(found!).equals(one.publicKey)).toBe(true);
    expect(await keys.find('RS256', other.kid)).toContain('PUBLIC KEY');
    expect(await keys.find('RS256', one.kid)).toBeNull();
    expect(source.reads).toBe(1);
  });

  it('are fetched at most once per pause, even if many unknown keys are requested', async () => {
    const { source, keys } = createSource(one);
    await keys.find('ES256', one.kid);
    for (let n = 0; n < 100; n++) expect(await keys.find('ES256', `unknown-${n}`)).toBeNull();
    expect(source.reads).toBe(1);
    source.keys = [other];
    await waitMs(pauseMs + 20);
    expect(await keys.find('RS256', other.kid)).not.toBeNull();
    expect(await keys.find('ES256', one.kid)).toBeNull();
    expect(source.reads).toBe(2);
  });

  it('are not fetched repeatedly while the issuer is unavailable', async () => {
    const { source, keys } = createSource(one);
    source.away = true;
    for (let n = 0; n < 5; n++)
      await expect(keys.find('ES256', one.kid)).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(source.reads).toBe(1);
    source.away = false;
    await waitMs(pauseMs + 20);
    expect(await keys.find('ES256', one.kid)).not.toBeNull();
  });

  it.each([{}, { keys: 'none' }, [], null, { keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: 'x' }] }])(
    'are empty for the key set %j',
    async (answer) => {
      const keys = new VerificationKeys({ fetchKeySet: () => Promise.resolve(answer), pauseMs });
      const found = await keys
        .find('ES256', 'x')
        .catch((error: unknown) => (error as { code?: string }).code);
      expect([null, 'service_unavailable']).toContain(found);
    },
  );
});
