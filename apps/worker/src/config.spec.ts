import { loadConfig } from './config.ts';

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const environment = {
  ...{ NATS_URL: 'nats://127.0.0.1:4222', NATS_USER: 'worker', NATS_PASSWORD: 'x', HEALTH_PORT: '1' },
  ...{ TELEMETRY_DATABASE_URL: 'postgres://127.0.0.1/telemetry', REDIS_URL: 'redis://127.0.0.1' },
};

describe('the worker configuration', () => {
  it('lists every error in an invalid configuration', () => {
    expect(() => loadConfig({ HEALTH_PORT: 'x' })).toThrow(
      /NATS_URL[^]*HEALTH_PORT[^]*TELEMETRY_DATABASE_URL[^]*REDIS_URL[^]*CONTENT_KEYS/,
    );
  });

  it('accepts one or more content keys with 32 bytes each', () => {
    const keysOf = (CONTENT_KEYS: string) => loadConfig({ ...environment, CONTENT_KEYS }).CONTENT_KEYS;
    expect(keysOf(key(1))).toEqual([Buffer.alloc(32, 1)]);
    expect(keysOf(`${key(2)}, ${key(1)}\n`)).toEqual([Buffer.alloc(32, 2), Buffer.alloc(32, 1)]);
    for (const wrong of ['', ' ', 'no base64!', Buffer.alloc(31).toString('base64')])
      expect(() => keysOf(wrong)).toThrow(/CONTENT_KEYS/);
  });
});
