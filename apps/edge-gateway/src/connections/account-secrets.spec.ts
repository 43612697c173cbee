import { AccountSecrets } from './account-secrets.ts';

const minuteMs = 60_000;

describe('the known secrets of an account', () => {
  it('are redacted only in texts of the same account', () => {
    const secrets = new AccountSecrets();
    secrets.note('a', ['secret-of-a-0123']);
    secrets.note('b', ['secret-of-b-0123']);
    const text = 'secret-of-a-0123 secret-of-b-0123';
    expect(secrets.of('a').redact(text)).toBe('[redacted] secret-of-b-0123');
    expect(secrets.of('b').redact(text)).toBe('secret-of-a-0123 [redacted]');
    expect(secrets.of('c').redact(text)).toBe(text);
  });

  it('are redacted for a request even if the request began before the secrets were loaded', () => {
    const secrets = new AccountSecrets();
    const own = secrets.of('a');
    secrets.note('a', ['secret-of-a-0123']);
    expect(own.redact('secret-of-a-0123')).toBe('[redacted]');
  });

  it('never displace the secrets of another account', () => {
    const secrets = new AccountSecrets();
    secrets.note('calm', ['secret-of-calm-0123']);
    const many = Array.from({ length: 10_000 }, (_, at) => `secret-of-busy-${at}`);
    secrets.note('busy', many);
    expect(secrets.of('busy').size).toBeLessThan(many.length);
    expect(secrets.of('calm').redact('secret-of-calm-0123')).toBe('[redacted]');
  });

  it('are dropped 15 minutes after their last use', () => {
    const secrets = new AccountSecrets();
    secrets.note('a', ['secret-of-a-0123'], 0);
    secrets.forgetOld(15 * minuteMs);
    expect(secrets.of('a').size).toBe(1);
    secrets.forgetOld(15 * minuteMs + 1);
    expect(secrets.of('a').size).toBe(0);
  });
});
