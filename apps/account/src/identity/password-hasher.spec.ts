import { hash } from '@node-rs/argon2';
import { PasswordHasher, passwordCost } from './password-hasher.ts';

describe('password hashing', () => {
  const passwords = new PasswordHasher({ slots: 2 });

  it('uses argon2id at the documented cost, with a separate salt per password', async () => {
    const [one, other] = await Promise.all([passwords.hash('a password'), passwords.hash('a password')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(other);
  });

  it('accepts only the same password, in every Unicode form', async () => {
    const stored = await passwords.hash('caf\u00e9 au lait');
    expect(await passwords.verify(stored, 'cafe\u0301 au lait')).toBe(true);
    expect(await passwords.verify(stored, 'cafe au lait')).toBe(false);
    expect(await passwords.verify(stored, 'caf\u00e9 au lait ')).toBe(false);
  });

  it('rejects any password for an unknown user, in the same time as a wrong password', async () => {
    const stored = await passwords.hash('a password');
    // The test measures CPU time, because wall-clock time depends on other processes.
    const timeOf = async (of: string | null) => {
      const before = process.cpuUsage();
      for (let n = 0; n < 5; n++) expect(await passwords.verify(of, 'nobody has this password')).toBe(false);
      return process.cpuUsage(before).user;
    };
    await timeOf(null);
    const [known, unknown] = [await timeOf(stored), await timeOf(null)];
    expect(unknown).toBeGreaterThan(known / 3);
    expect(known).toBeGreaterThan(unknown / 3);
  });

  it('reports hashes that were created with a different cost as outdated', async () => {
    expect(passwords.isOutdated(await passwords.hash('a password'))).toBe(false);
    expect(passwords.isOutdated(await hash('a password', { ...passwordCost, timeCost: 1 }))).toBe(true);
  });

  it('rejects a password when the queue of waiting passwords is full', async () => {
    const crowded = new PasswordHasher({ slots: 1, waitingMax: 3 });
    const calls = Array.from({ length: 10 }, () =>
      crowded.hash('x').then(
        () => 'hashed',
        (error: unknown) => (error as { code?: string }).code,
      ),
    );
    const outcomes = await Promise.all(calls);
    expect(outcomes.filter((outcome) => outcome === 'hashed')).toHaveLength(4);
    expect(outcomes.filter((outcome) => outcome === 'service_unavailable')).toHaveLength(6);
  });

  it('still checks passwords if the queue overflowed before the first check', async () => {
    const crowded = new PasswordHasher({ slots: 1, waitingMax: 1 });
    const crowd = [crowded.hash('a password'), crowded.hash('a password')];
    await expect(crowded.verify(null, 'x')).rejects.toMatchObject({ code: 'service_unavailable' });
    const [stored = ''] = await Promise.all(crowd);
    await expect(crowded.verify(stored, 'a password')).resolves.toBe(true);
  });
});
