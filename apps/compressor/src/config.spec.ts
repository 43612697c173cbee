import { loadConfig } from './config.ts';

describe('the compressor configuration', () => {
  it('lists every invalid variable in one error', () => {
    expect(() => loadConfig({ NATS_URL: '', HEALTH_PORT: 'x' })).toThrow(
      /NATS_URL[^]*NATS_USER[^]*HEALTH_PORT[^]*REDIS_CACHE_URL[^]*ORIGINALS_KEY/,
    );
  });
});
