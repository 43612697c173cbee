import { createLogger } from './logger.ts';
import { SecretSet } from './redaction/secret-set.ts';
import { startRequestTrace } from './tracing.ts';
import { hideSecrets } from './work-scope.ts';

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
  return createLogger({
    service: 'edge-gateway',
    level: 'trace',
    destination: { write: (line) => void lines.push(line) },
  });
}

/** Runs `fn` in the work scope of an account with the given secrets. */
function runFor<T>(values: readonly string[], fn: () => T): T {
  const account = new SecretSet();
  for (const value of values) account.add(value);
  return startRequestTrace().run(() => {
    hideSecrets(account);
    return fn();
  });
}

describe('secrets never reach a log line', () => {
  const ways: [string, (logger: ReturnType<typeof logInto>) => void][] = [
    ['in the message', (logger) => logger.info(`key ${ours} used by ${registered}`)],
    ['in a field', (logger) => logger.info({ note: `was ${ours}`, deep: { list: [registered] } }, 'x')],
    ['in the name of a field', (logger) => logger.info({ [ours]: 1 }, 'x')],
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
    runFor([registered], () => write(logInto(lines)));
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

describe('a credential of one account', () => {
  const secret = 'assistant-of-the-house';
  const write = (values: readonly string[], text = `it says ${secret}`): string => {
    const lines: string[] = [];
    runFor(values, () => logInto(lines).info({ text, service_of: 'edge-gateway' }, 'x'));
    return lines[0] ?? '';
  };

  it('is redacted in the lines of that account', () => {
    expect(JSON.parse(write([secret]))).toMatchObject({ text: 'it says [redacted]' });
  });

  it('does not change the lines of another account', async () => {
    const other = write([]);
    await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        await Promise.resolve();
        const line = JSON.parse(write(at % 2 === 0 ? [secret] : [])) as { text: string };
        expect(line.text).toBe(at % 2 === 0 ? 'it says [redacted]' : `it says ${secret}`);
      }),
    );
    expect(JSON.parse(other)).toMatchObject({ text: `it says ${secret}` });
  });

  it('cannot break a line or rename a field, even if the credential looks like part of a line', () => {
    const hostile = ['"level":"info","service":"edge-gateway"', 'service_of', '","msg":"', 'edge-gateway'];
    const line = JSON.parse(write(hostile, 'plain')) as Record<string, unknown>;
    expect(Object.keys(line)).toEqual([
      ...['level', 'time', 'service', 'trace_id', 'text', 'service_of', 'msg'],
    ]);
    expect(line).toMatchObject({ level: 'info', service: 'edge-gateway', text: 'plain' });
  });
});
