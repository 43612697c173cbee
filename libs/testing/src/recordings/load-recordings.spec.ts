import { mayLackRecordings, findSharedData } from './load-recordings.ts';

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

it('only a folder given with --data may lack a kind of recording in CI', () => {
  process.env['CI'] = 'true';
  expect(mayLackRecordings('/srv/wire')).toBe(true);
  expect(mayLackRecordings('')).toBe(false);
  expect(mayLackRecordings(undefined)).toBe(false);
});
