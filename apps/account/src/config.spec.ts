import { loadConfig } from './config.ts';

const complete = {
  NATS_URL: 'nats://127.0.0.1:4222',
  NATS_USER: 'account',
  NATS_PASSWORD: 'x',
  HEALTH_PORT: '0',
  ACCOUNT_DATABASE_URL: 'postgresql://account:x@127.0.0.1/account',
  REDIS_CACHE_URL: 'redis://127.0.0.1:6379',
  KEY_PEPPER: Buffer.alloc(32, 1).toString('base64'),
  SESSION_SECRET: Buffer.alloc(32, 2).toString('base64'),
};

describe('the account service configuration', () => {
  it('returns the pepper as bytes', () => {
    expect(loadConfig(complete).KEY_PEPPER).toEqual(Buffer.alloc(32, 1));
  });

  it('lists every invalid variable in one error', () => {
    const start = () => loadConfig({ KEY_PEPPER: 'c2hvcnQ=' });
    for (const variable of [
      'NATS_URL',
      'NATS_PASSWORD',
      'HEALTH_PORT',
      'ACCOUNT_DATABASE_URL',
      'KEY_PEPPER',
    ]) {
      expect(start).toThrow(variable);
    }
    expect(start).not.toThrow('c2hvcnQ');
  });

  it.each(['mysql://a@b/c', 'nonsense'])('rejects the database URL %s', (url) => {
    expect(() => loadConfig({ ...complete, ACCOUNT_DATABASE_URL: url })).toThrow('ACCOUNT_DATABASE_URL');
  });

  const mail = {
    SMTP_URL: 'smtp://user:hunter2hunter2@mail.example:587',
    MAIL_FROM: 'Agent gateway <noreply@gateway.example>',
    PUBLIC_URL: 'https://gateway.example/',
  };

  it('accepts a mail server with a sender address and a public address', () => {
    expect(loadConfig({ ...complete, ...mail })).toMatchObject({
      MAIL_FROM: mail.MAIL_FROM,
      PUBLIC_URL: 'https://gateway.example',
    });
    expect(loadConfig({ ...complete, SMTP_URL: '', MAIL_FROM: '', PUBLIC_URL: '' }).SMTP_URL).toBeUndefined();
  });

  it.each([
    ['MAIL_FROM', { MAIL_FROM: undefined }],
    ['MAIL_FROM', { MAIL_FROM: 'nobody' }],
    ['MAIL_FROM', { MAIL_FROM: 'a\r\nBcc: b@example.com <a@example.com>' }],
    ['MAIL_FROM', { SMTP_URL: undefined }],
    ['PUBLIC_URL', { PUBLIC_URL: undefined }],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://gateway.example/path' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'javascript:alert(1)' }],
    ['SMTP_URL', { SMTP_URL: 'https://mail.example' }],
    ['SMTP_URL', { SMTP_URL: `${mail.SMTP_URL}?logger=true` }],
  ])('rejects incomplete mail settings and reports %s', (variable, change) => {
    const start = () => loadConfig({ ...complete, ...mail, ...change });
    expect(start).toThrow(variable);
    expect(start).not.toThrow('hunter2');
  });
});
