import { createSealingKeyPair, seal } from '@gateway/messaging';
import { secretBytesMax } from '../domain/bounds.ts';
import { openSealedSecret } from './open-sealed-secret.ts';

describe('a credential on its way in', () => {
  const [current, older] = [createSealingKeyPair(), createSealingKeyPair()];
  const pairs = [current, older].map((pair) => () => Promise.resolve(pair));
  const sealed = (text: string, publicKey = current.publicKey) => seal(Buffer.from(text), publicKey);

  it.each([
    ['current', current],
    ['older', older],
  ])('opens when it was sealed to the %s key', async (_, pair) => {
    await expect(openSealedSecret(sealed('{"apiKey":"k"}', pair.publicKey), pairs)).resolves.toEqual({
      fields: { apiKey: Buffer.from('k') },
      hint: null,
      additionalKeys: 0,
    });
  });

  it('unwraps no older key when the present one opens it', async () => {
    const unused = () => Promise.reject(new Error('unwrapped'));
    await expect(openSealedSecret(sealed('{"apiKey":"k"}'), [pairs[0]!, unused])).resolves.toBeDefined();
  });

  it('sends the gateway to fetch the key again when none opens it', async () => {
    const box = sealed('{"apiKey":"k"}', createSealingKeyPair().publicKey);
    await expect(openSealedSecret(box, pairs)).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it.each(['', 'my-secret-value', '"my-secret-value"', '{"key":"my-secret-value"}', '{"apiKey":7}'])(
    'is refused when it is %j, and the error holds none of it',
    async (text) => {
      const opening = openSealedSecret(sealed(text), pairs);
      await expect(opening).rejects.toMatchObject({ code: 'invalid_field', cause: undefined });
      await expect(opening).rejects.not.toThrow(/my-secret/);
    },
  );

  it('is refused when it is longer than any credential', async () => {
    const text = JSON.stringify({ apiKey: 'k'.repeat(secretBytesMax) });
    await expect(openSealedSecret(sealed(text), pairs)).rejects.toMatchObject({ code: 'invalid_field' });
  });
});
