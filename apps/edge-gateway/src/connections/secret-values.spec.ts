import { secretValues } from './secret-values.ts';

describe('the values of a credential that must not show', () => {
  it.each<[string, readonly string[]]>([
    ['sk-1', ['sk-1']],
    ['', []],
    ['{OPENAI_API_KEY}', ['{OPENAI_API_KEY}']],
    ['{"access_key_id":"AKIA1","secret_access_key":"s","region":"eu-west-1"}', ['AKIA1', 's']],
    ['{"client_email":"a@b.c","private_key_id":"1","private_key":"pem"}', ['pem']],
  ])('of %j are %j', (credential, values) => {
    expect(secretValues(credential)).toEqual(values);
  });
});
