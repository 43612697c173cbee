import { randomBytes } from 'node:crypto';
import { newId } from '@gateway/persistence';
import { openContent, sealContent } from './content-seal.ts';

const key = randomBytes(32);
const place = { accountId: newId(), requestId: newId() };
const content = Buffer.from('What is the capital of France? Paris.');

describe('encrypted request content', () => {
  const sealed = sealContent(key, place, content);

  it('can be decrypted for its account and request, with a key at any position in the list', () => {
    expect(openContent([key], place, sealed)).toEqual(content);
    expect(openContent([randomBytes(32), key], place, sealed)).toEqual(content);
  });

  it('cannot be decrypted for another account or request, or with another key', () => {
    expect(openContent([key], { ...place, accountId: newId() }, sealed)).toBeNull();
    expect(openContent([key], { ...place, requestId: newId() }, sealed)).toBeNull();
    expect(openContent([randomBytes(32)], place, sealed)).toBeNull();
    expect(openContent([], place, sealed)).toBeNull();
  });

  it('cannot be decrypted when a byte is changed or missing', () => {
    for (let at = 0; at < sealed.length; at += 7) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(openContent([key], place, changed)).toBeNull();
    }
    for (const length of [0, 10, sealed.length - 1])
      expect(openContent([key], place, sealed.subarray(0, length))).toBeNull();
  });

  it('does not reveal its content, and differs with each encryption', () => {
    expect(sealed.includes('Paris')).toBe(false);
    expect(sealContent(key, place, content)).not.toEqual(sealed);
  });
});
