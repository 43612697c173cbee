import { findSharedData } from './shared-data.ts';

const ci = process.env['CI'];
afterEach(() => {
  if (ci === undefined) delete process.env['CI'];
  else process.env['CI'] = ci;
});

describe('missing recorded data', () => {
  it('makes tests skip on a development machine', () => {
    delete process.env['CI'];
    expect(findSharedData('no-such-folder')).toBeUndefined();
  });

  it('makes tests fail in CI', () => {
    process.env['CI'] = 'true';
    expect(() => findSharedData('no-such-folder')).toThrow('no-such-folder is missing');
  });
});
