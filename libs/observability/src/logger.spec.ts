import { createLogger } from './logger.ts';
import { createSecretRedactor } from './secret-redactor.ts';

const registered = 'Zq8"x\\yW-0f3k_provider';
const ours = `sk-svc-${'a1B2'.repeat(8)}`;
const secrets = [
  ours,
  'sk-proj-9f8e7d6c5b4a',
  'eyJhbGciOi.J9eyJzdWIi.OiIxMjM0',
  'p4ssw0rd-of-db',
  registered,
];

function logInto(lines: string[]) {
  const redact = createSecretRedactor();
  redact.register(registered);
  return createLogger({
    service: 'edge-gateway',
    level: 'trace',
    redact,
    destination: { write: (line) => void lines.push(line) },
  });
}

describe('secrets never reach a log line', () => {
  const ways: [string, (logger: ReturnType<typeof logInto>) => void][] = [
    ['in the message', (logger) => logger.info(`key ${ours} used by ${registered}`)],
    ['in a field', (logger) => logger.info({ note: `was ${ours}`, deep: { list: [registered] } }, 'x')],
    ['in the name of a field', (logger) => logger.info({ [ours]: 1, [registered]: 2 }, 'x')],
    [
      'in an error, its stack and its cause',
      (logger) => {
        const cause = new Error(`refused ${registered}`);
        logger.error({ err: new Error(`401 for Bearer ${secrets[2] ?? ''}`, { cause }) }, 'x');
      },
    ],
    [
      'in a header',
      (logger) => logger.warn({ headers: { authorization: `Bearer ${secrets[2] ?? ''}` } }, 'x'),
    ],
    ['in an address', (logger) => logger.warn(`postgres://account:${secrets[3] ?? ''}@db:5432/account`)],
    ['in a child logger', (logger) => logger.child({ key: secrets[1] }).info('x')],
    ['in an interpolated value', (logger) => logger.info('with %s and %o', ours, { registered })],
  ];

  it.each(ways)('%s', (_where, write) => {
    const lines: string[] = [];
    write(logInto(lines));
    expect(lines).toHaveLength(1);
    const line = lines[0] ?? '';
    expect(() => void JSON.parse(line)).not.toThrow();
    expect(line).toContain('[redacted]');
    for (const secret of secrets) {
      expect(line).not.toContain(secret);
      expect(line).not.toContain(JSON.stringify(secret).slice(1, -1));
    }
  });

  it('in a field whose name indicates a secret, whatever its value', () => {
    const lines: string[] = [];
    logInto(lines).info({ password: 'abc', nested: { apiKey: 'short' } }, 'x');
    expect(lines[0]).not.toMatch(/abc|short/);
  });
});

describe('the redactor', () => {
  it('redacts session and refresh tokens by format, and passwords by field name', () => {
    const jwt = ['eyJhbGciOiJFUzI1NiJ9', 'eyJzdWIiOiJzb21lYm9keSJ9', 'c2lnbmF0dXJlLW9mLWl0'].join('.');
    const refresh = `rt-svc-${'Ab3_-'.repeat(8)}xyz`;
    const line = JSON.stringify({
      msg: `a token ${jwt} and ${refresh}`,
      nested: { current_password: 'first one', newPassword: 'second', refresh_token: 'x', accessToken: 'y' },
    });
    const redacted = createSecretRedactor().redact(line);
    expect(redacted).not.toMatch(/eyJ|rt-svc-|first one|second|"x"|"y"/);
    expect(() => JSON.parse(redacted) as unknown).not.toThrow();
  });

  it.each(['', 'x-', 'session-token.value.', 'gateway-service.example.'])(
    'redacts a session token after “%s”',
    (before) => {
      const jwt = ['eyJhbGciOiJFUzI1NiJ9', 'eyJzdWIiOiJzb21lYm9keSJ9', 'c2lnbmF0dXJlLW9mLWl0'].join('.');
      expect(createSecretRedactor().redact(before + jwt)).toBe(`${before}[redacted]`);
    },
  );

  it('keeps other text unchanged', () => {
    const text = 'a task-list with risk-free words, sk-1 and a bearer of news at http://127.0.0.1:8080/v1';
    expect(createSecretRedactor().redact(text)).toBe(text);
  });

  it('finds a value at any position, even next to another value with the same prefix', () => {
    const redactor = createSecretRedactor();
    redactor.register('abcdefgh');
    redactor.register('abcdefghijkl');
    expect(redactor.redact('xabcdefghijklyabcdefgh')).toBe('x[redacted]y[redacted]');
  });

  it('forgets values that have not been registered for a long time', () => {
    let time = 0;
    const redactor = createSecretRedactor(10, () => time);
    redactor.register('first-secret');
    redactor.register('second-secret');
    time = 1_000;
    redactor.register('first-secret');
    redactor.forgetOlder(1_000);
    expect(redactor.redact('first-secret second-secret')).toBe('[redacted] [redacted]');
    redactor.forgetOlder(999);
    expect(redactor.redact('first-secret second-secret')).toBe('[redacted] second-secret');
    redactor.forgetOlder(-1);
    expect(redactor.redact('first-secret')).toBe('first-secret');
  });

  it('holds a limited number of values and forgets the oldest', () => {
    const redactor = createSecretRedactor(2);
    for (const secret of ['first-secret', 'second-secret', 'first-secret', 'third-secret']) {
      redactor.register(secret);
    }
    expect(redactor.redact('first-secret second-secret third-secret')).toBe(
      '[redacted] second-secret [redacted]',
    );
  });

  it('takes less than half a millisecond for a line of 2 kB with 4,096 registered values', () => {
    const redactor = createSecretRedactor();
    for (let n = 0; n < 4_096; n += 1) redactor.register(`provider-credential-${n}-${Math.sin(n)}`);
    const line = JSON.stringify({ text: 'the quick brown fox '.repeat(100) });
    const rounds = 500;
    // CPU time, because elapsed time depends on the load of the machine.
    const from = process.cpuUsage();
    for (let round = 0; round < rounds; round += 1) redactor.redact(line);
    expect(process.cpuUsage(from).user / 1_000 / rounds).toBeLessThan(0.5);
  });
});
