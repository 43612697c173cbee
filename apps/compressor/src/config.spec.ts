import { loadConfig } from './config.ts';

describe('the configuration', () => {
  it('lists every error when it is wrong', () => {
    expect(() => loadConfig({ NATS_URL: '', HEALTH_PORT: 'x' })).toThrow(
      /NATS_URL[^]*NATS_USER[^]*HEALTH_PORT[^]*REDIS_CACHE_URL[^]*ORIGINALS_KEY/,
    );
  });
});
