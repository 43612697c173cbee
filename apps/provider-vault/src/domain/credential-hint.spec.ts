import { chooseHint } from './credential-hint.ts';

describe('the hint of a credential', () => {
  it('is its last four characters', () => {
    expect(chooseHint('sk-0123456789')).toBe('6789');
    expect(chooseHint('0123456789ab')).toBe('89ab');
  });

  it.each(['', 'a', '0123456789a', '👍'.repeat(11)])(
    'is none for %j, which is too short to show any of',
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
  ])('of several values is that of the one they are known by: %s', (credential, hint) => {
    expect(chooseHint(credential)).toBe(hint);
  });
});
