import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from './config.ts';

const complete = {
  NATS_URL: 'nats://127.0.0.1:4222',
  NATS_USER: 'tool-router',
  NATS_PASSWORD: 'x',
  HEALTH_PORT: '0',
};

describe('the configuration', () => {
  it('takes the shipped encoder unless another is named', () => {
    expect(existsSync(join(loadConfig(complete).ROUTER_ENCODER_DIR, 'model.onnx'))).toBe(true);
    expect(loadConfig({ ...complete, ROUTER_ENCODER_DIR: '/models/big' }).ROUTER_ENCODER_DIR).toBe(
      '/models/big',
    );
  });

  it('lists every error when it is wrong', () => {
    expect(() => loadConfig({ ...complete, NATS_URL: '', HEALTH_PORT: 'x', LOG_LEVEL: 'loud' })).toThrow(
      /NATS_URL[^]*HEALTH_PORT[^]*LOG_LEVEL/,
    );
  });
});
