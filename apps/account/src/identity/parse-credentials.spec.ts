import { createSealingKeyPair, seal } from '@gateway/messaging';
import { identityCredentials } from '@gateway/contracts';
import { checkNewPassword, openFor, parseEmail } from './parse-credentials.ts';

const email = 'somebody@example.com';

it.each([
  [' Somebody@Example.COM ', email],
  ['ｓomebody@example.com', email],
  ['somebody', null],
  ['a@b', null],
  [`${'x'.repeat(250)}@example.com`, null],
])('parses the email address %j as %j', (text, parsed) => {
  expect(parseEmail(text)).toBe(parsed);
});

it.each(['elevenchars', 'x'.repeat(257), 'aaaaaaaaaaaaaa', 'Somebody@Example.com'])(
  'rejects the password %s',
  (password) => {
    expect(() => checkNewPassword(password, email, 'password')).toThrow();
  },
);

it('accepts any password of at least twelve characters that the other rules allow', () => {
  expect(() => checkNewPassword('correct hors', email, 'password')).not.toThrow();
});

describe('encrypted credentials', () => {
  const pair = createSealingKeyPair();
  const sealText = (text: string, to = pair.publicKey) => seal(Buffer.from(text), to);

  it('can be decrypted by their recipient', () => {
    const credentials = { email, password: 'a password', deviceTokens: ['a token'] };
    expect(openFor(pair, sealText(JSON.stringify(credentials)), identityCredentials)).toEqual(credentials);
  });

  it.each([
    ['another’s', sealText('{}', createSealingKeyPair().publicKey)],
    ['not JSON', sealText('a secret that is no JSON')],
    ['of another shape', sealText('{"password":"a secret"}')],
    ['not a sealed box', 'AAAA'],
  ])('are rejected without revealing their content when they are %s', (_what, box) => {
    expect.assertions(2);
    try {
      openFor(pair, box, identityCredentials);
    } catch (error) {
      expect(error).toMatchObject({ code: 'invalid_field' });
      expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('secret');
    }
  });
});
