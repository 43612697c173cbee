import { createSealingKeyPair, seal } from '@gateway/messaging';
import { chooseHint, openSealedSecret, secretBytesMax } from './credential-secret.ts';

describe('a credential that the vault receives', () => {
  const [current, older] = [createSealingKeyPair(), createSealingKeyPair()];
  const pairs = [current, older].map((pair) => () => Promise.resolve(pair));
  const sealed = (text: string, publicKey = current.publicKey) => seal(Buffer.from(text), publicKey);

  it.each([
    ['current', current],
    ['older', older],
  ])('is decrypted if it was encrypted with the %s key', async (_, pair) => {
    await expect(openSealedSecret(sealed('{"apiKey":"k"}', pair.publicKey), pairs)).resolves.toEqual({
      fields: { apiKey: Buffer.from('k') },
      hint: null,
      additionalKeys: 0,
    });
  });

  it('is decrypted with the current key without unwrapping an older key', async () => {
    const unused = () => Promise.reject(new Error('unwrapped'));
    await expect(openSealedSecret(sealed('{"apiKey":"k"}'), [pairs[0]!, unused])).resolves.toBeDefined();
  });

  it('fails with a retryable error if no key can decrypt it, so that the gateway fetches the public key again', async () => {
    const box = sealed('{"apiKey":"k"}', createSealingKeyPair().publicKey);
    await expect(openSealedSecret(box, pairs)).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it.each(['', 'my-secret-value', '"my-secret-value"', '{"key":"my-secret-value"}', '{"apiKey":7}'])(
    'is rejected if it is %j, and the error does not reveal the credential',
    async (text) => {
      const opening = openSealedSecret(sealed(text), pairs);
      await expect(opening).rejects.toMatchObject({ code: 'invalid_field', cause: undefined });
      await expect(opening).rejects.not.toThrow(/my-secret/);
    },
  );

  it('is rejected if it is too long', async () => {
    const text = JSON.stringify({ apiKey: 'k'.repeat(secretBytesMax) });
    await expect(openSealedSecret(sealed(text), pairs)).rejects.toMatchObject({ code: 'invalid_field' });
  });
});

describe('the hint that is shown for a credential', () => {
  it('contains the last four characters of the credential', () => {
    expect(chooseHint('sk-0123456789')).toBe('6789');
    expect(chooseHint('0123456789ab')).toBe('89ab');
  });

  it.each(['', 'a', '0123456789a', '👍'.repeat(11)])(
    'is null for %j, because the credential is too short to show any part',
    (text) => {
      expect(chooseHint(text)).toBeNull();
    },
  );

  it.each([
    ['{"access_key_id":"AKIAIOSFODNN7WXYZ","secret_access_key":"never-shown-0123"}', 'WXYZ'],
    ['{"api_key":"bedrock-api-key-abcd","region":"eu-west-1"}', 'abcd'],
    ['{"client_email":"a@b.c","private_key_id":"0123456789ef","private_key":"-----END-----"}', '89ef'],
    ['{"secret_access_key":"never-shown-0123"}', null],
    ['{not json, a key all the same', 'same'],
  ])('is taken from the identifying field when there are several fields: %s', (credential, hint) => {
    expect(chooseHint(credential)).toBe(hint);
  });
});
