import { createLineLog } from './line-log.ts';
import { createLogger } from './logger.ts';
import { SecretSet } from './redaction/secret-set.ts';
import { startRequestTrace } from './tracing.ts';
import { hideSecrets } from './work-scope.ts';

function logInto(lines: string[], level = 'info') {
  const destination = { write: (line: string) => void lines.push(line) };
  const shared = { service: 'edge', instanceId: 'one', level, destination };
  return { lineLog: createLineLog('request', shared), logger: createLogger(shared) };
}

describe('a line log', () => {
  it('writes the same line as the general logger', () => {
    const lines: string[] = [];
    const { lineLog, logger } = logInto(lines);
    const fields = { request_id: 'r', ms: { total: 1.5 }, left_out: undefined };
    lineLog.write(fields);
    logger.info(fields, 'request');
    const [one, other] = lines.map((line) => ({ ...(JSON.parse(line) as object), time: null }));
    expect(one).toEqual(other);
  });

  it('writes the time on each line', () => {
    const lines: string[] = [];
    const times = [999, 1_000, 1_001, 1_999, 3_000, 2_999, 1_790_000_000_042, 0];
    const left = [...times];
    const lineLog = createLineLog('request', {
      service: 'edge',
      instanceId: 'one',
      level: 'info',
      destination: { write: (line) => void lines.push(line) },
      now: () => left.shift() ?? NaN,
    });
    while (left.length > 0) lineLog.write({});
    expect(lines.map((line) => (JSON.parse(line) as { time: string }).time)).toEqual(
      times.map((time) => new Date(time).toISOString()),
    );
  });

  it('redacts secrets in every field', () => {
    const lines: string[] = [];
    const { lineLog } = logInto(lines);
    const secrets = new SecretSet();
    secrets.add('provider-secret-value');
    startRequestTrace().run(() => {
      hideSecrets(secrets);
      lineLog.write({ error_detail: 'refused provider-secret-value and sk-live-1234567890', password: 'x' });
    });
    expect(lines[0]).not.toMatch(/provider-secret-value|sk-live|"x"/);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ password: '[redacted]' });
  });

  it('writes nothing if the log level is above info', () => {
    const lines: string[] = [];
    logInto(lines, 'warn').lineLog.write({ request_id: 'r' });
    expect(lines).toEqual([]);
  });
});
