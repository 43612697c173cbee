import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig, secondEncoderDir } from './config.ts';

const complete = {
  NATS_URL: 'nats://127.0.0.1:4222',
  NATS_USER: 'tool-router',
  NATS_PASSWORD: 'x',
  HEALTH_PORT: '0',
};

describe('the configuration of the tool router', () => {
  it('uses the shipped models by default and accepts a missing reranker', () => {
    const { ROUTER_ENCODER_DIR, ROUTER_RERANKER_DIR } = loadConfig(complete);
    for (const directory of [ROUTER_ENCODER_DIR, ROUTER_RERANKER_DIR]) {
      expect(existsSync(join(directory, 'model.onnx'))).toBe(true);
    }
    const others = { ROUTER_ENCODER_DIR: '/models/big', ROUTER_RERANKER_DIR: 'none' };
    expect(loadConfig({ ...complete, ...others })).toMatchObject(others);
  });

  it('uses the second encoder only with `minilm`, and not with other models', () => {
    const directoryFor = (variables: Record<string, string>) =>
      secondEncoderDir(loadConfig({ ...complete, ROUTER_ENCODER: 'minilm', ...variables }));
    const directory = directoryFor({});
    expect(existsSync(join(directory ?? '', 'second-stage/model.onnx'))).toBe(true);
    expect(directoryFor({ ROUTER_ENCODER: '' })).toBeNull();
    expect(directoryFor({ ROUTER_ENCODER: 'static' })).toBeNull();
    expect(directoryFor({ ROUTER_ENCODER_DIR: '/models/big' })).toBeNull();
    expect(directoryFor({ ROUTER_RERANKER_DIR: 'none' })).toBeNull();
    expect(() => directoryFor({ ROUTER_ENCODER: 'big' })).toThrow(/ROUTER_ENCODER/);
  });

  it('reports all errors in one message', () => {
    expect(() =>
      loadConfig({
        ...complete,
        NATS_URL: '',
        HEALTH_PORT: 'x',
        LOG_LEVEL: 'loud',
        ROUTER_INFERENCE_THREADS: '0',
      }),
    ).toThrow(/NATS_URL[^]*HEALTH_PORT[^]*LOG_LEVEL[^]*ROUTER_INFERENCE_THREADS/);
  });
});
