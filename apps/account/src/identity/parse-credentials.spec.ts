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
])('the e-mail address %j is %j', (text, parsed) => {
  expect(parseEmail(text)).toBe(parsed);
});

it.each(['elevenchars', 'x'.repeat(257), 'aaaaaaaaaaaaaa', 'Somebody@Example.com'])(
  'the password %s is refused',
  (password) => {
    expect(() => checkNewPassword(password, email, 'password')).toThrow();
  },
);

it('any other of twelve characters will do', () => {
  expect(() => checkNewPassword('correct hors', email, 'password')).not.toThrow();
});

describe('a sealed box of credentials', () => {
  const pair = createSealingKeyPair();
  const sealText = (text: string, to = pair.publicKey) => seal(Buffer.from(text), to);

  it('is opened by whom it was sealed to', () => {
    const credentials = { email, password: 'a password' };
    expect(openFor(pair, sealText(JSON.stringify(credentials)), identityCredentials)).toEqual(credentials);
  });

  it.each([
    ['another’s', sealText('{}', createSealingKeyPair().publicKey)],
    ['no JSON', sealText('a secret that is no JSON')],
    ['something else', sealText('{"password":"a secret"}')],
    ['no box', 'AAAA'],
  ])('says nothing of what is in it when it is %s', (_what, box) => {
    expect.assertions(2);
    try {
      openFor(pair, box, identityCredentials);
    } catch (error) {
      expect(error).toMatchObject({ code: 'invalid_field' });
      expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('secret');
    }
  });
});
