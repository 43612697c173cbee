import { randomBytes } from 'node:crypto';
import { deriveConversationKeys, nameOriginal, openOriginal, sealOriginal } from './original-seal.ts';

const key = randomBytes(32);
const scope = { accountId: '0198b5c0-0000-7000-8000-000000000001', session: 'ab'.repeat(32) };
const others = [
  deriveConversationKeys(key, { ...scope, accountId: '0198b5c0-0000-7000-8000-000000000002' }),
  deriveConversationKeys(key, { ...scope, session: 'cd'.repeat(32) }),
  deriveConversationKeys(randomBytes(32), scope),
];
const id = '0123456789ab';
const original = Buffer.from('ten lines of a log');

describe('a stored original text', () => {
  const keys = deriveConversationKeys(key, scope);
  const sealed = sealOriginal(keys, id, original);

  it('can be found and decrypted in its own account and conversation', () => {
    expect(openOriginal(deriveConversationKeys(key, scope), id, sealed)).toEqual(original);
    expect(nameOriginal(deriveConversationKeys(key, scope), id)).toBe(nameOriginal(keys, id));
  });

  it('cannot be found or decrypted in another account or conversation, or without the key', () => {
    for (const other of others) {
      expect(nameOriginal(other, id)).not.toBe(nameOriginal(keys, id));
      expect(openOriginal(other, id, sealed)).toBeNull();
    }
  });

  it('cannot be decrypted with another id, after a change or after truncation', () => {
    expect(openOriginal(keys, '0123456789ac', sealed)).toBeNull();
    expect(openOriginal(keys, id, sealed.subarray(0, 20))).toBeNull();
    for (const at of [0, 12, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] as number) ^ 1;
      expect(openOriginal(keys, id, changed)).toBeNull();
    }
  });

  it('reveals neither its text nor its id', () => {
    expect(sealed.includes('log')).toBe(false);
    expect(nameOriginal(keys, id)).not.toContain(id);
  });
});
