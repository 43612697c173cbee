import { createSealingKeyPair, seal } from '@gateway/messaging';
import { secretBytesMax } from '../domain/bounds.ts';
import { openSealedSecret } from './open-sealed-secret.ts';

describe('a credential on its way in', () => {
  const [current, older] = [createSealingKeyPair(), createSealingKeyPair()];
  const pairs = [current, older];
  const sealed = (text: string, publicKey = current.publicKey) => seal(Buffer.from(text), publicKey);

  it.each([
    ['current', current],
    ['older', older],
  ])('opens when it was sealed to the %s key', (_, pair) => {
    expect(openSealedSecret(sealed('{"apiKey":"k"}', pair.publicKey), pairs)).toEqual({ apiKey: 'k' });
  });

  it('sends the gateway to fetch the key again when none opens it', () => {
    const box = sealed('{"apiKey":"k"}', createSealingKeyPair().publicKey);
    expect(() => openSealedSecret(box, pairs)).toThrow(
      expect.objectContaining({ code: 'service_unavailable' }),
    );
  });

  it.each([
    '',
    'my-secret-value',
    '"my-secret-value"',
    '{"key":"my-secret-value"}',
    '{"apiKey":""}',
    '{"apiKey":7}',
  ])('is refused when it is %j, and the error holds none of it', (text) => {
    const open = () => openSealedSecret(sealed(text), pairs);
    expect(open).toThrow(expect.objectContaining({ code: 'invalid_field', cause: undefined }));
    expect(open).not.toThrow(/my-secret/);
  });

  it('is refused when it is longer than any credential', () => {
    const text = JSON.stringify({ apiKey: 'k'.repeat(secretBytesMax) });
    expect(() => openSealedSecret(sealed(text), pairs)).toThrow(
      expect.objectContaining({ code: 'invalid_field' }),
    );
  });
});
